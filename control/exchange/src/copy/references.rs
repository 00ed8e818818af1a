//! Puts references in, when everything is there that they can lead to.

use std::ffi::CString;

use h5_abi::H5O_token_t;
use h5_client::{
    AnyObject, Attribute, Class, Description, Elements, Links as _, NewReference, Object as _,
    ReferenceTarget,
};

use super::attributes::Owner;
use super::elements::{MOST_VALUES, blocks_of};
use super::{Copying, known};
use crate::error::{At as _, Result};
use crate::parts::selected;

/// Something whose references are still to be put in.
pub(super) struct Pending {
    pub(super) source: Source,
    pub(super) owner: Owner,
    pub(super) what: What,
}

/// An object of the source.
pub(super) enum Source {
    Path(CString),
    /// A committed datatype, which need not be at the path of what uses it.
    Type(AnyObject),
}

/// What of it.
pub(super) enum What {
    /// The elements of a dataset.
    Elements,
    /// An attribute.
    Attribute(CString),
}

impl Copying<'_> {
    /// Whether references stay null. `H5Ocopy` does that, if what they lead to is not to be copied, where an element is nothing but a
    /// reference; others it copies as they are, so that they lead anywhere. They lead to the copies here.
    pub(super) fn leaves_null(&self, description: &Description) -> bool {
        let is_reference =
            matches!(description.class, Class::ObjectReference | Class::RegionReference | Class::Reference);
        is_reference && self.wanted.is_some() && !self.flags().expands_references()
    }

    pub(super) fn references(&mut self) -> Result<()> {
        while let Some(pending) = self.pending.pop_front() {
            self.check_stopped()?;
            let source = &match pending.source {
                Source::Path(path) => self.open_source(&path)?,
                Source::Type(datatype) => datatype,
            };
            match (&pending.what, &pending.owner) {
                (What::Attribute(name), Owner::Path(path)) => {
                    let target = AnyObject::open(self.target, path).at(|| self.target_shown(path))?;
                    let attribute = Attribute::open(&target, name).at(|| self.target_shown(path))?;
                    self.put_attribute(source, name, &attribute)?;
                }
                (What::Attribute(name), Owner::Type(datatype)) => {
                    let attribute = Attribute::open(&**datatype, name).at(|| self.destination.shown())?;
                    self.put_attribute(source, name, &attribute)?;
                }
                (What::Elements, Owner::Path(path)) => self.put_elements(source, path)?,
                (What::Elements, Owner::Type(_)) => {}
            }
        }
        Ok(())
    }

    fn put_attribute(&mut self, source: &AnyObject, name: &CString, target: &Attribute) -> Result<()> {
        let place = || format!("{} attribute '{}'", self.source.place.shown(), name.to_string_lossy());
        let attribute = Attribute::open(source, name).at(place)?;
        let mut elements = attribute.datatype().and_then(|kind| attribute.read_elements(&kind)).at(place)?;
        self.replace(&mut elements, source)?;
        target
            .write_elements(&elements)
            .at(|| format!("{} attribute '{}'", self.destination.shown(), name.to_string_lossy()))
    }

    fn put_elements(&mut self, source: &AnyObject, path: &CString) -> Result<()> {
        let AnyObject::Dataset(dataset) = source else { return Ok(()) };
        let target = AnyObject::open(self.target, path).and_then(AnyObject::into_dataset);
        let target = target.at(|| self.target_shown(path))?;
        let from = || format!("{} (copied to {})", self.source.place.shown(), path.to_string_lossy());
        let size = dataset.datatype().and_then(|kind| kind.size()).at(from)? as u64;
        for block in blocks_of(dataset, &target, MOST_VALUES, self.source.is_plain).at(from)? {
            self.check_stopped()?;
            let datatype = dataset.datatype().and_then(|kind| kind.copy()).at(from)?;
            let selection = selected(dataset, &block).at(from)?;
            let mut elements = dataset.read_elements(&datatype, selection.as_ref()).at(from)?;
            self.replace(&mut elements, source)?;
            let selection = selected(&target, &block).at(from)?;
            target.write_elements(&elements, selection.as_ref()).at(|| self.target_shown(path))?;
            self.progress.moved(block.elements().saturating_mul(size));
        }
        target.close().at(|| self.target_shown(path))
    }

    fn replace(&mut self, elements: &mut Elements, source: &AnyObject) -> Result<()> {
        let place = || format!("{}: references", self.source.place.shown());
        let file = source.info().at(place)?.fileno;
        if self.flags().expands_references() {
            self.copy_referenced(elements, source, file)?;
        }
        let (done, mut lost) = (&self.done, 0);
        let mut choose = |target: ReferenceTarget| {
            let token = match target {
                ReferenceTarget::Null | ReferenceTarget::Elsewhere(..) => return Ok(NewReference::Same),
                ReferenceTarget::Broken(_) => return Ok(NewReference::Null),
                ReferenceTarget::Object(token)
                | ReferenceTarget::Region(token, _)
                | ReferenceTarget::Attribute(token, _) => token,
            };
            if let Some(path) = done.get(&(file, token.into())) {
                return Ok(NewReference::To(path.clone()));
            }
            lost += 1;
            Ok(NewReference::Null)
        };
        elements
            .replace_references(source, self.target, &mut choose)
            .at(|| format!("{}: references", self.source.place.shown()))?;
        self.summary.lost_references += lost;
        Ok(())
    }

    /// Copies what references lead to, and what is not copied yet, into the root of the target, as HDF5 does it.
    fn copy_referenced(&mut self, elements: &mut Elements, source: &AnyObject, file: u64) -> Result<()> {
        let place = || format!("{}: references", self.source.place.shown());
        let (done, mut missing) = (&self.done, Vec::new());
        let mut choose = |target: ReferenceTarget| {
            if let ReferenceTarget::Object(token)
            | ReferenceTarget::Region(token, _)
            | ReferenceTarget::Attribute(token, _) = target
                && !done.contains_key(&(file, token.into()))
                && !missing.contains(&token)
            {
                missing.push(token);
            }
            Ok(NewReference::Same)
        };
        elements.replace_references(source, self.target, &mut choose).at(place)?;
        for token in missing {
            let object = AnyObject::by_token(source, token).at(place)?;
            if self.done.contains_key(&known(&object.info().at(place)?)) {
                continue;
            }
            let path = CString::new(format!("//{}", self.referenced.len())).unwrap_or_default();
            let (name, link) = (self.name_for_referenced(token)?, self.link_creation(false)?);
            self.referenced.push((object, name.clone()));
            self.below(&path, &name, &link)?;
        }
        Ok(())
    }

    /// A new name like those that HDF5 gives, which have the address of the copy in them.
    fn name_for_referenced(&self, token: H5O_token_t) -> Result<CString> {
        let (first, _) = token.__data.split_at(8);
        let mut number = first.iter().rev().fold(0_u64, |all, byte| all << 8 | u64::from(*byte));
        loop {
            let name = CString::new(format!("/~obj_pointed_by_{number}")).unwrap_or_default();
            if !self.target.link_exists(&name).at(|| self.target_shown(&name))? {
                return Ok(name);
            }
            number = number.wrapping_add(1);
        }
    }

    /// Takes the names away that committed datatypes had for a while, and if the copy has failed what was made for references.
    pub(super) fn take_names_away(&mut self, has_failed: bool) -> Result<()> {
        let mut names = self.named_types.take().unwrap_or_default();
        if has_failed {
            names.extend(self.referenced.drain(..).map(|(_, name)| name));
        }
        for name in names {
            let place = || self.target_shown(&name);
            if self.target.link_exists(&name).at(place)? {
                self.target.delete_link(&name).at(place)?;
            }
        }
        Ok(())
    }
}
