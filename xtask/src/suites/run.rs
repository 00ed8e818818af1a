//! Runs one suite once, in an empty folder, with a clean environment.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use anyhow::{Context, Result, bail};

use super::{Outcome, Outcomes, containers, proof};
use crate::connector::Connector;
use crate::layout::Layout;
use crate::setup;
use crate::shell::{self, Finished, Running, seconds};
use crate::statistics::{self, Statistics};

/// More processes than this gain nothing, because one test class takes that long.
const MOST_SHARDS: usize = 4;

/// A suite that pytest runs out of an installed package.
#[derive(Debug)]
pub(crate) struct Pytest {
    /// Name for logs and messages.
    pub(crate) name: &'static str,
    /// What `--pyargs` is given.
    pub(crate) package: &'static str,
    /// A selection by name (`-k`); empty for all.
    pub(crate) select: &'static str,
    /// The clients whose libhdf5 the suite uses.
    pub(crate) clients: &'static [&'static str],
}

/// A suite that is a folder of tests, which are run there.
#[derive(Debug)]
pub(crate) struct Folder {
    /// Name for logs and messages.
    pub(crate) name: &'static str,
    /// A selection by name (`-k`).
    pub(crate) select: &'static str,
    /// The clients whose libhdf5 the suite uses.
    pub(crate) clients: &'static [&'static str],
}

/// What came of one run.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) outcomes: Outcomes,
    /// What makes the run as a whole untrustworthy: it died, or the connector was not proven to be loaded.
    pub(crate) trouble: Vec<String>,
    /// What the connector counted; none if it was not asked.
    pub(crate) transfers: Option<Statistics>,
}

/// Runs `suite` through `connector` and prints one line about it.
pub(crate) fn run_pytest(layout: &Layout, suite: &Pytest, connector: &Connector) -> Result<Run> {
    let place = Place::new(layout, &format!("{}-{}", suite.name, connector.label))?;
    let mut pytest = place.python(layout, connector, suite.clients);
    // Only our own configuration, and test ids that do not depend on the folder.
    pytest.args(["-m", "pytest", "-c", "/dev/null", "-o", "faulthandler_timeout=300", "--rootdir"]);
    pytest.arg(setup::site_packages(layout)?);
    pytest.args(["-p", "no:cacheprovider", "-p", "outcomes", "-p", "prove_loaded", "-q"]);
    if connector.expected.contains(&"mirror") {
        // It tells differences on stderr, which pytest would keep to itself.
        pytest.arg("--capture=no");
    }
    pytest.args(["--pyargs", suite.package]);
    if !suite.select.is_empty() {
        pytest.args(["-k", suite.select]);
    }
    let finished = shell::run_logged(layout, &place.name, &mut pytest)?;
    let run = place.collect(&finished, connector, suite.clients)?;
    announce(suite.name, connector, &run, &finished);
    place.leave(&run)?;
    Ok(run)
}

/// Runs a copy of a folder of tests through `connector` and prints one line about it.
pub(crate) fn run_folder(
    layout: &Layout,
    suite: &Folder,
    tests: &Path,
    connector: &Connector,
) -> Result<Run> {
    let place = Place::new(layout, &format!("{}-{}", suite.name, connector.label))?;
    let cwd = place.home.join("cwd");
    for entry in fs::read_dir(tests).with_context(|| format!("cannot list {}", tests.display()))? {
        let file = entry.with_context(|| format!("cannot list {}", tests.display()))?;
        fs::copy(file.path(), cwd.join(file.file_name()))
            .with_context(|| format!("cannot copy {}", file.path().display()))?;
    }
    let mut pytest = place.python(layout, connector, suite.clients);
    // Its tests that need the network are switched off by this.
    pytest.env("NO_NET", "1");
    pytest.args(["-m", "pytest", "-c", "/dev/null", "-o", "faulthandler_timeout=300", "--rootdir", "."]);
    pytest.args(["-p", "no:cacheprovider", "-p", "outcomes", "-p", "prove_loaded", "-q"]);
    pytest.args(["-k", suite.select, "."]);
    let finished = shell::run_logged(layout, &place.name, &mut pytest)?;
    let run = place.collect(&finished, connector, suite.clients)?;
    announce(suite.name, connector, &run, &finished);
    place.leave(&run)?;
    Ok(run)
}

/// Runs the suite of PyTables through `connector`, divided between as many processes as there are cores.
pub(crate) fn run_tables(layout: &Layout, connector: &Connector) -> Result<Run> {
    run_part_of_tables(layout, connector, shards())
}

/// How many processes run PyTables' suite.
fn shards() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(MOST_SHARDS)
}

/// Runs as many parts of the suite of PyTables as there are cores, if it is divided into `parts`.
pub(crate) fn run_part_of_tables(layout: &Layout, connector: &Connector, parts: usize) -> Result<Run> {
    let clients = &["tables"];
    let mut started = Vec::new();
    for shard in 0..shards() {
        let place = Place::new(layout, &format!("tables-{}-{shard}", connector.label))?;
        let mut python = place.python(layout, connector, clients);
        python.arg(layout.python_sources().join("suites/run_tables.py"));
        python.args([shard.to_string(), parts.to_string()]);
        let running = Running::start(layout, &place.name, &mut python)?;
        started.push((place, running));
    }

    let mut whole = Run { outcomes: Outcomes::default(), trouble: Vec::new(), transfers: None };
    let mut longest: Option<Finished> = None;
    for (place, running) in started {
        let finished = running.wait(shell::TESTING)?;
        let run = place.collect(&finished, connector, clients)?;
        place.leave(&run)?;
        whole.outcomes.extend(run.outcomes);
        whole.trouble.extend(run.trouble);
        if let Some(transfers) = run.transfers {
            whole.transfers.get_or_insert_default().add(transfers);
        }
        if longest.as_ref().is_none_or(|longest| longest.took < finished.took) {
            longest = Some(finished);
        }
    }
    let longest = longest.context("no process was started")?;
    announce("tables", connector, &whole, &longest);
    Ok(whole)
}

fn announce(suite: &str, connector: &Connector, run: &Run, finished: &Finished) {
    println!("  {suite} through {}: {} ({})", connector.label, run.outcomes, seconds(finished.took));
    if let Some(Statistics { reads, writes, .. }) = &run.transfers {
        println!("    reads bypassed: {}, passed on: {}", reads.bypassed, reads.passed_on);
        println!("    writes bypassed: {}, passed on: {}", writes.bypassed, writes.passed_on);
    }
}

/// The folder of one run, with what its process writes.
struct Place {
    name: String,
    home: PathBuf,
}

impl Place {
    fn new(layout: &Layout, name: &str) -> Result<Self> {
        let home = layout.scratch(name);
        shell::empty_folder(&home)?;
        for folder in ["cwd", "tmp", "counted", "containers"] {
            shell::empty_folder(&home.join(folder))?;
        }
        Ok(Self { name: name.to_owned(), home })
    }

    /// The folder for what the connector counts.
    fn counted(&self) -> PathBuf {
        self.home.join("counted")
    }

    /// The folder for what the Zarr connector counts.
    fn containers(&self) -> PathBuf {
        self.home.join("containers")
    }

    /// The venv's Python, to be run here through `connector`.
    fn python(&self, layout: &Layout, connector: &Connector, clients: &[&str]) -> Command {
        let mut python = shell::command(layout.python());
        python
            .current_dir(self.home.join("cwd"))
            .env("TMPDIR", self.home.join("tmp"))
            .env("PYTHONPATH", layout.python_sources().join("suites"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("H5BYPASS_EXPECT", connector.expected.join(","))
            .env("H5BYPASS_CLIENTS", clients.join(","))
            .env("H5BYPASS_PROOF", self.home.join("proof"))
            .env("H5BYPASS_OUTCOMES", self.home.join("outcomes"));
        if connector.expected.contains(&"h5stats") {
            python.env("H5STATS_OUT", self.home.join("h5stats.json"));
        }
        if connector.expected.contains(&"bypass") {
            // Every read that can be bypassed must be bypassed and counted.
            python
                .env("BYPASS_VOL_SMALL_READ", "0")
                .env("BYPASS_VOL_STATS", statistics::pattern(&self.counted()));
        }
        if connector.expected.contains(&"zarr") {
            python.env("ZARR_VOL_STATS", self.containers().join("%p.json"));
        }
        connector.apply(&mut python);
        python
    }

    /// Reads what the process left here.
    fn collect(&self, finished: &Finished, connector: &Connector, clients: &[&str]) -> Result<Run> {
        let outcomes = Outcomes::parse(&read_if_there(&self.home.join("outcomes"))?)?;
        let mut trouble = Vec::new();
        // 1 is how pytest and unittest say that some tests failed.
        if !matches!(finished.status.code(), Some(0 | 1)) {
            trouble.push(format!("{}: ended with {}", self.name, finished.status));
        }
        if outcomes.len() == 0 {
            trouble.push(format!("{}: ran no tests", self.name));
        }
        for (test, _) in outcomes.bad().filter(|(_, outcome)| *outcome == Outcome::Died) {
            trouble.push(format!("{}: died in {test}", self.name));
        }
        let written = read_if_there(&self.home.join("proof"))?;
        if let Err(error) = proof::require(&written, connector.expected[0], clients) {
            trouble.push(format!("{}: {error}", self.name));
        }
        if connector.expected.contains(&"h5stats")
            && read_if_there(&self.home.join("h5stats.json"))?.is_empty()
        {
            trouble.push(format!("{}: h5stats wrote no statistics", self.name));
        }
        if connector.expected.contains(&"zarr")
            && let Err(error) = containers::require(&self.containers())
        {
            trouble.push(format!("{}: {error:#}", self.name));
        }
        if connector.expected.contains(&"mirror")
            && read_if_there(&finished.log)?.contains("comparing at close: ")
        {
            trouble.push(format!("{}: sides differ", self.name));
        }
        if !trouble.is_empty() {
            shell::show_end_of(&finished.log);
        }
        let transfers = if connector.expected.contains(&"bypass") {
            Some(Statistics::of_folder(&self.counted())?)
        } else {
            None
        };
        Ok(Run { outcomes, trouble, transfers })
    }

    /// Removes the folder, unless something in it may explain a trouble.
    fn leave(&self, run: &Run) -> Result<()> {
        if run.trouble.is_empty() {
            fs::remove_dir_all(&self.home)
                .with_context(|| format!("cannot remove {}", self.home.display()))?;
        }
        Ok(())
    }
}

fn read_if_there(file: &Path) -> Result<String> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => bail!("cannot read {}: {error}", file.display()),
    }
}
