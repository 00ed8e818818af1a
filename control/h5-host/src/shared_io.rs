//! Files that processes share through MPI: what lists ask for, and what native HDF5 tells about how it has moved raw data.
//!
//! Nothing here calls an MPI function: only property lists are read and changed, and none that has a communicator is copied.

use core::ffi::{CStr, c_int, c_uint};

use crate::id::{Id, OwnedId};
use crate::questions::Questions;

/// How a call has moved raw data of a shared file, as a transfer property list tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SharedIo {
    /// `H5D_mpio_actual_io_mode_t`.
    pub mode: u32,
    /// `H5D_mpio_actual_chunk_opt_mode_t`.
    pub chunk_mode: u32,
    /// `H5D_mpio_no_collective_cause_t`: why it was not collective.
    pub causes: u32,
}

impl SharedIo {
    /// Chunks were read collectively (`H5D_MPIO_CHUNK_COLLECTIVE`).
    pub const CHUNKS: u32 = 0x2;
    /// Contiguous data was (`H5D_MPIO_CONTIGUOUS_COLLECTIVE`).
    pub const CONTIGUOUS: u32 = 0x4;

    /// All chunks at once (`H5D_MPIO_LINK_CHUNK`).
    pub const LINKED: u32 = 1;
    /// One after the other (`H5D_MPIO_MULTI_CHUNK`).
    pub const ONE_BY_ONE: u32 = 2;

    /// It was not to be collective (`H5D_MPIO_SET_INDEPENDENT`).
    pub const INDEPENDENT: u32 = 0x01;
    /// Elements are converted (`H5D_MPIO_DATATYPE_CONVERSION`).
    pub const CONVERSION: u32 = 0x02;
    /// A data transform is set (`H5D_MPIO_DATA_TRANSFORMS`).
    pub const TRANSFORM: u32 = 0x04;
    /// It is neither contiguous nor chunked (`H5D_MPIO_NOT_CONTIGUOUS_OR_CHUNKED_DATASET`).
    pub const OTHER_LAYOUT: u32 = 0x20;
    /// Selection I/O would allow it (`H5D_MPIO_NO_SELECTION_IO`).
    pub const NO_SELECTION_IO: u32 = 0x100;
}

/// How the application wants chunks to be moved in a collective call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkWish {
    /// All at once.
    Linked,
    /// One after the other.
    OneByOne,
    /// All at once if there are at least so many for each process.
    LinkedFrom(u32),
}

impl Questions {
    /// Whether a file that is opened with this access list reads metadata collectively, so that all processes must ask for the
    /// same. `true` in case of doubt.
    pub fn reads_metadata_collectively(self, access: Id) -> bool {
        let Some(ask) = self.0.functions().H5Pget_all_coll_metadata_ops else { return true };
        let mut is_collective = true;
        // SAFETY: the host verifies the list; a valid out-pointer.
        let status = unsafe { ask(access.0, &raw mut is_collective) };
        status < 0 || is_collective
    }

    /// A copy of a transfer property list that asks for an independent transfer.
    pub fn independent_list(self, transfer: Id) -> Option<OwnedId> {
        /// `H5FD_MPIO_INDEPENDENT`.
        const INDEPENDENT: c_int = 0;
        let set = self.0.functions().H5Pset_dxpl_mpio?;
        let list = self.copy_of_list(transfer)?;
        // SAFETY: the host verifies the list; one of the values of the enum.
        let status = unsafe { set(list.id().0, INDEPENDENT) };
        (status >= 0).then_some(list)
    }

    /// How a transfer property list wants chunks to be moved.
    pub fn chunk_wish(self, transfer: Id) -> ChunkWish {
        let get = |name: &CStr| {
            let mut value: c_uint = 0;
            // SAFETY: the host verifies the list; the properties of these names are 32-bit numbers.
            let status =
                unsafe { (self.0.functions().H5Pget)(transfer.0, name.as_ptr(), (&raw mut value).cast()) };
            if status < 0 { 0 } else { value }
        };
        match get(c"mpio_chunk_opt_hard") {
            1 => ChunkWish::Linked,
            2 => ChunkWish::OneByOne,
            _ => ChunkWish::LinkedFrom(get(c"mpio_chunk_opt_num")),
        }
    }

    /// Tells in a transfer property list how a call has moved raw data of a shared file.
    pub fn note_shared_io(self, transfer: Id, io: SharedIo) {
        self.set_numbers(
            transfer,
            &[
                (c"actual_io_mode", io.mode),
                (c"actual_chunk_opt_mode", io.chunk_mode),
                (c"local_no_collective_cause", io.causes),
                (c"global_no_collective_cause", io.causes),
            ],
        );
    }

    /// Tells there that a call has moved nothing.
    pub fn note_no_shared_io(self, transfer: Id) {
        self.set_numbers(transfer, &[(c"actual_io_mode", 0), (c"actual_chunk_opt_mode", 0)]);
    }

    fn set_numbers(self, transfer: Id, properties: &[(&CStr, u32)]) {
        for (name, value) in properties {
            // SAFETY: the host verifies the list; the properties of these names are 32-bit numbers.
            unsafe {
                (self.0.functions().H5Pset)(transfer.0, name.as_ptr(), (&raw const *value).cast());
            }
        }
    }
}
