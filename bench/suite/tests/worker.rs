//! Every scenario in a process of its own, on little data, with the stock libhdf5 copies and the built connector: each gives
//! figures, or says why it cannot.
//!
//! This program is both the test and the worker that it starts. As other tests it needs `H5_HOSTS_FILE`, and for the
//! connector `H5BYPASS_PLUGIN_DIR`: `cargo xtask test` sets them.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use bench_suite::{Event, Finished, Purpose, Request, Scenario, Way, scenarios, work};

const THREADS: u32 = 4;
/// Workers at a time.
const LANES: usize = 2;
/// The hosts for one thread, one for each of them.
const OTHERS: [&str; LANES] = ["h5py", "netCDF4"];
/// The host that several threads may use.
const THREAD_SAFE: &str = "tables";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, request] = &arguments[..]
        && first == "--work"
    {
        return work(request);
    }
    // What asks for a list gets an empty one; what asks for others than these tests gets none.
    if arguments.iter().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let hosts = &hosts();
    let report = &Report::default();
    let suite = Suite { hosts, folder: folder("others") };
    // Several at a time, each with files of its own.
    thread::scope(|scope| {
        for lane in 0..LANES {
            let suite = Suite { hosts, folder: folder(&format!("lane{lane}")) };
            scope.spawn(move || suite.every_scenario_gives_figures(lane, report));
        }
        report.test("what_needs_threads_is_skipped_elsewhere", || {
            suite.what_needs_threads_is_skipped_elsewhere();
        });
        report.test("memory_is_measured", || suite.memory_is_measured());
        report.test("cold_reads_are_reads", || suite.cold_reads_are_reads());
        report.test("failures_are_told", || suite.failures_are_told());
    });
    report.end()
}

/// Counts tests, and tells of them as the usual harness does, for whoever reads that.
#[derive(Default)]
struct Report {
    passed: AtomicUsize,
    failed: AtomicUsize,
}

impl Report {
    /// Runs a test, which fails by panicking.
    fn test(&self, name: &str, test: impl FnOnce()) {
        let has_passed = catch_unwind(AssertUnwindSafe(test)).is_ok();
        println!("test {name} ... {}", if has_passed { "ok" } else { "FAILED" });
        let count = if has_passed { &self.passed } else { &self.failed };
        count.fetch_add(1, Ordering::Relaxed);
    }

    fn end(&self) -> ExitCode {
        let (passed, failed) = (self.passed.load(Ordering::Relaxed), self.failed.load(Ordering::Relaxed));
        let is_well = passed > 0 && failed == 0;
        let word = if is_well { "ok" } else { "FAILED" };
        println!("\ntest result: {word}. {passed} passed; {failed} failed");
        if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// The stock libraries, by their names.
fn hosts() -> BTreeMap<String, PathBuf> {
    let file = std::env::var_os("H5_HOSTS_FILE").expect("H5_HOSTS_FILE is not set: run `cargo xtask test`");
    let list = std::fs::read_to_string(&file).expect("the list of hosts: run `cargo xtask test`");
    let pairs = list.lines().filter_map(|line| line.split_once('\t'));
    pairs.map(|(name, path)| (name.to_owned(), PathBuf::from(path))).collect()
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-suite-worker").join(name);
    // What the last run left.
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

impl Drop for Suite<'_> {
    fn drop(&mut self) {
        // What is left there does not harm.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

struct Suite<'hosts> {
    hosts: &'hosts BTreeMap<String, PathBuf>,
    folder: PathBuf,
}

impl Suite<'_> {
    fn request(&self, host: &str, scenario: &str) -> Request {
        Request {
            library: self.hosts[host].clone(),
            filters: None,
            scenario: scenario.to_owned(),
            own: None,
            folder: self.folder.clone(),
            mebibytes: 4,
            application_threads: THREADS,
            limit_threads: 2,
            is_cold: false,
            purpose: Purpose::Measure { rounds: 1 },
        }
    }

    /// One of so many, from this one on.
    fn every_scenario_gives_figures(&self, lane: usize, report: &Report) {
        for scenario in scenarios(THREADS).into_iter().skip(lane).step_by(LANES) {
            report.test(&format!("figures of {}", scenario.name), || self.gives_figures(&scenario, lane));
        }
    }

    fn gives_figures(&self, scenario: &Scenario, lane: usize) {
        let host = if scenario.application_threads > 1 { THREAD_SAFE } else { OTHERS[lane] };
        let no_pool = [("BYPASS_VOL_NO_TPOOL", "true")];
        let environment = if scenario.has_pool { &[][..] } else { &no_pool };
        let (event, errors) = done(&self.request(host, &scenario.name), environment);
        match event {
            Event::Finished(finished) => {
                look_at(&scenario.name, &finished);
                // Whether it should have bypassed more is judged by those who start workers.
                let is_loaded = errors.contains(" opened through the connector");
                assert!(is_loaded, "{}: {errors}", scenario.name);
            }
            Event::Skipped(why) => assert!(why.contains("filter"), "{}: {why}", scenario.name),
            other => panic!("{}: {other:?}", scenario.name),
        }
    }

    fn what_needs_threads_is_skipped_elsewhere(&self) {
        let scenario = scenarios(THREADS).into_iter().find(|scenario| scenario.application_threads > 1);
        let (event, _) = done(&self.request("h5py", &scenario.unwrap().name), &[]);
        let Event::Skipped(why) = event else { panic!("{event:?}") };
        assert!(why.contains("not built for several threads"), "{why}");
    }

    fn memory_is_measured(&self) {
        for way in [Way::Native, Way::Bypass] {
            let request = Request { purpose: Purpose::Peak(way), ..self.request("h5py", "chunks-1MiB") };
            let (event, _) = done(&request, &[]);
            // A chunk at least, and no second matrix.
            let Event::Peak(bytes) = event else { panic!("{event:?}") };
            assert!((1..64 << 20).contains(&bytes), "{way:?}: {bytes}");
        }
    }

    fn cold_reads_are_reads(&self) {
        let request = Request { is_cold: true, ..self.request("h5py", "contiguous") };
        let (event, _) = done(&request, &[]);
        match event {
            Event::Finished(finished) => look_at("contiguous", &finished),
            // In memory there is nothing to be dropped.
            Event::Skipped(why) => assert!(why.contains("does not drop"), "{why}"),
            other => panic!("{other:?}"),
        }
    }

    fn failures_are_told(&self) {
        let unknown = self.request("h5py", "nonsense");
        let missing =
            Request { library: PathBuf::from("/nowhere/libhdf5.so"), ..self.request("h5py", "tiles") };
        for (request, expected) in [(unknown, "no scenario 'nonsense'"), (missing, "/nowhere/libhdf5.so")] {
            let (event, _) = done(&request, &[]);
            let Event::Failed(why) = event else { panic!("{event:?}") };
            assert!(why.contains(expected), "{why}");
        }
        let (event, _) = done(&self.request("h5py", "tiles"), &[("HDF5_PLUGIN_PATH", "/nowhere")]);
        let Event::Failed(why) = event else { panic!("{event:?}") };
        assert!(why.contains("the connector 'bypass' was not found"), "{why}");
    }
}

/// What a worker says at last, and what the connector says.
fn done(request: &Request, environment: &[(&str, &str)]) -> (Event, String) {
    let plugins = std::env::var_os("H5BYPASS_PLUGIN_DIR")
        .expect("H5BYPASS_PLUGIN_DIR is not set: run `cargo xtask test`");
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--work", &serde_json::to_string(request).unwrap()]);
    command.env("HDF5_PLUGIN_PATH", plugins).env("BYPASS_VOL_STATS", "1");
    command.env_remove("HDF5_VOL_CONNECTOR").envs(environment.iter().copied());
    let output = command.output().unwrap();
    let (said, errors) = (text(&output.stdout), text(&output.stderr));
    let last = said.lines().last().unwrap_or_else(|| panic!("{request:?} says nothing: {errors}"));
    let last: Event = serde_json::from_str(last).unwrap_or_else(|error| panic!("{last}: {error}"));
    assert_eq!(output.status.success(), !matches!(last, Event::Failed(_)), "{last:?}, {errors}");
    (last, errors)
}

fn look_at(name: &str, finished: &Finished) {
    assert!(finished.bytes > 0 && finished.calls > 0, "{name}: {finished:?}");
    let samples = [Some(&finished.native), Some(&finished.bypass), finished.limit.as_ref()];
    for samples in samples.into_iter().flatten() {
        assert!(samples.seconds.len() == 1 && samples.seconds[0] > 0.0, "{name}: {finished:?}");
        assert!(samples.cpu.len() == 1 && samples.cpu[0] >= 0.0, "{name}: {finished:?}");
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
