//! Datatypes of the target: those that are committed in the source are committed there, once.

use std::ffi::{CStr, CString};
use std::rc::Rc;

use h5_abi::H5O_TYPE_NAMED_DATATYPE;
use h5_client::{AnyObject, Datatype, Making as _, Object};

use super::attributes::Owner;
use super::{Copying, known};
use crate::error::{At as _, Result};

impl Copying<'_> {
    /// The datatype for something in the target that has this one in the source.
    pub(super) fn datatype(&mut self, datatype: &Datatype, user: &CStr) -> Result<Rc<Datatype>> {
        if datatype.is_committed().at(|| self.source.shown(user))? {
            self.committed(datatype, user)
        } else {
            datatype.copy().at(|| self.source.shown(user)).map(Rc::new)
        }
    }

    /// The committed datatype of the target that stands for this one, committed now if it was not yet. A link to it comes later,
    /// if there is one at all.
    pub(super) fn committed(&mut self, datatype: &Datatype, user: &CStr) -> Result<Rc<Datatype>> {
        let from = || self.source.shown(user);
        let identity = known(&datatype.info().at(from)?);
        if let Some(made) = self.types.get(&identity) {
            return Ok(Rc::clone(made));
        }
        if self.flags().merges_datatypes()
            && let Some(there) = self.equal_type(datatype)?
        {
            self.types.insert(identity, Rc::clone(&there));
            return Ok(there);
        }
        let from = || self.source.shown(user);
        let creation = datatype.creation().at(from)?;
        let made = datatype.copy().at(from)?;
        if let Some(names) = &mut self.named_types {
            let name = format!("~type_{}_{}", std::process::id(), names.len());
            let name = CString::new(name).unwrap_or_default();
            self.target.commit(&made, &name, &creation).at(|| self.destination.shown())?;
            names.push(name);
        } else {
            self.target.commit_without_name(&made, &creation).at(|| self.destination.shown())?;
        }
        let made = Rc::new(made);
        self.types.insert(identity, Rc::clone(&made));
        if let Some(there) = &mut self.there {
            there.push(Rc::clone(&made));
        }
        let object = AnyObject::open(datatype, c".").at(from)?;
        self.attributes(&object, user, &*made, &Owner::Type(Rc::clone(&made)))?;
        Ok(made)
    }

    /// The first committed datatype of the target that is equal.
    fn equal_type(&mut self, datatype: &Datatype) -> Result<Option<Rc<Datatype>>> {
        let place = self.destination.shown();
        let there = match &mut self.there {
            Some(there) => there,
            None => self.there.insert(committed_in(self.target).at(|| place.clone())?),
        };
        for candidate in there {
            if candidate.equals(datatype).at(|| place.clone())? {
                return Ok(Some(Rc::clone(candidate)));
            }
        }
        Ok(None)
    }
}

/// All committed datatypes of a file that have a name.
fn committed_in(file: &impl Object) -> h5_client::Result<Vec<Rc<Datatype>>> {
    let root = AnyObject::open(file, c"/")?;
    let mut names = Vec::new();
    root.visit_objects(|_, name, info| {
        if info.type_ == H5O_TYPE_NAMED_DATATYPE {
            names.push(name.to_owned());
        }
        0
    })?;
    let mut types = Vec::new();
    for name in names {
        if let AnyObject::Datatype(datatype) = AnyObject::open(&root, &name)? {
            types.push(Rc::new(datatype));
        }
    }
    Ok(types)
}
