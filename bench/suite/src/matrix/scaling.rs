//! The same reads by more and more threads: of the application without the pool, and of the pool.

use std::fs::File;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::thread::available_parallelism;

use anyhow::{Context, Result};
use bench_report::Unit;
use limit::{Chunk, Form, Packing, Shape, Shuffled};

use super::layout::{Placed, Plan, Square, bands, divide};
use super::read_limit::ReadLimit;
use super::reading::{Reading, ThreadReads};
use crate::bench::Bench;
use crate::hdf5::{Buffer, Call, Creation, Dataset, Datatype, Filter, PAGE, Space, Transfers};
use crate::measure::spent_by;
use crate::plain::limit::stored_chunks;
use crate::plain::{MATRIX, matrix};
use crate::registry::{Entry, Prepared, Subject};
use crate::walk::Walk;
use crate::{Scenario, Spent, Way, Workload};

const GROUP: &str = "Scaling";
/// Parts of the dataset that threads of the application read.
const PARTS: usize = 64;
/// The side of a compressed chunk: 256 KiB.
const CHUNK: u64 = 256;
/// The least number of threads of the application to which it is measured.
const LEAST: u32 = 4;
/// HDF5's filters, with the level of the second.
const SHUFFLE: i32 = 2;
const DEFLATE: (i32, u32) = (1, 4);

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
            let library = file.library();
            let filters = [Filter::new(SHUFFLE, &[]), Filter::new(DEFLATE.0, &[DEFLATE.1])];
            let creation = Creation::new(library.session(), Some(&[chunk; 2]), &filters)?;
            let datatype = Datatype::named(library, "IEEE_F32LE")?;
            let space = Space::new(library, &[side; 2])?;
            let dataset = Dataset::create(file, self.dataset(), &datatype, &space, &creation)?;
            let buffer = Rc::new(Buffer::new(usize::try_from(4 * side * side)?, 0));
            Walk::new().floats(&mut buffer.bytes_mut()?);
            let call = Call { dataset: dataset.clone(), datatype, memory: None, file: None, at: 0 };
            Transfers::new(&buffer, vec![call])?.write(1)?;
            dataset.close()
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

/// 1, 2, 4 and so on, and `most` at last.
fn doubled(most: u32) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..32).map(|bit| 1 << bit).take_while(|&number| number < most).collect();
    numbers.push(most);
    numbers
}

/// So many parts, read by so many threads; the limit has threads of its own.
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
    let native = Box::new(ThreadReads::new(&reading, Way::Native)?);
    let bypass = Box::new(ThreadReads::new(&reading, Way::Bypass)?);
    let threads = usize::try_from(limit_threads)?;
    let limit: Box<dyn Subject> = match kind {
        Kind::Contiguous => Box::new(ReadLimit::new(bench, &reading, threads)?),
        Kind::Gzip => Box::new(GzipLimit::new(bench, &path, &reading, threads)?),
    };
    Ok(Prepared { native, bypass, limit: Some(limit), unit: Unit::Rate })
}

/// Parallel reading and decoding of all chunks.
struct GzipLimit {
    reading: Rc<Reading>,
    file: File,
    chunks: Vec<Chunk>,
    shape: Shape,
    memory: Vec<u8>,
    threads: NonZero<usize>,
}

impl GzipLimit {
    fn new(bench: &Bench, path: &Path, reading: &Rc<Reading>, threads: usize) -> Result<Self> {
        let (chunks, shape) = stored_chunks(bench, path, Kind::Gzip.dataset())?;
        let file = File::open(path).with_context(|| path.display().to_string())?;
        let memory = vec![1; usize::try_from(reading.bytes()?)?];
        let threads = NonZero::new(threads).context("the limit has no thread")?;
        Ok(Self { reading: Rc::clone(reading), file, chunks, shape, memory, threads })
    }
}

impl Workload for GzipLimit {
    fn bytes(&self) -> u64 {
        self.memory.len() as u64
    }

    fn calls(&self) -> u64 {
        self.reading.calls()
    }

    fn run(&mut self, passes: u32) -> Result<Spent> {
        let form = Form { packing: Packing::Gzip, shuffled: Some(Shuffled { element: 4, at: 0 }) };
        let Self { file, chunks, shape, memory, threads, .. } = self;
        spent_by(|| {
            (0..passes).try_for_each(|_| {
                limit::decode_apart(file, form, chunks, *shape, memory, *threads).context("the limit")
            })
        })
    }
}

impl Subject for GzipLimit {
    /// The parts in the order in which the threads read them.
    fn show(&mut self, part: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        self.memory.fill(0x33);
        self.run(1)?;
        let row = self.shape.distance;
        for round in 0..self.reading.rounds() {
            for item in self.reading.plan.shares.iter().filter_map(|share| share.get(round)) {
                part(&self.memory[item.rows.start * row..item.rows.end * row])?;
            }
        }
        Ok(())
    }

    fn files(&self) -> Vec<PathBuf> {
        self.reading.paths.clone()
    }
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
