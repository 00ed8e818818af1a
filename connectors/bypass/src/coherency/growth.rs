//! How much there is of a virtual dataset whose extent depends on its sources.
//!
//! Native HDF5 finds that out when the application asks for the dataspace, and keeps it until it asks again: sources that appear
//! or grow meanwhile do not count. We look at the sources later, when something is read. What we see is what native HDF5 has seen
//! if none of them has changed since the file with the virtual dataset was opened, which the times of their files tell.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use engine::Source;
use h5_host::VirtualView;
use selection::Growing;

use crate::coherency::source_search::Searcher;
use crate::inspect::virtual_layout::{Growth, SourceName, number_of};
use crate::inspect::virtual_mappings::{AskedMapping, MappingKind, VirtualMappings};
use crate::report::reason::Reason;

/// The clock of a file system ticks slower than others.
const TICK: Duration = Duration::from_millis(20);

/// How many sources in a row are looked for that do not exist.
const MOST_MISSING: u64 = 10_000;

/// What was found.
pub(super) struct Survey {
    /// For each mapping.
    pub(super) growth: Vec<Growth>,
    /// The size of the virtual dataset, in the dimensions in which it depends on the sources.
    pub(super) sizes: Vec<Option<u64>>,
    /// None of the sources that are missing now can have been there before.
    pub(super) is_sure: bool,
}

/// What there is of one mapping's sources.
enum Seen {
    /// Nothing depends on them.
    Limited,
    /// So many slices, or no source.
    Following(Option<u64>),
    /// Sources up to a number, and the number of the first that exists.
    Numbered(u64, u64),
}

/// Looks at the sources of a virtual dataset.
pub(super) struct Surveyor<'a> {
    pub(super) searcher: &'a Searcher<'a>,
    pub(super) view: VirtualView,
    /// When native HDF5 looked at them, or before that.
    pub(super) seen_at: SystemTime,
    pub(super) is_sure: bool,
}

impl Surveyor<'_> {
    /// Looks at all of them. An error if one has changed since, or if native HDF5 has its own ways with them.
    pub(super) fn survey(mut self, asked: &VirtualMappings, rank: usize) -> Result<Survey, Reason> {
        let mut seen = Vec::with_capacity(asked.all.len());
        for mapping in &asked.all {
            seen.push(self.look_at(asked, mapping)?);
        }
        let mut sizes = vec![None; rank];
        for (mapping, seen) in asked.all.iter().zip(&seen) {
            let Some((dim, size)) = self.size(mapping, seen)? else { continue };
            let known = sizes.get_mut(dim).ok_or(Reason::VirtualMapping)?;
            *known = Some(match *known {
                None => size,
                Some(other) if self.view.is_first_missing() => size.min(other),
                Some(other) => size.max(other),
            });
        }
        let least = least_sizes(asked, rank);
        for (size, least) in sizes.iter_mut().zip(least) {
            *size = size.map(|size| size.max(least));
        }
        let growth = asked.all.iter().zip(&seen).map(|(mapping, seen)| self.growth(mapping, seen, &sizes));
        Ok(Survey { growth: growth.collect::<Result<_, _>>()?, sizes, is_sure: self.is_sure })
    }

    fn look_at(&mut self, asked: &VirtualMappings, mapping: &AskedMapping) -> Result<Seen, Reason> {
        match &mapping.kind {
            MappingKind::Limited { .. } => Ok(Seen::Limited),
            MappingKind::Following { of_source, .. } => {
                let name = mapping.name(0);
                if !self.is_there(&name)? {
                    return Ok(Seen::Following(None));
                }
                let Some(source) = self.find(name)? else { return Ok(Seen::Following(None)) };
                let size = source.get(of_source.dim()).ok_or(Reason::VirtualMapping)?;
                Ok(Seen::Following(Some(of_source.slices(*size))))
            }
            MappingKind::Numbered { mapped, .. } => {
                // If the extent tells how many there are, it is compared with how many files there are.
                let is_told = mapping.file.is_numbered() && is_alone(asked, mapped.dim());
                self.count(mapping, is_told)
            }
        }
    }

    /// Counts the sources of a mapping as native HDF5 does: until too many are missing in a row.
    fn count(&mut self, mapping: &AskedMapping, is_told: bool) -> Result<Seen, Reason> {
        let (mut end, mut first, mut number) = (0_u64, None, 0_u64);
        while number <= end.saturating_add(self.view.gap()) {
            let name = mapping.name(number);
            if self.is_there(&name)? && (is_told || self.searcher.exists(&name)?) {
                first = first.or(Some(number));
                end = number + 1;
            } else if number - end > MOST_MISSING {
                return Err(Reason::VirtualUnlimited);
            }
            number += 1;
        }
        Ok(Seen::Numbered(end, first.unwrap_or(0)))
    }

    /// The extent of a source; `None` if it is missing.
    fn find(&self, name: SourceName) -> Result<Option<Vec<u64>>, Reason> {
        let (number, name) = number_of(&mut self.searcher.numbers(), name);
        let Some(found) = self.searcher.find(number, &name)? else { return Ok(None) };
        let dataset = found.known();
        // Its extent may change before its file does.
        if dataset.shared.is_some() {
            return Err(Reason::VirtualUnlimited);
        }
        Ok(Some(dataset.extent().dims().to_vec()))
    }

    /// The size of the virtual dataset by a mapping, and in which dimension; `None` if it does not depend on it.
    fn size(&self, mapping: &AskedMapping, seen: &Seen) -> Result<Option<(usize, u64)>, Reason> {
        let first_missing = self.view.is_first_missing();
        let (mapped, size) = match (&mapping.kind, seen) {
            (MappingKind::Limited { .. }, _) => return Ok(None),
            (MappingKind::Following { mapped, .. }, Seen::Following(Some(slices))) => {
                (mapped, mapped.size_of(*slices, first_missing))
            }
            (MappingKind::Following { mapped, .. }, Seen::Following(None))
            | (MappingKind::Numbered { mapped, .. }, Seen::Numbered(0, _)) => (mapped, Some(0)),
            (MappingKind::Numbered { mapped, .. }, Seen::Numbered(end, _)) if first_missing => {
                (mapped, mapped.block(*end).map(|(start, _)| start))
            }
            (MappingKind::Numbered { mapped, .. }, Seen::Numbered(end, _)) => {
                (mapped, mapped.block(end - 1).map(|(_, end)| end))
            }
            _ => return Err(Reason::VirtualUnlimited),
        };
        Ok(Some((mapped.dim(), size.ok_or(Reason::TooLarge)?)))
    }

    /// How much of its sources a mapping has, in a virtual dataset of these sizes.
    fn growth(&self, mapping: &AskedMapping, seen: &Seen, sizes: &[Option<u64>]) -> Result<Growth, Reason> {
        let size_of = |mapped: &Growing| sizes.get(mapped.dim()).copied().flatten().unwrap_or(0);
        match (&mapping.kind, seen) {
            (MappingKind::Following { mapped, of_source }, Seen::Following(available)) => {
                if !self.view.is_first_missing() {
                    return Ok(Growth::Slices(available.unwrap_or(0)));
                }
                // Native HDF5 takes the size of another dimension, or more of the source than there is.
                let slices = mapped.slices(size_of(mapped));
                if slices > available.unwrap_or(0) || of_source.dim() != mapped.dim() {
                    return Err(Reason::VirtualUnlimited);
                }
                Ok(Growth::Slices(slices))
            }
            (MappingKind::Numbered { .. }, Seen::Numbered(end, first)) => Ok(Growth::Sources(*end, *first)),
            _ => Ok(Growth::Limited),
        }
    }

    /// Whether the file of a source exists; an error if it has changed since native HDF5 looked at it.
    fn is_there(&mut self, name: &SourceName) -> Result<bool, Reason> {
        // What is open stays so, whatever becomes of its name.
        if self.searcher.has(name) {
            return Ok(true);
        }
        if name.file.as_bytes() == b"." {
            let Ok(Source::File(store)) = self.searcher.file().raw().source() else {
                return Err(Reason::VirtualUnlimited);
            };
            let changed = store.stamp().ok_or(Reason::VirtualUnlimited)?.last_change();
            self.check(changed)?;
            return Ok(true);
        }
        for path in self.searcher.paths(name)? {
            let path = Path::new(OsStr::from_bytes(path.to_bytes()));
            match (fs::symlink_metadata(path), fs::metadata(path)) {
                (Ok(link), Ok(found)) => {
                    self.check((link.ctime(), link.ctime_nsec()))?;
                    self.check((found.ctime(), found.ctime_nsec()))?;
                    return Ok(true);
                }
                _ => self.is_sure &= self.is_old_folder(path),
            }
        }
        Ok(false)
    }

    /// Whether nothing was put into the folder of a file, or taken out of it.
    fn is_old_folder(&self, path: &Path) -> bool {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        match fs::metadata(folder) {
            Ok(found) => self.check((found.mtime(), found.mtime_nsec())).is_ok(),
            Err(_) => true,
        }
    }

    /// Fails if something that changed at this time may have changed after native HDF5 looked at it.
    fn check(&self, (seconds, nanoseconds): (i64, i64)) -> Result<(), Reason> {
        let since = |part: i64| u64::try_from(part).ok();
        let changed =
            since(seconds).map(Duration::from_secs).zip(since(nanoseconds).map(Duration::from_nanos));
        let is_old = changed.is_some_and(|(seconds, rest)| UNIX_EPOCH + seconds + rest + TICK < self.seen_at);
        if is_old { Ok(()) } else { Err(Reason::VirtualUnlimited) }
    }
}

/// Whether only one mapping decides about the size in a dimension.
fn is_alone(asked: &VirtualMappings, dim: usize) -> bool {
    let decides = |mapping: &&AskedMapping| match &mapping.kind {
        MappingKind::Limited { .. } => false,
        MappingKind::Following { mapped, .. } | MappingKind::Numbered { mapped, .. } => mapped.dim() == dim,
    };
    asked.all.iter().filter(decides).count() == 1
}

/// What the virtual dataset has at least, because of what does not depend on its sources.
fn least_sizes(asked: &VirtualMappings, rank: usize) -> Vec<u64> {
    let mut least = vec![0_u64; rank];
    let mut note = |ends: &mut dyn Iterator<Item = Option<u64>>| {
        for (least, end) in least.iter_mut().zip(ends) {
            *least = end.map_or(*least, |end| (*least).max(end.saturating_add(1)));
        }
    };
    for mapping in &asked.all {
        match &mapping.kind {
            MappingKind::Limited { mapped, .. } => note(&mut mapped.ends(rank).into_iter().map(Some)),
            MappingKind::Following { mapped, .. } | MappingKind::Numbered { mapped, .. } => {
                note(&mut mapped.ends());
            }
        }
    }
    least
}
