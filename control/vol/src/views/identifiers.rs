//! Copies of dataspaces and datatypes. A terminal connector keeps copies of a call's arguments, and answers questions with
//! copies of those.

use h5_abi::hid_t;
use h5_host::errors::preserve;
use h5_host::{Host, Id, OwnedId};

use crate::error::{Error, Result};

/// A copy of a dataspace, with its selection.
#[track_caller]
pub fn copy_space(host: Host, space: Id) -> Result<OwnedId> {
    copy(host, space, host.functions().H5Scopy, "dataspace")
}

/// A copy of a datatype.
#[track_caller]
pub fn copy_datatype(host: Host, datatype: Id) -> Result<OwnedId> {
    copy(host, datatype, host.functions().H5Tcopy, "datatype")
}

#[track_caller]
fn copy(host: Host, id: Id, function: unsafe extern "C" fn(hid_t) -> hid_t, what: &str) -> Result<OwnedId> {
    // SAFETY: the host verifies the identifier; the copy is ours.
    OwnedId::take(host, preserve(host, || unsafe { function(id.0) }))
        .ok_or_else(|| Error::failed(format_args!("cannot copy {what} {}", id.0)))
}
