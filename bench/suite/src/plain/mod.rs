//! Reads of data that is stored as it is in memory, each with its target.

mod files;
pub(crate) mod limit;
mod multi;
mod parts;
mod reads;
mod threads;

use std::num::NonZero;
use std::path::PathBuf;

use anyhow::Result;
use bench_report::{Asked, Unit};

use self::files::{FLOAT, Many, SMALL};
use self::multi::MultiReads;
use self::parts::OfSide;
use crate::Scenario;
use crate::bench::{Bench, Placement};
use crate::hdf5::{Datatype, Slab};
use crate::registry::{Entry, Prepared, Subject};

pub(crate) use self::files::{MATRIX, Shape, matrix, write_numbers};
pub(crate) use self::reads::{Opening, Reads, Recipe, bytes_of, pattern};
pub(crate) use self::threads::{ThreadReads, ThreadRecipe};

const GROUP: &str = "Plain reads";
const SMALL_GROUP: &str = "Small reads and opening";
/// The offset of the memory in its page, relative to that of the data. A copy to this offset is slow on some processors.
const SHIFTED: u16 = 16;
/// The size from which a second thread gains more time than starting it takes.
const WORTH_TWO_THREADS: usize = 1 << 20;
/// Numbers of a read of the small dataset: 64 bytes.
const PIECE: u64 = 16;
/// Numbers of a read of the dataset with very many chunks: 4 KiB.
const BLOCK: u64 = 1024;

/// All scenarios of plain reads.
pub(crate) fn entries() -> Vec<Entry> {
    let mut entries = whole_contiguous();
    entries.extend([
        tiles(("tiles", "1000 x 1000 tiles of it"), 4.0, parts::tiles),
        chunks("chunks-1MiB", "all of it in chunks of 1 MiB", 1.6, 512),
        chunks("chunks-64KiB", "all of it in chunks of 64 KiB", 2.0, 128),
        chunks("chunks-16KiB", "all of it in chunks of 16 KiB", 3.0, 64),
        of_matrix(("slabs", "100 rows at a time, 1 MiB chunks"), 3.0, Some(512), parts::slabs),
        of_matrix(("second-rows", "every 2nd row, 1 MiB chunks"), 10.0, Some(512), parts::second_rows),
        of_matrix(("second-columns", "every 2nd column, contiguous"), 4.0, None, parts::second_columns),
    ]);
    entries.extend(multi_large());
    entries.extend([
        small(tiles(("small-tiles", "16 x 16 tiles at random places"), 3.0, parts::small_tiles)),
        small(of_matrix(("column", "one column, contiguous"), 1.5, None, parts::columns)),
        multi_small("multi-small", "H5Dread_multi of 256 x 4 KiB", false),
        multi_small("multi-small-first", "the same, each just opened", true),
        small_reads(),
        open_read_close(),
        many_chunks("many-first", "first 4 KiB of up to a million chunks", false, Opening::EveryRead),
        many_chunks("many-later", "later 4 KiB of them", false, Opening::Once),
        many_chunks("many-latest-first", "the same in the latest format, first", true, Opening::EveryRead),
        many_chunks("many-latest-later", "the same in the latest format, later", true, Opening::Once),
    ]);
    entries
}

/// Reads of parts of a dataset of floats, or of everything at once.
fn reads(bench: &Bench, path: PathBuf, dataset: &str, extent: &[u64], parts: Vec<Slab>) -> Result<Recipe> {
    let datatype = Datatype::named(bench.library, "NATIVE_FLOAT")?;
    Ok(Recipe { parts, opening: Opening::Once, ..Recipe::whole(path, dataset, datatype, extent) })
}

fn prepared(bench: &Bench, recipe: &Recipe, unit: Unit) -> Result<Prepared> {
    reads_with_limit(bench, recipe, unit, |_| Ok(None))
}

/// Reads, with a limit that reads into the same memory.
pub(crate) fn reads_with_limit(
    bench: &Bench,
    recipe: &Recipe,
    unit: Unit,
    limit: impl FnOnce(&Reads) -> Result<Option<Box<dyn Subject>>>,
) -> Result<Prepared> {
    Prepared::with_limit(unit, |way| Reads::new(bench, way, recipe), limit)
}

/// Shows the time of each call instead of a rate.
fn small(entry: Entry) -> Entry {
    let Entry { mut scenario, prepare } = entry;
    scenario.group = SMALL_GROUP;
    Entry::new(scenario, move |bench| Ok(Prepared { unit: Unit::PerCall, ..prepare(bench)? }))
}

fn whole_contiguous() -> Vec<Entry> {
    let entry = |name, what, bytes| {
        let asked = Asked { ratio: Some(1.3), share: Some(0.9), ..Asked::default() };
        Entry::new(Scenario { asked, ..Scenario::new(name, GROUP, what) }, move |bench| {
            let path = matrix(bench, None)?;
            let source = bench.offset_of(&path, MATRIX)?;
            let placement = Placement::After { source, bytes };
            let extent = [bench.side(); 2];
            let recipe = Recipe { placement, ..reads(bench, path.clone(), MATRIX, &extent, Vec::new())? };
            reads_with_limit(bench, &recipe, Unit::Rate, |native| {
                limit::whole_by_pread(bench, &path, MATRIX, native.buffer()).map(Some)
            })
        })
    };
    vec![
        entry("contiguous", "all of a contiguous matrix", 0),
        entry("contiguous-shifted", "the same, memory 16 bytes further", SHIFTED),
    ]
}

/// All of the matrix, in square chunks of this side.
fn chunks(name: &'static str, what: &'static str, ratio: f64, chunk: u64) -> Entry {
    Entry::new(Scenario::new(name, GROUP, what).asking(ratio), move |bench| {
        let (path, side) = (matrix(bench, Some(chunk))?, bench.side());
        let recipe = reads(bench, path.clone(), MATRIX, &[side; 2], Vec::new())?;
        reads_with_limit(bench, &recipe, Unit::Rate, |native| {
            limit::whole_by_chunks(bench, &path, MATRIX, native.buffer()).map(Some)
        })
    })
}

/// Parts of the matrix, which is contiguous or in square chunks of this side.
fn of_matrix(
    (name, what): (&'static str, &'static str),
    ratio: f64,
    chunk: Option<u64>,
    parts: OfSide,
) -> Entry {
    Entry::new(Scenario::new(name, GROUP, what).asking(ratio), move |bench| {
        let (path, side) = (matrix(bench, chunk)?, bench.side());
        prepared(bench, &reads(bench, path, MATRIX, &[side; 2], parts(side))?, Unit::Rate)
    })
}

/// Tiles of the contiguous matrix. A small tile is too small for two threads.
fn tiles((name, what): (&'static str, &'static str), ratio: f64, parts: OfSide) -> Entry {
    Entry::new(Scenario::new(name, GROUP, what).asking(ratio), move |bench| {
        let (path, side) = (matrix(bench, None)?, bench.side());
        let tiles = parts(side);
        let recipe = reads(bench, path.clone(), MATRIX, &[side; 2], tiles.clone())?;
        reads_with_limit(bench, &recipe, Unit::Rate, |native| {
            let is_large = native.buffer().len() >= WORTH_TWO_THREADS;
            let threads = if is_large { bench.limit_threads } else { NonZero::<usize>::MIN };
            limit::tiles_by_pread(bench, (&path, MATRIX), &tiles, native.buffer(), threads).map(Some)
        })
    })
}

fn multi(bench: &Bench, many: Many, shift: Option<u16>, is_first: bool, unit: Unit) -> Result<Prepared> {
    let path = many.make(bench)?;
    let placement = match shift {
        Some(bytes) => Placement::After { source: bench.offset_of(&path, &many.names()[0])?, bytes },
        None => Placement::Malloc,
    };
    Prepared::both(unit, |way| {
        let (path, names) = (path.clone(), many.names());
        let length = usize::try_from(many.length * FLOAT)?;
        MultiReads::new(bench, way, multi::Recipe { path, names, length, placement, is_first })
    })
}

fn multi_large() -> Vec<Entry> {
    let entry = |name, what, shift| {
        Entry::new(Scenario::new(name, GROUP, what).asking(1.3), move |bench| {
            // 8 of 16 MiB each, where matrices have 256.
            let many = Many { count: 8, length: (bench.bytes() / 16 / FLOAT).max(1) };
            multi(bench, many, Some(shift), false, Unit::Rate)
        })
    };
    vec![
        entry("multi-large", "H5Dread_multi of 8 large datasets", 0),
        entry("multi-large-shifted", "the same, memory 16 bytes further", SHIFTED),
    ]
}

fn multi_small(name: &'static str, what: &'static str, is_first: bool) -> Entry {
    Entry::new(Scenario::new(name, SMALL_GROUP, what).asking(2.0), move |bench| {
        multi(bench, Many { count: 256, length: 1024 }, None, is_first, Unit::PerCall)
    })
}

fn small_reads() -> Entry {
    let scenario = Scenario::new("64-bytes", SMALL_GROUP, "64 bytes at a time, in order").asking(0.9);
    Entry::new(scenario, |bench| {
        let parts = parts::pieces(SMALL, PIECE);
        let recipe = reads(bench, files::small(bench)?, "small", &[SMALL], parts)?;
        prepared(bench, &recipe, Unit::PerCall)
    })
}

fn open_read_close() -> Entry {
    let scenario = Scenario::new("open-read-close", SMALL_GROUP, "open, read 64 bytes, close").asking(0.9);
    Entry::new(scenario, |bench| {
        let parts = vec![Slab::new(&[0], &[PIECE])];
        let recipe = reads(bench, files::small(bench)?, "small", &[SMALL], parts)?;
        prepared(bench, &Recipe { opening: Opening::Measured, ..recipe }, Unit::PerCall)
    })
}

fn many_chunks(name: &'static str, what: &'static str, is_latest: bool, opening: Opening) -> Entry {
    let scenario = Scenario::new(name, SMALL_GROUP, what).asking(0.9);
    Entry::new(Scenario { may_pass_on: true, ..scenario }, move |bench| {
        let (path, length) = (files::many_chunks(bench, is_latest)?, files::many_chunks_length(bench));
        let count = if opening == Opening::EveryRead { 20 } else { 200 };
        let parts = parts::some_pieces(length, BLOCK, count);
        let recipe = Recipe { opening, ..reads(bench, path, "many", &[length], parts)? };
        prepared(bench, &recipe, Unit::PerCall)
    })
}
