//! What can go wrong.

use std::io;
use std::path::{Path, PathBuf};

use codecs::PipelineError;

/// Why something failed. Each names the file or the node, and the cause.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ZarrError {
    /// The system could not do something with a file.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried, such as "read".
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A metadata document makes no sense, or asks for something that is not supported.
    #[error("{}: {problem}", path.display())]
    Metadata {
        /// The document.
        path: PathBuf,
        /// What is wrong.
        problem: Problem,
    },
    /// A chunk cannot be decoded or encoded.
    #[error("{}: {problem}", path.display())]
    Chunk {
        /// The file of the chunk.
        path: PathBuf,
        /// What is wrong.
        problem: ChunkProblem,
    },
    /// There is no such node.
    #[error("there is no group or array {name:?} in {}", container.display())]
    NoSuchNode {
        /// Its path.
        name: String,
        /// The container.
        container: PathBuf,
    },
    /// A node is not of the kind that was asked for.
    #[error("{name:?} in {} is not {wanted}", container.display())]
    OtherKind {
        /// Its path.
        name: String,
        /// The container.
        container: PathBuf,
        /// What was asked for, such as "an array".
        wanted: &'static str,
    },
    /// A name that no node can have.
    #[error("{name:?} cannot be the name of a group or array: {reason}")]
    Name {
        /// The name.
        name: String,
        /// Why not.
        reason: &'static str,
    },
    /// A link leads out of the container.
    #[error("{} leads out of the container {}", path.display(), container.display())]
    Escape {
        /// The file or folder.
        path: PathBuf,
        /// The container.
        container: PathBuf,
    },
    /// There is something already where a container or node is to be made.
    #[error("{} exists already", path.display())]
    Exists {
        /// What exists.
        path: PathBuf,
    },
    /// The folder is no Zarr container.
    #[error("{} is not a Zarr group or array: it has no zarr.json, .zgroup or .zarray", path.display())]
    NotZarr {
        /// The folder.
        path: PathBuf,
    },
    /// The container was opened for reading only, or its format can only be read.
    #[error("{} cannot be changed: {reason}", path.display())]
    ReadOnly {
        /// The container.
        path: PathBuf,
        /// Why.
        reason: &'static str,
    },
    /// Another process has locked the container.
    #[error("{} is locked by another process", path.display())]
    Locked {
        /// The container.
        path: PathBuf,
    },
    /// A request that the array does not allow, such as a chunk outside of its grid.
    #[error("{}: {reason}", path.display())]
    Request {
        /// The array's folder.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

impl ZarrError {
    /// Makes an error of what the system said.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }

    /// Makes an error of a problem with a document.
    pub(crate) fn metadata(path: &Path) -> impl FnOnce(Problem) -> Self {
        move |problem| Self::Metadata { path: path.to_owned(), problem }
    }

    /// Makes an error of a problem with a chunk.
    pub(crate) fn chunk(path: &Path) -> impl FnOnce(ChunkProblem) -> Self {
        move |problem| Self::Chunk { path: path.to_owned(), problem }
    }
}

/// What is wrong with a metadata document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// It is not JSON.
    #[error("not valid JSON: {0}")]
    Json(String),
    /// A key is missing, or its value makes no sense.
    #[error("{key}: {reason}")]
    Invalid {
        /// Where in the document.
        key: String,
        /// What is wrong there.
        reason: String,
    },
    /// It makes sense, but there is nothing here that can do it.
    #[error("{key}: {what} is not supported")]
    Unsupported {
        /// Where in the document.
        key: String,
        /// What it is.
        what: String,
    },
}

impl Problem {
    pub(crate) fn invalid(key: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Invalid { key: key.into(), reason: reason.into() }
    }

    pub(crate) fn unsupported(key: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Unsupported { key: key.into(), what: what.into() }
    }
}

/// What is wrong with a chunk.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChunkProblem {
    /// One of the codecs failed.
    #[error("{0}")]
    Codec(#[from] PipelineError),
    /// The stored bytes make no sense.
    #[error("{0}")]
    Corrupt(String),
    /// An inner chunk of a shard has a problem.
    #[error("inner chunk {chunk:?}: {problem}")]
    Inner {
        /// Its coordinates in the shard.
        chunk: Vec<u64>,
        /// The problem.
        problem: Box<ChunkProblem>,
    },
    /// The elements that were given do not fit the array.
    #[error("{0}")]
    Elements(String),
    /// There is not enough memory.
    #[error("out of memory for {0} bytes")]
    OutOfMemory(u64),
}

impl ChunkProblem {
    pub(crate) fn corrupt(reason: impl Into<String>) -> Self {
        Self::Corrupt(reason.into())
    }
}
