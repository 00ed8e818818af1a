//! What the tests share: the program with a clean environment, and directories of their own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Variables of the machine that would change what is tested.
const VARIABLES: [&str; 13] = [
    "HDF5_PLUGIN_PATH",
    "HDF5_PLUGIN_PRELOAD",
    "HDF5_VOL_CONNECTOR",
    "BYPASS_VOL_NTHREADS",
    "BYPASS_VOL_STATS",
    "BYPASS_VOL_DISABLE",
    "BYPASS_VOL_TRACE",
    "BYPASS_VOL_CACHE",
    "BYPASS_VOL_THREADS",
    "H5STATS_OUT",
    "H5BYPASS_PLUGIN_DIR",
    "LD_LIBRARY_PATH",
    "CLICOLOR_FORCE",
];

/// The program under test.
pub(crate) fn h5bypass() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_h5bypass"));
    for name in VARIABLES {
        command.env_remove(name);
    }
    command
}

/// An empty directory; every test has its own names.
pub(crate) fn directory(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_CRATE_NAME")).join(name);
    // What the last run left.
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

/// A directory that holds files with the plugins' names.
pub(crate) fn plugin_directory(name: &str) -> PathBuf {
    let dir = directory(name);
    for file in ["libh5bypass_vol.so", "libh5stats_vol.so"] {
        std::fs::write(dir.join(file), "").unwrap();
    }
    dir
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

pub(crate) fn code(output: &Output) -> i32 {
    output.status.code().expect("the program was ended by a signal")
}
