//! The user's dataset: its properties, and whether it can be measured at all.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::region::Region;
use crate::Way;
use crate::bench::Bench;
use crate::hdf5::{Creation, Dataset, Datatype, File, Slab};
use crate::plain::Recipe;
use crate::registry::CannotBeMeasured;

/// A dataset.
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) dataset: String,
    pub(super) extent: Vec<u64>,
    /// The datatype it is read as.
    pub(super) memory: Datatype,
    /// The size of an element of that datatype.
    pub(super) element: usize,
    /// Whether it is also the stored datatype.
    pub(super) is_stored_so: bool,
    pub(super) creation: Creation,
    /// The part that is read.
    pub(super) region: Region,
}

impl Source {
    /// Inspects the dataset of a request with native HDF5.
    ///
    /// # Errors
    /// [`CannotBeMeasured`] if it has no elements, or elements that contain pointers or references.
    pub(super) fn look(bench: &Bench) -> Result<Self> {
        let own = bench.own.as_ref().context("the request names no dataset")?;
        let file = File::open(bench.library, &own.file, Way::Native)?;
        let dataset = Dataset::open(&file, &own.dataset)?;
        let (stored, space, creation) = (dataset.datatype()?, dataset.space()?, dataset.creation()?);
        if space.elements()? == 0 {
            return cannot("it has no elements");
        }
        if !stored.is_plain()? {
            return cannot(
                "its elements have variable length or are references: only native HDF5 can read them",
            );
        }
        let (extent, memory) = (space.extents()?.0, in_memory(&stored)?);
        let element = memory.size()?;
        let region = Region::new(&extent, creation.chunk()?.as_deref(), element as u64, bench.bytes());
        let Some(region) = region else { return cannot("it has more elements than can be counted") };
        let is_stored_so = memory.equals(&stored)?;
        let (path, name) = (own.file.clone(), own.dataset.clone());
        drop(dataset);
        file.close()?;
        Ok(Self { path, dataset: name, extent, memory, element, is_stored_so, creation, region })
    }

    /// Reads of these parts, each to the beginning of the same memory, or of everything at once if there are none.
    pub(super) fn recipe(&self, parts: Vec<Slab>) -> Recipe {
        let whole = Recipe::whole(self.path.clone(), &self.dataset, self.memory.clone(), &self.extent);
        Recipe { parts, ..whole }
    }
}

/// The datatype in memory: native for numbers and strings, as stored for everything else, as h5py reads it. A native compound
/// would have gaps between its fields, which no read fills.
fn in_memory(stored: &Datatype) -> Result<Datatype> {
    if stored.is_simple()? { stored.native() } else { stored.copy() }
}

fn cannot<T>(why: &str) -> Result<T> {
    Err(CannotBeMeasured(why.into()).into())
}
