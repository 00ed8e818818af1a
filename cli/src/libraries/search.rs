//! Finds every libhdf5 that a program on this machine may use.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::library_file::{Architecture, is_main_library};
use super::python::Python;

/// Variables that name the root of an HDF5 installation.
const ROOTS: [&str; 3] = ["HDF5_DIR", "HDF5_ROOT", "CONDA_PREFIX"];
/// Folders in which a Python package keeps its own libraries.
const PACKAGE_FOLDERS: [&str; 2] = [".libs", "lib"];

/// What was found, and where it was looked for.
#[derive(Debug, Default)]
pub(crate) struct Search {
    /// The libraries, each once, as canonical paths.
    pub(crate) found: Vec<PathBuf>,
    /// The directories, each once, in the order in which they were searched.
    pub(crate) searched: Vec<PathBuf>,
    ours: Option<Architecture>,
    seen: HashSet<PathBuf>,
}

impl Search {
    /// Takes these libraries instead of searching.
    pub(crate) fn only(libraries: Vec<PathBuf>) -> Self {
        let mut search = Self::default();
        for library in libraries {
            if search.seen.insert(library.clone()) {
                search.found.push(library);
            }
        }
        search
    }

    /// Searches all known places.
    pub(crate) fn everywhere(python: Option<&Python>) -> Self {
        let mut search = Self { ours: Architecture::ours(), ..Self::default() };
        if let Some(python) = python {
            search.python(python);
        }
        search.environment();
        for path in ldconfig() {
            search.consider(&path);
        }
        search.system();
        search
    }

    fn python(&mut self, python: &Python) {
        for site in &python.paths {
            self.look_in(site);
            for package in subdirectories(site) {
                if package.extension() == Some(OsStr::new("libs")) {
                    self.look_in(&package);
                    continue;
                }
                for folder in PACKAGE_FOLDERS {
                    self.look_in(&package.join(folder));
                }
                if ["h5py", "tables", "netCDF4"].into_iter().any(|name| package.ends_with(name)) {
                    self.look_in(&package);
                }
            }
        }
        for prefix in &python.prefixes {
            self.look_in(&prefix.join("lib"));
        }
    }

    fn environment(&mut self) {
        for dir in std::env::split_paths(&std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default()) {
            self.look_in(&dir);
        }
        for root in ROOTS.into_iter().filter_map(std::env::var_os) {
            for folder in ["lib", "lib64", ""] {
                self.look_in(&Path::new(&root).join(folder));
            }
        }
    }

    fn system(&mut self) {
        for parent in ["/usr", "/usr/local"] {
            for dir in subdirectories(Path::new(parent)) {
                if dir.file_name().and_then(OsStr::to_str).is_some_and(is_library_directory) {
                    self.library_directory(&dir);
                }
            }
        }
        self.look_in(Path::new("/usr/local/hdf5/lib"));
        for dir in subdirectories(Path::new("/opt")) {
            self.look_in(&dir.join("lib"));
        }
    }

    /// Searches a system directory, and those below it where distributions put flavours of HDF5.
    fn library_directory(&mut self, dir: &Path) {
        self.look_in(dir);
        for flavour in ["openmpi", "mpich"] {
            self.look_in(&dir.join(flavour).join("lib"));
        }
        for below in subdirectories(dir) {
            if below.as_os_str().as_encoded_bytes().ends_with(b"-linux-gnu") {
                self.look_in(&below);
                for flavour in subdirectories(&below.join("hdf5")) {
                    self.look_in(&flavour);
                }
            }
        }
    }

    /// Takes the libraries directly in a directory.
    fn look_in(&mut self, dir: &Path) {
        let Ok(canonical) = dir.canonicalize() else { return };
        if self.searched.contains(&canonical) {
            return;
        }
        let Ok(entries) = std::fs::read_dir(&canonical) else { return };
        let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        files.sort();
        self.searched.push(canonical);
        for file in files {
            self.consider(&file);
        }
    }

    /// Takes a file if it is a libhdf5 that this program could load, and was not found before.
    fn consider(&mut self, path: &Path) {
        if !path.file_name().and_then(OsStr::to_str).is_some_and(is_main_library) {
            return;
        }
        let Ok(path) = path.canonicalize() else { return };
        let architecture = Architecture::of(&path);
        if architecture.is_some() && architecture == self.ours && self.seen.insert(path.clone()) {
            self.found.push(path);
        }
    }
}

/// `lib`, `lib32`, `lib64` and the like, not `libexec`.
fn is_library_directory(name: &str) -> bool {
    name.strip_prefix("lib")
        .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'x'))
}

fn subdirectories(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let mut dirs: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    dirs.sort();
    dirs
}

/// The libraries that the dynamic linker knows. Empty if `ldconfig` cannot be run.
fn ldconfig() -> Vec<PathBuf> {
    ["ldconfig", "/sbin/ldconfig"]
        .into_iter()
        .find_map(|program| {
            Command::new(program)
                .arg("-p")
                .stdin(Stdio::null())
                .output()
                .ok()
                .filter(|output| output.status.success())
        })
        .map(|output| parse_ldconfig(&String::from_utf8_lossy(&output.stdout)))
        .unwrap_or_default()
}

/// Lines are `<tab>libhdf5.so.310 (libc6,x86-64) => /usr/lib/libhdf5.so.310`.
fn parse_ldconfig(output: &str) -> Vec<PathBuf> {
    output
        .lines()
        .filter_map(|line| line.split_once(" => "))
        .map(|(_, path)| PathBuf::from(path.trim()))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::process::scratch;

    #[test]
    fn ldconfig_lines_give_paths() {
        let output = "2 libs found in cache `/etc/ld.so.cache'\n\tlibz.so.1 (libc6,x86-64) => /usr/lib/libz.so.1\n\t\
                      libhdf5.so.310 (libc6,x86-64) => /usr/lib/libhdf5.so.310\nCache generated by: ldconfig\n";
        assert_eq!(
            parse_ldconfig(output),
            [Path::new("/usr/lib/libz.so.1"), Path::new("/usr/lib/libhdf5.so.310")]
        );
    }

    #[test]
    fn library_directories_of_the_system() {
        assert!(["lib", "lib64", "lib32", "libx32"].into_iter().all(is_library_directory));
        assert!(!["libexec", "libdata", "share"].into_iter().any(is_library_directory));
    }

    #[test]
    fn wheels_are_found_once_and_foreign_files_never() {
        let scratch = scratch::directory().unwrap();
        let site = scratch.path().canonicalize().unwrap();
        let executable = std::env::current_exe().unwrap();
        for dir in ["h5py.libs", "tables/.libs", "other"] {
            std::fs::create_dir_all(site.join(dir)).unwrap();
        }
        // Any ELF file of this machine will do: nothing is loaded here.
        symlink(&executable, site.join("other/x")).unwrap();
        std::fs::copy(&executable, site.join("h5py.libs/libhdf5-1.so.320.0.0")).unwrap();
        std::fs::copy(&executable, site.join("h5py.libs/libhdf5_hl-1.so.320.0.0")).unwrap();
        symlink("libhdf5-1.so.320.0.0", site.join("h5py.libs/libhdf5.so")).unwrap();
        std::fs::write(site.join("tables/.libs/libhdf5.so.310"), "not a library").unwrap();

        let ours = Architecture::of(&executable);
        let mut search = Search { ours, ..Search::default() };
        let python = Python { executable, prefixes: vec![], paths: vec![site.clone(), site.join(".")] };
        search.python(&python);
        assert_eq!(search.found, [site.join("h5py.libs/libhdf5-1.so.320.0.0")]);
        assert_eq!(
            search.searched,
            [site.clone(), site.join("h5py.libs"), site.join("tables/.libs"), site.join("tables")]
        );
    }
}
