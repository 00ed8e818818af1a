//! What storage that was never written reads as.

use h5_host::questions::{FillTime, FillValue};
use h5_host::{Host, Questions, Version};
use h5_vol::{BelowObject, Id};

use crate::report::reason::Reason;

/// What missing data reads as, before any conversion.
#[derive(Debug, Clone)]
pub(crate) enum Filling {
    /// The application's memory stays as it is.
    Untouched,
    /// Zero bytes, of whatever type.
    Zeros,
    /// This element of the dataset's own type.
    Value(Vec<u8>),
}

/// Whether native HDF5 puts the fill value in place of a missing chunk first and then converts it with all others. It did
/// so until 2.0; since 2.2 it converts the fill value by itself, and where there is none memory gets zero bytes that
/// nobody converts, as always in a dataset that has no chunk at all. `None` for versions that may do either.
pub(crate) fn is_converted_with_others(host: Host) -> Option<bool> {
    let before = |major, minor, release| host.version() < Version { major, minor, release };
    if before(1, 14, 7) || !before(2, 0, 0) && before(2, 1, 0) {
        Some(true)
    } else if before(2, 2, 0) {
        None
    } else {
        Some(false)
    }
}

/// An element of zero bytes.
pub(crate) fn zeros(element: u64) -> Result<Vec<u8>, Reason> {
    Ok(vec![0; usize::try_from(element).map_err(|_| Reason::TooLarge)?])
}

/// What missing data reads as, by HDF5's rules.
pub(crate) fn filling_of(questions: Questions, below: &BelowObject, element: u64) -> Result<Filling, Reason> {
    let creation = below.dataset_creation_list(questions).ok_or(Reason::Untold("creation properties"))?;
    let (time, value) = questions.fill_rules(creation.id()).ok_or(Reason::Untold("fill value"))?;
    match (time, value) {
        (FillTime::Never, _) => Ok(Filling::Untouched),
        // Native HDF5 refuses to read what is missing then.
        (_, FillValue::Undefined) => Err(Reason::NoFillValue),
        (_, FillValue::Default) => Ok(Filling::Zeros),
        (_, FillValue::Set) => fill_value(questions, below, creation.id(), element),
    }
}

/// Whether missing data reads as zeros, whatever its type.
pub(crate) fn is_filled_with_zeros(questions: Questions, below: &BelowObject) -> Result<bool, Reason> {
    let creation = below.dataset_creation_list(questions).ok_or(Reason::Untold("creation properties"))?;
    let (time, value) = questions.fill_rules(creation.id()).ok_or(Reason::Untold("fill value"))?;
    Ok(time != FillTime::Never && value == FillValue::Default)
}

/// What elements of a virtual dataset read as that no source has. Native HDF5 does not care about when to fill.
pub(crate) fn filling_of_gaps(
    questions: Questions,
    below: &BelowObject,
    element: u64,
) -> Result<Filling, Reason> {
    let creation = below.dataset_creation_list(questions).ok_or(Reason::Untold("creation properties"))?;
    let (_, value) = questions.fill_rules(creation.id()).ok_or(Reason::Untold("fill value"))?;
    match value {
        FillValue::Undefined => Ok(Filling::Untouched),
        FillValue::Default => Ok(Filling::Zeros),
        FillValue::Set => fill_value(questions, below, creation.id(), element),
    }
}

/// The fill value that was set.
fn fill_value(
    questions: Questions,
    below: &BelowObject,
    creation: Id,
    element: u64,
) -> Result<Filling, Reason> {
    let size = usize::try_from(element).map_err(|_| Reason::TooLarge)?;
    let datatype = below.dataset_type(questions).ok_or(Reason::Untold("datatype"))?;
    let value = questions.fill_value(creation, datatype.id(), size);
    value.map(Filling::Value).ok_or(Reason::Untold("fill value"))
}

/// The element that native HDF5 puts into storage that it takes for a part of a chunk only.
pub(crate) fn filler_of(questions: Questions, below: &BelowObject, element: u64) -> Result<Vec<u8>, Reason> {
    match filling_of(questions, below, element) {
        Ok(Filling::Value(value)) => Ok(value),
        // What is never filled, or has nothing to be filled with, begins as zeros.
        Ok(Filling::Untouched | Filling::Zeros) | Err(Reason::NoFillValue) => {
            Ok(vec![0; usize::try_from(element).map_err(|_| Reason::TooLarge)?])
        }
        Err(reason) => Err(reason),
    }
}
