//! `cargo xtask fuzz`: libFuzzer on the codecs and conversions, the targets of the crate `fuzz`.
//!
//! Stable Rust is enough, because LLVM's instrumentation pass for libFuzzer is requested directly. New inputs are kept in
//! `target/fuzz/corpus` for the next run.

use std::collections::VecDeque;
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, bail, ensure};

use crate::args::Fuzz;
use crate::layout::Layout;
use crate::report::Tally;
use crate::shell;

/// Makes rustc instrument branches and comparisons.
const INSTRUMENTATION: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

/// An input that takes longer than this many seconds counts as a hang.
const TIMEOUT: u32 = 10;

/// The limit for the whole process, including the fuzzer's own memory. The targets have stricter limits of their own.
const MEMORY_MIB: u32 = 1024;

const LONGEST_INPUT: u32 = 4096;

/// Seeds of libFuzzer: random, to find something new; or fixed, for a test that fails only if something was changed.
const CHANCE: u32 = 0;
const THE_SAME: u32 = 1;

/// Runs the command. Returns whether nothing was found.
pub(crate) fn run(layout: &Layout, options: &Fuzz) -> Result<bool> {
    let all = targets(layout)?;
    if let Some(unknown) = options.only.iter().find(|name| !all.contains(name)) {
        bail!("there is no target {unknown}; `cargo xtask fuzz --list` lists all");
    }
    let chosen = if options.only.is_empty() { all } else { options.only.clone() };
    if options.list {
        for name in &chosen {
            println!("{name}");
        }
        return Ok(true);
    }
    let fuzzer = build(layout)?;
    if let Some(input) = &options.input {
        let [target] = chosen.as_slice() else { bail!("--input needs one target: choose it with --only") };
        return replay(&fuzzer, target, input);
    }
    let tally = run_all(layout, &fuzzer, chosen, options.seconds, CHANCE)?;
    println!("{} targets without a finding, {} with one", tally.passed, tally.failed);
    Ok(tally.failed == 0)
}

/// Runs all targets, this long each. A target without a finding has passed.
pub(crate) fn test(layout: &Layout, seconds: u32) -> Result<Tally> {
    run_all(layout, &build(layout)?, targets(layout)?, seconds, THE_SAME)
}

/// The targets, which are the folders in the corpus. The tests of the crate `fuzz` check that.
fn targets(layout: &Layout) -> Result<Vec<String>> {
    let folder = seeds(layout);
    let entries = fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot list {}", folder.display()))?;
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    names.sort_unstable();
    Ok(names)
}

fn seeds(layout: &Layout) -> PathBuf {
    layout.root.join("fuzz/corpus")
}

fn own(layout: &Layout) -> PathBuf {
    layout.target.join("fuzz")
}

/// Builds the fuzzer in its own target folder, because nothing else is instrumented.
fn build(layout: &Layout) -> Result<PathBuf> {
    let host = host()?;
    let target = own(layout).join("cargo");
    let mut cargo = shell::cargo();
    cargo.current_dir(&layout.root).env("CARGO_TARGET_DIR", &target);
    cargo.env("RUSTFLAGS", INSTRUMENTATION).env_remove("CARGO_ENCODED_RUSTFLAGS");
    cargo.args(["build", "--package", "fuzz", "--features", "libfuzzer", "--profile", "fuzz"]);
    // With a target named, build scripts are not instrumented: they could not be linked.
    cargo.args(["--target", &host]);
    shell::run_step(layout, "build-fuzz", "building the fuzzer", &mut cargo)?;
    Ok(target.join(host).join("fuzz/fuzzer"))
}

/// The machine's name as rustc has it.
fn host() -> Result<String> {
    let version = shell::capture("rustc -vV", shell::command("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not say which machine this is")?.to_owned())
}

/// Runs targets, as many at a time as there are cores.
fn run_all(layout: &Layout, fuzzer: &Path, targets: Vec<String>, seconds: u32, seed: u32) -> Result<Tally> {
    let left = Mutex::new(VecDeque::from(targets));
    let next = || left.lock().ok()?.pop_front();
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let work = || {
            let mut tally = Tally::default();
            while let Some(target) = next() {
                let found = run_one(layout, fuzzer, &target, seconds, seed)?;
                tally += Tally { passed: usize::from(!found), failed: usize::from(found) };
            }
            Ok(tally)
        };
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let mut all = Tally::default();
        for worker in workers {
            let tally: Result<Tally> = worker.join().unwrap_or_else(|_| bail!("a thread of ours panicked"));
            all += tally?;
        }
        Ok(all)
    })
}

/// Runs one target; whether anything was found.
fn run_one(layout: &Layout, fuzzer: &Path, target: &str, seconds: u32, seed: u32) -> Result<bool> {
    let (corpus, crashes) =
        (own(layout).join("corpus").join(target), own(layout).join("crashes").join(target));
    for folder in [&corpus, &crashes] {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let mut command = prepared(fuzzer, target);
    // New inputs go to the first folder.
    command.arg(&corpus).arg(seeds(layout).join(target));
    command.arg(format!("-max_total_time={seconds}")).arg(format!("-artifact_prefix={}/", crashes.display()));
    command.arg("-print_final_stats=1").arg(format!("-seed={seed}"));
    let finished = shell::run_logged(layout, &format!("fuzz-{target}"), &mut command)?;
    let log = fs::read(&finished.log).context("cannot read the log of the fuzzer")?;
    let log = Log(&String::from_utf8_lossy(&log));
    if finished.status.success() {
        let (runs, coverage) = log.done().with_context(|| {
            format!("{target}: the fuzzer was not guided by coverage; see {}", finished.log.display())
        })?;
        println!("  {target}: {runs} inputs, {coverage} branches seen");
        return Ok(false);
    }
    let input = log.written().with_context(|| {
        format!("{target}: the fuzzer failed, but left no input; see {}", finished.log.display())
    })?;
    println!("  FAILED {target}: {}", log.reason());
    println!("    log:   {}", finished.log.display());
    println!("    again: cargo xtask fuzz --only {target} --input {input}");
    Ok(true)
}

/// Runs a target on one input and shows its output. Returns whether it passes.
fn replay(fuzzer: &Path, target: &str, input: &Path) -> Result<bool> {
    ensure!(input.is_file(), "there is no file {}", input.display());
    let status = prepared(fuzzer, target).arg(input).status().context("cannot start the fuzzer")?;
    Ok(status.success())
}

fn prepared(fuzzer: &Path, target: &str) -> Command {
    let mut command = shell::command(fuzzer);
    command.env("FUZZ_TARGET", target).env("RUST_BACKTRACE", "1");
    command.arg(format!("-timeout={TIMEOUT}")).arg(format!("-rss_limit_mb={MEMORY_MIB}"));
    command.arg(format!("-max_len={LONGEST_INPUT}"));
    command
}

/// What libFuzzer prints.
#[derive(Clone, Copy)]
struct Log<'a>(&'a str);

impl<'a> Log<'a> {
    /// How many inputs were run and how many branches were taken, if it was guided by those.
    fn done(self) -> Option<(u64, u64)> {
        let number = |text: &str| text.split_whitespace().next()?.parse().ok();
        let runs = number(self.after("stat::number_of_executed_units:")?)?;
        let coverage = number(self.after(" cov: ")?)?;
        Some((runs, coverage)).filter(|_| self.0.contains("inline 8-bit counters"))
    }

    /// The file with the input that failed.
    fn written(self) -> Option<&'a str> {
        self.after("Test unit written to ")?.lines().next()
    }

    /// What went wrong: a panic, or what libFuzzer says about it.
    fn reason(self) -> String {
        match self.after("panicked at ") {
            Some(panic) => panic.lines().take(2).collect::<Vec<_>>().join(" "),
            None => {
                self.after("SUMMARY: ").and_then(|line| line.lines().next()).unwrap_or_default().to_owned()
            }
        }
    }

    /// What follows the last of these words.
    fn after(self, words: &str) -> Option<&'a str> {
        self.0.rsplit_once(words).map(|(_, after)| after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "\
INFO: Loaded 1 modules   (14618 inline 8-bit counters): 14618 [0x55915d8d3dd0, 0x55915d8d76ea),
#2	INITED cov: 137 ft: 138 corp: 1/1b exec/s: 0 rss: 29Mb
#19172	DONE   cov: 346 ft: 761 corp: 118/20Kb lim: 211 exec/s: 2130 rss: 29Mb
stat::number_of_executed_units: 19172
";

    const BAD: &str = "\
thread '<unnamed>' (26040) panicked at fuzz/src/chunk.rs:81:41:
what was encoded is not decoded
stack backtrace:
SUMMARY: libFuzzer: deadly signal
artifact_prefix='crash/szip/'; Test unit written to crash/szip/crash-b3c5
Base64: Pwo=
";

    #[test]
    fn a_run_to_the_end_is_understood() {
        assert_eq!(Log(GOOD).done(), Some((19172, 346)));
        assert_eq!(Log(GOOD).written(), None);
        assert_eq!(Log(&GOOD.replace("inline 8-bit counters", "")).done(), None);
    }

    #[test]
    fn a_finding_is_understood() {
        assert_eq!(Log(BAD).written(), Some("crash/szip/crash-b3c5"));
        assert_eq!(Log(BAD).reason(), "fuzz/src/chunk.rs:81:41: what was encoded is not decoded");
        assert_eq!(Log("SUMMARY: libFuzzer: timeout\n").reason(), "libFuzzer: timeout");
    }

    #[test]
    fn there_are_targets() {
        let layout = Layout::of_this_workspace().expect("a workspace");
        assert!(targets(&layout).expect("a corpus").contains(&"pipeline".to_owned()));
    }
}
