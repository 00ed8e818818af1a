//! The end of the library, or of the process: containers that are open are saved and closed.
//!
//! HDF5 would close their files by itself, but not well. To close a file that has more than one handle (an application's and the
//! shadow's own), native HDF5 looks for its identifier, and meets those of files that it has closed before, whose memory it has given
//! back (`H5I_find_id` below `H5I_clear_type`). So all handles of containers are closed before that begins.

#![expect(unsafe_code, reason = "calls HDF5's public functions")]

use core::sync::atomic::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

use h5_abi::{H5F_OBJ_ALL, H5F_OBJ_ATTR, H5F_OBJ_DATASET, H5F_OBJ_DATATYPE, H5F_OBJ_FILE, H5F_OBJ_GROUP};
use h5_host::{Host, Id};

use crate::backend::Store;
use crate::container::Container;
use crate::hdf5::{Hdf5, aside};
use crate::registry::Registry;

/// Everything but files.
const OBJECTS: u32 = H5F_OBJ_DATASET | H5F_OBJ_GROUP | H5F_OBJ_DATATYPE | H5F_OBJ_ATTR;

impl<S: Store> Registry<S> {
    /// Tells the formats everything that they do not know yet, and closes what is open.
    pub(crate) fn end(&self, host: Host) {
        let all = self.all();
        for container in &all {
            container.helpers.store(0, Ordering::Relaxed);
            if let Err(error) = container.flush_now(false) {
                eprintln!("{error}");
            }
            // There is nobody to tell more to, and threads that move elements may not exist any more.
            container.has_ended.store(true, Ordering::Relaxed);
            container.store.close();
        }
        let numbers: HashSet<u64> = all.iter().map(|container| container.master.number()).collect();
        aside(host, || close_files(Hdf5::of(host), &numbers));
        self.sweep();
        for container in all {
            let_go(host, container);
        }
    }
}

/// Closes the files with these numbers, and what is open in them.
fn close_files(hdf5: Hdf5, numbers: &HashSet<u64>) {
    for file in hdf5.open_ids(Id(i64::from(H5F_OBJ_ALL)), H5F_OBJ_FILE) {
        // Closing one may have closed others.
        if hdf5.file_number(file).is_some_and(|number| numbers.contains(&number)) {
            for object in hdf5.open_ids(file, OBJECTS) {
                close(hdf5, object);
            }
            close(hdf5, file);
        }
    }
}

/// Closes an identifier, however many references an application has to it.
fn close(hdf5: Hdf5, id: Id) {
    let functions = hdf5.host().functions();
    // SAFETY: the host verifies the identifier.
    unsafe { while (functions.H5Iis_valid)(id.0) > 0 && (functions.H5Idec_ref)(id.0) > 0 {} }
}

/// Lets a container go. If something still has it, its shadow is closed all the same, and must not be closed once more when its
/// identifier may be that of another file.
fn let_go<S: Store>(host: Host, container: Arc<Container<S>>) {
    if let Err(held) = Arc::try_unwrap(container) {
        aside(host, || close(Hdf5::of(host), held.master.id()));
        core::mem::forget(held);
    }
}
