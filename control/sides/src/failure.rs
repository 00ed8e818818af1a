//! Why a call on another side failed.

use h5_vol::Error;

/// Result of a call on another side.
pub type Outcome<T> = Result<T, Failure>;

/// A call that failed, in HDF5's own words or ours.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Failure(String);

impl Failure {
    /// A failure with this reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self(error.to_string())
    }
}
