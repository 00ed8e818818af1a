//! What can go wrong.

/// A filter, or its parameters, that we do not have. Not an error: native HDF5 does it then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unsupported(pub String);

/// Why one filter failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CodecError {
    /// The stored bytes make no sense.
    #[error("{0}")]
    Corrupt(&'static str),
    /// The stored bytes may make sense to a decoder that knows more than ours: a reason to let native HDF5 try.
    #[error("{0}")]
    Foreign(&'static str),
    /// There are more bytes than fit.
    #[error("the data is longer than a chunk")]
    NoRoom,
    /// A checksum does not agree.
    #[error("checksum {computed:#010x} computed, {stored:#010x} stored")]
    Checksum {
        /// As found in the file.
        stored: u32,
        /// As it should be.
        computed: u32,
    },
    /// The filter gains nothing on these bytes, or cannot be applied to them.
    #[error("the filter cannot be applied: {0}")]
    NotApplicable(&'static str),
    /// Memory for buffers could not be had.
    #[error("out of memory for {0} bytes")]
    OutOfMemory(usize),
}

/// Why a pipeline failed: which filter, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("filter {name} ({id}): {source}")]
pub struct PipelineError {
    /// Number of the filter.
    pub id: i32,
    /// Its name.
    pub name: String,
    /// Why.
    pub source: CodecError,
}
