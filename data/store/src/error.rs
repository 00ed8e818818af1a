//! What can go wrong with a read or a write.

/// A read or a write that failed. Who asked for it knows the file and the dataset, and says so around this.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The bytes are not part of the file.
    #[error(
        "bytes {offset} to {offset}+{length} lie outside the file's allocated space, which ends at {end}"
    )]
    OutsideFile {
        /// First byte asked for.
        offset: u64,
        /// How many were asked for.
        length: u64,
        /// End of the allocated space.
        end: u64,
    },
    /// The system could not read.
    #[error("cannot read {length} bytes at {offset}: {source}")]
    Io {
        /// First byte not read.
        offset: u64,
        /// How many were left to read.
        length: u64,
        /// What the system said.
        source: std::io::Error,
    },
    /// The system could not write.
    #[error("cannot write {length} bytes at offset {offset}: {source}")]
    Write {
        /// First byte not written.
        offset: u64,
        /// How many were left to write.
        length: u64,
        /// What the system said.
        source: std::io::Error,
    },
}
