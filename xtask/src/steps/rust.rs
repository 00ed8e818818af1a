//! `cargo test` over the workspace.

use std::fs;

use anyhow::{Context, Result};

use super::tell_where_things_are;
use crate::layout::Layout;
use crate::report::Tally;
use crate::shell;

/// Runs the tests of all crates, optimised, because some of them try every number there is.
pub(crate) fn run(layout: &Layout) -> Result<Tally> {
    cargo_test(layout, "test-rust", &["--workspace"])
}

/// Runs the models of the concurrent crates. The feature swaps the primitives of whoever depends on them, so
/// they are built by themselves.
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
    let mut cargo = shell::cargo();
    cargo.current_dir(&layout.root).env("CARGO_TARGET_DIR", &layout.target);
    cargo.args(["test", "--profile", "testing", "--no-fail-fast"]).args(what);
    tell_where_things_are(layout, &mut cargo)?;
    let finished = shell::run_logged(layout, log, &mut cargo)?;
    let output = fs::read(&finished.log).context("cannot read the log of cargo test")?;
    let output = String::from_utf8_lossy(&output);

    let mut tally = count(&output);
    for test in failed_tests(&output) {
        println!("  FAILED {test}");
    }
    if !finished.status.success() {
        shell::show_end_of(&finished.log);
        // Something that does not compile, or a test process that died, has no failed tests to show for it.
        tally.failed = tally.failed.max(1);
    }
    Ok(tally)
}

/// Adds up the lines `test result: ok. 12 passed; 0 failed; ...`, one per test program.
fn count(output: &str) -> Tally {
    let mut tally = Tally::default();
    for line in output.lines().filter_map(|line| line.strip_prefix("test result: ")) {
        let number_before = |word: &str| -> usize {
            line.split([';', '.'])
                .filter_map(|part| part.trim().strip_suffix(word))
                .find_map(|number| number.trim().parse().ok())
                .unwrap_or(0)
        };
        tally.passed += number_before("passed");
        tally.failed += number_before("failed");
    }
    tally
}

fn failed_tests(output: &str) -> impl Iterator<Item = &str> {
    output.lines().filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
running 2 tests
test ids::close_twice ... FAILED
test ids::open ... ok

test result: FAILED. 1 passed; 1 failed; 3 ignored; 0 measured; 0 filtered out; finished in 0.00s

     Running tests/hosts.rs
test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.20s
";

    #[test]
    fn counts_of_all_test_programs_add_up() {
        assert_eq!(count(OUTPUT), Tally { passed: 13, failed: 1 });
        assert_eq!(count("error: could not compile"), Tally::default());
    }

    #[test]
    fn failed_tests_are_named() {
        assert_eq!(failed_tests(OUTPUT).collect::<Vec<_>>(), ["ids::close_twice"]);
    }
}
