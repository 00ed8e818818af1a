//! A libhdf5, and the two ways into it.

use core::cell::OnceCell;
use core::ffi::{CStr, c_char, c_int};
use std::path::Path;
use std::sync::OnceLock;
use std::thread::{self, ThreadId};

use anyhow::{Context, Result, ensure};
use h5_client::{Connector, FileAccess, Name as _, Session};
use libloading::os::unix::{Library as Loaded, RTLD_LOCAL, RTLD_NOW};

use crate::Way;

/// The connector's name. It is static, because HDF5's cache of plugins keeps the caller's pointer, not a copy.
static BYPASS: &CStr = c"bypass";
const BYPASS_INFO: &str = "under_vol=0;under_info={}";

/// A libhdf5, loaded until the process ends. It belongs to one thread, because not all builds are thread-safe.
pub(crate) struct Library {
    pub(super) h5: Session,
    native: OnceCell<FileAccess>,
    bypass: OnceCell<FileAccess>,
    latest: OnceCell<FileAccess>,
}

impl Library {
    /// Loads a libhdf5. All of a process belong to the thread that loads the first.
    pub(crate) fn load(path: &Path) -> Result<&'static Self> {
        static OWNER: OnceLock<ThreadId> = OnceLock::new();
        let current = thread::current().id();
        ensure!(*OWNER.get_or_init(|| current) == current, "libhdf5 is already in use in another thread");
        let h5 = h5_client::Library::load(path).and_then(h5_client::Library::enter);
        let h5 = h5.with_context(|| format!("cannot load {} as a libhdf5", path.display()))?;
        let [native, bypass, latest] = [const { OnceCell::new() }; 3];
        Ok(Box::leak(Box::new(Self { h5, native, bypass, latest })))
    }

    /// This thread's session with it.
    pub(crate) fn session(&self) -> &Session {
        &self.h5
    }

    /// Where it was loaded from.
    pub(crate) fn path(&self) -> &Path {
        self.h5.library().path()
    }

    /// As "1.14.6".
    pub(crate) fn version(&self) -> Result<String> {
        Ok(self.h5.version()?.to_string())
    }

    /// Whether several threads may use it at once.
    pub(crate) fn is_thread_safe(&self) -> Result<bool> {
        Ok(self.h5.is_thread_safe()? == Some(true))
    }

    /// Makes it also search this folder for plugins, after those in HDF5_PLUGIN_PATH.
    pub(crate) fn add_plugins(&self, folder: &Path) -> Result<()> {
        Ok(self.h5.append_plugin_folder(folder)?)
    }

    /// Whether native HDF5 has the filter of this number.
    pub(crate) fn has_filter(&self, number: i32) -> Result<bool> {
        Ok(self.h5.has_filter(number)?)
    }

    /// Tells a filter of hdf5plugin which libhdf5 to use. Some filters call it while they are set up.
    pub(crate) fn bind_filter(&self, plugin: &Path) -> Result<()> {
        let named = || format!("{} cannot be bound to {}", plugin.display(), self.path().display());
        let path = self.path().to_c()?;
        // SAFETY: the initialisers of a filter have no demands.
        let filter = unsafe { Loaded::open(Some(plugin), RTLD_LOCAL | RTLD_NOW) }.with_context(named)?;
        // SAFETY: this is what the filters of hdf5plugin have under this name.
        let bind = unsafe { filter.get::<unsafe extern "C" fn(*const c_char) -> c_int>(b"init_filter\0") };
        // SAFETY: a C string.
        let status = unsafe { bind.with_context(named)?(path.as_ptr()) };
        core::mem::forget(filter);
        ensure!(status >= 0, named());
        Ok(())
    }

    /// The file access list that opens a file in this way.
    pub(super) fn access(&self, way: Way) -> Result<&FileAccess> {
        match way {
            Way::Native => kept(&self.native, || self.native_access()),
            Way::Bypass => kept(&self.bypass, || self.bypass_access()),
        }
    }

    /// The file access list that creates a native file in the latest format that all versions support.
    pub(super) fn latest_access(&self) -> Result<&FileAccess> {
        kept(&self.latest, || {
            let mut access = self.native_access()?;
            access.use_latest_common_format()?;
            Ok(access)
        })
    }

    /// Native, regardless of HDF5_VOL_CONNECTOR. Closing such a file closes everything that is open in it.
    fn native_access(&self) -> Result<FileAccess> {
        let mut access = FileAccess::native(&self.h5)?;
        access.close_everything()?;
        Ok(access)
    }

    fn bypass_access(&self) -> Result<FileAccess> {
        let connector = Connector::by_name(&self.h5, BYPASS)
            .context("the connector 'bypass' was not found in HDF5_PLUGIN_PATH")?;
        let mut access = FileAccess::through(&connector, Some(&connector.info(BYPASS_INFO)?))?;
        access.close_everything()?;
        Ok(access)
    }
}

/// The value in the cell, which is made the first time.
fn kept<T>(cell: &OnceCell<T>, make: impl FnOnce() -> Result<T>) -> Result<&T> {
    if let Some(found) = cell.get() {
        return Ok(found);
    }
    let new = make()?;
    Ok(cell.get_or_init(|| new))
}
