//! A libhdf5, and the two ways into it.

use core::cell::OnceCell;
use core::ffi::{CStr, c_char, c_int, c_uint};
use core::marker::PhantomData;
use core::ptr;
use std::ffi::{CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread::{self, ThreadId};

use anyhow::{Context, Result, ensure};
use h5_abi::{H5F_CLOSE_STRONG, H5F_LIBVER_V114, H5P_DEFAULT, hid_t};
use libloading::os::unix::{Library as Loaded, RTLD_LOCAL, RTLD_NOW};

use super::api::Api;
use super::handle::{Close, Handle};
use crate::Way;

/// They live as long as the process: HDF5's cache of plugins keeps the caller's pointer, not a copy.
static NATIVE: &CStr = c"native";
static BYPASS: &CStr = c"bypass";
static BYPASS_INFO: &CStr = c"under_vol=0;under_info={}";

/// A libhdf5, loaded until the process ends.
pub(crate) struct Library {
    path: PathBuf,
    loaded: Loaded,
    pub(super) api: Api,
    native: OnceCell<Handle>,
    bypass: OnceCell<Handle>,
    latest: OnceCell<Handle>,
    /// It belongs to one thread: not all builds can be used by several.
    here: PhantomData<*const ()>,
}

impl Library {
    /// Loads a libhdf5. All those of a process belong to the thread that loads the first.
    pub(crate) fn load(path: &Path) -> Result<&'static Self> {
        static OWNER: OnceLock<ThreadId> = OnceLock::new();
        let current = thread::current().id();
        ensure!(*OWNER.get_or_init(|| current) == current, "libhdf5 is in use in another thread already");
        let named = || format!("cannot load {} as a libhdf5", path.display());
        // SAFETY: the initialisers of a libhdf5 have no demands.
        let loaded = unsafe { Loaded::open(Some(path), RTLD_LOCAL | RTLD_NOW) }.with_context(named)?;
        // SAFETY: what has functions of all these names is an HDF5 from 1.14 on; it is never unloaded.
        let api = unsafe { Api::resolve(&loaded) }.with_context(named)?;
        // SAFETY: no arguments.
        api.check("H5open", unsafe { (api.H5open)() }).with_context(named)?;
        api.print_nothing();
        Ok(Box::leak(Box::new(Self {
            path: path.to_owned(),
            loaded,
            api,
            native: OnceCell::new(),
            bypass: OnceCell::new(),
            latest: OnceCell::new(),
            here: PhantomData,
        })))
    }

    /// Where it was loaded from.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// As "1.14.6".
    pub(crate) fn version(&self) -> Result<String> {
        let [mut major, mut minor, mut release] = [0; 3];
        // SAFETY: three places for numbers.
        let status = unsafe { (self.api.H5get_libversion)(&raw mut major, &raw mut minor, &raw mut release) };
        self.api.check("H5get_libversion", status)?;
        Ok(format!("{major}.{minor}.{release}"))
    }

    /// Whether several threads may use it at once.
    pub(crate) fn is_thread_safe(&self) -> Result<bool> {
        let mut is_thread_safe = false;
        // SAFETY: a place for the answer.
        let status = unsafe { (self.api.H5is_library_threadsafe)(&raw mut is_thread_safe) };
        self.api.check("H5is_library_threadsafe", status)?;
        Ok(is_thread_safe)
    }

    /// Lets it look for plugins there, too, after where HDF5_PLUGIN_PATH says.
    pub(crate) fn add_plugins(&self, folder: &Path) -> Result<()> {
        let folder = c_path(folder)?;
        // SAFETY: a C string, which HDF5 copies.
        self.api.check("H5PLappend", unsafe { (self.api.H5PLappend)(folder.as_ptr()) }).map(|_| ())
    }

    /// Whether native HDF5 has the filter of this number.
    pub(crate) fn has_filter(&self, number: i32) -> Result<bool> {
        // SAFETY: a number.
        Ok(self.api.check("H5Zfilter_avail", unsafe { (self.api.H5Zfilter_avail)(number) })? > 0)
    }

    /// Tells a filter of hdf5plugin which libhdf5 is its own, for those whose set-up calls back into it.
    pub(crate) fn bind_filter(&self, plugin: &Path) -> Result<()> {
        let named = || format!("{} cannot be bound to {}", plugin.display(), self.path.display());
        let path = c_path(&self.path)?;
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

    /// The value of a global variable of HDF5 that is an identifier, by its name in C.
    pub(super) fn predefined(&self, name: &str) -> Result<hid_t> {
        let name = CString::new(name)?;
        // SAFETY: HDF5's variables of the names given here are identifiers.
        let variable = unsafe { self.loaded.get::<*const hid_t>(name.as_bytes_with_nul()) };
        let variable = variable.with_context(|| format!("this libhdf5 has no {}", name.to_string_lossy()))?;
        // SAFETY: a variable of the loaded library, initialised by `H5open`.
        Ok(unsafe { **variable })
    }

    /// The file access list by which a file is opened in this way.
    pub(super) fn access(&'static self, way: Way) -> Result<hid_t> {
        let list = match way {
            Way::Native => kept(&self.native, || self.native_access())?,
            Way::Bypass => kept(&self.bypass, || self.bypass_access())?,
        };
        Ok(list.id)
    }

    /// The one by which a file is made natively in the latest format that all versions know.
    pub(super) fn latest_access(&'static self) -> Result<hid_t> {
        let list = kept(&self.latest, || {
            let list = self.native_access()?;
            // SAFETY: our own list.
            let status =
                unsafe { (self.api.H5Pset_libver_bounds)(list.id, H5F_LIBVER_V114, H5F_LIBVER_V114) };
            self.api.check("H5Pset_libver_bounds", status)?;
            Ok(list)
        })?;
        Ok(list.id)
    }

    /// A file access list; closing such a file closes what is open in it.
    fn new_access(&'static self) -> Result<Handle> {
        let class = self.predefined("H5P_CLS_FILE_ACCESS_ID_g")?;
        // SAFETY: a class of property lists.
        let id = unsafe { (self.api.H5Pcreate)(class) };
        let list = Handle::new(self, "H5Pcreate", id, self.close_list())?;
        // SAFETY: our own list.
        let status = unsafe { (self.api.H5Pset_fclose_degree)(list.id, H5F_CLOSE_STRONG) };
        self.api.check("H5Pset_fclose_degree", status)?;
        Ok(list)
    }

    /// Native, whatever HDF5_VOL_CONNECTOR says.
    fn native_access(&'static self) -> Result<Handle> {
        let (api, list) = (&self.api, self.new_access()?);
        // SAFETY: a C string.
        let id = unsafe { (api.H5VLget_connector_id_by_name)(NATIVE.as_ptr()) };
        let connector = Handle::new(self, "H5VLget_connector_id_by_name", id, ("H5VLclose", api.H5VLclose))?;
        // SAFETY: our own list, and a connector that needs no info.
        api.check("H5Pset_vol", unsafe { (api.H5Pset_vol)(list.id, connector.id, ptr::null()) })?;
        Ok(list)
    }

    fn bypass_access(&'static self) -> Result<Handle> {
        let (api, list) = (&self.api, self.new_access()?);
        // SAFETY: a C string that lives as long as the process.
        let id = unsafe { (api.H5VLregister_connector_by_name)(BYPASS.as_ptr(), H5P_DEFAULT) };
        let connector = Handle::new(self, "H5VLregister_connector_by_name", id, ("H5VLclose", api.H5VLclose))
            .context("the connector 'bypass' is not found by HDF5_PLUGIN_PATH")?;
        let mut info = ptr::null_mut();
        // SAFETY: a C string, the registered connector, and a place for its info.
        let status =
            unsafe { (api.H5VLconnector_str_to_info)(BYPASS_INFO.as_ptr(), connector.id, &raw mut info) };
        api.check("H5VLconnector_str_to_info", status)?;
        // SAFETY: our own list, and the connector with its info, which is copied.
        let set = api.check("H5Pset_vol", unsafe { (api.H5Pset_vol)(list.id, connector.id, info) });
        // SAFETY: the info that was made above.
        let freed = unsafe { (api.H5VLfree_connector_info)(connector.id, info) };
        set?;
        api.check("H5VLfree_connector_info", freed)?;
        Ok(list)
    }

    pub(super) fn close_list(&self) -> Close {
        ("H5Pclose", self.api.H5Pclose)
    }

    /// The name of the connector that serves an object.
    pub(super) fn connector_of(&self, object: hid_t) -> Result<String> {
        let mut name = [0_u8; 64];
        // SAFETY: room of the stated size.
        let length =
            unsafe { (self.api.H5VLget_connector_name)(object, name.as_mut_ptr().cast(), name.len()) };
        self.api.check("H5VLget_connector_name", length)?;
        let name = CStr::from_bytes_until_nul(&name).context("the name of a connector is too long")?;
        Ok(name.to_string_lossy().into_owned())
    }
}

/// What is in the cell, after it is made the first time.
fn kept(cell: &OnceCell<Handle>, make: impl FnOnce() -> Result<Handle>) -> Result<&Handle> {
    if let Some(handle) = cell.get() {
        return Ok(handle);
    }
    let handle = make()?;
    Ok(cell.get_or_init(|| handle))
}

/// The path as HDF5 takes it.
pub(super) fn c_path(path: &Path) -> Result<CString> {
    c_name(path.as_os_str())
}

/// A name as HDF5 takes it.
pub(super) fn c_name(name: &OsStr) -> Result<CString> {
    CString::new(name.as_bytes()).with_context(|| format!("{} contains a zero byte", name.display()))
}

/// What C calls an int, of a rank or an index.
pub(super) fn c_count(count: usize) -> Result<c_int> {
    c_int::try_from(count).context("too many")
}

/// The same without a sign.
pub(super) fn c_number(number: usize) -> Result<c_uint> {
    c_uint::try_from(number).context("too many")
}
