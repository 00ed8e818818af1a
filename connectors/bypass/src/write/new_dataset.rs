//! The first write of a dataset that was just created.
//!
//! A small contiguous dataset that is written as a whole is native HDF5's to write: it has to take the storage anyway, and
//! examining the dataset would take longer than the write. What is needed to know that is in the arguments with which the
//! dataset is created.

use h5_host::TypeClass::{Enum, FixedString, Float, Integer};
use h5_host::{ExtentDescription, Questions};
use h5_vol::calls::{DatasetCreate, DatasetWrite};
use h5_vol::{Id, NewObject};

use crate::Bypass;
use crate::coherency::handle::DatasetHandle;
use crate::write::allocation::{NO_STORAGE, WORTHWHILE};

/// Whether a contiguous dataset is about to be created whose first write, if it is one of everything, native HDF5 does best.
pub(crate) fn is_small(questions: Questions, call: &DatasetCreate<'_, Bypass>) -> bool {
    let bytes = || {
        let Some(ExtentDescription::Simple(dims)) = questions.extent(call.space) else { return None };
        let size = u64::try_from(questions.element_size(call.datatype)?).ok()?;
        dims.as_slice().iter().try_fold(size, |bytes, &dim| bytes.checked_mul(dim))
    };
    // Conversions to these leave no gaps.
    matches!(questions.type_class(call.datatype), Some(Integer | Float | Enum | FixedString))
        && bytes().is_some_and(|bytes| bytes < WORTHWHILE)
        && questions.external_segments(call.creation).is_some_and(|segments| segments.is_empty())
}

/// Notes that a dataset was created that [`is_small`], unless it has storage already: at this offset, if that is
/// known.
pub(crate) fn note(new: &NewObject<Bypass>, offset: Option<u64>) {
    if let (Some(state), Some(below)) = (&new.data.dataset, new.below())
        && below.connector().is_native()
    {
        let ask = || below.connector().host().ask_below(|questions| below.contiguous_offset(questions));
        if offset.or_else(ask) == Some(NO_STORAGE) {
            state.note_new();
        }
    }
}

/// Whether a call is the first use of such a dataset, and writes all of it.
pub(super) fn is_first_write(questions: Questions, call: &DatasetWrite<'_, Bypass>) -> bool {
    let [part] = &*call.parts else { return false };
    let state = part.dataset.data().dataset.as_ref();
    state.is_some_and(DatasetHandle::take_new)
        && part.file_space == Id::DEFAULT
        && questions.is_default_transfer(call.transfer)
}
