//! The files that are read. Native HDF5 creates them once.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::pipeline::Pipeline;
use crate::Way;
use crate::bench::Bench;
use crate::hdf5::{Dataset, Datatype, File, Space};
use crate::stored::Stored;
use crate::walk::Walk;

/// The one dataset of each file.
pub(crate) const DATASET: &str = "data";
/// Elements of a row of the datasets whose chunks are whole rows, and rows of a chunk: 1 MiB.
pub(crate) const WIDTH: u64 = 4096;
const HEIGHT: u64 = 64;
/// Bytes of an element.
const ELEMENT: u64 = 4;

/// How a matrix is divided into chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grid {
    /// Into chunks of 1 MiB, of whole rows.
    Rows,
    /// A square, into squares of this side.
    Squares(u64),
}

/// The numbers of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Floats,
    /// With noise in their low bytes.
    NoisyFloats,
    /// Of 32 bits.
    Integers,
    /// Of 24 of them.
    NarrowIntegers,
}

impl Kind {
    /// The datatype in memory.
    pub(crate) fn in_memory(self, bench: &Bench) -> Result<Datatype> {
        let name = match self {
            Self::Floats | Self::NoisyFloats => "NATIVE_FLOAT",
            Self::Integers | Self::NarrowIntegers => "NATIVE_INT",
        };
        Datatype::named(bench.library, name)
    }

    fn stored(self, bench: &Bench) -> Result<Datatype> {
        match self {
            Self::Floats | Self::NoisyFloats => Datatype::named(bench.library, "IEEE_F32LE"),
            Self::Integers => Datatype::named(bench.library, "STD_I32LE"),
            Self::NarrowIntegers => Datatype::with_precision(bench.library, "STD_I32LE", 24),
        }
    }
}

/// A compressed matrix in its own file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Packed {
    /// The name of the file.
    pub(crate) name: &'static str,
    pub(crate) grid: Grid,
    pub(crate) kind: Kind,
    pub(crate) pipeline: Pipeline,
}

impl Packed {
    /// Of floats.
    pub(crate) const fn floats(name: &'static str, grid: Grid, pipeline: Pipeline) -> Self {
        Self { name, grid, kind: Kind::Floats, pipeline }
    }

    /// Of floats with noise in their low bytes.
    pub(crate) const fn noisy_floats(name: &'static str, pipeline: Pipeline) -> Self {
        Self { name, grid: Grid::Rows, kind: Kind::NoisyFloats, pipeline }
    }

    /// Rows and columns.
    pub(crate) fn extent(self, bench: &Bench) -> [u64; 2] {
        match self.grid {
            Grid::Rows => {
                let rows = bench.bytes() / self.pipeline.slowness() / ELEMENT / WIDTH;
                // A single chunk could not be divided between threads.
                [(rows / HEIGHT).max(2) * HEIGHT, WIDTH]
            }
            Grid::Squares(_) => [bench.side(); 2],
        }
    }

    fn chunk(self) -> [u64; 2] {
        match self.grid {
            Grid::Rows => [HEIGHT, WIDTH],
            Grid::Squares(side) => [side; 2],
        }
    }

    /// The file, which native HDF5 can read.
    pub(crate) fn file(self, bench: &Bench) -> Result<PathBuf> {
        self.pipeline.provide(bench)?;
        bench.hdf5_file(&self.file_name(bench), |file| {
            let stored = Stored {
                datatype: self.kind.stored(bench)?,
                extent: self.extent(bench).to_vec(),
                chunk: Some(self.chunk().to_vec()),
                filters: self.pipeline.filters(),
            };
            let (memory, mut walk) = (self.kind.in_memory(bench)?, Walk::new());
            stored.write(file, DATASET, &memory, |memory| match self.kind {
                Kind::Floats => walk.floats(memory),
                Kind::NoisyFloats => walk.noisy_floats(memory),
                Kind::Integers | Kind::NarrowIntegers => walk.integers(memory),
            })
        })
    }

    fn file_name(self, bench: &Bench) -> String {
        format!("filtered-{}-{}.h5", self.name, bench.mebibytes)
    }
}

/// Another file with the same stored chunks, repeated: it has `times` as many rows.
pub(crate) fn repeated(bench: &Bench, packed: Packed, times: u64) -> Result<PathBuf> {
    let original = packed.file(bench)?;
    let name = format!("filtered-{}-x{times}-{}.h5", packed.name, bench.mebibytes);
    bench.hdf5_file(&name, |file| copy_repeatedly(bench, &original, file, times))
}

fn copy_repeatedly(bench: &Bench, original: &Path, file: &File, times: u64) -> Result<()> {
    let from = File::open(bench.library, original, Way::Native)?;
    let matrix = Dataset::open(&from, DATASET)?;
    let (mut extent, _) = matrix.space()?.extents()?;
    let height = extent[0];
    extent[0] *= times;
    let space = Space::new(bench.library, &extent)?;
    let copy = Dataset::create(file, DATASET, &matrix.datatype()?, &space, &matrix.creation()?)?;
    let (content, mut stored) = (fs::File::open(original)?, Vec::new());
    for chunk in matrix.chunks()? {
        stored.resize(usize::try_from(chunk.size)?, 0);
        content.read_exact_at(&mut stored, chunk.address)?;
        for number in 0..times {
            let mut place = chunk.place.clone();
            place[0] += number * height;
            copy.write_chunk(&place, chunk.filter_mask, &stored)?;
        }
    }
    copy.close()?;
    matrix.close()?;
    from.close()
}
