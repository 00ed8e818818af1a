//! What the sources of a virtual dataset are opened with.

use h5_host::Driver;
use h5_vol::OwnedId;

/// Property lists for the files and datasets of sources, and the driver of the files.
#[derive(Debug)]
pub(super) struct SourceAccess {
    pub(super) file: OwnedId,
    pub(super) dataset: OwnedId,
    pub(super) driver: Driver,
}
