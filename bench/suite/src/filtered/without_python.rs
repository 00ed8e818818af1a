//! Loads filters that were made for a Python process into ours, which has no Python.
//!
//! h5py's lzf filter, for the libhdf5 in h5py's wheel, is not a separate plugin but part of one of h5py's Python modules. The
//! module has everything that a plugin needs, but cannot be loaded without Python: it refers to functions and variables of
//! Python, which the filter itself never uses. So a copy is loaded in which these references may stay unresolved.
//!
//! Filters of hdf5plugin use functions of libm without declaring it.

use std::ffi::{c_int, c_void};
use std::fs::{self, File};
use std::io::{Seek, Write};
use std::mem;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_LOCAL, RTLD_NOW};

/// `H5Zregister`, which takes the description of a filter.
type Register = unsafe extern "C" fn(*const c_void) -> c_int;

/// Makes the functions of libm available to all libraries that are loaded later.
pub(crate) fn share_mathematics() -> Result<()> {
    // SAFETY: the initialisers of the system's own library have no demands.
    mem::forget(unsafe { Library::open(Some("libm.so.6"), RTLD_NOW | RTLD_GLOBAL)? });
    Ok(())
}

/// Registers the filter of this number with a loaded libhdf5, if the h5py that it belongs to has it.
pub(crate) fn lend(library: &Path, filter: i32) -> Result<()> {
    let modules = modules_for(library);
    let module = modules.first().context("this libhdf5 is not h5py's")?;
    lend_from(module, library, filter).context("h5py's module h5z cannot provide it")
}

/// The modules of h5py that may have been built for this libhdf5: of a wheel, which has the library in
/// `h5py.libs` beside `h5py`, or of an environment of conda, which has it in `lib`.
fn modules_for(library: &Path) -> Vec<PathBuf> {
    let Some(folder) = library.parent() else { return Vec::new() };
    let is_wheel = folder.file_name().is_some_and(|name| name == "h5py.libs");
    let wheel = folder.parent().filter(|_| is_wheel).map(|packages| packages.join("h5py"));
    let conda = entries(folder, "python3").into_iter().map(|python| python.join("site-packages/h5py"));
    wheel.into_iter().chain(conda).flat_map(|package| entries(&package, "h5z.")).collect()
}

/// The sorted entries of a folder whose names begin like this.
fn entries(folder: &Path, beginning: &str) -> Vec<PathBuf> {
    let begins = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.as_bytes().starts_with(beginning.as_bytes()))
    };
    let listed = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = listed.filter(begins).collect();
    found.sort();
    found
}

fn lend_from(module: &Path, library: &Path, filter: i32) -> Result<()> {
    let mut content = fs::read(module)?;
    need_nothing(&mut content).context("it is not a shared library for this machine")?;
    let copy = in_memory(&content)?;

    // The module needs them, and a copy does not find the libraries next to the original.
    for high_level in entries(library.parent().unwrap_or(library), "libhdf5_hl") {
        mem::forget(load(&high_level)?);
    }
    let (host, lender) = (load(library)?, load(Path::new(&format!("/proc/self/fd/{}", copy.as_raw_fd())))?);
    // SAFETY: the name is HDF5's, and this its prototype.
    let (register, same) =
        unsafe { (host.get::<Register>(b"H5Zregister")?, lender.get::<Register>(b"H5Zregister")?) };
    ensure!(*register as usize == *same as usize, "it belongs to another libhdf5");
    // SAFETY: the name is that of a function of plugins, and this its prototype.
    let info = unsafe { lender.get::<unsafe extern "C" fn() -> *const c_void>(b"H5PLget_plugin_info")? };
    // SAFETY: no arguments.
    let description = unsafe { info() };
    ensure!(!description.is_null(), "it has no filter");
    // SAFETY: a plugin's description of a filter begins with its version and the filter's number.
    let [_, number] = unsafe { *description.cast::<[c_int; 2]>() };
    ensure!(number == filter, "its filter is {number}, not {filter}");
    // SAFETY: the description of a filter, whose code stays loaded.
    let status = unsafe { register(description) };
    mem::forget((host, lender));
    ensure!(status >= 0, "H5Zregister failed");
    Ok(())
}

fn load(path: &Path) -> Result<Library> {
    // SAFETY: the initialisers of libhdf5 and of h5py's modules have no demands; a module's own begins when Python
    // imports it.
    Ok(unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL)? })
}

/// A file in memory without a name. It is gone when the process ends.
fn in_memory(content: &[u8]) -> Result<File> {
    // The system call, because a function for it is in newer versions of glibc only.
    // SAFETY: a C string.
    let descriptor =
        unsafe { libc::syscall(libc::SYS_memfd_create, c"h5py-filter".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        bail!(std::io::Error::last_os_error());
    }
    let descriptor = RawFd::try_from(descriptor)?;
    // SAFETY: a descriptor that is nobody else's.
    let mut file = unsafe { File::from_raw_fd(descriptor) };
    file.write_all(content)?;
    file.rewind()?;
    Ok(file)
}

/// `SHT_DYNSYM`
const DYNAMIC_SYMBOLS: u32 = 11;
const SYMBOL: usize = 24;
/// The upper half of a symbol's info: `STB_GLOBAL`, `STB_WEAK`.
const GLOBAL: u8 = 1 << 4;
const WEAK: u8 = 2 << 4;

/// Makes all undefined symbols of a shared library weak, so that they may be missing. `None` if it is not a 64-bit
/// little-endian library.
fn need_nothing(library: &mut [u8]) -> Option<()> {
    if library.get(..6)? != b"\x7fELF\x02\x01" {
        return None;
    }
    let sections = number(library, 0x28, 8)?;
    let (size, count) = (number(library, 0x3a, 2)?, number(library, 0x3c, 2)?);
    for section in (0..count).map(|index| sections.checked_add(index * size)) {
        let section = section?;
        if number(library, section + 4, 4)? != DYNAMIC_SYMBOLS as usize {
            continue;
        }
        let (start, length) = (number(library, section + 24, 8)?, number(library, section + 32, 8)?);
        let symbols = library.get_mut(start..start.checked_add(length)?)?;
        for symbol in symbols.as_chunks_mut::<SYMBOL>().0 {
            let is_elsewhere = symbol[6..8] == [0, 0];
            if is_elsewhere && symbol[4] & 0xf0 == GLOBAL {
                symbol[4] = WEAK | symbol[4] & 0x0f;
            }
        }
        return Some(());
    }
    None
}

/// Reads a number of this many bytes.
fn number(content: &[u8], at: usize, bytes: usize) -> Option<usize> {
    let mut number = [0; 8];
    number[..bytes].copy_from_slice(content.get(at..at.checked_add(bytes)?)?);
    usize::try_from(u64::from_le_bytes(number)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A library of one section, of three symbols: one elsewhere, one elsewhere and optional, one of its own.
    fn library() -> Vec<u8> {
        let mut library = vec![0; 64 + 64 + 3 * SYMBOL];
        library[..6].copy_from_slice(b"\x7fELF\x02\x01");
        library[0x28] = 64;
        library[0x3a] = 64;
        library[0x3c] = 1;
        library[64 + 4] = 11;
        library[64 + 24] = 128;
        library[64 + 32] = 3 * 24;
        library[128 + 4] = 0x12;
        library[128 + 24 + 4] = 0x21;
        library[128 + 48 + 4] = 0x12;
        library[128 + 48 + 6] = 9;
        library
    }

    #[test]
    fn what_is_elsewhere_becomes_optional() {
        let (mut changed, mut expected) = (library(), library());
        need_nothing(&mut changed).unwrap();
        expected[128 + 4] = 0x22;
        assert_eq!(changed, expected);
    }

    #[test]
    fn what_is_no_library_is_refused() {
        assert_eq!(need_nothing(&mut []), None);
        for length in [5, 0x3b, 100, 64 + 64 + 3 * SYMBOL - 1] {
            assert_eq!(need_nothing(&mut library()[..length]), None, "{length} bytes of it");
        }
        for (place, value) in
            [(0, 0), (4, 1), (0x2f, 0xff), (64 + 4, 3), (64 + 24 + 7, 0xff), (64 + 32 + 7, 0xff)]
        {
            let mut damaged = library();
            damaged[place] = value;
            assert_eq!(need_nothing(&mut damaged), None, "{value} at {place}");
        }
    }

    #[test]
    fn modules_are_found_beside_their_library() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path();
        let [wheel, conda] = ["packages/h5py", "environment/lib/python3.12/site-packages/h5py"];
        for (package, library) in [(wheel, "packages/h5py.libs"), (conda, "environment/lib")] {
            fs::create_dir_all(folder.join(package)).unwrap();
            fs::create_dir_all(folder.join(library)).unwrap();
            let module = folder.join(package).join("h5z.cpython-312.so");
            fs::write(&module, "").unwrap();
            fs::write(folder.join(package).join("h5zero.py"), "").unwrap();
            assert_eq!(modules_for(&folder.join(library).join("libhdf5.so")), [module]);
        }
        let others = modules_for(&folder.join("packages/tables.libs/libhdf5.so"));
        assert_eq!(others, [""; 0].map(PathBuf::from), "h5py is there, but brings its own");
    }
}
