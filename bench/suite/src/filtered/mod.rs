//! Reads of compressed data.
//!
//! Each pass is the first since the file was opened, so that decoding is measured, not a cache of decoded chunks.

pub(crate) mod files;
pub(crate) mod limits;
pub(crate) mod pipeline;
pub(crate) mod places;
mod without_python;

use anyhow::Result;
use bench_report::{Asked, Unit};
use limit::Shuffled;

use self::files::{DATASET, Grid, Kind, Packed, repeated};
use self::pipeline::Pipeline;
use crate::Scenario;
use crate::bench::{Bench, Placement};
use crate::hdf5::Slab;
use crate::plain::{Recipe, ThreadReads, ThreadRecipe, reads_with_limit};
use crate::random::Random;
use crate::registry::{Entry, Prepared, Workload as _};

const GROUP: &str = "Compressed reads";
/// Level of gzip.
const LEVEL: u8 = 4;
/// Columns of a band of whole tiles; the side of a window; the number of windows; the number of rows across chunks.
const BAND: u64 = 512;
const WINDOW: u64 = 100;
const WINDOWS: usize = 200;
const ROWS_ACROSS: u64 = 16;
/// The number of application threads, and of the bands that they read in turns.
const THREADS: u32 = 4;
const BANDS: u64 = 16;
/// How much larger the dataset is whose peak of memory has a target, and that target.
const REPEATED: u64 = 4;
const PEAK: u64 = 64 << 20;

const GZIP: Packed = Packed::floats("gzip", Grid::Rows, Pipeline::Gzip(LEVEL));
const SQUARE: Packed = Packed::floats("square", Grid::Squares(512), Pipeline::Gzip(LEVEL));
const TILES: Packed = Packed::floats("tiles", Grid::Squares(128), Pipeline::Gzip(LEVEL));
const SMALL_CHUNKS: Packed = Packed::floats("small-chunks", Grid::Squares(64), Pipeline::Gzip(LEVEL));
const ALONE: Packed = Packed::floats("gzip-alone", Grid::Rows, Pipeline::GzipAlone(LEVEL));
const NOISY: Packed = Packed::noisy_floats("gzip-noisy", Pipeline::Gzip(LEVEL));
const NOISY_ALONE: Packed = Packed::noisy_floats("gzip-noisy-alone", Pipeline::GzipAlone(LEVEL));

/// Floats, as they are read.
pub(crate) const FLOATS: Shuffled = Shuffled { element: 4, at: 0 };

/// All of a compressed matrix at once.
fn whole(packed: Packed, scenario: Scenario) -> Entry {
    Entry::new(scenario, move |bench| {
        let recipe = recipe(bench, packed, &[])?;
        reads_with_limit(bench, &recipe, Unit::Rate, |native| {
            let form = packed.pipeline.form(FLOATS);
            form.map(|form| limits::whole(bench, &recipe.path, form, native.buffer(), 1)).transpose()
        })
    })
}

/// The same with chunks of 1 MiB of whole rows. The scenario is named after the filter.
fn codec(pipeline: Pipeline, kind: Kind) -> Entry {
    let packed = Packed { kind, ..Packed::floats(pipeline.name(), Grid::Rows, pipeline) };
    whole(packed, scenario(pipeline.name(), &format!("all, {}", pipeline.what())))
}

/// Bands of columns of whole tiles, one after the other.
fn column_bands(scenario: Scenario) -> Entry {
    Entry::new(scenario, |bench| {
        let [rows, columns] = TILES.extent(bench);
        let starts = (0..columns).step_by(usize::try_from(BAND)?);
        let bands: Vec<Slab> = starts.map(|column| Slab::new(&[0, column], &[rows, BAND])).collect();
        let recipe = recipe(bench, TILES, &bands)?;
        reads_with_limit(bench, &recipe, Unit::Rate, |native| {
            let form = TILES.pipeline.form(FLOATS);
            form.map(|form| limits::bands(bench, &recipe.path, form, native, BAND)).transpose()
        })
    })
}

/// Many small reads, of parts that `parts` gives for the rows and columns there are.
fn small_reads(packed: Packed, scenario: Scenario, parts: fn([u64; 2]) -> Vec<Slab>) -> Entry {
    Entry::new(scenario, move |bench| {
        let parts = parts(packed.extent(bench));
        let recipe = recipe(bench, packed, &parts)?;
        reads_with_limit(bench, &recipe, Unit::PerCall, |native| {
            let form = packed.pipeline.form(FLOATS);
            form.map(|form| limits::parts(bench, &recipe.path, form, native, &parts)).transpose()
        })
    })
}

/// Of the first half.
fn single_rows([rows, columns]: [u64; 2]) -> Vec<Slab> {
    (0..rows / 2).map(|row| Slab::new(&[row, 0], &[1, columns])).collect()
}

/// Only a few rows: for each of them, native HDF5 decodes all the chunks that it crosses.
fn rows_across([_, columns]: [u64; 2]) -> Vec<Slab> {
    (0..ROWS_ACROSS).map(|row| Slab::new(&[row, 0], &[1, columns])).collect()
}

fn windows(extent: [u64; 2]) -> Vec<Slab> {
    let mut places = Random::new(3);
    let mut window = || Slab::new(&extent.map(|side| places.below(side - WINDOW)), &[WINDOW; 2]);
    (0..WINDOWS).map(|_| window()).collect()
}

/// Several application threads that read different parts.
fn in_threads(scenario: Scenario) -> Entry {
    let scenario = Scenario { application_threads: THREADS, ..scenario };
    Entry::new(scenario, |bench| {
        let (path, extent) = (GZIP.file(bench)?, GZIP.extent(bench));
        let height = extent[0] / BANDS;
        let band = |number| Slab::new(&[number * height, 0], &[height, extent[1]]);
        let threads = 0..u64::from(THREADS);
        let share = |thread| (thread..BANDS).step_by(THREADS as usize).map(band).collect();
        let recipe = ThreadRecipe {
            path: path.clone(),
            dataset: DATASET.to_owned(),
            datatype: GZIP.kind.in_memory(bench)?,
            extent: extent.to_vec(),
            shares: threads.map(share).collect(),
        };
        let memory = recipe.memory(0)?;
        let make = |way| ThreadReads::new(bench, way, &recipe, &memory);
        Prepared::with_limit(Unit::Rate, make, |native| {
            let buffer = bench.buffer(usize::try_from(native.amount().bytes)?, Placement::Malloc);
            let (form, parts) = (GZIP.pipeline.form(FLOATS), usize::try_from(BANDS)?);
            form.map(|form| limits::whole(bench, &path, form, &buffer, parts)).transpose()
        })
    })
}

/// A larger dataset, for the peak of memory.
fn memory(scenario: Scenario) -> Entry {
    let asked = Asked { peak: Some(PEAK), ..scenario.asked };
    Entry::new(Scenario { measures_peak: true, asked, ..scenario }, |bench| {
        let [rows, columns] = GZIP.extent(bench);
        let recipe = Recipe {
            path: repeated(bench, GZIP, REPEATED)?,
            extent: vec![rows * REPEATED, columns],
            ..recipe(bench, GZIP, &[])?
        };
        reads_with_limit(bench, &recipe, Unit::Rate, |_| Ok(None))
    })
}

/// Reads of parts of a matrix, or of all of it at once.
fn recipe(bench: &Bench, packed: Packed, parts: &[Slab]) -> Result<Recipe> {
    let (path, datatype) = (packed.file(bench)?, packed.kind.in_memory(bench)?);
    let whole = Recipe::whole(path, DATASET, datatype, &packed.extent(bench));
    Ok(Recipe { parts: parts.to_vec(), ..whole })
}

fn scenario(name: &str, what: &str) -> Scenario {
    Scenario::new(name, GROUP, what)
}

/// The same with another target: this share of the limit.
fn sharing(scenario: Scenario, share: f64) -> Scenario {
    Scenario { asked: Asked { share: Some(share), ..scenario.asked }, ..scenario }
}

pub(crate) fn entries() -> Vec<Entry> {
    let gzip = scenario("gzip", "all, gzip 4 + shuffle, 1 MiB of rows").asking(4.5);
    let square = scenario("square", "all, the same in 512 x 512 chunks").asking(4.5);
    let mut lzf = codec(Pipeline::Lzf, Kind::Floats);
    lzf.scenario = lzf.scenario.asking(4.0);
    let mut zstd = codec(Pipeline::Zstd, Kind::Floats);
    zstd.scenario = zstd.scenario.asking(2.0);
    vec![
        whole(GZIP, sharing(gzip, 0.8)),
        whole(SQUARE, sharing(square, 0.8)),
        lzf,
        zstd,
        column_bands(scenario("column-bands", "512 columns of 128 x 128 gzip tiles").asking(4.0)),
        small_reads(GZIP, scenario("rows", "row by row inside gzip chunks").asking(2.0), single_rows),
        in_threads(scenario("gzip-threads", "4 threads read parts of gzip data").asking(5.0)),
        memory(scenario("gzip-memory", "all of 4 times as much gzip data")),
        whole(SMALL_CHUNKS, scenario("small-chunks", "all, gzip in 16 KiB chunks")),
        whole(ALONE, scenario("gzip-alone", "all, gzip without shuffle")),
        whole(NOISY, scenario("gzip-noisy", "all, floats with noise, gzip 4 + shuffle").asking(4.5)),
        whole(
            NOISY_ALONE,
            scenario("gzip-noisy-alone", "all, floats with noise, gzip without shuffle").asking(4.5),
        ),
        small_reads(TILES, scenario("windows", "100 x 100 windows of gzip tiles"), windows),
        small_reads(SQUARE, scenario("rows-across", "rows across 512 x 512 gzip chunks"), rows_across),
        codec(Pipeline::Fletcher32, Kind::Floats),
        codec(Pipeline::Lz4, Kind::Floats),
        codec(Pipeline::Blosc, Kind::Floats),
        codec(Pipeline::Blosc2, Kind::Floats),
        codec(Pipeline::Bitshuffle, Kind::Floats),
        codec(Pipeline::Bzip2, Kind::Floats),
        codec(Pipeline::Szip, Kind::Integers),
        codec(Pipeline::Nbit, Kind::NarrowIntegers),
        codec(Pipeline::ScaleOffset, Kind::Integers),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stay_inside() {
        for parts in [single_rows, rows_across, windows] {
            let found = parts([512, 1024]);
            assert!(!found.is_empty());
            for Slab { start, count, .. } in found {
                assert!(start[0] + count[0] <= 512 && start[1] + count[1] <= 1024, "{start:?} {count:?}");
            }
        }
    }
}
