//! What went wrong: with which file and object, and why.

use core::fmt;

use h5_client::Failure;

/// Result of a comparison or copy.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Why something could not be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The file, and the object in it.
    pub place: String,
    /// The cause.
    pub cause: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.cause)
    }
}

impl std::error::Error for Error {}

impl Error {
    /// An error of our own.
    pub fn new(place: impl Into<String>, cause: impl Into<String>) -> Self {
        Self { place: place.into(), cause: cause.into() }
    }
}

/// The call that failed and the innermost cause, which is closest to what is wrong.
pub(crate) fn cause(failure: &Failure) -> String {
    match failure.entries.iter().map(|entry| entry.description.trim()).find(|text| !text.is_empty()) {
        Some(inner) => format!("{}: {inner}", failure.message),
        None => failure.message.clone(),
    }
}

/// Says where a call has failed.
pub trait At<T> {
    /// Adds the place to a failure.
    fn at(self, place: impl FnOnce() -> String) -> Result<T>;
}

impl<T> At<T> for h5_client::Result<T> {
    fn at(self, place: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|failure| Error { place: place(), cause: cause(&failure) })
    }
}
