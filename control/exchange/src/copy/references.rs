//! Puts references in, when everything is there that they can lead to.

use std::ffi::CString;

use h5_abi::H5O_token_t;
use h5_client::{AnyObject, Attribute, Elements, NewReference, ReferenceTarget};

use super::Copying;
use super::attributes::Owner;
use super::elements::{MOST_VALUES, blocks_of};
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
    Token(H5O_token_t),
}

/// What of it.
pub(super) enum What {
    /// The elements of a dataset.
    Elements,
    /// An attribute.
    Attribute(CString),
}

impl Copying<'_> {
    pub(super) fn references(&mut self) -> Result<()> {
        for pending in std::mem::take(&mut self.pending) {
            self.check_stopped()?;
            let place = self.source.place.shown();
            let source = match &pending.source {
                Source::Path(path) => AnyObject::open(&self.source.file, path),
                Source::Token(token) => AnyObject::by_token(&self.source.file, *token),
            }
            .at(|| place.clone())?;
            match (&pending.what, &pending.owner) {
                (What::Attribute(name), Owner::Path(path)) => {
                    let target = AnyObject::open(self.target, path).at(|| self.target_shown(path))?;
                    let attribute = Attribute::open(&target, name).at(|| self.target_shown(path))?;
                    self.put_attribute(&source, name, &attribute)?;
                }
                (What::Attribute(name), Owner::Type(datatype)) => {
                    let attribute = Attribute::open(&**datatype, name).at(|| self.destination.shown())?;
                    self.put_attribute(&source, name, &attribute)?;
                }
                (What::Elements, Owner::Path(path)) => self.put_elements(&source, path)?,
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
        for block in blocks_of(dataset, &target, MOST_VALUES, self.is_plain_source).at(from)? {
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
        let (done, mut lost) = (&self.done, 0);
        let mut choose = |target: ReferenceTarget| {
            let token = match target {
                ReferenceTarget::Null | ReferenceTarget::Elsewhere(..) => return Ok(NewReference::Same),
                ReferenceTarget::Broken(_) => return Ok(NewReference::Null),
                ReferenceTarget::Object(token)
                | ReferenceTarget::Region(token, _)
                | ReferenceTarget::Attribute(token, _) => token,
            };
            if let Some(path) = done.get(&token.into()) {
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
}
