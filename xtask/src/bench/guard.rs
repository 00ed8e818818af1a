//! The measurements that are kept in the repository: the baseline, a second run of it, clients of HDF5, other
//! libraries, and what overlaps.
//! They are replaced by new ones, or compared with them.

use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use bench_report::baseline::{self, ALLOWED_FALL};
use bench_report::clients::ClientResults;
use bench_report::overlap::OverlapResults;
use bench_report::peers::PeerResults;
use bench_report::zarr::ZarrResults;
use bench_report::{About, Results, performance};
use bench_suite::controller::Machine;

use super::{documents, suite};
use crate::args::Suite;
use crate::layout::Layout;

fn baseline_file(layout: &Layout) -> PathBuf {
    layout.root.join("bench/baseline.json")
}

fn peers_file(layout: &Layout) -> PathBuf {
    layout.root.join("bench/peers.json")
}

fn clients_file(layout: &Layout) -> PathBuf {
    layout.root.join("bench/clients.json")
}

fn overlap_file(layout: &Layout) -> PathBuf {
    layout.root.join("bench/asynchronous.json")
}

fn zarr_file(layout: &Layout) -> PathBuf {
    layout.root.join("bench/zarr.json")
}

/// A second run, right after the baseline's.
fn again_file(layout: &Layout) -> PathBuf {
    layout.root.join("bench/again.json")
}

pub(super) fn read_baseline(layout: &Layout) -> Result<Results> {
    let file = baseline_file(layout);
    let text = fs::read_to_string(&file)
        .with_context(|| format!("cannot read {}, which `cargo xtask bench --save` makes", file.display()))?;
    Results::read(&text).with_context(|| format!("{}", file.display()))
}

pub(super) fn read_peers(layout: &Layout) -> Result<Option<PeerResults>> {
    read_if_there(&peers_file(layout), PeerResults::read)
}

pub(super) fn read_clients(layout: &Layout) -> Result<Option<ClientResults>> {
    read_if_there(&clients_file(layout), ClientResults::read)
}

pub(super) fn read_overlap(layout: &Layout) -> Result<Option<OverlapResults>> {
    read_if_there(&overlap_file(layout), OverlapResults::read)
}

pub(super) fn read_zarr(layout: &Layout) -> Result<Option<ZarrResults>> {
    read_if_there(&zarr_file(layout), ZarrResults::read)
}

pub(super) fn read_again(layout: &Layout) -> Result<Option<Results>> {
    read_if_there(&again_file(layout), Results::read)
}

/// `None` if it was never measured.
fn read_if_there<T, E>(file: &Path, read: impl FnOnce(&str) -> Result<T, E>) -> Result<Option<T>>
where
    Result<T, E>: Context<T, E>,
{
    let text = match fs::read_to_string(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        text => text.with_context(|| format!("cannot read {}", file.display()))?,
    };
    read(&text).with_context(|| format!("{}", file.display())).map(Some)
}

/// Compares with the baseline, and names what fell. What seems to have fallen is measured once more: other work on the machine
/// comes and goes.
pub(super) fn check(layout: &Layout, options: &Suite) -> Result<bool> {
    let mut before = read_baseline(layout)?;
    warn_of_other_processor(&before.about);
    keep_chosen(&mut before.rows, |row| &row.name, &options.only);
    let now = suite::run(layout, options, "check")?;
    let mut comparison = baseline::compare(&before, &now, ALLOWED_FALL);
    if !comparison.fallen.is_empty() {
        println!("\n{comparison}\nonce more, what fell:\n");
        let only: Vec<_> = comparison.fallen.iter().map(|fallen| fallen.name.clone()).collect();
        let again = suite::run(layout, &Suite { only, ..options.clone() }, "check-again")?;
        let again = baseline::compare(&before, &again, ALLOWED_FALL);
        comparison.fallen.retain(|first| again.fallen.iter().any(|fallen| fallen.name == first.name));
    }
    println!("\n{comparison}");
    Ok(comparison.holds())
}

/// Keeps the rows that `--only` means: the row of this name, or those whose names begin with it. Nothing means all.
pub(super) fn keep_chosen<T>(rows: &mut Vec<T>, name: impl Fn(&T) -> &String, only: &[String]) {
    if only.is_empty() {
        return;
    }
    let names: HashSet<String> = rows.iter().map(|row| name(row).clone()).collect();
    let is_meant = |name: &str, only: &String| {
        name == only || (!names.contains(only) && name.starts_with(only.as_str()))
    };
    rows.retain(|row| only.iter().any(|only| is_meant(name(row), only)));
}

/// Says so before anything is measured if nothing can follow from it.
pub(super) fn warn_of_other_processor(baseline: &About) {
    let Machine { processor, processor_model, .. } = Machine::this();
    let now = About { processor, processor_model, ..baseline.clone() };
    if let Some(warning) = baseline::other_processor(baseline, &now) {
        println!("{warning}\n");
    }
}

/// Measures; the results become the baseline and, with what is known of others, docs/PERFORMANCE.md.
pub(super) fn save(layout: &Layout, options: &Suite) -> Result<()> {
    // It takes long: what would be in the way at its end is better known before.
    read_peers(layout)?;
    let results = suite::run(layout, options, "results")?;
    keep_baseline(layout, &results)?;
    for row in performance::unexplained(&results) {
        println!("not explained yet: {}", row.name);
    }
    Ok(())
}

/// Results become the baseline. The second run is no longer one of the same.
fn keep_baseline(layout: &Layout, results: &Results) -> Result<()> {
    keep(&baseline_file(layout), results)?;
    let again = again_file(layout);
    match fs::remove_file(&again) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        removed => removed.with_context(|| format!("cannot remove {}", again.display()))?,
    }
    documents::write(layout)
}

/// Measures once more; how far that agrees with the baseline goes into docs/PERFORMANCE.md.
pub(super) fn save_again(layout: &Layout) -> Result<()> {
    let first = read_baseline(layout).context("there is nothing to compare a second run with")?.about;
    // As above.
    read_peers(layout)?;
    let (rounds, size) = (first.rounds, first.mebibytes);
    let options = Suite { check: false, save: false, only: Vec::new(), rounds, size, quick: false };
    let results = suite::run(layout, &options, "again")?;
    keep(&again_file(layout), &results)?;
    documents::write(layout)
}

/// Writes results, without the timeline: it is many lines, and not compared.
fn keep(file: &Path, results: &Results) -> Result<()> {
    write_json(file, &Results { timeline: None, ..results.clone() }.write()?)
}

fn write_json(file: &Path, json: &str) -> Result<()> {
    fs::write(file, json).with_context(|| format!("cannot write {}", file.display()))?;
    println!("written: {}", file.display());
    Ok(())
}

/// Has others measured; the results go into the repository and, with the baseline, into docs/PERFORMANCE.md.
pub(super) fn save_peers(layout: &Layout, measure: impl FnOnce() -> Result<PeerResults>) -> Result<()> {
    // As above.
    read_baseline(layout).context("docs/PERFORMANCE.md cannot be made")?;
    let results = measure()?;
    write_json(&peers_file(layout), &results.write()?)?;
    documents::write(layout)
}

/// The same for clients of HDF5.
pub(super) fn save_clients(layout: &Layout, measure: impl FnOnce() -> Result<ClientResults>) -> Result<()> {
    // As above.
    read_baseline(layout).context("docs/PERFORMANCE.md cannot be made")?;
    let results = measure()?;
    write_json(&clients_file(layout), &results.write()?)?;
    documents::write(layout)
}

/// The same for what goes on while a program computes.
pub(super) fn save_overlap(layout: &Layout, measure: impl FnOnce() -> Result<OverlapResults>) -> Result<()> {
    // As above.
    read_baseline(layout).context("docs/PERFORMANCE.md cannot be made")?;
    let results = measure()?;
    write_json(&overlap_file(layout), &results.write()?)?;
    documents::write(layout)
}

/// The same for other implementations of Zarr.
pub(super) fn save_zarr(layout: &Layout, measure: impl FnOnce() -> Result<ZarrResults>) -> Result<()> {
    // As above.
    read_baseline(layout).context("docs/PERFORMANCE.md cannot be made")?;
    let results = measure()?;
    write_json(&zarr_file(layout), &results.write()?)?;
    documents::write(layout)
}

#[cfg(test)]
pub(super) mod tests {
    use bench_report::{overlap, readme};
    use tempfile::TempDir;

    use super::*;

    /// A repository with nothing but the files that documents are made from; removed with it.
    pub(in crate::bench) struct Repository {
        layout: Layout,
        _root: TempDir,
    }

    impl Repository {
        fn new() -> Self {
            let folder = tempfile::tempdir().expect("a folder");
            let root = folder.path().to_owned();
            fs::create_dir_all(root.join("bench")).expect("a folder");
            let overlap = format!("{}\n{}\n", overlap::BEGIN, overlap::END);
            let readme = format!("# Read me\n\n{}\n\n{}\n\n{overlap}", readme::BEGIN, readme::END);
            fs::write(root.join("README.md"), readme).expect("written");
            let guide = format!("# Guide\n\n{overlap}\n{}\n{}\n", overlap::BEGIN_LOOPS, overlap::END);
            fs::create_dir_all(root.join("docs")).expect("a folder");
            fs::write(root.join("docs/asynchronous.md"), guide).expect("written");
            Self { layout: Layout { target: root.join("target"), root }, _root: folder }
        }

        pub(in crate::bench) fn with_baseline() -> Self {
            let new = Self::new();
            let ours = baseline_file(&Layout::of_this_workspace().expect("this workspace"));
            fs::copy(ours, baseline_file(new.layout())).expect("the baseline of this workspace");
            new
        }

        pub(in crate::bench) fn layout(&self) -> &Layout {
            &self.layout
        }

        fn document(&self) -> Option<String> {
            fs::read_to_string(self.layout.root.join("docs/PERFORMANCE.md")).ok()
        }
    }

    fn measured() -> PeerResults {
        PeerResults::read(include_str!("../../../bench/report/tests/report/peers.json"))
            .expect("made-up results")
    }

    #[test]
    fn what_others_did_is_kept_and_comes_into_the_document() {
        let repository = Repository::with_baseline();
        save_peers(repository.layout(), || Ok(measured())).expect("saved");
        let kept = read_peers(repository.layout()).expect("readable");
        assert_eq!(kept, Some(measured()));
        let document = repository.document().expect("written");
        assert!(
            document.contains("\n## Beside other libraries\n") && document.contains("\n## Plain reads\n")
        );
    }

    #[test]
    fn what_clients_did_is_kept_and_comes_into_the_document() {
        let repository = Repository::with_baseline();
        assert_eq!(read_clients(repository.layout()).expect("no file"), None);
        let measured = ClientResults::read(include_str!("../../../bench/report/tests/report/clients.json"))
            .expect("made-up results");
        save_clients(repository.layout(), || Ok(measured.clone())).expect("saved");
        assert_eq!(read_clients(repository.layout()).expect("readable"), Some(measured));
        let document = repository.document().expect("written");
        assert!(document.contains("\n## Through the clients\n"), "{document}");
        save_clients(repository.layout(), || anyhow::bail!("interrupted")).expect_err("not measured");
        assert!(read_clients(repository.layout()).expect("readable").is_some(), "the old one stays");
    }

    #[test]
    fn what_overlaps_is_kept_and_comes_into_the_documents() {
        let repository = Repository::with_baseline();
        assert_eq!(read_overlap(repository.layout()).expect("no file"), None);
        documents::write(repository.layout()).expect("written without it");
        let measured = OverlapResults::read(include_str!("../../../bench/report/tests/report/overlap.json"))
            .expect("made-up results");
        save_overlap(repository.layout(), || Ok(measured.clone())).expect("saved");
        assert_eq!(read_overlap(repository.layout()).expect("readable"), Some(measured));
        assert!(documents::check(repository.layout()).expect("readable"));
        let document = repository.document().expect("written");
        assert!(document.contains("\n## While the program computes\n"), "{document}");
        for (name, part) in [
            ("README.md", "| 160 ms | 61.0 ms | 40.5 ms | 40.0 ms |"),
            ("docs/asynchronous.md", " | 1.25 | 1.33 |"),
        ] {
            let file = repository.layout().root.join(name);
            let text = fs::read_to_string(&file).expect("a document");
            assert!(text.contains(part), "{text}");
            // A figure that was changed by hand is noticed.
            fs::write(&file, text.replace(part, "| 1 ms |")).expect("written");
            assert!(!documents::check(repository.layout()).expect("readable"));
            documents::write(repository.layout()).expect("written");
        }
    }

    #[test]
    fn rows_are_chosen_by_name_or_by_how_names_begin() {
        let chosen = |only: &[&str]| {
            let mut rows: Vec<String> =
                ["read", "read-gzip", "write"].into_iter().map(str::to_owned).collect();
            let only: Vec<String> = only.iter().map(|&name| name.to_owned()).collect();
            keep_chosen(&mut rows, |row| row, &only);
            rows
        };
        assert_eq!(chosen(&[]), ["read", "read-gzip", "write"]);
        assert_eq!(chosen(&["read"]), ["read"]);
        assert_eq!(chosen(&["re", "write"]), ["read", "read-gzip", "write"]);
        assert_eq!(chosen(&["nothing"]), [""; 0]);
    }

    #[test]
    fn the_baseline_alone_makes_a_document() {
        let repository = Repository::with_baseline();
        documents::write(repository.layout()).expect("written");
        let document = repository.document().expect("written");
        assert!(!document.contains("Beside other libraries") && document.contains("\n## Plain reads\n"));
    }

    #[test]
    fn without_a_baseline_others_are_not_measured_in_vain() {
        let repository = Repository::new();
        let error = save_peers(repository.layout(), || panic!("measured")).expect_err("no baseline");
        let error = format!("{error:#}");
        assert!(error.starts_with("docs/PERFORMANCE.md cannot be made: cannot read "), "{error}");
        assert!(error.contains("bench/baseline.json, which `cargo xtask bench --save` makes: "), "{error}");
        assert!(!peers_file(repository.layout()).exists() && repository.document().is_none());
    }

    #[test]
    fn what_failed_is_not_kept() {
        let repository = Repository::with_baseline();
        save_peers(repository.layout(), || anyhow::bail!("one failed")).expect_err("not measured");
        assert!(!peers_file(repository.layout()).exists() && repository.document().is_none());
    }

    #[test]
    fn a_second_run_is_compared_with_its_first_and_no_other() {
        let repository = Repository::with_baseline();
        let heading = "\n## Two consecutive runs\n";
        let baseline = read_baseline(repository.layout()).expect("a baseline");
        keep(&again_file(repository.layout()), &baseline).expect("kept");
        documents::write(repository.layout()).expect("written");
        let document = repository.document().expect("written");
        assert!(document.contains(heading) && document.contains(" agree within 10 %."));
        // It was not right after the next baseline.
        keep_baseline(repository.layout(), &baseline).expect("kept");
        assert!(!again_file(repository.layout()).exists());
        assert!(!repository.document().expect("written").contains(heading));
    }

    #[test]
    fn a_file_that_is_none_is_named() {
        let repository = Repository::with_baseline();
        fs::write(peers_file(repository.layout()), "{}").expect("written");
        let error = format!("{:#}", documents::write(repository.layout()).expect_err("no results"));
        assert!(error.contains("bench/peers.json: these are no results of"), "{error}");
        assert_eq!(repository.document(), None);
    }
}
