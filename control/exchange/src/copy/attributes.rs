//! Copies the attributes of an object.

use std::ffi::{CStr, CString};
use std::rc::Rc;

use h5_client::{AnyObject, Attribute, Attributes as _, Datatype, Object};

use super::Copying;
use super::references::{Pending, Source, What};
use crate::error::{At as _, Result};

/// Whose attributes they are, in the target.
#[derive(Clone)]
pub(super) enum Owner {
    /// The object at this path.
    Path(CString),
    /// A committed datatype, which may have no path.
    Type(Rc<Datatype>),
}

impl Copying<'_> {
    /// Copies all attributes, in the order of their creation if that is kept. Those with references get their values later.
    pub(super) fn attributes(
        &mut self,
        source: &AnyObject,
        path: &CStr,
        target: &impl Object,
        owner: &Owner,
    ) -> Result<()> {
        let from = || self.source.shown(path);
        if self.flags().leaves_attributes_out() || source.info().at(from)?.num_attrs == 0 {
            return Ok(());
        }
        let order = match source {
            AnyObject::Group(group) => group.creation().and_then(|list| list.attribute_order()),
            AnyObject::Dataset(dataset) => dataset.creation().and_then(|list| list.attribute_order()),
            AnyObject::Datatype(datatype) => datatype.creation().and_then(|list| list.attribute_order()),
        };
        let is_ordered = order.at(from)? != 0;
        let names = if is_ordered { source.attribute_names_by_creation() } else { source.attribute_names() }
            .at(from)?;
        for name in names {
            self.attribute(source, path, target, owner, &name)?;
        }
        Ok(())
    }

    fn attribute(
        &mut self,
        source: &AnyObject,
        path: &CStr,
        target: &impl Object,
        owner: &Owner,
        name: &CStr,
    ) -> Result<()> {
        let from = format!("{} attribute '{}'", self.source.shown(path), name.to_string_lossy());
        let attribute = Attribute::open(source, name).at(|| from.clone())?;
        let (space, datatype) =
            (attribute.space().at(|| from.clone())?, attribute.datatype().at(|| from.clone())?);
        let creation = attribute.creation().at(|| from.clone())?;
        let made = self.datatype(&datatype, path)?;
        let new = Attribute::create_like(target, name, (&made, &space), &creation)
            .at(|| format!("{}: copying {from}", self.destination.shown()))?;
        self.summary.attributes += 1;
        if space.is_null().at(|| from.clone())? {
            return Ok(());
        }
        let description = datatype.describe().at(|| from.clone())?;
        if self.leaves_null(&description) {
            return Ok(());
        }
        if description.has_references() {
            let source = match source {
                AnyObject::Datatype(datatype) => {
                    Source::Type(AnyObject::open(datatype, c".").at(|| from.clone())?)
                }
                _ => Source::Path(path.to_owned()),
            };
            let what = What::Attribute(name.to_owned());
            self.pending.push_back(Pending { source, owner: owner.clone(), what });
            return Ok(());
        }
        let elements = attribute.read_elements(&datatype).at(|| from.clone())?;
        new.write_elements(&elements).at(|| format!("{}: copying {from}", self.destination.shown()))?;
        new.close().at(|| format!("{}: copying {from}", self.destination.shown()))
    }
}
