//! Datasets.

use std::ffi::CString;
use std::rc::Rc;

use anyhow::{Context, Result, bail};
use h5_client::{Elements, Location as _};

use super::{Creation, Datatype, File, Space};

pub(crate) use h5_client::StoredChunk;

/// An open dataset, shared by those who use it.
#[derive(Clone)]
pub(crate) struct Dataset {
    pub(super) dataset: Rc<h5_client::Dataset>,
}

impl Dataset {
    /// Opens one.
    pub(crate) fn open(file: &File, name: &str) -> Result<Self> {
        Self::new(file, name, file.open.open_dataset(name))
    }

    /// Creates one.
    pub(crate) fn create(
        file: &File,
        name: &str,
        datatype: &Datatype,
        space: &Space,
        creation: &Creation,
    ) -> Result<Self> {
        Self::new(
            file,
            name,
            file.open.create_dataset(name, &datatype.datatype, &space.space, Some(creation)),
        )
    }

    fn new(file: &File, name: &str, dataset: h5_client::Result<h5_client::Dataset>) -> Result<Self> {
        let dataset = dataset.with_context(|| format!("dataset '{name}' of {}", file.path().display()))?;
        Ok(Self { dataset: Rc::new(dataset) })
    }

    /// Its extent.
    pub(crate) fn space(&self) -> Result<Space> {
        Ok(Space { space: Rc::new(self.dataset.space()?) })
    }

    /// Its datatype in the file.
    pub(crate) fn datatype(&self) -> Result<Datatype> {
        Ok(Datatype { datatype: Rc::new(self.dataset.datatype()?) })
    }

    /// How it is stored.
    pub(crate) fn creation(&self) -> Result<Creation> {
        Ok(self.dataset.creation()?)
    }

    /// Its offset in the file, if it is contiguous and has been written.
    pub(crate) fn offset(&self) -> Option<u64> {
        self.dataset.offset().ok().flatten()
    }

    /// The chunks that are in the file.
    pub(crate) fn chunks(&self) -> Result<Vec<StoredChunk>> {
        Ok(self.dataset.chunks()?)
    }

    /// Stores a chunk that has already gone through the filters that are not in the mask.
    pub(crate) fn write_chunk(&self, place: &[u64], mask: u32, stored: &[u8]) -> Result<()> {
        Ok(self.dataset.write_chunk(place, mask, stored)?)
    }

    /// Writes strings to all of it.
    pub(crate) fn write_strings(&self, datatype: &Datatype, strings: Vec<CString>) -> Result<()> {
        let strings = Elements::of_strings(&datatype.datatype, strings)?;
        Ok(self.dataset.write_elements(&strings, None)?)
    }

    /// Writes pairs of a number and a string to all of it.
    pub(crate) fn write_pairs(&self, datatype: &Datatype, pairs: Vec<(u64, CString)>) -> Result<()> {
        let pairs = Elements::of_pairs(&datatype.datatype, pairs)?;
        Ok(self.dataset.write_elements(&pairs, None)?)
    }

    /// Writes sequences, as the bytes of their elements, to all of it.
    pub(crate) fn write_sequences(&self, datatype: &Datatype, sequences: Vec<Vec<u8>>) -> Result<()> {
        let sequences = Elements::of_sequences(&datatype.datatype, sequences)?;
        Ok(self.dataset.write_elements(&sequences, None)?)
    }

    /// Reads all of its elements, which may have pointers.
    pub(crate) fn read_elements(&self, datatype: &Datatype) -> Result<Elements> {
        Ok(self.dataset.read_elements(&datatype.datatype, None)?)
    }

    /// Closes it and reports errors, which dropping it does not. It must not be shared any more.
    pub(crate) fn close(self) -> Result<()> {
        let Some(dataset) = Rc::into_inner(self.dataset) else { bail!("a dataset is still in use") };
        Ok(dataset.close()?)
    }
}
