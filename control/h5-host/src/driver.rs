//! The driver through which a file is read, from the access property list that it is opened with.
//!
//! We ask the application's own list, before the file is open. Asking an open file for its list would make HDF5 copy the
//! driver's part of it, including the communicator of a file that is shared through MPI. All processes must take part in
//! that copy; one that asks alone would wait forever.

use core::ffi::c_ulong;

use crate::host::Host;
use crate::id::Id;
use crate::questions::Questions;

/// The interface through which a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driver {
    /// A POSIX descriptor.
    Posix(PosixDriver),
    /// MPI, together with other processes.
    Mpi,
    /// Something else.
    Other,
}

/// HDF5's word that a driver's handle is a POSIX descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PosixDriver(());

impl Host {
    /// Whether the host was built for MPI (a parallel HDF5). In others no file is shared through MPI.
    pub fn is_built_for_mpi(self) -> bool {
        self.functions().H5Pget_dxpl_mpio.is_some()
    }
}

impl Questions {
    /// The driver of files that are opened with this access list. Calls no MPI function.
    pub fn driver(self, access: Id) -> Driver {
        /// `H5FD_FEAT_POSIX_COMPAT_HANDLE`: the driver's handle is a POSIX descriptor.
        const POSIX_HANDLE: c_ulong = 0x80;
        /// `H5FD_FEAT_HAS_MPI`.
        const HAS_MPI: c_ulong = 0x100;
        let functions = self.0.functions();
        let mut features = 0;
        // SAFETY: the host verifies the identifiers; a valid out-pointer. The driver stays the list's.
        let is_known = unsafe {
            let driver = (functions.H5Pget_driver)(access.0);
            (functions.H5FDdriver_query)(driver, &raw mut features) >= 0
        };
        match features {
            _ if !is_known => Driver::Other,
            features if features & HAS_MPI != 0 => Driver::Mpi,
            features if features & POSIX_HANDLE != 0 => Driver::Posix(PosixDriver(())),
            _ => Driver::Other,
        }
    }
}
