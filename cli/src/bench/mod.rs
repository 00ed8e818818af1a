//! `h5bypass bench`: chooses the scenarios and the libhdf5, has each measured in a separate process, and shows the results.

mod command_line;
mod hosts;
mod list;
mod output;
mod own_file;
mod progress;

use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use bench_report::chrome_trace::timeline;
use bench_report::{About, FORMAT, Outcome, Proof, RatioOf, Results, Row, Tally, Timeline};
use bench_suite::Scenario;
use bench_suite::controller::{
    self, FileSystem, Folder, Host, Job, Machine, Setting, Unknown, choose, default_parent, was_interrupted,
};

use crate::args::{BENCH_WORKER, BenchArgs};
use crate::environment::{NO_PLUGINS, PLUGIN_PRELOAD};
use crate::explain::hdf5_file;
use crate::explain::size::Bytes;
use crate::explain::wording::printable;
use crate::libraries::survey::Survey;
use crate::plain;
use own_file::Plan;
use progress::Progress;

/// The exit code if something could not be measured, or the file cannot be read.
const EXIT_FAILED: u8 = 1;

/// Defaults for the options that say how much is measured.
struct Defaults {
    mebibytes: u32,
    rounds: u32,
}

const SUITE: Defaults = Defaults { mebibytes: 256, rounds: 11 };
const QUICK_SUITE: Defaults = Defaults { mebibytes: 16, rounds: 3 };
const OWN_FILE: Defaults = Defaults { mebibytes: 1024, rounds: 5 };
const QUICK_OWN_FILE: Defaults = Defaults { mebibytes: 64, rounds: 3 };

/// Measures and shows the results.
pub(crate) fn bench(args: &BenchArgs) -> Result<ExitCode> {
    if args.list {
        let chosen = suite(args)?;
        return match list::write(&mut anstream::stdout().lock(), &chosen) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error).context(plain::NO_OUTPUT),
            _ => Ok(ExitCode::SUCCESS),
        };
    }
    output::check(args)?;
    check_surroundings(args)?;
    if let Some((file, cause)) =
        args.file.as_deref().and_then(|file| Some((file, hdf5_file::unusable(file)?)))
    {
        plain::say(&format!("{}: {cause}", printable(&file.to_string_lossy())));
        return Ok(ExitCode::from(EXIT_FAILED));
    }
    let machine = Machine::this();
    let mebibytes = mebibytes(args, &machine);
    let chosen = if args.file.is_none() { suite(args)? } else { Vec::new() };
    let survey = Survey::new(args.plugin_dir.as_deref())?;
    let hosts = hosts::choose(&survey, &args.hosts)?;
    let plan = match &args.file {
        None => {
            let job = |scenario: Scenario| Job { group: scenario.group.to_owned(), scenario, own: None };
            Plan { jobs: chosen.into_iter().map(job).collect(), notes: Vec::new() }
        }
        Some(file) => match own_file::plan(args, file, mebibytes, &survey, &hosts) {
            Ok(plan) => plan,
            // This is a wrong option. All other errors are about the file.
            Err(error) if error.is::<Unknown>() => return Err(error),
            Err(error) => {
                plain::say(&format!("{error:#}"));
                return Ok(ExitCode::from(EXIT_FAILED));
            }
        },
    };
    for note in &plan.notes {
        plain::say(&printable(note));
    }
    let folder = folder(args, mebibytes, plan.jobs.len())?;
    let setting = Setting {
        worker: (std::env::current_exe().context("cannot determine the path of this program")?, BENCH_WORKER),
        plugin_path: survey.plugin_path().to_owned(),
        filters: args.filters.clone().or_else(|| hosts::filters(&survey)),
        hosts,
        folder: folder.path().to_owned(),
        mebibytes,
        rounds: args.rounds.unwrap_or(defaults(args).rounds),
        application_threads: args.threads,
        pool_threads: args.pool.unwrap_or(machine.cores),
        is_cold: args.cold,
        silence: Duration::from_secs(args.timeout),
    };
    let rows = controller::measure(&setting, &plan.jobs, &mut Progress::new(plan.jobs.len()));
    let timeline = draw(&setting, &plan.jobs, &rows);
    let measured_on = args.file.as_deref().unwrap_or(folder.path());
    let about = about(args, &setting, machine, measured_on, &rows);
    finish(args, &Results { format: FORMAT, about, rows, timeline }, plan.jobs.len())
}

/// Shows and writes the results.
fn finish(args: &BenchArgs, results: &Results, all: usize) -> Result<ExitCode> {
    if results.rows.is_empty() && was_interrupted() {
        plain::say("interrupted before anything was measured");
        return Ok(ExitCode::from(EXIT_FAILED));
    }
    output::print(results)?;
    output::write(args, results)?;
    if was_interrupted() {
        plain::say(&format!("interrupted after {} of {all} measurements", results.rows.len()));
    }
    Ok(if Tally::of(results).failed > 0 { ExitCode::from(EXIT_FAILED) } else { ExitCode::SUCCESS })
}

fn defaults(args: &BenchArgs) -> Defaults {
    match (args.file.is_some(), args.quick) {
        (false, false) => SUITE,
        (false, true) => QUICK_SUITE,
        (true, false) => OWN_FILE,
        (true, true) => QUICK_OWN_FILE,
    }
}

/// The size that the options ask for. With a file, it is at most a third of the free memory.
fn mebibytes(args: &BenchArgs, machine: &Machine) -> u32 {
    let default = defaults(args).mebibytes;
    let room = u32::try_from(machine.available >> 20).unwrap_or(u32::MAX) / 3;
    let default = if args.file.is_some() && room > 0 { default.min(room) } else { default };
    args.size.unwrap_or(default)
}

/// The chosen scenarios.
fn suite(args: &BenchArgs) -> Result<Vec<Scenario>> {
    let chosen = choose(&bench_suite::scenarios(args.threads), &args.only, &args.group)
        .map_err(|unknown| anyhow!("{unknown}\n  `h5bypass bench --list` lists all"))?;
    if chosen.is_empty() {
        bail!("no scenario matches both --only and --group");
    }
    Ok(chosen)
}

/// Finds problems now that would otherwise show up only after some time.
fn check_surroundings(args: &BenchArgs) -> Result<()> {
    if std::env::var_os(PLUGIN_PRELOAD).is_some_and(|value| value == NO_PLUGINS) {
        bail!("{PLUGIN_PRELOAD} is '{NO_PLUGINS}', which makes HDF5 load no plugins at all: unset it");
    }
    if let Some(dir) = args.filters.as_deref().filter(|dir| !dir.is_dir()) {
        bail!("--filters {} is not a directory", dir.display());
    }
    let Some(file) = &args.file else { return Ok(()) };
    if file.to_str().is_none() {
        bail!("{}: files whose names are not UTF-8 cannot be measured", file.display());
    }
    Ok(())
}

/// The directory for generated files, with enough free space for this number of scenarios.
fn folder(args: &BenchArgs, mebibytes: u32, scenarios: usize) -> Result<Folder> {
    if args.file.is_some() {
        // No dataset is generated for it, but the connector's trace goes there.
        return Ok(Folder::below(&std::env::temp_dir(), false)?);
    }
    let parent = args.folder.clone().unwrap_or_else(default_parent);
    let folder = Folder::below(&parent, args.keep)?;
    let (needed, there) = (bytes_of_files(mebibytes, scenarios), FileSystem::of(folder.path())?);
    if there.free < needed {
        bail!(
            "{}: the files need up to {}, but only {} are free\n  choose another directory with --folder, or smaller datasets with --size",
            parent.display(),
            Bytes(needed),
            Bytes(there.free)
        );
    }
    plain::say(&format!("generating up to {} of files in {}", Bytes(needed), parent.display()));
    Ok(folder)
}

/// The space that this number of scenarios may need. Each has up to three datasets, and many share them.
fn bytes_of_files(mebibytes: u32, scenarios: usize) -> u64 {
    const EACH: u64 = 3;
    const ALL: u64 = 24;
    const SMALL_FILES: u64 = 256;
    (u64::from(mebibytes) * ALL.min(EACH.saturating_mul(scenarios as u64)) + SMALL_FILES) << 20
}

/// What the threads do during one compressed read, for the page. `None` if that cannot be recorded.
fn draw(setting: &Setting, jobs: &[Job], rows: &[Row]) -> Option<Timeline> {
    if was_interrupted() {
        return None;
    }
    let is_bypassed = |job: &&Job| {
        let of_job = |row: &&Row| row.name.starts_with(&job.scenario.name) && row.group == job.group;
        rows.iter().find(of_job).is_some_and(|row| match &row.outcome {
            Outcome::Measured(measured) => measured.proof == Proof::Bypassed,
            _ => false,
        })
    };
    let is_telling = |job: &&Job| {
        let Scenario { name, application_threads, has_pool, pool_threads, .. } = &job.scenario;
        let is_compressed = job.own.is_some() || name.contains("gzip") && !name.contains("writ");
        let is_parallel = *has_pool && pool_threads.unwrap_or(setting.pool_threads) > 1;
        is_compressed && is_parallel && *application_threads == 1
    };
    let job = jobs.iter().filter(is_telling).find(is_bypassed)?;
    let file = setting.folder.join("trace.json");
    if !controller::trace(setting, job, &file) {
        return None;
    }
    let what = match &job.own {
        Some(own) => format!("{}: {}", own.dataset, job.scenario.what),
        None => job.scenario.what.clone(),
    };
    let trace = std::fs::read_to_string(&file).ok();
    // The trace does not belong in a kept folder.
    let _ = std::fs::remove_file(&file);
    timeline(&trace?, &what).ok()
}

fn about(args: &BenchArgs, setting: &Setting, machine: Machine, measured_on: &Path, rows: &[Row]) -> About {
    let used = |host: &&Host| rows.iter().any(|row| row.library == host.name);
    About {
        command: command_line::command_line(args, &setting.hosts),
        date: controller::today(),
        version: env!("CARGO_PKG_VERSION").into(),
        processor: machine.processor,
        processor_model: machine.processor_model,
        cores: machine.cores,
        memory: machine.memory,
        system: machine.system,
        file_system: FileSystem::of(measured_on).map_or_else(|_| "unknown".into(), |found| found.kind),
        libraries: setting.hosts.iter().filter(used).map(Host::library).collect(),
        rounds: setting.rounds,
        mebibytes: setting.mebibytes,
        is_cold: setting.is_cold,
        load: machine.load,
        ratio_of: RatioOf::Rounds,
        file: args.file.as_deref().map(command_line::file_name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_scenarios_need_more_room_up_to_an_end() {
        assert_eq!(bytes_of_files(256, 1), 1 << 30);
        assert_eq!(bytes_of_files(256, 1000), bytes_of_files(256, 8));
        assert!(bytes_of_files(u32::MAX, usize::MAX >> 2) > 1 << 50);
    }
}
