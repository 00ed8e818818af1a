//! How datasets are stored.

use core::ffi::{c_int, c_uint};
use core::ptr;

use anyhow::{Result, ensure};
use h5_abi::{H5D_CHUNKED, H5D_CONTIGUOUS, H5D_LAYOUT_ERROR, H5S_MAX_RANK, hid_t};

use super::Library;
use super::handle::Handle;
use super::library::{c_count, c_number};

/// `H5Z_FLAG_OPTIONAL`: a filter that may leave a chunk as it is.
const OPTIONAL: c_uint = 1;
/// Options of a filter that are looked at.
const MOST_OPTIONS: usize = 32;

/// A filter of a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Filter {
    /// The number by which HDF5 knows it.
    pub(crate) number: i32,
    /// Its options.
    pub(crate) options: Vec<u32>,
}

impl Filter {
    /// A filter with these options.
    pub(crate) fn new(number: i32, options: &[u32]) -> Self {
        Self { number, options: options.to_vec() }
    }
}

/// A dataset creation list.
pub(crate) struct Creation {
    handle: Handle,
}

impl Creation {
    /// In chunks, if there are any, with filters in the order of writing; contiguous otherwise.
    pub(crate) fn new(library: &'static Library, chunk: Option<&[u64]>, filters: &[Filter]) -> Result<Self> {
        let (api, class) = (&library.api, library.predefined("H5P_CLS_DATASET_CREATE_ID_g")?);
        // SAFETY: a class of property lists.
        let list = Self::of_id(library, "H5Pcreate", unsafe { (api.H5Pcreate)(class) })?;
        if let Some(chunk) = chunk {
            let rank = c_count(chunk.len())?;
            // SAFETY: as many numbers as are said.
            let status = unsafe { (api.H5Pset_chunk)(list.id(), rank, chunk.as_ptr()) };
            api.check("H5Pset_chunk", status)?;
        }
        for Filter { number, options } in filters {
            // SAFETY: as many options as are said.
            let status =
                unsafe { (api.H5Pset_filter)(list.id(), *number, OPTIONAL, options.len(), options.as_ptr()) };
            api.check("H5Pset_filter", status)?;
        }
        Ok(list)
    }

    pub(super) fn of_id(library: &'static Library, call: &str, id: hid_t) -> Result<Self> {
        Ok(Self { handle: Handle::new(library, call, id, library.close_list())? })
    }

    pub(super) fn id(&self) -> hid_t {
        self.handle.id
    }

    /// Whether it is in one piece.
    pub(crate) fn is_contiguous(&self) -> Result<bool> {
        Ok(self.layout()? == H5D_CONTIGUOUS)
    }

    fn layout(&self) -> Result<h5_abi::H5D_layout_t> {
        let api = &self.handle.library.api;
        // SAFETY: our own identifier.
        let layout = unsafe { (api.H5Pget_layout)(self.id()) };
        if layout == H5D_LAYOUT_ERROR { Err(api.failure("H5Pget_layout")) } else { Ok(layout) }
    }

    /// The extent of a chunk, if it is in chunks.
    pub(crate) fn chunk(&self) -> Result<Option<Vec<u64>>> {
        if self.layout()? != H5D_CHUNKED {
            return Ok(None);
        }
        let (api, mut chunk) = (&self.handle.library.api, vec![0; H5S_MAX_RANK]);
        let most = c_count(H5S_MAX_RANK)?;
        // SAFETY: room for as many numbers as are said.
        let rank = unsafe { (api.H5Pget_chunk)(self.id(), most, chunk.as_mut_ptr()) };
        chunk.truncate(usize::try_from(api.check("H5Pget_chunk", rank)?)?);
        Ok(Some(chunk))
    }

    /// The filters, in the order of writing.
    pub(crate) fn filters(&self) -> Result<Vec<Filter>> {
        let api = &self.handle.library.api;
        // SAFETY: our own identifier.
        let count: c_int = api.check("H5Pget_nfilters", unsafe { (api.H5Pget_nfilters)(self.id()) })?;
        (0..usize::try_from(count)?).map(|index| self.filter(index)).collect()
    }

    fn filter(&self, index: usize) -> Result<Filter> {
        let api = &self.handle.library.api;
        let (mut flags, mut config, mut count) = (0, 0, MOST_OPTIONS);
        let mut options = vec![0; MOST_OPTIONS];
        // SAFETY: room for as many options as are said, and none for the name.
        let number = unsafe {
            (api.H5Pget_filter2)(
                self.id(),
                c_number(index)?,
                &raw mut flags,
                &raw mut count,
                options.as_mut_ptr(),
                0,
                ptr::null_mut(),
                &raw mut config,
            )
        };
        let number = api.check("H5Pget_filter2", number)?;
        ensure!(count <= MOST_OPTIONS, "filter {number} has {count} options");
        options.truncate(count);
        Ok(Filter { number, options })
    }
}
