//! Writes the datasets that are read later.

use std::rc::Rc;

use anyhow::{Context, Result};

use crate::hdf5::{Buffer, Call, Creation, Dataset, Datatype, File, Filter, Slab, Space, Transfers};

/// The approximate number of bytes per write.
const BAND: u64 = 16 << 20;

/// How a dataset is stored.
pub(crate) struct Stored {
    pub(crate) datatype: Datatype,
    pub(crate) extent: Vec<u64>,
    /// `None` for a contiguous dataset.
    pub(crate) chunk: Option<Vec<u64>>,
    pub(crate) filters: Vec<Filter>,
}

impl Stored {
    /// Creates the dataset and writes it in bands. `put` fills the memory of each band with elements of the datatype `memory`.
    /// A band has whole chunks, so that no chunk is written twice.
    pub(crate) fn write(
        &self,
        file: &File,
        name: &str,
        memory: &Datatype,
        mut put: impl FnMut(&mut [u8]),
    ) -> Result<()> {
        let (library, Self { datatype, extent, chunk, filters }) = (file.library(), self);
        let creation = Creation::new(library.session(), chunk.as_deref(), filters)?;
        let dataset = Dataset::create(file, name, datatype, &Space::new(library, extent)?, &creation)?;
        let (&rows, rest) = extent.split_first().context("a dataset has no extent")?;
        let row = rest.iter().product::<u64>() * u64::try_from(memory.size()?)?;
        let unit = chunk.as_ref().map_or(1, |chunk| chunk[0]);
        let height = ((BAND / row / unit).max(1) * unit).min(rows);
        let buffer = Rc::new(Buffer::new(usize::try_from(height * row)?, 0));
        for start in (0..rows).step_by(usize::try_from(height)?) {
            let count = height.min(rows - start);
            put(&mut buffer.bytes_mut()?[..usize::try_from(count * row)?]);
            let counts = [&[count], rest].concat();
            let starts = [&[start], &vec![0; rest.len()][..]].concat();
            let part = Space::part(library, extent, &Slab::new(&starts, &counts))?;
            let selection = (Some(Space::new(library, &counts)?), Some(part));
            let call = Call::new(&dataset, memory, selection, 0);
            Transfers::new(&buffer, vec![call])?.write(1)?;
        }
        dataset.close()
    }
}
