//! Processes that share files through MPI: tests/c/mpi/mpi.c and tests/c/mpi/reads.c natively and through the connectors.
//!
//! The processes of a program must make the same collective calls in the same order, or they hang. If a program hangs, the case
//! that was started last has failed, and the program is started again with the cases after it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::connector::Connector;
use crate::layout::Layout;
use crate::report::Tally;
use crate::setup::Parallel;
use crate::shell;
use crate::statistics::{self, Statistics};
use crate::steps::mpi_example;

/// The numbers of processes with the first library, or with all of them.
const PROCESSES: [usize; 2] = [2, 4];
const ALL_PROCESSES: [usize; 4] = [1, 2, 4, 8];

/// A case takes less than a second, or some seconds if others use the machine.
const LONGEST_CASE: Duration = Duration::from_secs(180);

/// How often the program is started again. Cases that are never begun fail as well.
const MOST_STARTS: usize = 4;

/// How often the output is looked at.
const POLL: Duration = Duration::from_millis(50);

/// A program of tests/c/mpi, and what proves that it was run through the connector as it should be.
#[derive(Debug, Clone, Copy)]
struct Program {
    name: &'static str,
    /// Reasons (docs/reasons.md) for which some calls are left to native HDF5.
    reasons: &'static [&'static str],
    /// A value of `BYPASS_VOL_MPI`.
    switch: Option<&'static str>,
}

/// All of them. The switches are tried with few processes only.
const PROGRAMS: [Program; 4] = [
    Program { name: "mpi", reasons: &["mpi"], switch: None },
    Program { name: "reads", reasons: &["mpi-metadata", "mpi-layout", "mpi-unreadable"], switch: None },
    Program { name: "reads", reasons: &["mpi-aggregated"], switch: Some("filtered") },
    Program { name: "reads", reasons: &["mpi-native"], switch: Some("native") },
];

impl Program {
    fn label(self) -> String {
        self.switch.map_or_else(|| self.name.to_owned(), |switch| format!("{}-{switch}", self.name))
    }
}

/// The output of the processes in each case, or how a case without output ended.
type Said = BTreeMap<String, String>;

/// Builds the library and the program, and runs it: with one library, or with all that there are.
pub(crate) fn run(layout: &Layout, long: bool) -> Result<Tally> {
    let place = layout.scratch("mpi");
    shell::empty_folder(&place)?;
    let (libraries, processes): (_, &[usize]) = if long {
        (Parallel::make_all(layout)?, &ALL_PROCESSES)
    } else {
        (vec![Parallel::make(layout)?], &PROCESSES)
    };
    let mut tally = Tally::default();
    for (number, parallel) in libraries.iter().enumerate() {
        let place = place.join(number.to_string());
        shell::empty_folder(&place)?;
        tally += run_with(layout, parallel, &place, processes)?;
        tally += mpi_example::run(layout, parallel, &place)?;
    }
    if tally.failed == 0 {
        fs::remove_dir_all(&place).context("cannot clean up")?;
    }
    Ok(tally)
}

/// Compiles the programs with a library, and runs them.
fn run_with(layout: &Layout, parallel: &Parallel, place: &Path, processes: &[usize]) -> Result<Tally> {
    for name in ["mpi", "reads"] {
        let source = layout.root.join(format!("tests/c/mpi/{name}.c"));
        parallel.compile(layout, &source, &place.join(name))?;
    }
    let mut tally = Tally::default();
    let few = processes.iter().copied().find(|processes| *processes > 1);
    for &processes in processes {
        for program in PROGRAMS {
            if program.switch.is_some() && Some(processes) != few {
                continue;
            }
            let run = |connector: &Connector| Way { parallel, program, place, processes, connector }.run();
            let native = run(&Connector::native())?;
            // What is stacked matters most where calls are passed on.
            let is_stacked = program.name == "mpi" || (program.switch.is_none() && Some(processes) == few);
            let stacked = is_stacked.then(|| Connector::stats_over_bypass(layout));
            for connector in [Some(Connector::bypass(layout)), stacked].into_iter().flatten() {
                let through = run(&connector)?;
                let how = format!(
                    "{}, {processes} processes, {}, {}",
                    program.label(),
                    parallel.name(),
                    connector.label
                );
                tally += compare(&native, &through, &how);
            }
        }
    }
    Ok(tally)
}

/// Counts the cases that are as they are natively, and prints the others.
fn compare(native: &Said, through: &Said, how: &str) -> Tally {
    let mut tally = Tally::default();
    for (case, expected) in native {
        match through.get(case) {
            Some(said) if said == expected => tally.passed += 1,
            said => {
                let said = said.map_or("nothing", String::as_str);
                println!("  FAILED {case} ({how})\n    natively: {expected}\n    through it: {said}");
                tally.failed += 1;
            }
        }
    }
    tally
}

/// How the program is run.
struct Way<'a> {
    parallel: &'a Parallel,
    program: Program,
    place: &'a Path,
    processes: usize,
    connector: &'a Connector,
}

impl Way<'_> {
    fn label(&self) -> String {
        format!("{}-{}-{}", self.program.label(), self.connector.label, self.processes)
    }

    fn program(&self) -> PathBuf {
        self.place.join(self.program.name)
    }

    /// The folder for what the connector counts.
    fn counted(&self) -> PathBuf {
        self.place.join(format!("{}-counted", self.label()))
    }

    /// Runs all cases. If one hangs or ends the program, the program is started again with the next case.
    fn run(&self) -> Result<Said> {
        let (mut said, mut from) = (Said::new(), None);
        let names = self.names()?;
        shell::empty_folder(&self.counted())?;
        let mut errors = String::new();
        for _ in 0..MOST_STARTS {
            let (output, diagnosis, ended) = self.start(from.as_deref())?;
            errors.push_str(&diagnosis);
            let unfinished = read(&output, &mut said);
            let Some(case) = unfinished else {
                ensure!(ended.is_ok_and(|status| status.success()), "{}", describe(&ended, &diagnosis));
                self.prove(&errors)?;
                break;
            };
            let how = describe(&ended, &diagnosis);
            ensure!(self.connector.expected != ["native"], "natively {case} does not end: {how}");
            said.insert(case.clone(), how);
            from = names.iter().skip_while(|name| **name != case).nth(1).cloned();
            if from.is_none() {
                break;
            }
        }
        Ok(said)
    }

    /// The names of all cases, in their order.
    fn names(&self) -> Result<Vec<String>> {
        let mut list = self.parallel.mpiexec(1)?;
        list.arg(self.program()).arg("--list");
        let names = shell::capture("listing the cases with MPI", &mut list)?;
        Ok(names.lines().map(str::to_owned).collect())
    }

    /// Starts the processes at a case, and waits for them: what they said, and how they ended.
    fn start(&self, from: Option<&str>) -> Result<(String, String, Result<ExitStatus, &'static str>)> {
        let name = self.label();
        let folder = self.place.join(&name);
        shell::empty_folder(&folder)?;
        let [output, errors] = ["out", "err"].map(|end| self.place.join(format!("{name}.{end}")));
        let mut mpiexec = self.parallel.mpiexec(self.processes)?;
        mpiexec.arg(self.program()).arg(&folder).args(from);
        mpiexec.envs(self.program.switch.map(|switch| ("BYPASS_VOL_MPI", switch)));
        mpiexec
            .env("BYPASS_VOL_STATS", statistics::pattern(&self.counted()))
            .env("BYPASS_VOL_SMALL_READ", "0");
        mpiexec.env("H5STATS_OUT", folder.join("stats-%p"));
        self.connector.apply(&mut mpiexec);
        let to = |path: &PathBuf| File::create(path).context("cannot write the output of MPI");
        let child = mpiexec.stdout(to(&output)?).stderr(to(&errors)?).process_group(0).spawn();
        let ended = wait(child.context("cannot start mpiexec")?, &output)?;
        let text = |path: &PathBuf| -> Result<String> {
            Ok(String::from_utf8_lossy(&fs::read(path).context("cannot read the output of MPI")?)
                .into_owned())
        };
        Ok((text(&output)?, text(&errors)?, ended))
    }

    /// Fails unless all files were opened through the connector, which has bypassed some reads, and left others to native HDF5
    /// for the reasons that are expected. What it reads of shared files must not need other processes.
    fn prove(&self, errors: &str) -> Result<()> {
        let told = |key: &'static str| errors.lines().filter_map(move |line| line.strip_prefix(key));
        let collectives: u64 = told("@collectives ").filter_map(|number| number.parse::<u64>().ok()).sum();
        let served: Vec<_> = told("@connector ").collect();
        let [expected, others @ ..] = self.connector.expected else { return Ok(()) };
        let by_others = served.iter().find(|name| *name != expected);
        ensure!(!served.is_empty() && by_others.is_none(), "a file was opened through {by_others:?}");
        let is_ours = *expected == "bypass" || others.contains(&"bypass");
        let is_alone = self.program.name == "reads" && self.program.switch.is_none();
        ensure!(!is_alone || is_ours == (collectives == 0), "{collectives} collective calls in reads");
        if is_ours {
            let counted = Statistics::of_folder(&self.counted())?;
            for reason in self.program.reasons {
                ensure!(counted.has_reason(reason), "nothing was left to HDF5 because of {reason}");
            }
            let is_read = self.program.switch != Some("native");
            ensure!(
                is_read == (counted.reads.bypassed > 0),
                "{} reads were bypassed",
                counted.reads.bypassed
            );
        }
        Ok(())
    }
}

/// How a program ended, and what it said about that.
fn describe(ended: &Result<ExitStatus, &'static str>, errors: &str) -> String {
    let errors = errors.lines().filter(|line| !line.starts_with('@'));
    let errors: Vec<_> = errors.collect();
    let ended = ended.map_or_else(str::to_owned, |status| status.to_string());
    format!("{ended}\n{}", errors[errors.len().saturating_sub(20)..].join("\n"))
}

/// Waits for a program to end. Kills it if no case has ended for too long.
fn wait(mut child: Child, output: &Path) -> Result<Result<ExitStatus, &'static str>> {
    let (mut length, mut since) = (0, Instant::now());
    loop {
        if let Some(status) = child.try_wait().context("cannot wait for mpiexec")? {
            return Ok(Ok(status));
        }
        let now = fs::metadata(output).map_or(0, |file| file.len());
        if now != length {
            (length, since) = (now, Instant::now());
        }
        if since.elapsed() > LONGEST_CASE {
            // Its processes are in its group. Those that are in other groups end with it.
            let group = format!("-{}", child.id());
            let _ = shell::command("kill").args(["-TERM", "--", &group]).status();
            thread::sleep(Duration::from_secs(2));
            let _ = shell::command("kill").args(["-KILL", "--", &group]).status();
            child.wait().context("cannot wait for mpiexec")?;
            return Ok(Err("a process waits forever"));
        }
        thread::sleep(POLL);
    }
}

/// Adds the output of the processes, by case. Returns the case that did not end, if there is one.
fn read(output: &str, said: &mut Said) -> Option<String> {
    let mut begun = None;
    for line in output.lines() {
        if let Some(case) = line.strip_prefix("begin ") {
            begun = Some(case.to_owned());
        } else if let Some(case) = line.strip_prefix("end ") {
            begun = begun.filter(|begun| begun != case);
        } else if let Some(case) = &begun {
            let all = said.entry(case.clone()).or_default();
            all.push_str(line);
            all.push('\n');
        }
    }
    begun
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_without_an_end_is_named() {
        let mut said = Said::new();
        let output = "begin one\n0 read 5\n1 read 6\nend one\nbegin two\n0 read 7\n";
        assert_eq!(read(output, &mut said), Some("two".to_owned()));
        assert_eq!(said["one"], "0 read 5\n1 read 6\n");
        assert_eq!(read("begin one\n0 read 5\nend one\n", &mut said), None);
        assert_eq!(read("", &mut said), None);
    }

    #[test]
    fn cases_that_differ_or_are_missing_fail() {
        let said = |cases: &[(&str, &str)]| -> Said {
            cases.iter().map(|(case, text)| ((*case).to_owned(), (*text).to_owned())).collect()
        };
        let native = said(&[("one", "1"), ("two", "2"), ("three", "3")]);
        let through = said(&[("one", "1"), ("two", "9")]);
        assert_eq!(compare(&native, &through, "a test"), Tally { passed: 1, failed: 2 });
    }
}
