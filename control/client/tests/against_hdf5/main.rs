//! The client in stock copies of HDF5, each test in all of them.
//!
//! The copies are those listed in the file that `H5_HOSTS_FILE` names; `cargo xtask test` sets it.

mod datasets;
mod datatypes;
mod files;
mod libraries;
mod links;
mod user_links;
mod virtual_datasets;

use h5_client::{File, FileAccess, Session, stock};
use tempfile::TempDir;

/// Runs a test in every library, with a folder for files.
fn in_every_library(test: impl Fn(&Session, &TempDir)) {
    for stock in stock::all() {
        println!("in {} ({})", stock.name, stock.library.path().display());
        let folder = tempfile::tempdir().expect("a folder for files");
        test(&stock.library.enter().unwrap(), &folder);
    }
}

/// The same with a new file.
fn with_file(test: impl Fn(&Session, &File)) {
    in_every_library(|h5, folder| {
        let access = FileAccess::native(h5).unwrap();
        test(h5, &File::create(h5, &folder.path().join("a.h5"), &access).unwrap());
    });
}
