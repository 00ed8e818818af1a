//! Compares what this crate declares with the C headers of HDF5, as the C compiler sees them.
//!
//! The directories with the headers come from `H5_ABI_HEADERS` (separated by colons), or are those that
//! `cargo xtask setup` puts under `target/hdf5-src`.

#![expect(unreachable_pub, reason = "the modules of a test have no other user")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use support::declared::{constants, enums, layouts, strings};
use support::probe;
use support::source::Source;

/// The directories to compare with: those that have `H5public.h`.
fn header_dirs() -> Vec<PathBuf> {
    let dirs: Vec<PathBuf> = if let Some(dirs) = std::env::var_os("H5_ABI_HEADERS") {
        std::env::split_paths(&dirs).filter(|dir| !dir.as_os_str().is_empty()).collect()
    } else {
        let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/hdf5-src");
        let entries = std::fs::read_dir(all).into_iter().flatten().flatten();
        let dirs = entries.map(|entry| entry.path().join("src"));
        dirs.filter(|dir| dir.join("H5public.h").exists()).collect()
    };
    assert!(!dirs.is_empty(), "HDF5 headers not found: run `cargo xtask setup`");
    dirs
}

#[test]
fn layouts_are_those_of_the_headers() {
    let mut differences = Vec::new();
    for dir in header_dirs() {
        for difference in probe::compare(&dir) {
            differences.push(format!("{}: {difference}", dir.display()));
        }
    }
    assert!(differences.is_empty(), "\n{}", differences.join("\n"));
}

#[test]
fn every_declaration_is_compared() {
    let source = Source::read();

    let declared: BTreeMap<_, BTreeSet<_>> = source
        .records
        .iter()
        .map(|(name, fields)| (name.as_str(), fields.iter().map(|(field, _)| field.as_str()).collect()))
        .collect();
    let layouts = layouts();
    let compared = layouts.iter().map(|l| (l.name, l.fields.iter().map(|field| field.name).collect()));
    assert_eq!(declared, compared.collect());

    let declared: BTreeSet<_> = source.enums.keys().map(String::as_str).collect();
    assert_eq!(declared, enums().into_iter().map(|(name, _)| name).collect());

    let declared = source.enums.values().flatten().chain(&source.constants);
    let declared: BTreeSet<_> = declared.map(String::as_str).collect();
    let compared = enums().into_iter().flat_map(|(_, constants)| constants);
    let compared = compared.chain(constants()).chain(strings()).map(|(name, _)| name);
    assert_eq!(declared, compared.collect());
}
