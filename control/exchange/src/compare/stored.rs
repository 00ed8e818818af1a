//! What can be told of two datasets from the bytes that are stored, without decoding them: the same bytes with the same filters are the
//! same elements.

use std::collections::HashMap;
use std::fs::File;
use std::num::NonZeroUsize;
use std::os::unix::fs::FileExt as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use h5_abi::{H5D_CHUNKED, H5D_CONTIGUOUS};
use h5_client::{Dataset, DatasetCreation, FillValue, Filter, StoredChunk};

use crate::error::{At as _, Result};
use crate::place::Side;

/// A chunk larger than this is not compared as it is stored: two of them are held for each thread.
const LARGEST: u64 = 16 << 20;

/// What is known of the elements.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stored {
    /// They are equal.
    Equal,
    /// They may differ, in these chunks only: the first element of each.
    Differ(Vec<Vec<u64>>),
    /// Nothing.
    Unknown,
}

/// Compares what is stored, and counts the chunks that are equal.
pub(super) fn compare(a: (&Side, &Dataset), b: (&Side, &Dataset), extent: &[u64]) -> Result<(Stored, u64)> {
    let of = |(side, dataset): (&Side, &Dataset)| Storage::of(dataset).at(|| side.place.shown());
    let (first, second) = (of(a)?, of(b)?);
    if first.fill != second.fill || first.fill == FillValue::Other {
        return Ok((Stored::Unknown, 0));
    }
    let is_empty = |storage: &Storage| storage.layout == H5D_CONTIGUOUS && storage.is_unused;
    if is_empty(&first) && is_empty(&second) && first.fill != FillValue::Undefined {
        return Ok((Stored::Equal, 0));
    }
    if !first.is_like(&second) || first.layout != H5D_CHUNKED || extent.is_empty() {
        return Ok((Stored::Unknown, 0));
    }
    // A connector that does not tell its chunks has none to compare.
    let (Ok(chunks), Ok(others)) = (a.1.chunks(), b.1.chunks()) else { return Ok((Stored::Unknown, 0)) };
    if first.fill == FillValue::Undefined && chunks.len() != others.len() {
        return Ok((Stored::Unknown, 0));
    }
    let mut others: HashMap<Vec<u64>, StoredChunk> =
        others.into_iter().map(|chunk| (chunk.place.clone(), chunk)).collect();
    let (mut pairs, mut differ) = (Vec::new(), Vec::new());
    for chunk in chunks {
        match others.remove(&chunk.place) {
            Some(other)
                if (other.filter_mask, other.size) == (chunk.filter_mask, chunk.size)
                    && chunk.size <= LARGEST =>
            {
                pairs.push((chunk, other));
            }
            _ => differ.push(chunk.place),
        }
    }
    differ.extend(others.into_keys());
    let unequal = match (a.0.plain_file()?, b.0.plain_file()?) {
        (Some(first), Some(second)) => in_files(&first, &second, &pairs),
        _ => through_hdf5(a.1, b.1, &pairs),
    };
    let equal = (pairs.len() - unequal.len()) as u64;
    differ.extend(unequal.into_iter().map(|index| pairs[index].0.place.clone()));
    Ok((if differ.is_empty() { Stored::Equal } else { Stored::Differ(differ) }, equal))
}

/// How elements are stored.
struct Storage {
    layout: h5_abi::H5D_layout_t,
    chunk: Option<Vec<u64>>,
    filters: Vec<Filter>,
    options: u32,
    fill: FillValue,
    /// Whether nothing is stored at all, neither here nor elsewhere.
    is_unused: bool,
}

impl Storage {
    /// Whether the same bytes mean the same.
    fn is_like(&self, other: &Self) -> bool {
        (self.layout, &self.chunk, &self.filters, self.options)
            == (other.layout, &other.chunk, &other.filters, other.options)
    }

    fn of(dataset: &Dataset) -> h5_client::Result<Self> {
        let creation: DatasetCreation = dataset.creation()?;
        let mut filters = creation.filters()?;
        // The name of a filter is only for people.
        for filter in &mut filters {
            filter.name.clear();
        }
        let chunk = creation.chunk()?;
        Ok(Self {
            layout: creation.layout()?,
            options: if chunk.is_some() { creation.chunk_options()? } else { 0 },
            chunk,
            filters,
            fill: creation.fill_value(&dataset.datatype()?.copy()?)?,
            is_unused: creation.external_files()? == 0 && dataset.storage_size()? == 0,
        })
    }
}

/// The pairs that are not equal in the files themselves, found on all cores.
fn in_files(a: &File, b: &File, pairs: &[(StoredChunk, StoredChunk)]) -> Vec<usize> {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(pairs.len().max(1));
    let work = || {
        let (mut first, mut second, mut unequal) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some((one, other)) = pairs.get(index) else { return unequal };
            let size = usize::try_from(one.size).unwrap_or(usize::MAX);
            first.resize(size, 0);
            second.resize(size, 0);
            // What cannot be read here is read through HDF5, which says what is wrong.
            let is_equal = a.read_exact_at(&mut first, one.address).is_ok()
                && b.read_exact_at(&mut second, other.address).is_ok()
                && first == second;
            if !is_equal {
                unequal.push(index);
            }
        }
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut unequal = work();
        for other in others {
            unequal.extend(other.join().unwrap_or_default());
        }
        unequal
    })
}

/// The same through HDF5.
fn through_hdf5(a: &Dataset, b: &Dataset, pairs: &[(StoredChunk, StoredChunk)]) -> Vec<usize> {
    let is_equal = |(one, other): &(StoredChunk, StoredChunk)| match (
        a.read_chunk(&one.place),
        b.read_chunk(&other.place),
    ) {
        (Ok(first), Ok(second)) => first == second,
        _ => false,
    };
    pairs.iter().enumerate().filter(|(_, pair)| !is_equal(pair)).map(|(index, _)| index).collect()
}
