//! The same reads with more and more threads: application threads without the pool, or threads of the pool.

use std::fs::File;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use anyhow::{Context, Result};
use bench_report::Unit;
use limit::{Form, Packing, Shuffled};

use super::layout::{Placed, Plan, Square, bands, divide};
use super::read_limit::ReadLimit;
use super::reading::{Reading, ThreadReads};
use crate::Scenario;
use crate::bench::{Bench, Placement};
use crate::filtered::pipeline::Pipeline;
use crate::filtered::places::Matrix;
use crate::hdf5::{Datatype, PAGE};
use crate::plain::limit::LimitReads;
use crate::plain::{MATRIX, matrix};
use crate::registry::{Entry, Prepared, Subject};
use crate::stored::Stored;
use crate::walk::Walk;

const GROUP: &str = "Scaling";
/// The number of parts of the dataset that application threads read.
const PARTS: usize = 64;
/// The side of a compressed chunk: 256 KiB.
const CHUNK: u64 = 256;
/// Measured with at least up to this many application threads.
const LEAST: u32 = 4;
const GZIP: Pipeline = Pipeline::Gzip(4);

/// What is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Contiguous,
    /// A quarter of the bytes: it takes longer.
    Gzip,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Contiguous => "contiguous",
            Self::Gzip => "gzip",
        }
    }

    fn dataset(self) -> &'static str {
        match self {
            Self::Contiguous => MATRIX,
            Self::Gzip => "data",
        }
    }

    fn square(self, bench: &Bench) -> Square {
        let side = match self {
            Self::Contiguous => bench.side(),
            Self::Gzip => ((bench.bytes() / 4 / 4).isqrt() / CHUNK).max(1) * CHUNK,
        };
        Square { side, chunk: CHUNK }
    }

    fn file(self, bench: &Bench) -> Result<PathBuf> {
        if self == Self::Contiguous {
            return matrix(bench, None);
        }
        let Square { side, chunk } = self.square(bench);
        bench.hdf5_file(&format!("scaling-gzip-{side}.h5"), |file| {
            let stored = Stored {
                datatype: Datatype::named(bench.library, "IEEE_F32LE")?,
                extent: vec![side; 2],
                chunk: Some(vec![chunk; 2]),
                filters: GZIP.filters(),
            };
            let mut walk = Walk::new();
            stored.write(file, self.dataset(), &stored.datatype, |memory| walk.floats(memory))
        })
    }
}

/// All there are on this machine.
pub(super) fn entries() -> Vec<Entry> {
    let cores = available_parallelism().map_or(1, |cores| u32::try_from(cores.get()).unwrap_or(u32::MAX));
    let mut entries = Vec::new();
    for kind in [Kind::Contiguous, Kind::Gzip] {
        for threads in doubled(cores.max(LEAST)) {
            let scenario = Scenario {
                application_threads: threads,
                has_pool: false,
                ..scenario(kind, "threads", threads, &format!("{threads} of the application"))
            };
            let prepare = move |bench: &Bench| prepare(bench, kind, PARTS, threads, threads);
            entries.push(Entry::new(scenario, prepare));
        }
        for threads in doubled(cores) {
            let scenario = Scenario {
                pool_threads: Some(threads),
                ..scenario(kind, "pool", threads, &format!("{threads} of the pool"))
            };
            entries.push(Entry::new(scenario, move |bench| prepare(bench, kind, 1, 1, threads)));
        }
    }
    entries
}

fn scenario(kind: Kind, whose: &str, threads: u32, who: &str) -> Scenario {
    let name = format!("scaling/{whose}/{}/{threads}", kind.name());
    Scenario::new(name, GROUP, format!("all of a {} matrix, {who}", kind.name()))
}

/// 1, 2, 4 and so on, and finally `most`.
fn doubled(most: u32) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..32).map(|bit| 1 << bit).take_while(|&number| number < most).collect();
    numbers.push(most);
    numbers
}

/// Prepares reads of this many parts by this many threads. The limit has its own number of threads.
fn prepare(bench: &Bench, kind: Kind, parts: usize, callers: u32, limit_threads: u32) -> Result<Prepared> {
    let (path, square, callers) = (kind.file(bench)?, kind.square(bench), usize::try_from(callers)?);
    let datasets = vec![Placed { file: 0, name: kind.dataset().to_owned(), square, first: 0 }];
    let unit = if kind == Kind::Gzip { usize::try_from(CHUNK)? } else { 1 };
    let shares = divide(bands(square.rows()?, unit, parts), callers);
    let phase = match kind {
        Kind::Contiguous => usize::try_from(bench.offset_of(&path, kind.dataset())? % PAGE as u64)?,
        Kind::Gzip => 0,
    };
    let plan = Plan { files: 1, datasets, shares };
    let is_first = kind == Kind::Gzip;
    let reading = Reading::new(bench.library, vec![path.clone()], plan, vec![phase], is_first)?;
    let make = |way| ThreadReads::new(&reading, way);
    Prepared::with_limit(Unit::Rate, make, |_| {
        let threads =
            NonZero::new(usize::try_from(limit_threads)?).context("the limit needs at least one thread")?;
        Ok(Some(match kind {
            Kind::Contiguous => Box::new(ReadLimit::new(bench, &reading, threads.get())?),
            Kind::Gzip => gzip_limit(bench, &path, &reading, threads)?,
        }))
    })
}

/// Reads and decodes all chunks in parallel, and shows the parts in the order in which the threads read them.
fn gzip_limit(
    bench: &Bench,
    path: &Path,
    reading: &Reading,
    threads: NonZero<usize>,
) -> Result<Box<dyn Subject>> {
    let (chunks, shape) = Matrix::of(bench, path, Kind::Gzip.dataset())?.whole();
    let buffer = bench.buffer(usize::try_from(reading.plan.amount()?.bytes)?, Placement::Malloc);
    let form = Form { packing: Packing::Gzip, shuffled: Some(Shuffled { element: 4, at: 0 }) };
    let read = move |file: &File, memory: &mut [u8]| {
        limit::decode_apart(file, form, &chunks, shape, memory, threads)
    };
    let shares = || reading.plan.shares.iter();
    let items = (0..reading.rounds()).flat_map(|round| shares().filter_map(move |share| share.get(round)));
    let parts = items.map(|item| item.rows.start * shape.distance..item.rows.end * shape.distance).collect();
    Ok(Box::new(LimitReads::new(path, &buffer, buffer.len(), read)?.showing(parts)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_doubled_up_to_the_most() {
        assert_eq!(doubled(1), [1]);
        assert_eq!(doubled(4), [1, 2, 4]);
        assert_eq!(doubled(6), [1, 2, 4, 6]);
    }
}
