//! Compares what this crate declares with the C headers of HDF5, as the C compiler sees them.
//!
//! The directories with the headers come from `H5_ABI_HEADERS` (separated by colons), or are those that
//! `cargo xtask setup` puts under `target/hdf5-src`.

#![expect(unreachable_pub, reason = "the modules of a test have no other user")]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use support::compiler::header_dirs;
use support::declared::{constants, enums, layouts, strings};
use support::probe;
use support::source::Source;

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
