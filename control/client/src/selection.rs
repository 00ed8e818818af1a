//! What is selected of a dataspace, as numbers.

use h5_abi::{H5S_SEL_ALL, H5S_SEL_HYPERSLABS, H5S_SEL_NONE, H5S_SEL_POINTS};

use crate::dataspace::Dataspace;
use crate::failure::{Failure, Result};

/// What is selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// Nothing.
    None,
    /// Everything.
    All,
    /// These elements, in this order: the coordinates of one after the other.
    Points(Vec<u64>),
    /// These boxes: of each its first element, then its last.
    Boxes(Vec<u64>),
}

impl Dataspace {
    /// What is selected. An unlimited selection cannot be told.
    pub fn selection(&self) -> Result<Selection> {
        let (session, id) = (self.session(), self.id());
        let numbers = |count: i64, each: usize| {
            let count = u64::try_from(count).map_err(|_| Failure::refused("a selection without an end"))?;
            let numbers = usize::try_from(count).ok().and_then(|count| count.checked_mul(each));
            numbers
                .map(|numbers| (count, vec![0_u64; numbers]))
                .ok_or_else(|| Failure::refused("a selection is too large"))
        };
        let rank = self.rank()?;
        // SAFETY: our own identifier.
        Ok(match unsafe { call!(session, H5Sget_select_type(id)) }? {
            H5S_SEL_NONE => Selection::None,
            H5S_SEL_ALL => Selection::All,
            H5S_SEL_POINTS => {
                // SAFETY: our own identifier.
                let (count, mut points) =
                    numbers(unsafe { call!(session, H5Sget_select_elem_npoints(id)) }?, rank)?;
                // SAFETY: room for the coordinates of as many points.
                unsafe { call!(session, H5Sget_select_elem_pointlist(id, 0, count, points.as_mut_ptr())) }?;
                Selection::Points(points)
            }
            H5S_SEL_HYPERSLABS => {
                // SAFETY: our own identifier.
                let (count, mut boxes) =
                    numbers(unsafe { call!(session, H5Sget_select_hyper_nblocks(id)) }?, 2 * rank)?;
                // SAFETY: room for two corners of as many boxes.
                unsafe { call!(session, H5Sget_select_hyper_blocklist(id, 0, count, boxes.as_mut_ptr())) }?;
                Selection::Boxes(boxes)
            }
            other => return Err(Failure::refused(format!("a selection of the kind {}", other.0))),
        })
    }
}
