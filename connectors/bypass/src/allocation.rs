//! Storage of contiguous datasets, which native HDF5 takes when they are first written.

use h5_host::Questions;
use h5_host::questions::{FillTime, FillValue};
use h5_vol::BelowObject;
use h5_vol::calls::{DatasetPart, MemorySource};
use selection::{Extent, Selection};

use crate::our_dataset::Storage;
use crate::transfer::Transfer;
use crate::{Bypass, memory};

/// Bytes from which a first write is worth the detour.
const WORTHWHILE: u64 = 1 << 20;

impl Bypass {
    /// If a part of a write is the first one to a contiguous dataset, a large one, and must be converted: lets native HDF5 write the first
    /// element of it, so that it takes storage. What fails here fails again when native HDF5 writes everything.
    pub(crate) fn allocate(
        &self,
        questions: Questions,
        part: &DatasetPart<Self, MemorySource<'_>>,
    ) -> Option<()> {
        let below = part.dataset.below()?;
        let dataset = self.ours(questions, &part.dataset).ok()?;
        let shared = dataset.writable()?;
        if !matches!(dataset.storage(), Storage::Missing) || part.memory.as_ptr().is_null() {
            return None;
        }
        // What need not be converted native HDF5 writes as fast itself: a file system lets one thread write at a time.
        let element = dataset.conversion_from(questions, part.memory_type).ok()??.element;
        let Transfer { file, memory, memory_bytes } =
            Transfer::of(questions, part, &dataset, element).ok()?;
        if file.selection.len().checked_mul(dataset.element())? < WORTHWHILE
            || fills_new_storage(questions, below)?
        {
            return None;
        }
        let bytes = memory::bytes(&part.memory, memory_bytes);
        let place = usize::try_from(first_place(&memory.selection)?.checked_mul(element)?).ok()?;
        let first = bytes.get(place..)?.get(..usize::try_from(element).ok()?)?;
        let coordinates = coordinates(dataset.extent(), first_place(&file.selection)?);
        below.write_element(&coordinates, part.memory_type, first)?;
        shared.outdate();
        Some(())
    }
}

/// Whether native HDF5 fills storage that it takes: then it is better to let it write everything at once.
fn fills_new_storage(questions: Questions, below: &BelowObject) -> Option<bool> {
    let creation = below.dataset_creation_list()?;
    let (time, value) = questions.fill_rules(creation.id())?;
    Some(match (time, value) {
        (FillTime::Never, _) | (FillTime::IfSet, FillValue::Default | FillValue::Undefined) => false,
        (FillTime::IfSet | FillTime::OnAllocation, _) => true,
    })
}

/// Where the first selected element is, counted from the first one of the extent.
fn first_place(selection: &Selection) -> Option<u64> {
    selection.cursor(0).next_run(1).map(|(place, _)| place)
}

fn coordinates(extent: &Extent, mut place: u64) -> Vec<u64> {
    let strides = extent.strides();
    let coordinate = |stride: &u64| {
        let coordinate = place / (*stride).max(1);
        place %= (*stride).max(1);
        coordinate
    };
    strides.iter().map(coordinate).collect()
}
