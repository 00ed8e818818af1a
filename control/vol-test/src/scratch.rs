//! A folder for one test's files.

use std::path::Path;

use tempfile::TempDir;

/// A new, empty folder that is removed in the end.
pub struct Scratch(TempDir);

impl Scratch {
    /// Makes one. The name only helps a person who looks at it.
    ///
    /// # Panics
    /// If there is no room for one.
    pub fn new(name: &str) -> Self {
        let folder = tempfile::Builder::new().prefix(&format!("h5-vol-test-{name}-")).tempdir();
        Self(folder.expect("a folder for test files"))
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Path of a file in it.
    pub fn file(&self, name: &str) -> String {
        self.0.path().join(name).to_string_lossy().into_owned()
    }
}
