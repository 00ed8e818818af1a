//! Compares the attributes of two objects.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString};

use h5_client::{AnyObject, Attribute, Attributes as _, Object as _};

use super::Comparison;
use super::datasets::Extent;
use super::report::{Difference, Kind};
use crate::blocks::Block;
use crate::error::{At as _, Result};

impl Comparison<'_> {
    pub(super) fn attributes(&mut self, path: &CStr, a: &AnyObject, b: &AnyObject) -> Result<()> {
        let names = |object: &AnyObject| -> h5_client::Result<BTreeSet<CString>> {
            // Most objects have none, and listing them opens things.
            if object.info()?.num_attrs == 0 {
                return Ok(BTreeSet::new());
            }
            Ok(object.attribute_names()?.into_iter().collect())
        };
        let (first, second) = (names(a).at(|| self.a.shown(path))?, names(b).at(|| self.b.shown(path))?);
        for name in first.union(&second) {
            if self.options.excludes_attribute(path, name) {
                continue;
            }
            let difference = match (first.contains(name), second.contains(name)) {
                (true, false) => Difference::new(Kind::OnlyInA, "an attribute".to_owned(), None),
                (false, true) => Difference::new(Kind::OnlyInB, None, "an attribute".to_owned()),
                _ => {
                    if let Err(error) = self.attribute(path, name, a, b) {
                        let difference = Difference::new(Kind::NotComparable, error.to_string(), None);
                        self.found(path, Some(name), difference);
                    }
                    continue;
                }
            };
            self.found(path, Some(name), difference);
        }
        if self.options.order && !(first.is_empty() && second.is_empty()) {
            let order = |object: &AnyObject| -> h5_client::Result<Option<Vec<CString>>> {
                let order = match object {
                    AnyObject::Group(group) => group.creation()?.attribute_order()?,
                    AnyObject::Dataset(dataset) => dataset.creation()?.attribute_order()?,
                    AnyObject::Datatype(datatype) => datatype.creation()?.attribute_order()?,
                };
                if order == 0 { Ok(None) } else { object.attribute_names_by_creation().map(Some) }
            };
            let (a, b) = (order(a).at(|| self.a.shown(path))?, order(b).at(|| self.b.shown(path))?);
            self.orders(path, "order of attributes", a.as_deref(), b.as_deref());
        }
        Ok(())
    }

    fn attribute(&mut self, path: &CStr, name: &CStr, a: &AnyObject, b: &AnyObject) -> Result<()> {
        let place =
            |side: &crate::Side| format!("{} attribute '{}'", side.shown(path), name.to_string_lossy());
        let (first, second) = (|| place(self.a), || place(self.b));
        self.report.statistics.attributes += 1;
        let (one, other) = (Attribute::open(a, name).at(first)?, Attribute::open(b, name).at(second)?);
        let extents = (
            one.space().and_then(|space| Extent::of(&space)).at(first)?,
            other.space().and_then(|space| Extent::of(&space)).at(second)?,
        );
        let types = (one.datatype().at(first)?, other.datatype().at(second)?);
        let described = (types.0.describe().at(first)?, types.1.describe().at(second)?);
        self.committed(path, Some(name), &types.0, &types.1)?;
        let is_comparable = self.types(path, Some(name), &described.0, &described.1);
        if !self.extents(path, Some(name), &extents.0, &extents.1) || !is_comparable {
            return Ok(());
        }
        let Some(dimensions) = extents.0.dimensions() else { return Ok(()) };
        let block = Block { start: vec![0; dimensions.len()], count: dimensions.to_vec() };
        let mut elements =
            (one.read_elements(&types.0).at(first)?, other.read_elements(&types.1).at(second)?);
        let values = (elements.0.values(a).at(first)?, elements.1.values(b).at(second)?);
        let mut found = Difference::new(Kind::Value, None, None);
        self.values((&described.0, &values.0), (&described.1, &values.1), &block, &mut found);
        if found.count.is_some() {
            self.found(path, Some(name), found);
        }
        Ok(())
    }
}
