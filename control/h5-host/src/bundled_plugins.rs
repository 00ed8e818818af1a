//! Filter plugins that a Python wheel brings along.
//!
//! A connector is found through `HDF5_PLUGIN_PATH`. The netCDF4 wheel uses the same variable for its own
//! filters (Blosc, Zstandard, bzip2): it sets it when it is imported, but only if nobody has set it before. So
//! asking for a connector would make those filters disappear. They are put back here: for a host inside a
//! wheel (`site-packages/netcdf4.libs/`), the package's own `plugins` folder is added to the end of its search
//! path.

use core::ffi::CStr;
use std::ffi::CString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::errors::preserve;
use crate::host::Host;

/// Adds the plugins that came with the host's package to its search path, if setting `HDF5_PLUGIN_PATH` has
/// displaced them. To be called whenever a file is opened: netCDF-C rewrites the search path of its HDF5 after
/// the connector was loaded.
pub fn restore(host: Host) {
    let Some(folder) = host.0.bundled_plugins.get_or_init(|| displaced_folder(host)) else { return };
    if let (Some(append), false) = (host.functions().H5PLappend, is_in_search_path(host, folder)) {
        // SAFETY: a valid C string, which the host copies.
        preserve(host, || unsafe { append(folder.as_ptr()) });
    }
}

/// The folder of the host's package, if there is one and `HDF5_PLUGIN_PATH` does not name it.
fn displaced_folder(host: Host) -> Option<CString> {
    let search_path = std::env::var_os("HDF5_PLUGIN_PATH")?;
    let folder = folder_beside(host.path())?;
    let is_folder = |part: PathBuf| part.canonicalize().is_ok_and(|part| part == folder);
    if std::env::split_paths(&search_path).any(is_folder) {
        return None;
    }
    CString::new(folder.as_os_str().as_bytes()).ok()
}

/// Whether the host searches a folder already.
fn is_in_search_path(host: Host, folder: &CStr) -> bool {
    let functions = host.functions();
    let (Some(size), Some(get)) = (functions.H5PLsize, functions.H5PLget) else { return true };
    preserve(host, || {
        let mut count = 0;
        // SAFETY: a valid out-pointer.
        unsafe { size(&raw mut count) };
        let mut path = vec![0_u8; folder.count_bytes() + 2];
        (0..count).any(|index| {
            // SAFETY: writes at most the stated number of bytes, with a NUL at the end.
            unsafe { get(index, path.as_mut_ptr().cast(), path.len()) };
            CStr::from_bytes_until_nul(&path).is_ok_and(|path| path == folder)
        })
    })
}

/// `site-packages/NAME/plugins` for a library in `site-packages/name.libs`.
fn folder_beside(library: &Path) -> Option<PathBuf> {
    let library = library.canonicalize().ok()?;
    let libraries = library.parent()?;
    let package = libraries.file_name()?.to_str()?.strip_suffix(".libs")?;
    let is_package =
        |name: &std::ffi::OsStr| name.to_str().is_some_and(|name| name.eq_ignore_ascii_case(package));
    fs::read_dir(libraries.parent()?)
        .ok()?
        .filter_map(Result::ok)
        .filter(|entry| is_package(&entry.file_name()))
        .map(|entry| entry.path().join("plugins"))
        .find(|folder| folder.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_package_whatever_its_case() {
        let site = std::env::temp_dir().join(format!("h5-host-bundled-{}", std::process::id()));
        let (libraries, plugins) = (site.join("netcdf4.libs"), site.join("netCDF4").join("plugins"));
        fs::create_dir_all(&libraries).unwrap();
        fs::create_dir_all(&plugins).unwrap();
        let library = libraries.join("libhdf5-0.so");
        fs::write(&library, "").unwrap();
        let found = folder_beside(&site.join("netCDF4").join("..").join("netcdf4.libs").join("libhdf5-0.so"));
        assert_eq!(found, Some(plugins.canonicalize().unwrap()));
        fs::remove_dir_all(&plugins).unwrap();
        assert_eq!(folder_beside(&library), None);
        assert_eq!(folder_beside(Path::new("/usr/lib/libhdf5.so")), None);
        fs::remove_dir_all(&site).unwrap();
    }
}
