//! Writes, compressed and plain, large and small.

mod limits;
mod many;
mod recipe;
mod single;

use anyhow::Result;
use bench_report::{Asked, Unit};

use self::many::{FileWrites, MultiWrites};
use self::recipe::{Form, Kind, Manner, Recipe};
use self::single::Writes;
use crate::bench::Bench;
use crate::filtered::pipeline::Pipeline;
use crate::hdf5::Slab;
use crate::registry::{Entry, Prepared, Workload};
use crate::{Scenario, Way};

const COMPRESSED: &str = "Compressed writes";
const PLAIN: &str = "Plain writes";
const SMALL: &str = "Small writes";
const GZIP: Pipeline = Pipeline::Gzip(4);
const GZIP_ALONE: Pipeline = Pipeline::GzipAlone(4);
/// Rows of an append; side of a tile; elements of a small write, of all of them, and of a chunk of them.
const APPENDED: u64 = 8;
const TILE: u64 = 100;
const FEW: u64 = 16;
const MANY: u64 = 4096;
const FEW_CHUNK: u64 = 256 * FEW;
/// Elements of a small dataset or file; how many datasets are written at once, small and large; how many files.
const LITTLE: u64 = 1024;
const DATASETS: u32 = 256;
const LARGE_DATASETS: u32 = 8;
const FILES: u32 = 50;
/// The number of application threads.
const THREADS: u32 = 4;
/// The maximum size of the datasets whose file sizes are compared, because native HDF5 takes long at the highest level.
const SIZED: u64 = 16 << 20;
const LEVELS: [u8; 4] = [1, 4, 6, 9];
/// By how many percent files may be larger than native HDF5's.
const LARGER: f64 = 3.0;

/// Half as much as for reads, because compressing takes long.
fn bytes(bench: &Bench) -> u64 {
    bench.bytes() / 2
}

/// In chunks of 1 MiB, of whole rows.
fn packed(bench: &Bench, kind: Kind, pipeline: Pipeline) -> Recipe {
    let recipe = Recipe::rows(kind, bytes(bench) / pipeline.slowness());
    Recipe { pipeline: Some(pipeline), ..recipe }
}

/// In square chunks of this side, or contiguous.
fn square(bench: &Bench, chunk: Option<u64>) -> Recipe {
    let side = ((bytes(bench) / Kind::F4.size()).isqrt() / 512).max(1) * 512;
    Recipe { chunk: chunk.map(|chunk| vec![chunk; 2]), ..Recipe::new(Kind::F4, &[side; 2]) }
}

/// Parts of this many rows each.
fn bands(extent: &[u64], height: u64) -> Vec<Slab> {
    let rows = (0..extent[0] / height).map(|number| number * height);
    rows.map(|row| Slab::new(&[row, 0], &[height, extent[1]])).collect()
}

fn appends(recipe: Recipe) -> Recipe {
    Recipe { parts: bands(&recipe.extent, APPENDED), manner: Manner::Growing, ..recipe }
}

fn in_threads(bench: &Bench) -> Recipe {
    let recipe = packed(bench, Kind::F4, GZIP);
    let height = recipe.chunk.as_ref().map_or(1, |chunk| chunk[0]);
    Recipe { parts: bands(&recipe.extent, height), manner: Manner::Threads(THREADS), ..recipe }
}

fn tiles(bench: &Bench) -> Recipe {
    let recipe = Recipe { pipeline: Some(GZIP), ..square(bench, Some(128)) };
    let places = || (0..recipe.extent[0] / TILE).map(|number| number * TILE);
    let corners = places().flat_map(|row| places().map(move |column| [row, column]));
    Recipe { parts: corners.map(|corner| Slab::new(&corner, &[TILE; 2])).collect(), ..recipe }
}

/// Only an eighth of the bytes, because native HDF5 takes very long.
fn converted(bench: &Bench) -> Recipe {
    Recipe { form: Form::BigFloats, ..Recipe::rows(Kind::F8, bytes(bench) / 8) }
}

fn small(chunk: Option<u64>, pipeline: Option<Pipeline>) -> Recipe {
    let parts = (0..MANY).map(|number| Slab::new(&[number * FEW], &[FEW])).collect();
    let chunk = chunk.map(|chunk| vec![chunk]);
    Recipe { chunk, pipeline, parts, ..Recipe::new(Kind::F4, &[FEW * MANY]) }
}

/// Writes of a recipe, with their limit.
fn measured(scenario: Scenario, recipe: impl Fn(&Bench) -> Recipe + 'static) -> Entry {
    Entry::new(scenario, move |bench| {
        let recipe = recipe(bench);
        let make = |way| Writes::new(bench, way, &recipe);
        Prepared::with_limit(Unit::Rate, make, |native| limits::limit_of(bench, &recipe, native))
    })
}

/// Writes of a recipe without a limit: only HDF5 itself limits their speed.
fn unlimited(scenario: Scenario, unit: Unit, recipe: impl Fn(&Bench) -> Recipe + 'static) -> Entry {
    many(scenario, unit, move |bench, way| Writes::new(bench, way, &recipe(bench)))
}

/// What `make` returns, without a limit.
fn many<Made: Workload + 'static>(
    scenario: Scenario,
    unit: Unit,
    make: impl Fn(&Bench, Way) -> Result<Made> + 'static,
) -> Entry {
    Entry::new(scenario, move |bench| Prepared::both(unit, |way| make(bench, way)))
}

/// A whole dataset. The scenario is named after the filter.
fn codec(pipeline: Pipeline, kind: Kind, form: Form) -> Entry {
    let what = format!("{}, {}", kind.name(), pipeline.what());
    let scenario = Scenario::new(format!("write-{}", pipeline.name()), COMPRESSED, what);
    measured(scenario, move |bench| Recipe { form, ..packed(bench, kind, pipeline) })
}

/// Floats with noise in their low bytes, written at once or in another way.
fn noisy(
    name: &str,
    manner: &str,
    pipeline: Pipeline,
    asked: f64,
    way: impl Fn(Recipe) -> Recipe + 'static,
) -> Entry {
    let what = format!("{}, {}, {manner}", Kind::NoisyF4.name(), pipeline.what());
    measured(Scenario::new(name, COMPRESSED, what).asking(asked), move |bench| {
        way(packed(bench, Kind::NoisyF4, pipeline))
    })
}

/// Measures the size of a file.
fn size(kind: Kind, level: u8) -> Entry {
    let (name, pipeline) = (kind.name(), Pipeline::Gzip(level));
    let what = format!("file of {name}, {}", pipeline.what());
    let scenario = Scenario::new(format!("size-{name}-{level}"), COMPRESSED, what);
    let asked = Asked { larger_percent: Some(LARGER), ..Asked::default() };
    unlimited(Scenario { asked, ..scenario }, Unit::Rate, move |bench| Recipe {
        pipeline: Some(pipeline),
        ..Recipe::rows(kind, bytes(bench).min(SIZED))
    })
}

fn compressed() -> Vec<Entry> {
    let scenario = |name, what| Scenario::new(name, COMPRESSED, what);
    let mut lzf = codec(Pipeline::Lzf, Kind::F4, Form::Same);
    lzf.scenario = lzf.scenario.asking(3.0);
    let threads = scenario("write-gzip-threads", "4 threads write gzip chunks");
    let mut entries = vec![
        measured(scenario("write-gzip-f8", "f8, gzip 4 + shuffle").asking(5.0), |bench| {
            packed(bench, Kind::F8, GZIP)
        }),
        measured(scenario("write-gzip-i4", "i4, gzip 4 + shuffle").asking(5.0), |bench| {
            packed(bench, Kind::I4, GZIP)
        }),
        lzf,
        measured(scenario("write-append", "8 rows at a time, growing, gzip").asking(2.0), |bench| {
            appends(packed(bench, Kind::F4, GZIP))
        }),
        noisy("write-gzip-noisy", "all", GZIP, 5.0, |recipe| recipe),
        noisy("write-gzip-noisy-alone", "all", GZIP_ALONE, 5.0, |recipe| recipe),
        noisy("write-append-noisy-alone", "8 rows at a time, growing", GZIP_ALONE, 2.5, appends),
        measured(Scenario { application_threads: THREADS, ..threads }, in_threads),
        unlimited(scenario("write-tiles", "100 x 100 tiles to 128 x 128 gzip"), Unit::Rate, tiles),
        many(scenario("write-multi-gzip", "H5Dwrite_multi of 8, gzip"), Unit::Rate, |bench, way| {
            let bytes = bytes(bench) / u64::from(LARGE_DATASETS);
            let recipe = Recipe { pipeline: Some(GZIP), ..Recipe::rows(Kind::F4, bytes) };
            MultiWrites::new(bench, way, &recipe, LARGE_DATASETS)
        }),
        codec(Pipeline::Zstd, Kind::F4, Form::Same),
        codec(Pipeline::Fletcher32, Kind::F4, Form::Same),
        codec(Pipeline::Lz4, Kind::F4, Form::Same),
        codec(Pipeline::Blosc, Kind::F4, Form::Same),
        codec(Pipeline::Blosc2, Kind::F4, Form::Same),
        codec(Pipeline::Bitshuffle, Kind::F4, Form::Same),
        codec(Pipeline::Bzip2, Kind::F4, Form::Same),
        codec(Pipeline::Szip, Kind::I4, Form::Same),
        codec(Pipeline::Nbit, Kind::I4, Form::Narrow),
        codec(Pipeline::ScaleOffset, Kind::I4, Form::Same),
    ];
    for kind in [Kind::F8, Kind::I4] {
        entries.extend(LEVELS.map(|level| size(kind, level)));
    }
    entries
}

fn plain() -> Vec<Entry> {
    let scenario = |name, what| Scenario::new(name, PLAIN, what);
    let contiguous = scenario("write-contiguous", "all, contiguous").asking(1.0);
    let over = |recipe| Recipe { manner: Manner::Over, ..recipe };
    vec![
        measured(scenario("write-chunks-1MiB", "all in chunks of 1 MiB").asking(1.2), |bench| {
            square(bench, Some(512))
        }),
        measured(scenario("write-chunks-64KiB", "all in chunks of 64 KiB").asking(1.2), |bench| {
            square(bench, Some(128))
        }),
        measured(Scenario { may_pass_on: true, ..contiguous }, |bench| square(bench, None)),
        measured(scenario("write-over-chunks", "over 1 MiB chunks that are there"), move |bench| {
            over(square(bench, Some(512)))
        }),
        measured(scenario("write-over-contiguous", "over contiguous data that is there"), move |bench| {
            over(square(bench, None))
        }),
        unlimited(scenario("write-converted", "f8 to big-endian f4, 1 MiB chunks"), Unit::Rate, converted),
    ]
}

fn little() -> Vec<Entry> {
    // The first write of a contiguous dataset is left to native HDF5, because only it can allocate the storage.
    let contiguous = |name, what| Scenario { may_pass_on: true, ..Scenario::new(name, SMALL, what) };
    let in_chunks = |name, what, pipeline| {
        let scenario = Scenario::new(name, SMALL, what);
        unlimited(scenario, Unit::PerCall, move |_| small(Some(FEW_CHUNK), pipeline))
    };
    let recipe = || Recipe::new(Kind::F4, &[LITTLE]);
    vec![
        unlimited(contiguous("write-64-bytes", "64 bytes at a time, contiguous"), Unit::PerCall, |_| {
            small(None, None)
        }),
        in_chunks("write-64-bytes-chunks", "the same, 16 KiB chunks", None),
        in_chunks("write-64-bytes-gzip", "the same, gzip", Some(GZIP)),
        many(
            contiguous("write-multi-small", "H5Dwrite_multi of 256 x 4 KiB"),
            Unit::PerCall,
            move |bench, way| MultiWrites::new(bench, way, &recipe(), DATASETS),
        ),
        many(contiguous("write-files", "create, write 4 KiB, close"), Unit::PerCall, move |bench, way| {
            FileWrites::new(bench, way, &recipe(), FILES)
        }),
    ]
}

pub(crate) fn entries() -> Vec<Entry> {
    [compressed(), plain(), little()].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_cover_all_rows() {
        let bands = bands(&[24, 7], 8);
        let starts: Vec<u64> = bands.iter().map(|band| band.start[0]).collect();
        assert_eq!(starts, [0, 8, 16]);
        assert!(bands.iter().all(|band| band.count == [8, 7]));
    }

    #[test]
    fn small_writes_cover_everything() {
        let recipe = small(Some(FEW_CHUNK), None);
        assert_eq!(recipe.lengths().iter().sum::<u64>(), recipe.bytes());
        assert!(recipe.lengths().iter().all(|&length| length == 64));
    }
}
