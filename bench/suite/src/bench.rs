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

/// A number of rows that is a multiple of every chunk's height.
const BAND: u64 = 512;

/// The offset of the application's memory in its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Placement {
    /// Where malloc puts a large buffer.
    Malloc,
    /// The offset of the data in its own page, plus some bytes. A copy whose destination is 1 to 63 bytes further in the page
    /// is four times slower on some processors.
    After {
        /// The offset of the data in the file.
        source: u64,
        /// The number of bytes to add.
        bytes: u16,
    },
}

impl Placement {
    /// The offset in its page at which malloc places a large buffer.
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
    /// A folder with filter plugins for native HDF5, which already searches it.
    pub(crate) filters: Option<PathBuf>,
    /// The folder for generated files, which later workers use again.
    pub(crate) folder: PathBuf,
    /// The size of most datasets in MiB.
    pub(crate) mebibytes: u32,
    /// Threads of the limit.
    pub(crate) limit_threads: NonZero<usize>,
    /// The user's own data.
    pub(crate) own: Option<Own>,
    /// The last buffer that was asked for.
    last: RefCell<Option<(usize, Rc<Buffer>)>>,
}

impl Bench {
    /// Loads the library of a request, and creates the folder if necessary.
    pub(crate) fn new(request: &Request) -> Result<Self> {
        let library = Library::load(&request.library)?;
        if let Some(filters) = &request.filters {
            library.add_plugins(filters)?;
        }
        fs::create_dir_all(&request.folder)
            .with_context(|| format!("cannot create the folder {}", request.folder.display()))?;
        let limit_threads = usize::try_from(request.limit_threads)?;
        Ok(Self {
            library,
            filters: request.filters.clone(),
            folder: request.folder.clone(),
            mebibytes: request.mebibytes,
            limit_threads: NonZero::new(limit_threads).context("the limit needs at least one thread")?,
            own: request.own.clone(),
            last: RefCell::new(None),
        })
    }

    /// The size of most datasets in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        u64::from(self.mebibytes) << 20
    }

    /// The side of a square matrix of 4-byte numbers that has about [`Self::bytes`]. It is a multiple of 512.
    pub(crate) fn side(&self) -> u64 {
        ((self.bytes() / 4).isqrt() / BAND * BAND).max(BAND)
    }

    /// Memory for a scenario. Native HDF5, the connector and the limit ask for the same size and get the same memory.
    pub(crate) fn buffer(&self, length: usize, placement: Placement) -> Rc<Buffer> {
        let page_offset = placement.page_offset();
        let mut last = self.last.borrow_mut();
        if let Some((offset, buffer)) = &*last
            && (*offset, buffer.len()) == (page_offset, length)
        {
            return Rc::clone(buffer);
        }
        // The old buffer is freed first, because there may not be enough memory for two.
        *last = None;
        let buffer = Rc::new(Buffer::new(length, page_offset));
        *last = Some((page_offset, Rc::clone(&buffer)));
        buffer
    }

    /// Announces the next stage.
    pub(crate) fn stage(what: impl Into<String>) {
        say(&Event::Stage(what.into()));
    }

    /// The file of this name in the folder. If it does not exist, `write` creates it at the path it is given. The name must
    /// say everything that the content depends on.
    pub(crate) fn file(&self, name: &str, write: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
        let path = self.folder.join(name);
        if !path.exists() {
            Self::stage(format!("writing {name}"));
            let unfinished = self.folder.join(format!("{name}.part"));
            let named = || format!("cannot create {}", path.display());
            write(&unfinished).with_context(named)?;
            fs::rename(&unfinished, &path).with_context(named)?;
        }
        Ok(path)
    }

    /// The same for an HDF5 file that native HDF5 creates.
    pub(crate) fn hdf5_file(&self, name: &str, write: impl FnOnce(&File) -> Result<()>) -> Result<PathBuf> {
        self.file(name, |path| {
            let file = File::create(self.library, path, Way::Native)?;
            write(&file)?;
            file.close()
        })
    }

    /// The offset of a contiguous dataset in its file.
    pub(crate) fn offset_of(&self, path: &Path, dataset: &str) -> Result<u64> {
        let file = File::open(self.library, path, Way::Native)?;
        let offset = Dataset::open(&file, dataset)?.offset();
        file.close()?;
        offset.with_context(|| format!("dataset '{dataset}' of {} is not contiguous", path.display()))
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
