//! Chunks of an open container.

use std::cell::RefCell;
use std::sync::{Arc, PoisonError};

use codecs::{Pipeline, Work};
use h5_shadow::spec::Cell;
use h5_shadow::{Failure, Outcome, Version};
use serde_json::Value;
use zarr::{Array, ArrayMetadata, Buffers, Values};

use crate::arrays::{ValueForm, value_form};
use crate::cells;
use crate::failure;
use crate::filters;
use crate::store::ZarrStore;
use crate::tree::Key;

/// More elements than fit into a shadow.
const MOST_VALUES: u64 = 1 << 32;

/// What a thread keeps for chunks.
fn with_buffers<R>(run: impl FnOnce(&mut Buffers) -> R) -> R {
    thread_local! {
        static BUFFERS: RefCell<Buffers> = RefCell::new(Buffers::new());
    }
    // A thread that ends may have no buffers any more.
    let mut run = Some(run);
    let done = BUFFERS.try_with(|buffers| {
        let mut buffers = buffers.try_borrow_mut().ok()?;
        run.take().map(|run| run(&mut buffers))
    });
    match (done, run) {
        (Ok(Some(done)), _) => done,
        (_, Some(run)) => run(&mut Buffers::new()),
        (_, None) => unreachable!("it was run, and has given a result"),
    }
}

/// The same for codecs only.
fn with_work<R>(run: impl FnOnce(&mut Work) -> R) -> R {
    with_buffers(|buffers| run(buffers.work()))
}

/// Whether a chunk was found. One that was not was never written, unless somebody has deleted the array.
fn or_gone(array: &Array, found: bool) -> Outcome<bool> {
    if !found {
        array.require_folder().map_err(|error| failure(&error))?;
    }
    Ok(found)
}

impl ZarrStore {
    /// The array of a dataset.
    fn array(&self, key: Key) -> Outcome<Arc<Array>> {
        let mut arrays = self.arrays.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(array) = arrays.get(&key) {
            return Ok(Arc::clone(array));
        }
        let path = self.state().tree.node_path(key).map_err(|error| failure(&error))?;
        let array = Arc::new(self.container.array(&path).map_err(|error| failure(&error))?);
        arrays.insert(key, Arc::clone(&array));
        Ok(array)
    }

    /// The document or the place of an array has changed.
    pub(crate) fn forget_arrays(&self) {
        self.arrays.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    pub(crate) fn read_elements(&self, key: Key, place: &[u64], elements: &mut [u8]) -> Outcome<bool> {
        let array = self.array(key)?;
        check_length(&array, elements)?;
        if !is_inside(&array, place) {
            return Ok(false);
        }
        let read = with_buffers(|buffers| array.read_elements(place, elements, buffers));
        read.map_err(|error| failure(&error)).and_then(|found| or_gone(&array, found))
    }

    pub(crate) fn reads_in_pairs(&self, key: Key) -> bool {
        self.array(key).is_ok_and(|array| array.gains_by_pairs())
    }

    pub(crate) fn read_two(
        &self,
        key: Key,
        places: [&[u64]; 2],
        elements: [&mut [u8]; 2],
    ) -> Result<[bool; 2], (usize, Failure)> {
        let array = self.array(key).map_err(|failure| (0, failure))?;
        let [first, second] = elements;
        if places.iter().all(|place| is_inside(&array, place)) {
            check_length(&array, first).map_err(|failure| (0, failure))?;
            check_length(&array, second).map_err(|failure| (1, failure))?;
            let read =
                with_buffers(|buffers| array.read_pair([(places[0], first), (places[1], second)], buffers));
            let found = read.map_err(|(which, error)| (which, failure(&error)))?;
            let gone = |failure| (0, failure);
            return or_gone(&array, found == [true; 2]).map(|_| found).map_err(gone);
        }
        let found = self.read_elements(key, places[0], first).map_err(|failure| (0, failure))?;
        let second_found = self.read_elements(key, places[1], second).map_err(|failure| (1, failure))?;
        Ok([found, second_found])
    }

    pub(crate) fn version(&self, key: Key, place: &[u64]) -> Option<Version> {
        let array = self.array(key).ok()?;
        // What cannot be examined cannot be read either, and then the file is named.
        array.chunk_version(place).ok().flatten().map(|version| version.numbers())
    }

    pub(crate) fn write_elements(&self, key: Key, place: &[u64], elements: &[u8]) -> Outcome<()> {
        let array = self.array(key)?;
        let lossy = filters::lossy(array.metadata());
        if lossy.is_empty() {
            let written = with_buffers(|buffers| array.write_elements(place, elements, buffers));
            return written.map_err(|error| failure(&error));
        }
        // Zarr has no such codec. Elements are stored as HDF5 would read them back.
        let failed = |error: String| Failure::new(format!("{}: {error}", array.chunk_file(place).display()));
        let pipeline = Pipeline::new(&lossy).map_err(|error| failed(error.to_string()))?;
        let (mut stored, mut rounded) = (Vec::new(), vec![0; elements.len()]);
        with_work(|work| {
            let mask =
                pipeline.encode(elements, &mut stored, work).map_err(|error| failed(error.to_string()))?;
            let decoded = pipeline.decode(&stored, mask, true, &mut rounded, work);
            decoded.map_err(|error| failed(error.to_string()))
        })?;
        let written = with_buffers(|buffers| array.write_elements(place, &rounded, buffers));
        written.map_err(|error| failure(&error))
    }

    pub(crate) fn forget_outside(&self, key: Key, dims: &[u64], chunk: &[u64]) -> Outcome<()> {
        let array = self.array(key)?;
        for place in array.stored_chunks().map_err(|error| failure(&error))? {
            let is_inside = place
                .iter()
                .zip(dims.iter().zip(chunk))
                .all(|(place, (size, chunk))| place.saturating_mul(*chunk) < *size);
            if !is_inside {
                array.remove_chunk(&place).map_err(|error| failure(&error))?;
            }
        }
        Ok(())
    }

    pub(crate) fn list_stored(&self, key: Key) -> Outcome<Vec<Vec<u64>>> {
        self.array(key)?.stored_chunks().map_err(|error| failure(&error))
    }

    pub(crate) fn count_stored(&self, key: Key) -> Outcome<u64> {
        let array = self.array(key)?;
        let mut bytes = 0_u64;
        for place in array.stored_chunks().map_err(|error| failure(&error))? {
            let stored = array.stored_length(&place).map_err(|error| failure(&error))?;
            bytes = bytes.saturating_add(stored.unwrap_or(0));
        }
        Ok(bytes)
    }

    /// All elements of an array without a fixed size; `None` if it is another one.
    pub(crate) fn load_values(&self, key: Key) -> Outcome<Option<Vec<Cell<Key>>>> {
        let array = self.array(key)?;
        let metadata = array.metadata();
        if metadata.data_type.size().is_some() {
            // The elements are in other files or datasets.
            return Ok(None);
        }
        let count = metadata.shape.iter().try_fold(1_u64, |count, size| count.checked_mul(*size));
        let count = count.filter(|count| *count <= MOST_VALUES).and_then(|count| usize::try_from(count).ok());
        let count =
            count.ok_or_else(|| Failure::new(format!("{}: too many values", array.folder().display())))?;
        let form = value_form(metadata);
        let step = self.sequence_step(key)?;
        let mut cells = vec![Cell::Text(None); count];
        for (place, inside) in grid(metadata) {
            let values =
                with_work(|work| array.read_values(&place, work)).map_err(|error| failure(&error))?;
            for (in_array, in_chunk) in inside {
                let value = values.get(in_chunk).unwrap_or_default();
                cells[in_array] = self.value_to_cell(form, value, step).ok_or_else(|| {
                    Failure::new(format!("{}: a value makes no sense", array.chunk_file(&place).display()))
                })?;
            }
        }
        Ok(Some(cells))
    }

    fn value_to_cell(&self, form: ValueForm, value: &[u8], step: usize) -> Option<Cell<Key>> {
        match form {
            ValueForm::Text => Some(Cell::Text(Some(value.to_vec()))),
            ValueForm::Sequence => {
                if !value.len().is_multiple_of(step) {
                    return None;
                }
                Some(Cell::List(
                    value.chunks_exact(step).map(|element| Cell::Bytes(element.to_vec())).collect(),
                ))
            }
            ValueForm::Path => {
                let path = core::str::from_utf8(value).ok()?;
                Some(Cell::Object((!path.is_empty()).then(|| self.state().tree.at(path))))
            }
            ValueForm::Json => {
                let value: Value =
                    if value.is_empty() { Value::Null } else { serde_json::from_slice(value).ok()? };
                cells::from_json(&value, &|path| Some(self.state().tree.at(path)))
            }
        }
    }

    /// Stores all elements of an array without a fixed size.
    pub(crate) fn save_values(&self, key: Key, cells: &[Cell<Key>]) -> Outcome<()> {
        let array = self.array(key)?;
        let metadata = array.metadata();
        let form = value_form(metadata);
        let length: u64 = metadata.chunk_shape.iter().product();
        for (place, inside) in grid(metadata) {
            let mut values = vec![Vec::new(); usize::try_from(length).unwrap_or(0)];
            for (in_array, in_chunk) in inside {
                if let (Some(cell), Some(value)) = (cells.get(in_array), values.get_mut(in_chunk)) {
                    *value = self.cell_to_value(form, cell);
                }
            }
            let values = Values::new(values.iter().map(Vec::as_slice));
            with_work(|work| array.write_values(&place, &values, work)).map_err(|error| failure(&error))?;
        }
        Ok(())
    }

    fn cell_to_value(&self, form: ValueForm, cell: &Cell<Key>) -> Vec<u8> {
        match (form, cell) {
            (ValueForm::Text, Cell::Text(text)) => text.clone().unwrap_or_default(),
            (ValueForm::Sequence, Cell::List(elements)) => {
                let bytes = |element: &Cell<Key>| match element {
                    Cell::Bytes(bytes) => bytes.clone(),
                    _ => Vec::new(),
                };
                elements.iter().flat_map(bytes).collect()
            }
            (ValueForm::Path, Cell::Object(key)) => {
                key.and_then(|key| self.path_of(key)).unwrap_or_default().into_bytes()
            }
            (_, cell) => {
                let path_of = |key| self.state().tree.path(key);
                cells::to_json(cell, &path_of).to_string().into_bytes()
            }
        }
    }
}

/// Whether the array as its document says it is has such a chunk. The dataset may have grown since that was written.
fn is_inside(array: &Array, place: &[u64]) -> bool {
    place.iter().zip(array.metadata().grid_shape()).all(|(place, count)| *place < count)
}

fn check_length(array: &Array, elements: &[u8]) -> Outcome<()> {
    if array.chain().chunk_bytes() == Some(elements.len()) {
        return Ok(());
    }
    let folder = array.folder().display();
    Err(Failure::new(format!("{folder}: its chunks have another size than the dataset's")))
}

/// The elements of a chunk: their numbers in the array and in the chunk.
type Inside = Vec<(usize, usize)>;

/// All chunks of an array, with the elements of each.
fn grid(metadata: &ArrayMetadata) -> Vec<(Vec<u64>, Inside)> {
    let (shape, chunk) = (&metadata.shape, &metadata.chunk_shape);
    let mut chunks: std::collections::BTreeMap<Vec<u64>, Inside> = std::collections::BTreeMap::new();
    let count: u64 = shape.iter().product();
    for number in 0..count {
        let (mut rest, mut place, mut in_chunk, mut stride) = (number, vec![0; shape.len()], 0, 1);
        for dim in (0..shape.len()).rev() {
            let coordinate = rest % shape[dim];
            rest /= shape[dim];
            place[dim] = coordinate / chunk[dim];
            in_chunk += coordinate % chunk[dim] * stride;
            stride *= chunk[dim];
        }
        let pair =
            (usize::try_from(number).unwrap_or(usize::MAX), usize::try_from(in_chunk).unwrap_or(usize::MAX));
        chunks.entry(place).or_default().push(pair);
    }
    chunks.into_iter().collect()
}
