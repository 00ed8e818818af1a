//! Where a call points, relative to an identifier.

use core::ffi::CStr;
use std::ffi::CString;

use h5_abi::{H5_index_t, H5_iter_order_t};
use h5_vol::{Id, Location, Target, Token};

use crate::failure::{Failure, Outcome};

/// A place relative to an object of another side.
#[derive(Debug, Clone)]
pub enum Place<'a> {
    /// The object itself.
    Itself,
    /// What has this name.
    Name {
        /// The name.
        name: &'a CStr,
        /// Link access list.
        links: Id,
    },
    /// The `n`th in the group of this name (of an attribute: of the object of this name).
    Index {
        /// The name.
        group: &'a CStr,
        /// Which index counts.
        index: H5_index_t,
        /// In which direction.
        order: H5_iter_order_t,
        /// The position.
        n: u64,
        /// Link access list.
        links: Id,
    },
    /// What has this path from the root.
    Path(CString),
}

impl<'a> Place<'a> {
    /// The place of a call. A token means nothing on another side: `path_of` says which path it stands for.
    pub fn of(location: Location<'a>, path_of: impl FnOnce(&Token) -> Option<CString>) -> Outcome<Self> {
        match location.target() {
            Target::Itself => Ok(Self::Itself),
            Target::Name(name) => Ok(Self::Name { name, links: location.link_access() }),
            Target::Index { group, n } => {
                let (index, order, links) =
                    location.by_index().ok_or_else(|| Failure::new("a position without an index"))?;
                Ok(Self::Index { group, index, order, n, links })
            }
            Target::Token(token) => path_of(token).map(Self::Path).ok_or_else(|| {
                Failure::new("the object has no name by which it could be found on this side")
            }),
            _ => Err(Failure::new("a kind of location that is not known")),
        }
    }

    /// The name of a place that has one.
    pub fn name(&self) -> Outcome<(&CStr, Id)> {
        match self {
            Self::Name { name, links } => Ok((name, *links)),
            Self::Path(path) => Ok((path, Id::DEFAULT)),
            Self::Itself => Ok((c".", Id::DEFAULT)),
            Self::Index { .. } => Err(Failure::new("a position in place of a name")),
        }
    }
}
