//! `cargo test` over the workspace.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::part::Part;
use super::tell_where_things_are;
use crate::layout::Layout;
use crate::report::Tally;
use crate::shell;

/// Runs the tests of all crates, or of the chosen ones. They are optimised, because some of them try all numbers.
pub(super) fn run(layout: &Layout, part: Part<'_>) -> Result<Tally> {
    if part.is_all() {
        return cargo_test(layout, "test-rust", &["--workspace"]);
    }
    let packages = part.choose(packages(layout)?, |name| name)?;
    let arguments: Vec<&str> = packages.iter().flat_map(|name| ["--package", name]).collect();
    cargo_test(layout, "test-rust", &arguments)
}

/// The names of all crates.
fn packages(layout: &Layout) -> Result<Vec<String>> {
    #[derive(Deserialize)]
    struct Workspace {
        packages: Vec<Package>,
    }
    #[derive(Deserialize)]
    struct Package {
        name: String,
    }
    let mut cargo = shell::cargo();
    cargo.current_dir(&layout.root).args(["metadata", "--no-deps", "--format-version", "1"]);
    let metadata = shell::capture("listing the crates", &mut cargo)?;
    let workspace: Workspace =
        serde_json::from_str(&metadata).context("cargo metadata gave no list of crates")?;
    Ok(workspace.packages.into_iter().map(|package| package.name).collect())
}

/// Runs the models of the concurrent crates. Their feature replaces the primitives in all dependent crates, so they are built
/// separately.
pub(crate) fn models(layout: &Layout) -> Result<Tally> {
    let mut all = Tally { passed: 0, failed: 0 };
    for package in ["pool", "global-lock", "chunk-cache"] {
        let log = format!("test-model-{package}");
        let tally = cargo_test(layout, &log, &["--package", package, "--features", "shuttle"])?;
        all = Tally { passed: all.passed + tally.passed, failed: all.failed + tally.failed };
    }
    Ok(all)
}

fn cargo_test(layout: &Layout, log: &str, what: &[&str]) -> Result<Tally> {
    let command = || {
        let mut cargo = shell::cargo();
        cargo.current_dir(&layout.root).env("CARGO_TARGET_DIR", &layout.target);
        cargo.args(["test", "--profile", "testing", "--no-fail-fast"]).args(what);
        tell_where_things_are(layout, &mut cargo).map(|()| cargo)
    };
    // Built separately, because the tests have a time limit and the build does not.
    let building = format!("  building the tests, {}", what.join(" "));
    shell::run_step(layout, &format!("{log}-build"), &building, command()?.arg("--no-run"))?;
    let finished = shell::run_logged(layout, log, &mut command()?)?;
    let output = fs::read(&finished.log).context("cannot read the log of cargo test")?;
    let output = String::from_utf8_lossy(&output);

    let Told { mut tally, failed } = read(&output);
    for test in failed {
        println!("  FAILED {test}");
    }
    if !finished.status.success() {
        shell::show_end_of(&finished.log);
        // A crate that does not compile, or a test process that crashed, reports no failed tests.
        tally.failed = tally.failed.max(1);
    }
    Ok(tally)
}

/// The results in the output of `cargo test`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Told<'output> {
    tally: Tally,
    /// The tests that failed by their names, and programs that failed otherwise by what `cargo test` calls them.
    failed: Vec<&'output str>,
}

/// Adds up the lines `test result: ok. 12 passed; 0 failed; ...`, one per test program. A program without the usual harness may
/// print `fork: ok` instead, with its own name, which is one test. A program that fails without a result, because it
/// crashed, is a failed test as well.
fn read(output: &str) -> Told<'_> {
    let mut told = Told::default();
    let mut program = "";
    let mut failed_in_program = 0;
    for line in output.lines() {
        if let Some(name) = name_of_program(line) {
            program = name;
            failed_in_program = 0;
        } else if let Some(result) = line.strip_prefix("test result: ") {
            failed_in_program = number_before("failed", result);
            told.tally += Tally { passed: number_before("passed", result), failed: failed_in_program };
        } else if let Some(test) =
            line.strip_prefix("test ").and_then(|line| line.strip_suffix(" ... FAILED"))
        {
            told.failed.push(test);
        } else if line.strip_suffix(": ok") == Some(program) {
            told.tally.passed += 1;
        } else if let Some(which) = line.strip_prefix("error: test failed, to rerun pass `")
            && failed_in_program == 0
        {
            told.tally.failed += 1;
            told.failed.push(which.trim_end_matches('`'));
        }
    }
    told
}

/// `fork` of `     Running tests/fork.rs (target/testing/deps/fork-54581f917d396f01)`, which cargo prints before it starts it.
fn name_of_program(line: &str) -> Option<&str> {
    let (source, _) = line.trim_start().strip_prefix("Running ")?.split_once(" (")?;
    Path::new(source).file_stem()?.to_str()
}

fn number_before(word: &str, result: &str) -> usize {
    let mut parts = result.split([';', '.']).filter_map(|part| part.trim().strip_suffix(word));
    parts.find_map(|number| number.trim().parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
running 2 tests
test ids::close_twice ... FAILED
test ids::open ... ok

test result: FAILED. 1 passed; 1 failed; 3 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass `-p h5-vol --lib`
     Running tests/hosts.rs (target/testing/deps/hosts-74e8300ef4675191)
test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.20s

   Doc-tests h5_vol
test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.20s
";

    #[test]
    fn counts_of_all_test_programs_add_up() {
        let told = read(OUTPUT);
        assert_eq!(told.tally, Tally { passed: 15, failed: 1 });
        assert_eq!(told.failed, ["ids::close_twice"]);
        assert_eq!(read("error: could not compile"), Told::default());
    }

    #[test]
    fn programs_without_a_harness_count() {
        let output = "     Running tests/exit.rs (target/testing/deps/exit-74e8300ef4675191)\nexit: ok\n     \
                      Running tests/fork.rs (target/testing/deps/fork-54581f917d396f01)\nexit: ok\n     \
                      Running tests/none.rs (target/testing/deps/none-54581f917d396f01)\n";
        assert_eq!(read(output), Told { tally: Tally { passed: 1, failed: 0 }, failed: vec![] });
    }

    #[test]
    fn programs_that_die_are_named() {
        let output = "     Running tests/fork.rs (target/testing/deps/fork-54581f917d396f01)\n\
                      error: test failed, to rerun pass `-p pool --test fork`\n";
        assert_eq!(
            read(output),
            Told { tally: Tally { passed: 0, failed: 1 }, failed: vec!["-p pool --test fork"] }
        );
    }
}
