//! The controller measures nothing itself. It starts a worker for each scenario, reads its events, and makes rows of them.

mod choice;
mod figures;
mod folder;
mod hosts;
mod interrupt;
mod machine;
mod process;
mod proof;
mod spread;
mod terminal;

pub use choice::{Unknown, choose};
pub use figures::measured;
pub use folder::{Folder, default_parent};
pub use hosts::Host;
pub use interrupt::{interrupted_by, was_interrupted, watch_for_interrupts};
pub use machine::{FileSystem, Machine, today};
pub use terminal::{width_of_errors, width_of_output};

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use bench_report::{Outcome, Peak, Row};

use crate::{Event, Finished, Own, Purpose, Request, Scenario, Way};
use hosts::host_for;
use process::Ended;
use proof::judge;

/// The variable that loads a connector for all files. Workers must not have it: they choose the connector per file.
const VOL_CONNECTOR: &str = "HDF5_VOL_CONNECTOR";
const PLUGIN_PATH: &str = "HDF5_PLUGIN_PATH";
const STATS: &str = "BYPASS_VOL_STATS";
const NTHREADS: &str = "BYPASS_VOL_NTHREADS";
const NO_POOL: &str = "BYPASS_VOL_NO_TPOOL";
const TRACE: &str = "BYPASS_VOL_TRACE";

/// How everything is measured.
#[derive(Debug)]
pub struct Setting {
    /// The worker's program, and its argument before the request.
    pub worker: (PathBuf, &'static str),
    /// `HDF5_PLUGIN_PATH`, with the connector's folder in it.
    pub plugin_path: OsString,
    /// A folder with filter plugins for native HDF5.
    pub filters: Option<PathBuf>,
    /// The libhdf5 copies, in order of preference.
    pub hosts: Vec<Host>,
    /// The folder for generated files.
    pub folder: PathBuf,
    /// The size of most datasets in MiB.
    pub mebibytes: u32,
    /// The number of rounds of each scenario.
    pub rounds: u32,
    /// The number of application threads in the scenarios that have several.
    pub application_threads: u32,
    /// The number of threads that work on one call, unless the scenario says otherwise, and that of the limit.
    pub pool_threads: u32,
    /// Whether files are dropped from the system's cache before each pass.
    pub is_cold: bool,
    /// A worker that is silent for this long is killed.
    pub silence: Duration,
}

/// A scenario to measure.
#[derive(Debug, Clone)]
pub struct Job {
    /// What is measured.
    pub scenario: Scenario,
    /// The heading of its row.
    pub group: String,
    /// The user's dataset, if it is measured on one.
    pub own: Option<Own>,
}

/// Is told about the progress.
pub trait Watch {
    /// The scenario with this number, counted from 0, begins.
    fn begins(&mut self, number: usize, scenario: &Scenario);
    /// A worker sent an event.
    fn hears(&mut self, event: &Event);
}

/// Measures all scenarios, one after the other. If one fails, that is its outcome. If the user interrupts, the result has the
/// rows so far.
pub fn measure(setting: &Setting, jobs: &[Job], watch: &mut dyn Watch) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut unreadable: Option<&Own> = None;
    for (number, job) in jobs.iter().enumerate() {
        if was_interrupted() {
            break;
        }
        // If a dataset cannot be read at all, one row says so.
        if job.own.is_some() && job.own.as_ref() == unreadable {
            continue;
        }
        watch.begins(number, &job.scenario);
        let row = setting.row(job, watch);
        if was_interrupted() {
            break;
        }
        if matches!(row.outcome, Outcome::Skipped(_)) && job.scenario.application_threads <= 1 {
            unreadable = job.own.as_ref();
        }
        rows.push(row);
    }
    rows
}

/// Runs a scenario once through the connector, which writes a trace of its threads to `file`. Returns whether that worked: a
/// missing picture is not an error.
pub fn trace(setting: &Setting, job: &Job, file: &Path) -> bool {
    let Ok(host) = host_for(&setting.hosts, &job.scenario) else { return false };
    let Ok(mut command) = setting.command(job, host, Purpose::Peak(Way::Bypass)) else { return false };
    command.env(TRACE, file);
    let ended = process::run(command, setting.silence, &mut |_| {});
    ended.is_ok_and(|ended| ended.trouble().is_none() && matches!(ended.answer, Some(Event::Peak(_))))
}

impl Setting {
    fn row(&self, job: &Job, watch: &mut dyn Watch) -> Row {
        let scenario = &job.scenario;
        let host = host_for(&self.hosts, scenario);
        let library = host.as_ref().map(|host| host.name.clone()).unwrap_or_default();
        let outcome = match host {
            Ok(host) => self.outcome(job, host, watch),
            Err(reason) => Outcome::Skipped(reason),
        };
        Row {
            // The same scenario is measured on many datasets.
            name: format!("{}{}", scenario.name, job.own.as_ref().map_or("", |own| &own.dataset)),
            group: job.group.clone(),
            what: scenario.what.clone(),
            library,
            application_threads: scenario.application_threads,
            pool_threads: if scenario.has_pool { self.pool_of(scenario) } else { 1 },
            cell: scenario.cell,
            asked: scenario.asked,
            outcome,
        }
    }

    fn outcome(&self, job: &Job, host: &Host, watch: &mut dyn Watch) -> Outcome {
        let (ended, statistics) = match self.work(job, host, Purpose::Measure { rounds: self.rounds }, watch)
        {
            Ok(ended) => ended,
            Err(reason) => return Outcome::Failed(reason),
        };
        match &ended.answer {
            Some(Event::Finished(finished)) => {
                self.figures(job, host, finished, &statistics, watch).unwrap_or_else(Outcome::Failed)
            }
            Some(Event::Skipped(reason)) => Outcome::Skipped(reason.clone()),
            Some(Event::Failed(reason)) => Outcome::Failed(reason.clone()),
            other => Outcome::Failed(format!("the worker answered what was not asked: {other:?}")),
        }
    }

    fn figures(
        &self,
        job: &Job,
        host: &Host,
        finished: &Finished,
        statistics: &str,
        watch: &mut dyn Watch,
    ) -> Result<Outcome, String> {
        let peak = if job.scenario.measures_peak {
            let native = self.peak(job, host, Way::Native, watch)?;
            Some(Peak { native, bypass: self.peak(job, host, Way::Bypass, watch)? })
        } else {
            None
        };
        let proof = judge(statistics, job.scenario.may_pass_on);
        Ok(Outcome::Measured(Box::new(measured(finished, peak, proof)?)))
    }

    /// The memory that one pass needs in addition to the application's.
    fn peak(&self, job: &Job, host: &Host, way: Way, watch: &mut dyn Watch) -> Result<u64, String> {
        let failed = |reason: String| format!("its memory could not be measured: {reason}");
        let (ended, _) = self.work(job, host, Purpose::Peak(way), watch).map_err(failed)?;
        match ended.answer {
            Some(Event::Peak(bytes)) => Ok(bytes),
            Some(Event::Skipped(reason) | Event::Failed(reason)) => Err(failed(reason)),
            other => Err(failed(format!("the worker answered what was not asked: {other:?}"))),
        }
    }

    /// Runs a worker. Gives how it ended, and the statistics of its connector. A worker that crashed is an error.
    fn work(
        &self,
        job: &Job,
        host: &Host,
        purpose: Purpose,
        watch: &mut dyn Watch,
    ) -> Result<(Ended, String), String> {
        let mut command = self.command(job, host, purpose)?;
        let statistics = self.statistics();
        command.env(STATS, &statistics);
        let ended = process::run(command, self.silence, &mut |event| watch.hears(event))
            .map_err(|error| format!("cannot start the worker: {error}"))?;
        // If there are none, the connector was not loaded.
        let said = fs::read_to_string(&statistics).unwrap_or_default();
        let _ = fs::remove_file(&statistics);
        match ended.trouble() {
            Some(trouble) => Err(format!("the worker {trouble}")),
            None => Ok((ended, said)),
        }
    }

    fn command(&self, job: &Job, host: &Host, purpose: Purpose) -> Result<Command, String> {
        let request = Request {
            library: host.path.clone(),
            filters: self.filters.clone(),
            scenario: job.scenario.name.clone(),
            own: job.own.clone(),
            folder: self.folder.clone(),
            mebibytes: self.mebibytes,
            application_threads: self.application_threads,
            limit_threads: self.pool_threads,
            is_cold: self.is_cold,
            purpose,
        };
        let (program, argument) = &self.worker;
        let mut command = Command::new(program);
        // This fails only for a path that is not UTF-8.
        let request =
            serde_json::to_string(&request).map_err(|error| format!("cannot make the request: {error}"))?;
        command.arg(argument).arg(request);
        command.env_remove(VOL_CONNECTOR).env_remove(TRACE).env_remove(NO_POOL);
        command.env(PLUGIN_PATH, &self.plugin_path);
        command.env(NTHREADS, self.pool_of(&job.scenario).to_string());
        if !job.scenario.has_pool {
            command.env(NO_POOL, "true");
        }
        command.envs(host.variables.iter().map(|(name, value)| (name, value)));
        Ok(command)
    }

    /// Where the connector in the next worker writes its statistics. It does not overwrite an existing file.
    fn statistics(&self) -> PathBuf {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        self.folder.join(format!("statistics-{}.json", NUMBER.fetch_add(1, Relaxed)))
    }

    fn pool_of(&self, scenario: &Scenario) -> u32 {
        scenario.pool_threads.unwrap_or(self.pool_threads)
    }
}
