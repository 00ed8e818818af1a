//! What is written: numbers in memory, and how they are stored.

use std::rc::Rc;

use anyhow::Result;

use crate::bench::{Bench, Placement};
use crate::filtered::pipeline::Pipeline;
use crate::hdf5::{Buffer, Creation, Dataset, Datatype, File, Library, Slab, Space, UNLIMITED};
use crate::walk::Walk;

/// The dataset of a file that has one.
pub(crate) const DATASET: &str = "data";
/// Elements of a row of datasets in chunks of whole rows, and bytes of such a chunk.
pub(crate) const WIDTH: u64 = 4096;
const CHUNK: u64 = 1 << 20;

/// The datatype of an element in memory and, unless the form says otherwise, in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    F4,
    /// With noise in their low bytes.
    NoisyF4,
    F8,
    I4,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::F4 => "f4",
            Self::NoisyF4 => "f4 with noise",
            Self::F8 => "f8",
            Self::I4 => "i4",
        }
    }

    /// Bytes.
    pub(crate) fn size(self) -> u64 {
        if self == Self::F8 { 8 } else { 4 }
    }

    fn datatype(self, library: &'static Library) -> Result<Datatype> {
        Datatype::named(
            library,
            match self {
                Self::F4 | Self::NoisyF4 => "IEEE_F32LE",
                Self::F8 => "IEEE_F64LE",
                Self::I4 => "STD_I32LE",
            },
        )
    }

    fn fill(self, memory: &mut [u8]) {
        match self {
            Self::F4 => Walk::new().floats(memory),
            Self::NoisyF4 => Walk::new().noisy_floats(memory),
            Self::F8 => Walk::new().doubles(memory),
            Self::I4 => Walk::new().integers(memory),
        }
    }
}

/// The datatype of an element in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// As in memory.
    Same,
    /// Big-endian floats.
    BigFloats,
    /// Integers of fewer bits.
    Narrow,
}

/// How a dataset is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// To a new file.
    New,
    /// To a new file, in which the dataset has no rows at first. Each part extends it.
    Growing,
    /// To an existing file that contains other numbers.
    Over,
    /// To a new file, by this many threads, which take the parts in turns.
    Threads(u32),
}

/// What is written to one dataset.
#[derive(Debug, Clone)]
pub(crate) struct Recipe {
    pub(crate) kind: Kind,
    pub(crate) form: Form,
    pub(crate) extent: Vec<u64>,
    /// `None` for a contiguous dataset.
    pub(crate) chunk: Option<Vec<u64>>,
    pub(crate) pipeline: Option<Pipeline>,
    /// The part of each write. They are one after the other in memory. If there are none, everything is written at once.
    pub(crate) parts: Vec<Slab>,
    pub(crate) manner: Manner,
}

impl Recipe {
    /// All of a new dataset, contiguous, at once.
    pub(crate) fn new(kind: Kind, extent: &[u64]) -> Self {
        Self {
            kind,
            form: Form::Same,
            extent: extent.to_vec(),
            chunk: None,
            pipeline: None,
            parts: Vec::new(),
            manner: Manner::New,
        }
    }

    /// The same with about this many bytes, in chunks of 1 MiB of whole rows.
    pub(crate) fn rows(kind: Kind, bytes: u64) -> Self {
        let height = CHUNK / WIDTH / kind.size();
        // A single chunk could not be divided between threads.
        let rows = (bytes / CHUNK).max(2) * height;
        Self { chunk: Some(vec![height, WIDTH]), ..Self::new(kind, &[rows, WIDTH]) }
    }

    /// Bytes of all elements in memory.
    pub(crate) fn bytes(&self) -> u64 {
        self.extent.iter().product::<u64>() * self.kind.size()
    }

    /// Bytes of each write.
    pub(crate) fn lengths(&self) -> Vec<u64> {
        if self.parts.is_empty() {
            return vec![self.bytes()];
        }
        self.parts.iter().map(|part| part.count.iter().product::<u64>() * self.kind.size()).collect()
    }

    /// The numbers in memory. Native HDF5, the connector and the limit get the same.
    pub(crate) fn numbers(&self, bench: &Bench) -> Result<Rc<Buffer>> {
        let buffer = bench.buffer(usize::try_from(self.bytes())?, Placement::Malloc);
        self.kind.fill(&mut buffer.bytes_mut()?);
        Ok(buffer)
    }

    /// Makes the filter available to native HDF5.
    pub(crate) fn provide(&self, bench: &Bench) -> Result<()> {
        self.pipeline.map_or(Ok(()), |pipeline| pipeline.provide(bench))
    }
}

/// What is needed to create a dataset.
pub(crate) struct Plan {
    /// In memory.
    pub(crate) datatype: Datatype,
    stored: Datatype,
    space: Space,
    creation: Creation,
}

impl Plan {
    pub(crate) fn new(library: &'static Library, recipe: &Recipe) -> Result<Self> {
        let (datatype, extent) = (recipe.kind.datatype(library)?, &recipe.extent);
        let stored = match recipe.form {
            Form::Same => datatype.clone(),
            Form::BigFloats => Datatype::named(library, "IEEE_F32BE")?,
            Form::Narrow => Datatype::with_precision(library, "STD_I32LE", 24)?,
        };
        let space = if recipe.manner == Manner::Growing {
            let (mut first, mut most) = (extent.clone(), extent.clone());
            (first[0], most[0]) = (0, UNLIMITED);
            Space::growing(library, &first, &most)?
        } else {
            Space::new(library, extent)?
        };
        let filters = recipe.pipeline.map(Pipeline::filters).unwrap_or_default();
        let creation = Creation::new(library.session(), recipe.chunk.as_deref(), &filters)?;
        Ok(Self { datatype, stored, space, creation })
    }

    pub(crate) fn create(&self, file: &File, name: &str) -> Result<Dataset> {
        Dataset::create(file, name, &self.stored, &self.space, &self.creation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_in_whole_chunks() {
        for kind in [Kind::F4, Kind::F8, Kind::I4] {
            let recipe = Recipe::rows(kind, 5 << 20);
            let chunk = recipe.chunk.clone().unwrap();
            assert_eq!(recipe.bytes(), 5 << 20);
            assert_eq!(chunk.iter().product::<u64>() * kind.size(), CHUNK);
            assert!(recipe.extent[0].is_multiple_of(chunk[0]));
            assert_eq!(Recipe::rows(kind, 5).bytes(), 2 * CHUNK, "two at least");
        }
    }

    #[test]
    fn lengths_are_those_of_the_parts() {
        let whole = Recipe::new(Kind::F8, &[10, 20]);
        assert_eq!(whole.lengths(), [1600]);
        let parts = vec![Slab::new(&[0, 0], &[1, 3]), Slab::new(&[5, 0], &[2, 20])];
        assert_eq!(Recipe { parts, ..whole }.lengths(), [24, 320]);
    }
}
