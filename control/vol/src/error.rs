//! The errors of a connector's methods, and how they reach the application.

use core::ffi::c_int;
use core::fmt::Display;
use core::panic::Location;

use h5_host::errors::Kind;

/// Result of a connector's method.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Failure of a callback.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The connector below failed with this status. It has described why on the error stack, so we add
    /// nothing, and the caller gets the same status: it may come from the application's own callback.
    #[error("the connector below failed")]
    Below(c_int),
    /// The connector itself failed: becomes an entry of its error class on the error stack.
    #[error("{message}")]
    Own {
        /// Kind of failure.
        kind: Kind,
        /// What happened, naming the file, object, key or value concerned.
        message: String,
        /// Where in the source it was found.
        place: &'static Location<'static>,
    },
}

impl Error {
    /// An error of the connector's own.
    #[track_caller]
    pub fn new(kind: Kind, message: impl Display) -> Self {
        Self::Own { kind, message: message.to_string(), place: Location::caller() }
    }

    /// A wrong info string or environment variable.
    #[track_caller]
    pub fn configuration(message: impl Display) -> Self {
        Self::new(Kind::Configuration, message)
    }

    /// An operation that the connector does not support.
    #[track_caller]
    pub fn unsupported(message: impl Display) -> Self {
        Self::new(Kind::Unsupported, message)
    }

    /// An invalid argument.
    #[track_caller]
    pub fn bad_argument(message: impl Display) -> Self {
        Self::new(Kind::BadArgument, message)
    }

    /// An operation that was tried and failed.
    #[track_caller]
    pub fn failed(message: impl Display) -> Self {
        Self::new(Kind::Failed, message)
    }
}
