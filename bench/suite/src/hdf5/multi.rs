//! Reads or writes of many datasets by one call.

use core::ffi::c_void;
use std::rc::Rc;

use anyhow::Result;
use h5_abi::{H5P_DEFAULT, H5S_ALL, hid_t};

use super::{Buffer, Call, Library, Space};

/// The arguments of an `H5Dread_multi` or `H5Dwrite_multi`.
pub(crate) struct Multi {
    library: &'static Library,
    buffer: Rc<Buffer>,
    datasets: Vec<hid_t>,
    datatypes: Vec<hid_t>,
    memories: Vec<hid_t>,
    files: Vec<hid_t>,
    places: Vec<usize>,
    /// What the identifiers are of.
    calls: Vec<Call>,
}

impl Multi {
    /// All these at once.
    pub(crate) fn new(library: &'static Library, buffer: &Rc<Buffer>, calls: Vec<Call>) -> Result<Self> {
        for call in &calls {
            call.fits(buffer)?;
        }
        let id = |space: &Option<Space>| space.as_ref().map_or(H5S_ALL, Space::id);
        Ok(Self {
            library,
            buffer: Rc::clone(buffer),
            datasets: calls.iter().map(|call| call.dataset.id()).collect(),
            datatypes: calls.iter().map(|call| call.datatype.id()).collect(),
            memories: calls.iter().map(|call| id(&call.memory)).collect(),
            files: calls.iter().map(|call| id(&call.file)).collect(),
            places: calls.iter().map(|call| call.at).collect(),
            calls,
        })
    }

    /// `H5Dread_multi`, so many times.
    pub(crate) fn read(&self, times: u32) -> Result<()> {
        let (api, mut memory) = (&self.library.api, self.buffer.bytes_mut()?);
        // SAFETY: inside the memory: `new` saw to that.
        let buffers: Vec<*mut c_void> =
            self.places.iter().map(|&at| unsafe { memory.as_mut_ptr().add(at) }.cast()).collect();
        for _ in 0..times {
            // SAFETY: as many of all as are said; the calls find their memory in the buffer, which is borrowed.
            let status = unsafe {
                (api.H5Dread_multi)(
                    self.calls.len(),
                    self.datasets.as_ptr(),
                    self.datatypes.as_ptr(),
                    self.memories.as_ptr(),
                    self.files.as_ptr(),
                    H5P_DEFAULT,
                    buffers.as_ptr(),
                )
            };
            api.check("H5Dread_multi", status)?;
        }
        Ok(())
    }

    /// `H5Dwrite_multi`.
    pub(crate) fn write(&self) -> Result<()> {
        let (api, memory) = (&self.library.api, self.buffer.bytes()?);
        // SAFETY: inside the memory: `new` saw to that.
        let buffers: Vec<*const c_void> =
            self.places.iter().map(|&at| unsafe { memory.as_ptr().add(at) }.cast()).collect();
        // SAFETY: as of `read`.
        let status = unsafe {
            (api.H5Dwrite_multi)(
                self.calls.len(),
                self.datasets.as_ptr(),
                self.datatypes.as_ptr(),
                self.memories.as_ptr(),
                self.files.as_ptr(),
                H5P_DEFAULT,
                buffers.as_ptr(),
            )
        };
        api.check("H5Dwrite_multi", status).map(|_| ())
    }
}
