//! Sources of virtual datasets that are open without HDF5, because they are plain: contiguous datasets of files that nobody can write.
//!
//! HDF5 takes a hundred microseconds to open a file. What it would have checked is checked here as well, the file is locked as it would
//! have locked it, and it stays open as long as HDF5 would have kept it open.
//!
//! What native HDF5 says to the application if that opens the same file depends on whether it has the file open itself. So before any
//! file is opened for writing, or one of these files for reading, native HDF5 opens them, too: see [`crate::coherency::plain_search`].

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use engine::{FileRun, Window};
use h5_vol::BelowObject;
use selection::{Extent, Selection};
use store::Store;

use crate::inspect::virtual_layout::SourceName;
use crate::run::cache::Place;

/// Bytes of a source below which reading them is no work to divide.
pub(crate) const SHORT: u64 = 64 * 1024;

/// Device and number of a file.
pub(crate) type FileIdentity = (u64, u64);

/// A source that is open without HDF5.
#[derive(Debug)]
pub(crate) struct PlainSource {
    pub(crate) store: Arc<Store>,
    pub(crate) extent: Extent,
    /// Where its elements begin in the file.
    pub(crate) start: u64,
    /// The name by which the file was found, and that of the dataset.
    pub(super) path: CString,
    pub(super) name: Arc<SourceName>,
    /// The number of the file with the virtual dataset.
    pub(super) of_file: u64,
    /// The same source as native HDF5 has opened it.
    pub(super) native: OnceLock<BelowObject>,
    /// What is kept of it if it is read again.
    pub(super) place: Place,
    pub(super) was_read: AtomicBool,
}

impl PlainSource {
    /// What is wanted of it as a run, if it is a short one on both sides. If it is read again, and is no larger than a window, it
    /// is kept.
    pub(crate) fn run(
        &self,
        elements: &Selection,
        places: &Selection,
        size: u64,
        window: u64,
    ) -> Option<FileRun> {
        let length = elements.len().checked_mul(size).filter(|length| *length < SHORT)?;
        let from = elements.as_contiguous()?.checked_mul(size)?.checked_add(self.start)?;
        let to = usize::try_from(places.as_contiguous()?.checked_mul(size)?).ok()?;
        let all = self.extent.count().checked_mul(size)?;
        let is_kept = all <= window && self.was_read.swap(true, Ordering::Relaxed);
        let kept = self.place.kept();
        let window = (is_kept && kept.cache.capacity() > 0).then_some(Window {
            kept,
            number: 0,
            start: self.start,
            length: usize::try_from(all).ok()?,
        });
        Some(FileRun {
            store: Arc::clone(&self.store),
            from,
            to,
            length: usize::try_from(length).ok()?,
            window,
        })
    }
}

/// All of them, by their files.
#[derive(Debug, Default)]
pub(crate) struct PlainSources {
    all: Mutex<HashMap<FileIdentity, Vec<Weak<PlainSource>>>>,
    /// How many were ever noted; nobody looks if there were none.
    count: AtomicUsize,
}

impl PlainSources {
    /// Notes one.
    pub(super) fn note(&self, file: FileIdentity, source: &Arc<PlainSource>) {
        let mut all = self.all();
        let count = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        if count.is_power_of_two() {
            all.retain(|_, sources| sources.iter().any(|source| source.strong_count() > 0));
        }
        let of_file = all.entry(file).or_default();
        of_file.retain(|source| source.strong_count() > 0);
        of_file.push(Arc::downgrade(source));
    }

    /// Whether there may be any.
    pub(crate) fn has_any(&self) -> bool {
        self.count.load(Ordering::Relaxed) > 0
    }

    /// Those of a file, or of all files, that native HDF5 has not opened.
    pub(super) fn without_native(&self, file: Option<FileIdentity>) -> Vec<(FileIdentity, Arc<PlainSource>)> {
        let all = self.all();
        let is_wanted = |identity: &FileIdentity| file.is_none_or(|file| file == *identity);
        all.iter()
            .filter(|(identity, _)| is_wanted(identity))
            .flat_map(|(identity, sources)| sources.iter().map(|source| (*identity, source.upgrade())))
            .filter_map(|(identity, source)| Some((identity, source?)))
            .filter(|(_, source)| source.native.get().is_none())
            .collect()
    }

    fn all(&self) -> MutexGuard<'_, HashMap<FileIdentity, Vec<Weak<PlainSource>>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
