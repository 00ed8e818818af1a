//! Reads of virtual datasets over many files.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use bench_report::Unit;

use crate::bench::Bench;
use crate::filtered::pipeline::Pipeline;
use crate::hdf5::{Creation, Dataset, Datatype, File, Slab, Space};
use crate::plain::{Opening, Reads, Recipe, Shape, write_numbers};
use crate::registry::{CannotBeMeasured, Entry, Prepared};
use crate::stored::Stored;
use crate::walk::Walk;
use crate::{Scenario, Way};

const GROUP: &str = "Virtual datasets";
const DATASET: &str = "all";
/// The target of what must not become slower, with some room for noise.
const NOT_SLOWER: f64 = 0.97;
const SOURCE: &str = "part";
/// Small sources: one row each, of 4 KiB.
const SMALL: u64 = 1000;
const SMALL_ROW: u64 = 1024;
/// Large sources, their rows, and rows of a chunk.
const LARGE: u64 = 16;
const LARGE_ROW: u64 = 4096;
const CHUNK: u64 = 64;
/// Files that may be open at a time: all small sources in both ways, and some more.
const OPEN_FILES: u64 = 2 * SMALL + 200;

pub(crate) fn entries() -> Vec<Entry> {
    let entry = |name, what, ratio, kind: Kind| {
        Entry::new(Scenario::new(name, GROUP, what).asking(ratio), move |bench: &Bench| {
            Prepared::both(Unit::PerCall, |way| Reads::new(bench, way, &kind.recipe(bench, way)?))
        })
    };
    vec![
        entry("virtual-gzip", "all of 16 gzip files", 4.0, Kind::Large),
        entry("virtual-small", "all of 1000 files of 4 KiB", 2.0, Kind::Small(Opening::EveryPass)),
        entry("virtual-again", "all of them again", NOT_SLOWER, Kind::Small(Opening::Once)),
        entry("virtual-row", "one row of them", NOT_SLOWER, Kind::Row(Opening::EveryPass)),
        entry(
            "virtual-reopened",
            "open, read one row of them, close",
            NOT_SLOWER,
            Kind::Row(Opening::Measured),
        ),
    ]
}

/// What is read.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Large,
    Small(Opening),
    Row(Opening),
}

impl Kind {
    fn recipe(self, bench: &Bench, way: Way) -> Result<Recipe> {
        let float = Datatype::named(bench.library, "NATIVE_FLOAT")?;
        let recipe = |(path, extent): (PathBuf, [u64; 2])| Recipe::whole(path, DATASET, float, &extent);
        Ok(match self {
            Self::Large => recipe(large(bench)?),
            Self::Small(opening) => Recipe { opening, ..recipe(small(bench, way)?) },
            Self::Row(opening) => {
                let row = Slab::new(&[SMALL / 2, 0], &[1, SMALL_ROW]);
                Recipe { opening, parts: vec![row], ..recipe(small(bench, way)?) }
            }
        })
    }
}

/// Many small contiguous sources, and their virtual dataset with its extent. Each way has a file of its own: if one file is open in both
/// ways, the connector leaves it to HDF5.
fn small(bench: &Bench, way: Way) -> Result<(PathBuf, [u64; 2])> {
    allow_open_files()?;
    let first = |number: u64| u32::try_from(number * SMALL_ROW);
    let name = format!("virtual-small-{}", way.name());
    virtual_dataset(bench, &name, SMALL, &[1, SMALL_ROW], |file, number| {
        let shape = Shape { name: SOURCE, extent: &[1, SMALL_ROW], chunk: None, first: first(number)? };
        write_numbers(file, &shape)
    })
}

/// A few large sources with gzip.
fn large(bench: &Bench) -> Result<(PathBuf, [u64; 2])> {
    let rows = (bench.bytes() / LARGE / (4 * LARGE_ROW) / CHUNK).max(1) * CHUNK;
    let mut walk = Walk::new();
    let name = format!("virtual-gzip-{rows}");
    virtual_dataset(bench, &name, LARGE, &[rows, LARGE_ROW], |file, _| {
        let stored = Stored {
            datatype: Datatype::named(bench.library, "IEEE_F32LE")?,
            extent: vec![rows, LARGE_ROW],
            chunk: Some(vec![CHUNK, LARGE_ROW]),
            filters: Pipeline::Gzip(4).filters(),
        };
        stored.write(file, SOURCE, &stored.datatype, |memory| walk.floats(memory))
    })
}

/// A virtual dataset in a file of this name, over sources of this extent, one below another, in a folder of the same name.
fn virtual_dataset(
    bench: &Bench,
    name: &str,
    count: u64,
    extent: &[u64; 2],
    mut write: impl FnMut(&File, u64) -> Result<()>,
) -> Result<(PathBuf, [u64; 2])> {
    let library = bench.library;
    let folder = bench.folder.join(name);
    fs::create_dir_all(&folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    let whole = [count * extent[0], extent[1]];
    let source = |number: u64| format!("{name}/{number}.h5");
    let all = bench.hdf5_file(&format!("{name}.h5"), |file| {
        for number in 0..count {
            bench.hdf5_file(&source(number), |file| write(file, number))?;
        }
        let mut creation = Creation::new(library.session(), None, &[])?;
        let part = Space::new(library, extent)?;
        for number in 0..count {
            let slab = Slab::new(&[number * extent[0], 0], extent);
            let place = Space::part(library, &whole, &slab)?;
            place.map_to(&mut creation, &source(number), SOURCE, &part)?;
        }
        let datatype = Datatype::named(library, "IEEE_F32LE")?;
        Dataset::create(file, DATASET, &datatype, &Space::new(library, &whole)?, &creation)?.close()
    })?;
    Ok((all, whole))
}

/// Lets the process open as many files as there are small sources: HDF5 takes those that it cannot open for missing.
fn allow_open_files() -> Result<()> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: a place for the answer.
    let mut status = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
    if status == 0 && limit.rlim_cur < OPEN_FILES {
        limit.rlim_cur = OPEN_FILES;
        // SAFETY: a valid limit, which the system refuses if it is too high.
        status = unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) };
    }
    if status == 0 {
        return Ok(());
    }
    Err(CannotBeMeasured(format!("a process may not open {OPEN_FILES} files")).into())
}
