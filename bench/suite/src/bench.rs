//! What all scenarios of a worker share.

use core::cell::RefCell;
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context, Result};

use crate::hdf5::{Buffer, Dataset, File, Library, PAGE};
use crate::worker::say;
use crate::{Event, Own, Request, Way};

/// Rows that every chunk's height divides.
const BAND: u64 = 512;

/// Where an application's memory begins in its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Placement {
    /// Where malloc puts a large buffer.
    Malloc,
    /// So many bytes further than the data begins in its own: a copy to 1 to 63 bytes further is four times slower on some
    /// processors.
    After {
        /// Where in the file the data begins.
        source: u64,
        /// So many bytes.
        bytes: u16,
    },
}

impl Placement {
    /// Where malloc puts a large buffer in its page.
    pub(crate) const MALLOC: usize = 16;

    fn page_offset(self) -> usize {
        match self {
            Self::Malloc => Self::MALLOC,
            Self::After { source, bytes } => {
                let source = usize::try_from(source % PAGE as u64).unwrap_or_default();
                (source + usize::from(bytes)) % PAGE
            }
        }
    }
}

/// The library, the folder and the memory of a worker.
pub(crate) struct Bench {
    /// The libhdf5.
    pub(crate) library: &'static Library,
    /// A folder with filters as plugins for native HDF5, which it knows already.
    pub(crate) filters: Option<PathBuf>,
    /// Where files are made, and kept for the next time.
    pub(crate) folder: PathBuf,
    /// Mebibytes of most datasets.
    pub(crate) mebibytes: u32,
    /// Threads of the limit.
    pub(crate) limit_threads: NonZero<usize>,
    /// The user's own data.
    pub(crate) own: Option<Own>,
    /// The memory that was asked for last.
    last: RefCell<Option<(usize, Rc<Buffer>)>>,
}

impl Bench {
    /// Loads the library of a request, and makes sure that there is a folder.
    pub(crate) fn new(request: &Request) -> Result<Self> {
        let library = Library::load(&request.library)?;
        if let Some(filters) = &request.filters {
            library.add_plugins(filters)?;
        }
        fs::create_dir_all(&request.folder)
            .with_context(|| format!("cannot make the folder {}", request.folder.display()))?;
        let limit_threads = usize::try_from(request.limit_threads)?;
        Ok(Self {
            library,
            filters: request.filters.clone(),
            folder: request.folder.clone(),
            mebibytes: request.mebibytes,
            limit_threads: NonZero::new(limit_threads).context("the limit has no thread")?,
            own: request.own.clone(),
            last: RefCell::new(None),
        })
    }

    /// Bytes of most datasets.
    pub(crate) fn bytes(&self) -> u64 {
        u64::from(self.mebibytes) << 20
    }

    /// The side of a square matrix of numbers of 4 bytes of about [`Self::bytes`], a multiple of 512.
    pub(crate) fn side(&self) -> u64 {
        ((self.bytes() / 4).isqrt() / BAND * BAND).max(BAND)
    }

    /// Memory for a scenario. Native HDF5, the connector and the limit ask for the same, and get the same.
    pub(crate) fn buffer(&self, length: usize, placement: Placement) -> Rc<Buffer> {
        let page_offset = placement.page_offset();
        let mut last = self.last.borrow_mut();
        if let Some((offset, buffer)) = &*last
            && (*offset, buffer.len()) == (page_offset, length)
        {
            return Rc::clone(buffer);
        }
        // Freed first: memory for two may not be there.
        *last = None;
        let buffer = Rc::new(Buffer::new(length, page_offset));
        *last = Some((page_offset, Rc::clone(&buffer)));
        buffer
    }

    /// Says what is done now.
    pub(crate) fn stage(what: impl Into<String>) {
        say(&Event::Stage(what.into()));
    }

    /// The file of this name in the folder, which `write` makes, at the path it is given, if it is not there yet. The name
    /// says everything that the content depends on.
    pub(crate) fn file(&self, name: &str, write: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
        let path = self.folder.join(name);
        if !path.exists() {
            Self::stage(format!("writing {name}"));
            let unfinished = self.folder.join(format!("{name}.part"));
            let named = || format!("cannot make {}", path.display());
            write(&unfinished).with_context(named)?;
            fs::rename(&unfinished, &path).with_context(named)?;
        }
        Ok(path)
    }

    /// The same for an HDF5 file that is made natively.
    pub(crate) fn hdf5_file(&self, name: &str, write: impl FnOnce(&File) -> Result<()>) -> Result<PathBuf> {
        self.file(name, |path| {
            let file = File::create(self.library, path, Way::Native)?;
            write(&file)?;
            file.close()
        })
    }

    /// Where in its file a contiguous dataset begins.
    pub(crate) fn offset_of(&self, path: &Path, dataset: &str) -> Result<u64> {
        let file = File::open(self.library, path, Way::Native)?;
        let offset = Dataset::open(&file, dataset)?.offset();
        file.close()?;
        offset.with_context(|| format!("dataset '{dataset}' of {} is not in one piece", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_begins_where_it_is_asked_to() {
        assert_eq!(Placement::Malloc.page_offset(), 16);
        assert_eq!(Placement::After { source: 2048, bytes: 0 }.page_offset(), 2048);
        assert_eq!(Placement::After { source: 3 * 4096 + 4090, bytes: 16 }.page_offset(), 10);
    }
}
