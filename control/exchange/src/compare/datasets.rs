//! Compares two datasets: extents, types, then elements.

use std::ffi::CStr;

use h5_client::{Dataset, Dataspace, Datatype, Description, Object as _};

use super::Comparison;
use super::report::{Difference, Kind};
use crate::error::{At as _, Result};
use crate::{shown, types};

/// Dimensions, or that there are none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Extent {
    Null,
    Simple(Vec<u64>, Vec<u64>),
}

impl Extent {
    pub(super) fn of(space: &Dataspace) -> h5_client::Result<Self> {
        if space.is_null()? {
            return Ok(Self::Null);
        }
        let (dimensions, most) = space.extents()?;
        Ok(Self::Simple(dimensions, most))
    }

    /// The dimensions, if there can be elements.
    pub(super) fn dimensions(&self) -> Option<&[u64]> {
        match self {
            Self::Null => None,
            Self::Simple(dimensions, _) => Some(dimensions),
        }
    }

    fn shown(&self) -> String {
        match self {
            Self::Null => "no dataspace".into(),
            Self::Simple(dimensions, _) if dimensions.is_empty() => "scalar".into(),
            Self::Simple(dimensions, _) => lengths(dimensions),
        }
    }

    fn shown_most(&self) -> String {
        match self {
            Self::Null => "none".into(),
            Self::Simple(_, most) => lengths(most),
        }
    }
}

fn lengths(lengths: &[u64]) -> String {
    let one = |length: &u64| if *length == Dataspace::UNLIMITED { "*".into() } else { length.to_string() };
    lengths.iter().map(one).collect::<Vec<_>>().join(" x ")
}

impl Comparison<'_> {
    pub(super) fn datasets(&mut self, path: &CStr, a: &Dataset, b: &Dataset) -> Result<()> {
        let places = (self.a.shown(path), self.b.shown(path));
        let (first, second) = (|| places.0.clone(), || places.1.clone());
        self.report.statistics.datasets += 1;
        let extents = (
            a.space().and_then(|space| Extent::of(&space)).at(first)?,
            b.space().and_then(|space| Extent::of(&space)).at(second)?,
        );
        let datatypes = (a.datatype().at(first)?, b.datatype().at(second)?);
        let described = (datatypes.0.describe().at(first)?, datatypes.1.describe().at(second)?);
        self.committed(path, None, &datatypes.0, &datatypes.1)?;
        let is_comparable = self.types(path, None, &described.0, &described.1);
        let is_same_extent = self.extents(path, None, &extents.0, &extents.1);
        if self.options.properties {
            self.dataset_properties(path, a, b)?;
        }
        match extents.0.dimensions() {
            Some(dimensions) if is_comparable && is_same_extent => {
                self.elements(path, (a, &described.0), (b, &described.1), dimensions)
            }
            _ => Ok(()),
        }
    }

    /// Compares two extents, and tells whether elements can be compared one by one.
    pub(super) fn extents(&mut self, path: &CStr, attribute: Option<&CStr>, a: &Extent, b: &Extent) -> bool {
        if a.dimensions() != b.dimensions() {
            self.found(path, attribute, Difference::new(Kind::Shape, a.shown(), b.shown()));
            return false;
        }
        if a != b {
            let found = Difference::new(Kind::MaximumShape, a.shown_most(), b.shown_most());
            self.found(path, attribute, found);
        }
        true
    }

    /// Compares two types, and tells whether their elements can be compared.
    pub(super) fn types(
        &mut self,
        path: &CStr,
        attribute: Option<&CStr>,
        a: &Description,
        b: &Description,
    ) -> bool {
        let is_same = types::normal(a) == types::normal(b);
        let is_comparable = is_same || types::are_comparable(a, b);
        let is_accepted = is_same || (self.options.convertible && is_comparable);
        if !is_accepted {
            self.found(path, attribute, Difference::new(Kind::Type, shown::datatype(a), shown::datatype(b)));
        }
        is_comparable
    }

    /// Compares whether types are committed, and under which names.
    pub(super) fn committed(
        &mut self,
        path: &CStr,
        attribute: Option<&CStr>,
        a: &Datatype,
        b: &Datatype,
    ) -> Result<()> {
        let name = |datatype: &Datatype,
                    names: &super::leads::Names<'_>|
         -> h5_client::Result<Option<Option<String>>> {
            if !datatype.is_committed()? {
                return Ok(None);
            }
            Ok(Some(names.below(datatype.info()?.token)))
        };
        let first = name(a, &self.names.0).at(|| self.a.shown(path))?;
        let second = name(b, &self.names.1).at(|| self.b.shown(path))?;
        let is_same = match (&first, &second) {
            // A type from outside of what is compared may be called anything.
            (Some(a), Some(b)) => a.is_none() || b.is_none() || a == b,
            (a, b) => a.is_none() && b.is_none(),
        };
        if !is_same {
            let words = |name: Option<Option<String>>| match name {
                None => "not committed".to_owned(),
                Some(None) => "committed outside of what is compared".to_owned(),
                Some(Some(name)) => format!("committed as {name}"),
            };
            self.found(path, attribute, Difference::new(Kind::CommittedType, words(first), words(second)));
        }
        Ok(())
    }
}
