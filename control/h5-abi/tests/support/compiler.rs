//! Runs C programs that are compiled against the headers of HDF5. The test of `h5-client` uses this file, too.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// As little of the generated `H5pubconf.h` as the headers need; used where a header directory has none.
const PUBCONF: &str = "\
#define H5_HAVE_SYS_TYPES_H 1
#define H5_SIZEOF_INT 4
#define H5_SIZEOF_INT64_T 8
#define H5_SIZEOF_LONG __SIZEOF_LONG__
#define H5_SIZEOF_LONG_LONG __SIZEOF_LONG_LONG__
#define H5_SIZEOF_SIZE_T __SIZEOF_SIZE_T__
#define H5_SIZEOF_SSIZE_T __SIZEOF_SIZE_T__
";

/// The directories to compare with: those that have `H5public.h`.
pub fn header_dirs() -> Vec<PathBuf> {
    let dirs: Vec<PathBuf> = if let Some(dirs) = std::env::var_os("H5_ABI_HEADERS") {
        std::env::split_paths(&dirs).filter(|dir| !dir.as_os_str().is_empty()).collect()
    } else {
        let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/hdf5-src");
        let entries = fs::read_dir(all).into_iter().flatten().flatten();
        let dirs = entries.map(|entry| entry.path().join("src"));
        dirs.filter(|dir| dir.join("H5public.h").exists()).collect()
    };
    assert!(!dirs.is_empty(), "HDF5 headers not found: run `cargo xtask setup`");
    dirs
}

/// The major version that `H5public.h` is of.
pub fn major(dir: &Path) -> u32 {
    let path = dir.join("H5public.h");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let line = text.lines().find_map(|line| line.strip_prefix("#define H5_VERS_MAJOR ")).expect("a version");
    line.split_whitespace().next().and_then(|v| v.parse().ok()).expect("a version number")
}

/// Compiles a program against the headers in `dir`, runs it, and returns the pairs `key=value` that it prints.
pub fn run(dir: &Path, name: &str, program: &str) -> BTreeMap<String, String> {
    let mut work = name.to_owned();
    for part in dir {
        write!(work, "-{}", part.to_string_lossy().replace('/', "")).expect("a String takes it");
    }
    let work = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(work);
    fs::create_dir_all(&work).expect("a directory for the C program");
    fs::write(work.join("H5pubconf.h"), PUBCONF).expect("H5pubconf.h");
    fs::write(work.join("probe.c"), program).expect("the C program");
    let executable = work.join("probe");

    let cc = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let output = Command::new(&cc)
        .args(["-std=gnu11", "-w", "-I"])
        .args([dir, Path::new("-I"), &work, &work.join("probe.c"), Path::new("-o"), &executable])
        .output()
        .unwrap_or_else(|error| panic!("{cc}: {error}"));
    assert!(
        output.status.success(),
        "{cc} with {}:\n{}",
        dir.display(),
        String::from_utf8_lossy(&output.stderr)
    );

    let output = Command::new(&executable).output().expect("the C program runs");
    assert!(output.status.success(), "{} failed", executable.display());
    let output = String::from_utf8(output.stdout).expect("the C program prints ASCII");
    output
        .lines()
        .map(|line| line.split_once('=').expect("key=value"))
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}
