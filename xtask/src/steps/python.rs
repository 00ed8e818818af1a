//! Our own Python tests, `python/tests`.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};

use super::part::Part;
use super::side_by_side::{cores, side_by_side};
use super::tell_where_things_are;
use crate::layout::Layout;
use crate::report::Tally;
use crate::shell::Finished;
use crate::suites::{Outcome, Outcomes};
use crate::{setup, shell};

/// Most tests wait for one process at a time, so as many files as there are cores run in parallel. There are at most this many,
/// because some of the processes use all cores.
const MOST_AT_A_TIME: usize = 4;

/// The files that take longest, the longest first. They start first, so that none of them is left when all others are done.
const LONGEST: [&str; 10] = [
    "test_writes_random",
    "test_page",
    "test_writes_read_natively",
    "test_damaged_chunks",
    "test_bench_command",
    "test_filtered_reads",
    "test_codecs",
    "test_host_conversions",
    "test_converted_reads",
    "test_writes_errors",
];

/// Files whose threads must run in parallel on all cores. They come last, one by one.
const ALONE: [&str; 3] = ["test_reads_threads", "test_threads", "test_writes_threads"];

/// The file whose tests open pages; a browser takes a while to set up.
const NEEDS_BROWSER: &str = "test_page";

/// Files with this at the beginning of their names run programs under valgrind, in a step of their own.
const MEMCHECK: &str = "test_memcheck_";

/// Folders for what the tests write. The names are short, as some of the C programs have little room for paths.
const SCRATCH: &str = "py";
const MEMCHECK_SCRATCH: &str = "vg";

/// How many of the slowest files are named at the end.
const NAMED: usize = 8;

/// A file with tests.
struct TestFile {
    /// Without its ending.
    name: String,
    /// The folder in which its processes run. Its name is a number: some of the C programs have little room for paths.
    place: PathBuf,
}

/// How the tests of one file ended.
struct Ended {
    outcomes: Outcomes,
    pytest: Finished,
}

impl Ended {
    /// Prints and counts what failed. A process that failed counts, even if none of its tests did.
    fn report(&self, file: &str) -> Tally {
        let bad = self.outcomes.bad().count();
        for (test, outcome) in self.outcomes.bad() {
            println!("  {outcome} {test}");
        }
        let passed = self.outcomes.count(Outcome::Passed);
        if self.pytest.status.success() && bad == 0 {
            return Tally { passed, failed: 0 };
        }
        if bad == 0 {
            println!("  FAILED {file}: pytest ended with {}", self.pytest.status);
        }
        shell::show_end_of(&self.pytest.log);
        Tally { passed, failed: bad.max(1) }
    }
}

/// Runs pytest on the files of `python/tests`; the tests start their own processes with the connector loaded.
pub(super) fn run(layout: &Layout, part: Part<'_>) -> Result<Tally> {
    let (_, files) = test_files(layout)?;
    let files = part.choose(files, |file| &file.name)?;
    build_examples(layout)?;
    run_files(layout, files, SCRATCH, &[])
}

/// Runs C programs under valgrind: a few, or with `is_long` all of them with all libraries.
pub(super) fn memcheck(layout: &Layout, is_long: bool) -> Result<Tally> {
    let (files, _) = test_files(layout)?;
    run_files(layout, files, MEMCHECK_SCRATCH, &[("H5BYPASS_MEMCHECK", if is_long { "all" } else { "few" })])
}

/// Runs pytest on these files, which have their folders in `scratch`, with these variables.
fn run_files(
    layout: &Layout,
    files: Vec<TestFile>,
    scratch: &str,
    variables: &[(&str, &str)],
) -> Result<Tally> {
    let place = layout.scratch(scratch);
    shell::empty_folder(&place)?;
    let browser = if files.iter().any(|file| file.name == NEEDS_BROWSER) {
        setup::browser(layout).inspect_err(|reason| {
            println!("  tests of the benchmark's page are skipped: {reason:#}");
        })
    } else {
        Err(anyhow!("only {NEEDS_BROWSER} needs a browser"))
    };
    let browser = browser.map_err(|reason| format!("{reason:#}"));

    let (together, alone) = in_order(files);
    let test = |file: &TestFile| test_file(layout, file, browser.as_ref(), variables);
    let mut results = side_by_side(&together, cores(MOST_AT_A_TIME), test);
    results.extend(side_by_side(&alone, 1, test));

    let mut times = Vec::new();
    let mut all = Outcomes::default();
    let mut tally = Tally::default();
    for (file, result) in together.iter().chain(&alone).zip(results) {
        match result {
            Ok(ended) => {
                tally += ended.report(&file.name);
                times.push((ended.pytest.took, &file.name));
                all.extend(ended.outcomes);
            }
            Err(error) => {
                println!("  FAILED {}: {error:#}", file.name);
                tally.failed += 1;
            }
        }
    }
    println!("  {all}");
    times.sort_unstable_by(|a, b| b.cmp(a));
    let slowest: Vec<_> =
        times.iter().take(NAMED).map(|(took, name)| format!("{name} {}", shell::seconds(*took))).collect();
    println!("  longest: {}", slowest.join(", "));
    if tally.failed == 0 {
        fs::remove_dir_all(&place).context("cannot clean up after pytest")?;
    }
    Ok(tally)
}

/// Runs pytest on one file, in folders of its own.
fn test_file(
    layout: &Layout,
    file: &TestFile,
    browser: Result<&PathBuf, &String>,
    variables: &[(&str, &str)],
) -> Result<Ended> {
    let TestFile { name, place } = file;
    let (cwd, tmp, written) = (place.join("cwd"), place.join("tmp"), place.join("outcomes"));
    shell::empty_folder(&cwd)?;
    shell::empty_folder(&tmp)?;

    let mut pytest = shell::command(layout.python());
    tell_where_things_are(layout, &mut pytest)?;
    pytest
        .current_dir(&cwd)
        .env("TMPDIR", &tmp)
        .env("PYTHONPATH", layout.python_sources().join("suites"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("H5BYPASS_OUTCOMES", &written)
        .envs(variables.iter().copied());
    match browser {
        Ok(browser) => pytest.env("H5BYPASS_BROWSER", browser),
        Err(reason) => pytest.env("H5BYPASS_NO_BROWSER", reason),
    };
    pytest.args(["-m", "pytest", "-q", "-o", "faulthandler_timeout=300"]);
    pytest.args(["-p", "no:cacheprovider", "-p", "outcomes"]);
    let source = layout.python_sources().join("tests").join(format!("{name}.py"));
    pytest.arg("--rootdir").arg(&layout.root).arg(source);
    let finished = shell::run_logged(layout, &format!("python-{name}"), &mut pytest)?;

    let written = fs::read_to_string(&written)
        .with_context(|| format!("pytest did not start; see {}", finished.log.display()))?;
    Ok(Ended { outcomes: Outcomes::parse(&written)?, pytest: finished })
}

/// All files with tests, by their names: those that need valgrind, and the others.
fn test_files(layout: &Layout) -> Result<(Vec<TestFile>, Vec<TestFile>)> {
    let folder = layout.python_sources().join("tests");
    let entries = fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot list {}", folder.display()))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        names.extend(name.strip_suffix(".py").filter(|name| name.starts_with("test_")).map(str::to_owned));
    }
    names.sort_unstable();
    let (memcheck, others): (Vec<_>, Vec<_>) = names.into_iter().partition(|name| name.starts_with(MEMCHECK));
    let files = |names: Vec<String>, scratch: &str| {
        let place = |number: usize| layout.scratch(scratch).join(number.to_string());
        names.into_iter().enumerate().map(|(number, name)| TestFile { name, place: place(number) }).collect()
    };
    Ok((files(memcheck, MEMCHECK_SCRATCH), files(others, SCRATCH)))
}

/// In the order to begin them: those that others may run beside, and those that run alone.
fn in_order(mut files: Vec<TestFile>) -> (Vec<TestFile>, Vec<TestFile>) {
    let place = |file: &TestFile| LONGEST.iter().position(|long| *long == file.name).unwrap_or(LONGEST.len());
    files.sort_by_key(place);
    files.into_iter().partition(|file| !ALONE.contains(&file.name.as_str()))
}

/// What the tests use beside the plugins, in `target/release/examples`: programs that run our codecs (`filter`) and Zarr
/// (`containers`), and the format in memory, a plugin.
fn build_examples(layout: &Layout) -> Result<()> {
    let mut cargo = shell::cargo();
    cargo.current_dir(&layout.root).env("CARGO_TARGET_DIR", &layout.target);
    cargo.args(["build", "--release", "--package", "codecs", "--package", "zarr", "--package", "h5-shadow"]);
    cargo.args(["--example", "filter", "--example", "containers", "--example", "memory_format"]);
    shell::run_step(layout, "build-examples", "building the programs and plugins of the tests", &mut cargo)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_files() -> Vec<TestFile> {
        test_files(&Layout::of_this_workspace().expect("a workspace")).expect("files").1
    }

    fn names(files: &[TestFile]) -> Vec<&str> {
        files.iter().map(|file| file.name.as_str()).collect()
    }

    #[test]
    fn every_file_is_run_once() {
        let (together, alone) = in_order(all_files());
        let mut run = [names(&together), names(&alone)].concat();
        run.sort_unstable();
        assert_eq!(run, names(&all_files()));
        assert!(run.contains(&"test_objects"));
    }

    #[test]
    fn what_needs_valgrind_is_run_by_its_own_step() {
        let layout = Layout::of_this_workspace().expect("a workspace");
        let (memcheck, others) = test_files(&layout).expect("files");
        assert_eq!(
            names(&memcheck),
            ["test_memcheck_asynchronous", "test_memcheck_variable", "test_memcheck_zarr"]
        );
        assert!(!others.iter().any(|file| file.name.starts_with(MEMCHECK)));
    }

    #[test]
    fn files_that_are_named_exist() {
        let files = all_files();
        for named in LONGEST.iter().chain(&ALONE).chain([&NEEDS_BROWSER]) {
            assert!(names(&files).contains(named), "there is no {named}");
        }
    }

    #[test]
    fn long_ones_are_begun_first() {
        let (together, alone) = in_order(all_files());
        assert_eq!(names(&together)[..LONGEST.len()], LONGEST);
        assert_eq!(names(&alone), ALONE);
    }
}
