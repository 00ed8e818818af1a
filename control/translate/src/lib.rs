//! From what a libhdf5 says about datatypes and dataspaces to what the data plane understands.
//!
//! The data plane knows no HDF5, and `h5-host` knows no data plane. This crate knows both, for every connector that moves raw data
//! itself.

#![forbid(unsafe_code)]

mod datatypes;
mod selection;
mod source_pattern;

pub use crate::selection::Selected;
pub use crate::source_pattern::SourcePattern;
pub use datatypes::{TIME_BIG, TIME_LITTLE, describe, describe_indirect, describe_variable};

use convert::HostTraits;
use h5_host::{Host, Version};

/// What the host's own conversions depend on.
pub fn traits_of(host: Host) -> HostTraits {
    const FIRST_TO_RESET_FLAG: Version = Version { major: 2, minor: 0, release: 0 };
    HostTraits {
        native_half: host.has_native_half(),
        keeps_denormal_flag: host.version() < FIRST_TO_RESET_FLAG,
    }
}
