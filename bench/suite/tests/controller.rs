//! What becomes of workers that do what they should, and of those that do not: a shell script plays them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use bench_report::{Outcome, Proof, Row};
use bench_suite::controller::{Host, Job, Setting, Watch, measure, trace};
use bench_suite::{Event, Own, Scenario};

/// Does what the name of the scenario says. What it is asked, and with which variables, it puts into a file.
const WORKER: &str = r#"#!/bin/sh
log=$(dirname "$0")/$(echo "$2" | sed 's/.*"scenario":"\([a-z-]*\)".*/\1/').log
echo "$1 threads=$BYPASS_VOL_NTHREADS pool=$BYPASS_VOL_NO_TPOOL stats=$(basename "$BYPASS_VOL_STATS" | tr -d 0-9) path=$HDF5_PLUGIN_PATH" \
    "connector=$HDF5_VOL_CONNECTOR extra=$EXTRA $2" >> "$log"
reads() { echo "\"reads\":{\"bypassed\":$1,\"bytes\":8,\"passed_on\":$2}"; }
summary() {
    echo "{$(reads $1 $2),\"writes\":{\"bypassed\":0,\"bytes\":0,\"passed_on\":0},\"reasons\":[$3]}" > "$BYPASS_VOL_STATS"
}
compact='{"code":"compact","direction":"read","count":2,"sentence":"it is compact"}'
samples='{"seconds":[0.2,0.4,0.6],"cpu":[0.2,0.4,0.6]}'
half='{"seconds":[0.1,0.2,0.3],"cpu":[0.4,0.8,1.2]}'
figures="{\"bytes\":100,\"calls\":1,\"unit\":\"rate\",\"native\":$samples,\"bypass\":$half,\"limit\":null,\"sizes\":null}"
finish() { echo "{\"Finished\":$figures}"; }
[ -z "$BYPASS_VOL_TRACE" ] || echo traced > "$BYPASS_VOL_TRACE"
case "$2" in
    *'"Peak":"Native"'*) echo '{"Peak":1000}'; exit ;;
    *no-memory*'"Peak":"Bypass"'*) echo '{"Failed":"no such file"}'; exit 1 ;;
    *'"Peak":"Bypass"'*) echo '{"Peak":10}'; exit ;;
    *good*|*no-memory*) echo '{"Stage":"comparing"}'; echo '{"Round":{"done":1,"of":3}}'; finish; summary 9 0 ;;
    *passed-on*) finish; summary 1 2 "$compact" ;;
    *crashing*) echo '{"Stage":"comparing"}'; kill -SEGV $$ ;;
    *hanging*) sleep 60 ;;
    *rubbish*) echo 'all is well' ;;
    *other*) echo '{"Peak":3}' ;;
    *skipping*) echo '{"Skipped":"no filter"}' ;;
    *failing*) echo '{"Failed":"wrong data"}'; exit 1 ;;
    *broken*) echo '{"Finished":{"bytes":1}}' ;;
esac
"#;

/// The folder of the script, which is there before anybody starts a process.
fn folder() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("controller");
        // What the last run left.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("worker"), WORKER).unwrap();
        fs::set_permissions(folder.join("worker"), fs::Permissions::from_mode(0o755)).unwrap();
        folder
    })
}

fn setting() -> Setting {
    let host = |name: &str, is_thread_safe| Host {
        name: name.into(),
        path: format!("/lib/{name}.so").into(),
        version: "2.0.0".into(),
        is_thread_safe,
        variables: vec![("EXTRA".into(), name.into())],
    };
    Setting {
        worker: (folder().join("worker"), "bench-worker"),
        plugin_path: "/plugins:/more".into(),
        filters: None,
        hosts: vec![host("first", false), host("safe", true)],
        folder: folder().clone(),
        mebibytes: 4,
        rounds: 3,
        application_threads: 4,
        pool_threads: 2,
        is_cold: false,
        silence: Duration::from_secs(10),
    }
}

fn job(name: &str) -> Job {
    Job { scenario: Scenario::new(name, "Group", "what"), group: "Group".into(), own: None }
}

/// Keeps what it hears.
#[derive(Default)]
struct Heard(Vec<String>);

impl Watch for Heard {
    fn begins(&mut self, number: usize, scenario: &Scenario) {
        self.0.push(format!("{number} {}", scenario.name));
    }

    fn hears(&mut self, event: &Event) {
        self.0.push(format!("{event:?}"));
    }
}

fn row(setting: &Setting, job: Job) -> Row {
    let mut rows = measure(setting, &[job], &mut Heard::default());
    assert_eq!(rows.len(), 1);
    rows.remove(0)
}

fn failure(name: &str) -> String {
    match row(&setting(), job(name)).outcome {
        Outcome::Failed(reason) => reason,
        other => panic!("{other:?}"),
    }
}

/// What the script was asked.
fn asked(name: &str) -> Vec<String> {
    fs::read_to_string(folder().join(name).with_extension("log")).unwrap().lines().map(String::from).collect()
}

#[test]
fn figures_come_with_proof_and_memory() {
    let mut good = job("good");
    good.scenario.measures_peak = true;
    let mut heard = Heard::default();
    let rows = measure(&setting(), &[good], &mut heard);
    let Outcome::Measured(measured) = &rows[0].outcome else { panic!("{rows:?}") };
    assert_eq!((rows[0].library.as_str(), rows[0].pool_threads, measured.bytes), ("first", 2, 100));
    assert_eq!(measured.proof, Proof::Bypassed);
    assert!((measured.ratio.median - 2.0).abs() < 1e-9 && (measured.cpu_ratio.median - 0.5).abs() < 1e-9);
    assert_eq!(measured.peak.map(|peak| (peak.native, peak.bypass)), Some((1000, 10)));
    assert_eq!(heard.0, ["0 good", "Stage(\"comparing\")", "Round { done: 1, of: 3 }"]);
    let asked = asked("good");
    assert_eq!(asked.len(), 3);
    let variables =
        "bench-worker threads=2 pool= stats=statistics-.json path=/plugins:/more connector= extra=first ";
    assert!(asked.iter().all(|line| line.starts_with(variables)), "{asked:?}");
    assert!(
        asked[0].contains(r#""library":"/lib/first.so""#) && asked[0].contains(r#""rounds":3"#),
        "{asked:?}"
    );
}

#[test]
fn threads_are_said_by_variables() {
    let mut threads = job("good-threads");
    threads.scenario.application_threads = 4;
    threads.scenario.has_pool = false;
    let found = row(&setting(), threads);
    assert_eq!((found.library.as_str(), found.application_threads, found.pool_threads), ("safe", 4, 1));
    assert!(asked("good-threads")[0].contains("threads=2 pool=true"), "{:?}", asked("good-threads"));

    let mut scaling = job("good-scaling");
    scaling.scenario.pool_threads = Some(7);
    assert_eq!(row(&setting(), scaling).pool_threads, 7);
    assert!(asked("good-scaling")[0].contains("threads=7 pool= "));

    let mut alone = setting();
    alone.hosts.pop();
    let mut threads = job("good-alone");
    threads.scenario.application_threads = 4;
    assert!(matches!(row(&alone, threads).outcome, Outcome::Skipped(reason) if reason.contains("--host")));
}

#[test]
fn whatever_a_worker_does_has_an_outcome() {
    assert!(failure("crashing").contains("crashed with signal 11"));
    assert!(failure("rubbish").contains("'all is well'"));
    assert!(failure("other").contains("what was not asked"));
    assert!(failure("broken").contains("gave no answer"));
    assert_eq!(failure("failing"), "wrong data");
    let skipped = row(&setting(), job("skipping")).outcome;
    assert_eq!(skipped, Outcome::Skipped("no filter".into()));
    let Outcome::Measured(measured) = row(&setting(), job("passed-on")).outcome else { panic!() };
    assert_eq!(measured.proof, Proof::PassedOn("2 of 3 reads: it is compact".into()));
    let mut no_memory = job("no-memory");
    no_memory.scenario.measures_peak = true;
    let reason = row(&setting(), no_memory).outcome;
    assert_eq!(reason, Outcome::Failed("its memory could not be measured: no such file".into()));
}

#[test]
fn one_that_hangs_is_given_up_and_the_next_is_measured() {
    let (start, hasty) = (Instant::now(), Setting { silence: Duration::from_millis(500), ..setting() });
    let rows = measure(&hasty, &[job("hanging"), job("good-after")], &mut Heard::default());
    assert!(start.elapsed() < Duration::from_secs(30));
    assert!(matches!(&rows[0].outcome, Outcome::Failed(reason) if reason.contains("did not respond")));
    assert!(matches!(&rows[1].outcome, Outcome::Measured(_)), "{rows:?}");
}

#[test]
fn a_program_that_cannot_be_started_is_a_failure() {
    let nobody = Setting { worker: ("/no/such/program".into(), "bench-worker"), ..setting() };
    assert!(
        matches!(row(&nobody, job("good")).outcome, Outcome::Failed(reason) if reason.contains("cannot start"))
    );
}

#[test]
fn of_a_dataset_that_cannot_be_read_it_is_said_once() {
    let own = |name: &str, dataset: &str| {
        let own = Own { file: "/data.h5".into(), dataset: dataset.into() };
        Job { own: Some(own), group: dataset.into(), ..job(name) }
    };
    let jobs = [own("skipping", "/a"), own("good", "/a"), own("skipping", "/b"), own("good-own", "/c")];
    let rows = measure(&setting(), &jobs, &mut Heard::default());
    let names: Vec<_> = rows.iter().map(|row| (row.name.as_str(), row.group.as_str())).collect();
    assert_eq!(names, [("skipping/a", "/a"), ("skipping/b", "/b"), ("good-own/c", "/c")]);
}

#[test]
fn a_trace_is_written_where_it_is_asked_for() {
    let file = folder().join("trace");
    assert!(trace(&setting(), &job("good-traced"), &file));
    assert_eq!(fs::read_to_string(&file).unwrap(), "traced\n");
    assert!(!trace(&setting(), &job("no-memory"), &file));
}
