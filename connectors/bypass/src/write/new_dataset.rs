//! The first write of a dataset that was just created.
//!
//! A contiguous dataset that is written as a whole is native HDF5's to write: it has to take the storage anyway, and a file
//! system lets one thread write at a time. Only a large one that must be converted is worth examining. What is needed to know
//! that is in the arguments with which the dataset is created.

use h5_host::TypeClass::{Enum, FixedString, Float, Integer};
use h5_host::{ExtentDescription, Questions};
use h5_vol::calls::{DatasetCreate, DatasetWrite};
use h5_vol::{Host, Id, NewObject};

use crate::Bypass;
use crate::coherency::handle::{DatasetHandle, New};
use crate::write::allocation::{NO_STORAGE, WORTHWHILE};

/// What a contiguous dataset is that is about to be created, if native HDF5 may do its first write.
pub(crate) fn kind(questions: Questions, call: &DatasetCreate<'_, Bypass>) -> Option<New> {
    // Conversions to these leave no gaps.
    if !matches!(questions.type_class(call.datatype), Some(Integer | Float | Enum | FixedString)) {
        return None;
    }
    let Some(ExtentDescription::Simple(dims)) = questions.extent(call.space) else { return None };
    let size = u64::try_from(questions.element_size(call.datatype)?).ok()?;
    let bytes = dims.as_slice().iter().try_fold(size, |bytes, &dim| bytes.checked_mul(dim))?;
    let is_in_file = questions.external_segments(call.creation)?.is_empty();
    is_in_file.then_some(if bytes < WORTHWHILE { New::Small } else { New::Large })
}

/// Notes that a dataset was created that is of this [`kind`], unless it has storage already: at this offset, if that is
/// known.
pub(crate) fn note(new: &NewObject<Bypass>, kind: New, offset: Option<u64>) {
    if let (Some(state), Some(below)) = (&new.data.dataset, new.below())
        && below.connector().is_native()
    {
        let ask = || below.connector().host().ask_below(|questions| below.contiguous_offset(questions));
        if offset.or_else(ask) == Some(NO_STORAGE) {
            state.note_new(kind);
        }
    }
}

/// Whether a call is the first use of such a dataset, writes all of it, and is best done by native HDF5.
pub(super) fn is_first_write(host: Host, call: &DatasetWrite<'_, Bypass>) -> bool {
    let [part] = &*call.parts else { return false };
    let Some(new) = part.dataset.data().dataset.as_ref().and_then(DatasetHandle::take_new) else {
        return false;
    };
    let need_not_be_converted = |questions: Questions| {
        let own_type = part.dataset.below()?.dataset_type(questions)?;
        Some(questions.same_type_as(own_type, part.memory_type))
    };
    part.file_space == Id::DEFAULT
        && host.ask_at_once(|questions| questions.is_default_transfer(call.transfer))
        && (new == New::Small || host.ask_first(need_not_be_converted).unwrap_or(false))
}
