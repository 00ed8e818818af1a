//! The targets on the inputs that are kept: seeds, and what once went wrong.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use fuzz::memory::Counting;
use fuzz::{Outcome, Target};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn corpus() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

fn names(folder: PathBuf) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a plain name")).collect()
}

/// `cargo xtask fuzz` takes the names of the folders for those of the targets.
#[test]
fn every_target_has_its_folder() {
    assert_eq!(names(corpus()), Target::all().map(|target| target.name.to_owned()).collect());
}

/// One test, because memory is counted for the whole process.
#[test]
fn nothing_goes_wrong() {
    for target in Target::all() {
        let folder = corpus().join(target.name);
        let mut done = 0;
        for name in names(folder.clone()) {
            let input = fs::read(folder.join(&name)).expect("a file");
            println!("{}/{name}", target.name);
            let outcome = target.run(&input);
            if name.starts_with("seed-") {
                assert_eq!(outcome, Outcome::Done, "{}/{name} is a seed", target.name);
                done += 1;
            }
        }
        assert!(done > 0, "{} has no seeds", target.name);
        target.run(&[]);
    }
}
