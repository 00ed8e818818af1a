//! Shared libraries made up for the tests, and plugins among them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::directory;

/// As much of a plugin as is looked for before HDF5 is asked.
pub(crate) const PLUGIN: &str = "const void *H5PLget_plugin_info(void) { return 0; }";

/// Compiles a shared library.
pub(crate) fn compile(path: &Path, source: &str, defines: &[&str]) {
    let file = path.with_extension("c");
    std::fs::write(&file, source).unwrap();
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let status = Command::new(compiler)
        .args(["-shared", "-fPIC", "-o"])
        .arg(path)
        .arg(&file)
        .args(defines.iter().map(|define| format!("-D{define}")))
        .status()
        .expect("a C compiler, which Rust needs for linking anyway");
    assert!(status.success());
}

/// A plugin directory with something that can be loaded.
pub(crate) fn loadable_plugin(name: &str) -> PathBuf {
    let dir = directory(name);
    for file in ["libh5bypass_vol.so", "libh5stats_vol.so"] {
        compile(&dir.join(file), PLUGIN, &[]);
    }
    dir
}
