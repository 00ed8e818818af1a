//! What a format does: everything else is the shadow's.

use core::ffi::CStr;
use core::fmt::Debug;
use core::hash::Hash;
use std::path::{Path, PathBuf};

use h5_vol::{Lender, Settings, Slots};

use crate::connector::Shadow;
use crate::spec::{Cell, Change, Description, FileSpec, FilterSpec, Kind, Link};

/// Why a format could not do something: a sentence that names the file and the cause.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The sentence.
    pub message: String,
    /// The system's error number, if the system said no.
    pub errno: Option<i32>,
}

impl Failure {
    /// A failure with its reason.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), errno: None }
    }

    /// The system said no.
    pub fn of_system(path: &Path, doing: &str, error: &std::io::Error) -> Self {
        Self { message: format!("cannot {doing} {}: {error}", path.display()), errno: error.raw_os_error() }
    }
}

/// Result of a format's methods.
pub type Outcome<T> = Result<T, Failure>;

/// Where a container is. Two names lead to the same container exactly if it has the same root.
#[derive(Debug, Clone)]
pub struct Place {
    /// Its place in the file system, or any other unique name.
    pub root: PathBuf,
    /// The regular file that stands for it (a stub), if the application's name is that of one.
    pub stub: Option<PathBuf>,
    /// Whether the application wants it to be locked against other processes (`H5Pset_file_locking`).
    pub is_locked: bool,
}

impl Place {
    /// A container.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), stub: None, is_locked: true }
    }

    /// The file from which other files are looked for.
    pub(crate) fn seen_from(&self) -> &Path {
        self.stub.as_ref().unwrap_or(&self.root)
    }
}

/// What tells a stored chunk from one that has replaced it: any numbers.
pub type Version = [u64; 4];

/// How a container is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// For reading.
    Read,
    /// For writing, too.
    Write,
    /// Anew: what was there is deleted.
    Create,
}

/// A format.
pub trait Backend: Send + Sync + Sized + 'static {
    /// Name under which HDF5 finds the connector (`HDF5_VOL_CONNECTOR`).
    const NAME: &'static CStr;
    /// Number under which HDF5 finds the connector.
    const VALUE: core::ffi::c_int;
    /// Version of the connector.
    const VERSION: u32;
    /// The same as text.
    const VERSION_TEXT: &'static CStr;

    /// Environment variable that names a file for counters of what was done, as JSON.
    const STATISTICS: &'static str;

    /// The format's own keys in the connector's info string.
    type Settings: Settings;
    /// An open container.
    type Store: Store;

    /// Where the connector's instances live: write `h5_vol::slots!(Shadow<TheType>);`.
    fn slots() -> &'static Slots<Shadow<Self>>;

    /// Name of the connector's lender, which nothing else has ([`Lends`](h5_vol::Lends)).
    const LENDER: &'static CStr;

    /// Where the lender's instances live, as above.
    fn lender_slots() -> &'static Slots<Lender<Shadow<Self>>>;

    /// Starts in a process.
    fn new() -> Self;

    /// The container that a name leads to, if one is there. Every other name is native HDF5's.
    fn existing(&self, name: &Path, settings: &Self::Settings) -> Option<Place>;

    /// Where a new container of this name would be. `None` if native HDF5 is to make a file of it. It is not asked for names that
    /// cannot be created (their folder is missing).
    fn new_place(&self, name: &Path, settings: &Self::Settings) -> Option<Place>;

    /// The name of the new container if a stub is to be at this name. `None`: no stub is wanted, and `new_place` is asked.
    fn behind_stub(&self, name: &Path, settings: &Self::Settings) -> Option<PathBuf> {
        let _ = (name, settings);
        None
    }

    /// Whether this container was made for its stub, which may be gone by now. Others are not overwritten by a new file.
    fn belongs_to_stub(&self, place: &Place) -> bool {
        let _ = place;
        false
    }

    /// Opens a container. A format that has stubs notes `place.stub` in a new container.
    fn open(&self, place: &Place, mode: Mode, settings: &Self::Settings) -> Outcome<Self::Store>;

    /// Deletes a container that nobody has open.
    fn delete(&self, place: &Place, settings: &Self::Settings) -> Outcome<()>;
}

/// An open container of a format. Data is asked for by several threads at once, everything else by one at a time.
pub trait Store: Debug + Send + Sync + 'static {
    /// The lasting identity of an object.
    type Key: Clone + Eq + Hash + Debug + Send + Sync + 'static;

    /// The key of the root group.
    fn root(&self) -> Self::Key;

    /// What is known of the container itself.
    fn file(&self) -> Outcome<FileSpec>;

    /// A key for a new object.
    fn new_key(&self, kind: Kind) -> Self::Key;

    /// Fails if the format cannot keep a dataset with these filters, with what the user can do about it.
    fn accept(&self, filters: &[FilterSpec]) -> Outcome<()> {
        let _ = filters;
        Ok(())
    }

    /// Fails if the format cannot keep an attribute of this name.
    fn accept_attribute(&self, name: &str) -> Outcome<()> {
        let _ = name;
        Ok(())
    }

    /// What objects are, in the same order. All children of a group are asked for at once.
    fn describe(&self, keys: &[Self::Key]) -> Outcome<Vec<Description<Self::Key>>>;

    /// The links of a group; none for other objects.
    fn links(&self, group: &Self::Key) -> Outcome<Vec<(String, Link<Self::Key>)>>;

    /// A path to an object, for references. `None` if there is no such object.
    fn path(&self, key: &Self::Key) -> Outcome<Option<String>>;

    /// The elements of a dataset that lead to something outside of themselves; `None` if they were never written, or are in other files.
    fn values(&self, dataset: &Self::Key) -> Outcome<Option<Vec<Cell<Self::Key>>>>;

    /// Fills `elements` with those of a chunk. False if it was never written. `place` counts chunks along each dimension; a dataset
    /// in one piece has one chunk. A chunk at the edge is complete.
    fn read_chunk(&self, dataset: &Self::Key, place: &[u64], elements: &mut [u8]) -> Outcome<bool>;

    /// Whether two chunks of a dataset are read faster at the same time than one after the other.
    fn gains_by_pairs(&self, dataset: &Self::Key) -> bool {
        let _ = dataset;
        false
    }

    /// The same as [`Store::read_chunk`] for two chunks at the same time. A failure has the number of the first that cannot be read.
    fn read_pair(
        &self,
        dataset: &Self::Key,
        places: [&[u64]; 2],
        elements: [&mut [u8]; 2],
    ) -> Result<[bool; 2], (usize, Failure)> {
        let mut found = [false; 2];
        for (which, elements) in elements.into_iter().enumerate() {
            let read = self.read_chunk(dataset, places[which], elements);
            found[which] = read.map_err(|failure| (which, failure))?;
        }
        Ok(found)
    }

    /// What tells a stored chunk from one by which another process has replaced it. Decoded chunks are kept as long as it is the same.
    fn chunk_version(&self, dataset: &Self::Key, place: &[u64]) -> Option<Version> {
        let _ = (dataset, place);
        None
    }

    /// Stores a chunk. The dataset was described before.
    fn write_chunk(&self, dataset: &Self::Key, place: &[u64], elements: &[u8]) -> Outcome<()>;

    /// A dataset now has this extent: chunks that lie outside are forgotten. `chunk` are the dimensions of a chunk.
    fn resize(&self, dataset: &Self::Key, dims: &[u64], chunk: &[u64]) -> Outcome<()>;

    /// Places of the chunks of a dataset that are stored, in any order. `None` if that is not known without reading them.
    fn stored_places(&self, dataset: &Self::Key) -> Outcome<Option<Vec<Vec<u64>>>> {
        let _ = dataset;
        Ok(None)
    }

    /// Bytes that the chunks of a dataset take.
    fn stored_bytes(&self, dataset: &Self::Key) -> Outcome<u64>;

    /// Takes note of what has changed. All of it belongs together.
    fn persist(&self, changes: Vec<Change<Self::Key>>) -> Outcome<()>;

    /// Makes everything so far last.
    fn flush(&self) -> Outcome<()>;

    /// The application has closed the container: other processes may have it now.
    fn close(&self) {}
}
