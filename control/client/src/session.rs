//! A thread's turn with a library.

use core::ffi::{CStr, c_int};
use std::path::Path;
use std::rc::Rc;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use h5_abi::{H5E_DEFAULT, H5I_type_t, hid_t};

use crate::failure::{Failure, Result};
use crate::functions::Functions;
use crate::library::{Library, Version};
use crate::name::Name as _;

/// Which thread has the library, and how often it has entered.
#[derive(Default)]
pub(crate) struct Turns {
    owner: Mutex<Option<(ThreadId, usize)>>,
    left: Condvar,
}

impl Turns {
    fn owner(&self) -> MutexGuard<'_, Option<(ThreadId, usize)>> {
        self.owner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no other thread has the library.
    fn take(&self) {
        let current = thread::current().id();
        let mut owner = self.owner();
        loop {
            match &mut *owner {
                None => {
                    *owner = Some((current, 1));
                    return;
                }
                Some((thread, times)) if *thread == current => {
                    *times += 1;
                    return;
                }
                Some(_) => owner = self.left.wait(owner).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn leave(&self) {
        let mut owner = self.owner();
        if let Some((_, times)) = &mut *owner {
            *times -= 1;
            if *times == 0 {
                *owner = None;
                self.left.notify_one();
            }
        }
    }
}

/// The turn itself. It is not `Send`: an `Rc` holds it.
struct Turn {
    library: &'static Library,
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(turns) = &self.library.turns {
            turns.leave();
        }
    }
}

/// A thread's turn with a library. Clones share the turn, and so does every handle; it ends with the last of them.
#[derive(Clone)]
pub struct Session {
    turn: Rc<Turn>,
}

impl Library {
    /// Takes this thread's turn and initialises the library (`H5open`). HDF5 prints no errors in this thread from then
    /// on. A thread may enter a library more than once.
    ///
    /// In a library that calls ([`inside`](Self::inside)) there are no turns, as the thread has its global lock. What HDF5 prints is then
    /// for the caller to say.
    pub fn enter(&'static self) -> Result<Session> {
        let Some(turns) = &self.turns else { return Ok(Session { turn: Rc::new(Turn { library: self }) }) };
        turns.take();
        let session = Session { turn: Rc::new(Turn { library: self }) };
        session.open()?;
        Ok(session)
    }
}

impl Session {
    fn open(&self) -> Result<()> {
        // SAFETY: no arguments.
        if unsafe { (self.functions().H5open()?)() } < 0 {
            // A library that failed to start may crash in any further call, such as one for the error stack. It has
            // printed why.
            return Err(Failure::refused("H5open failed"));
        }
        self.silence()
    }

    /// Keeps HDF5 from printing errors in this thread.
    pub(crate) fn silence(&self) -> Result<()> {
        // SAFETY: no function to print with.
        unsafe { call!(self, H5Eset_auto2(H5E_DEFAULT, None, core::ptr::null_mut())) }.map(|_| ())
    }

    /// The library.
    pub fn library(&self) -> &'static Library {
        self.turn.library
    }

    /// The library's functions. Calling one is the caller's responsibility.
    pub fn functions(&self) -> &'static Functions {
        self.turn.library.functions()
    }

    /// Whether both are turns with the same library.
    pub(crate) fn is_of(&self, library: &Library) -> bool {
        core::ptr::eq(self.library(), library)
    }

    /// `H5close` and `H5open`: everything that was left open is closed, and identifiers begin again.
    ///
    /// Refused while a handle exists, because its identifier could become that of something else.
    pub fn restart(&self) -> Result<()> {
        let Some(turns) = &self.library().turns else {
            return Err(Failure::refused("the library cannot restart: it is calling"));
        };
        let times = turns.owner().map_or(0, |(_, times)| times);
        if Rc::strong_count(&self.turn) > 1 || times > 1 {
            return Err(Failure::refused("the library cannot restart: something of it is in use"));
        }
        // SAFETY: no arguments; nothing of the library is in use.
        unsafe { call!(self, H5close()) }?;
        self.open()
    }

    /// Version of the library that is loaded, not of any header.
    pub fn version(&self) -> Result<Version> {
        let [mut major, mut minor, mut release] = [0; 3];
        // SAFETY: three places for numbers.
        unsafe { call!(self, H5get_libversion(&raw mut major, &raw mut minor, &raw mut release)) }?;
        Ok(Version { major, minor, release })
    }

    /// Whether the library was built thread-safe; nothing if it is too old to tell.
    pub fn is_thread_safe(&self) -> Result<Option<bool>> {
        if self.functions().H5is_library_threadsafe().is_err() {
            return Ok(None);
        }
        // Old versions have an answer of four bytes.
        let mut answer = [false; 4];
        // SAFETY: room for the answer.
        unsafe { call!(self, H5is_library_threadsafe(answer.as_mut_ptr())) }?;
        Ok(Some(answer.contains(&true)))
    }

    /// Lets the library look for plugins in a folder, after those that `HDF5_PLUGIN_PATH` names.
    pub fn append_plugin_folder(&self, folder: &Path) -> Result<()> {
        let folder = folder.to_c()?;
        // SAFETY: a C string, which HDF5 copies.
        unsafe { call!(self, H5PLappend(folder.as_ptr())) }.map(|_| ())
    }

    /// Whether the library has the filter of this number, or finds a plugin for it.
    pub fn has_filter(&self, number: i32) -> Result<bool> {
        // SAFETY: a number.
        Ok(unsafe { call!(self, H5Zfilter_avail(number)) }? > 0)
    }

    /// Number of open identifiers of a kind in the whole library.
    pub fn id_count(&self, kind: H5I_type_t) -> Result<u64> {
        let mut count = 0;
        // SAFETY: a place for the number.
        unsafe { call!(self, H5Inmembers(kind, &raw mut count)) }?;
        Ok(count)
    }

    /// Whether an identifier is one of something open.
    pub fn is_valid(&self, id: hid_t) -> Result<bool> {
        // SAFETY: HDF5 verifies the identifier.
        Ok(unsafe { call!(self, H5Iis_valid(id)) }? > 0)
    }

    /// Kind of what an identifier stands for.
    pub fn id_kind(&self, id: hid_t) -> Result<H5I_type_t> {
        // SAFETY: HDF5 verifies the identifier.
        unsafe { call!(self, H5Iget_type(id)) }
    }

    /// Path of the object that an identifier stands for.
    pub fn id_name(&self, id: hid_t) -> Result<String> {
        let get = self.functions().H5Iget_name()?;
        // SAFETY: a buffer of the stated size or none.
        let name = self.ask_text("H5Iget_name", |buffer, size| unsafe { get(id, buffer, size) })?;
        Ok(name.to_string_lossy().into_owned())
    }

    /// Whether a connector of this name is registered.
    pub fn is_registered(&self, connector: &CStr) -> Result<bool> {
        // SAFETY: a C string.
        Ok(unsafe { call!(self, H5VLis_connector_registered_by_name(connector.as_ptr())) }? > 0)
    }
}

/// A rank or a number of something as C has it.
pub(crate) fn c_count(count: usize) -> Result<c_int> {
    c_int::try_from(count).map_err(|_| Failure::refused(format!("{count} are too many")))
}
