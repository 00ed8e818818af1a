//! Requests in a transfer property list, and the results that a call reports there.

use core::ffi::{CStr, c_int};

use crate::id::Id;
use crate::questions::Questions;

/// Whether HDF5 may pass selections to the file driver unchanged (selection I/O).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectionIo {
    /// If the driver prefers it.
    Default,
    /// Never.
    Off,
    /// Wherever HDF5 can.
    On,
}

/// Why a call did not use selection I/O (`H5D_SEL_IO_...`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NoSelectionIo(u32);

impl NoSelectionIo {
    /// The application has switched it off (`H5D_SEL_IO_DISABLE_BY_API`).
    pub const SWITCHED_OFF: Self = Self(0x001);
    /// The data is in other files (`H5D_SEL_IO_NOT_CONTIGUOUS_OR_CHUNKED_DATASET`).
    pub const OTHER_LAYOUT: Self = Self(0x002);
    /// The driver has no function for it (`H5D_SEL_IO_NO_VECTOR_OR_SELECTION_IO_CB`).
    pub const DRIVER: Self = Self(0x008);
    /// The dataset has filters (`H5D_SEL_IO_DATASET_FILTER`).
    pub const FILTERS: Self = Self(0x020);
    /// Its chunks go through a cache (`H5D_SEL_IO_CHUNK_CACHE`).
    pub const CHUNK_CACHE: Self = Self(0x040);
    /// It is off by default (`H5D_SEL_IO_DEFAULT_OFF`).
    pub const DEFAULT: Self = Self(0x200);

    /// Both reasons.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// How raw data was read or written (`H5D_SCALAR_IO` and its kin).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum ActualSelectionIo {
    /// Not from the file.
    None = 0,
    /// By ordinary reads and writes.
    Ordinary = 1,
    /// By vector I/O.
    Vector = 2,
    /// By selection I/O.
    Selection = 4,
    /// By selection I/O that the driver turns into ordinary reads and writes.
    OrdinaryOfSelection = 5,
}

impl Questions {
    /// Size in bytes of the conversion buffer in a transfer property list; 0 if it is unknown.
    pub fn conversion_buffer_bytes(self, transfer: Id) -> usize {
        // SAFETY: the host verifies the list; the buffers themselves are not asked for.
        unsafe {
            (self.0.functions().H5Pget_buffer)(transfer.0, core::ptr::null_mut(), core::ptr::null_mut())
        }
    }

    /// Whether a transfer property list asks for a collective transfer. `true` in case of doubt; always `false` in a host
    /// without MPI, which ignores the setting.
    pub fn is_collective(self, transfer: Id) -> bool {
        /// `H5FD_MPIO_INDEPENDENT`.
        const INDEPENDENT: c_int = 0;
        let Some(ask) = self.0.functions().H5Pget_dxpl_mpio else { return false };
        let mut mode = INDEPENDENT;
        // SAFETY: the host verifies the list; a valid out-pointer of the size of an enum.
        let status = unsafe { ask(transfer.0, &raw mut mode) };
        status < 0 || mode != INDEPENDENT
    }

    /// The selection I/O mode of a transfer property list; `None` in a host that does not have it.
    pub fn selection_io(self, transfer: Id) -> Option<SelectionIo> {
        let ask = self.0.functions().H5Pget_selection_io?;
        let mut mode = 0;
        // SAFETY: the host verifies the list; a valid out-pointer of the size of an enum.
        let status = unsafe { ask(transfer.0, &raw mut mode) };
        match mode {
            _ if status < 0 => None,
            0 => Some(SelectionIo::Default),
            1 => Some(SelectionIo::Off),
            _ => Some(SelectionIo::On),
        }
    }

    /// Tells in a transfer property list how a call was done: with ordinary reads and writes, for this reason, of the file
    /// or of others.
    pub fn note_ordinary_io(self, transfer: Id, cause: NoSelectionIo, file_was_used: bool) {
        let how = if file_was_used { ActualSelectionIo::Ordinary } else { ActualSelectionIo::None };
        self.note_selection_io(transfer, cause, how);
    }

    /// Tells in a transfer property list how a call was done, and why not by selection I/O.
    pub fn note_selection_io(self, transfer: Id, cause: NoSelectionIo, how: ActualSelectionIo) {
        let functions = self.0.functions();
        let set = |name: &CStr, value: u32| {
            // SAFETY: the host verifies the list; the properties of these names are 32-bit numbers.
            unsafe { (functions.H5Pset)(transfer.0, name.as_ptr(), (&raw const value).cast()) };
        };
        if functions.H5Pget_no_selection_io_cause.is_some() {
            set(c"no_selection_io_cause", cause.0);
        }
        if functions.H5Pget_actual_selection_io_mode.is_some() {
            set(c"actual_selection_io_mode", how as u32);
        }
    }
}
