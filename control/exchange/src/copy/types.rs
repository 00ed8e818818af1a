//! Datatypes of the target: those that are committed in the source are committed there, once.

use std::ffi::CStr;
use std::rc::Rc;

use h5_client::{AnyObject, Datatype, Making as _, Object as _};

use super::Copying;
use super::attributes::Owner;
use crate::error::{At as _, Result};
use crate::walk::Identity;

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
        let identity: Identity = datatype.info().at(from)?.token.into();
        if let Some(made) = self.types.get(&identity) {
            return Ok(Rc::clone(made));
        }
        let creation = datatype.creation().at(from)?;
        let made = datatype.copy().at(from)?;
        self.target.commit_without_name(&made, &creation).at(|| self.destination.shown())?;
        let made = Rc::new(made);
        self.types.insert(identity, Rc::clone(&made));
        let object = AnyObject::by_token(&self.source.file, datatype.info().at(from)?.token).at(from)?;
        self.attributes(&object, user, &*made, &Owner::Type(Rc::clone(&made)))?;
        Ok(made)
    }
}
