//! `cargo xtask demo`: an ordinary h5py script, natively and through the connector.

use std::ffi::OsStr;
use std::fs;
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use bench_report::table::Look;
use bench_report::{
    About, Asked, FORMAT, Library, Outcome, Proof, RatioOf, Results, Row, Timeline, Unit, chrome_trace, page,
    table,
};
use bench_suite::controller::{FileSystem, Machine, measured, today};
use bench_suite::{Finished, Samples};
use serde::Deserialize;

use crate::layout::Layout;
use crate::shell;
use crate::statistics::{self, Statistics};

/// How often the script runs in each way.
const ROUNDS: usize = 3;

/// Characters of the longest bar.
const LONGEST_BAR: u32 = 50;

/// One line that the script prints.
#[derive(Debug, Deserialize)]
struct Step {
    #[serde(rename = "step")]
    name: String,
    seconds: f64,
    cpu: f64,
    bytes: u64,
    digest: String,
}

/// The time of a step in each round.
#[derive(Debug)]
struct Taken {
    step: String,
    bytes: u64,
    native: Samples,
    bypass: Samples,
}

/// The files of the demo.
struct Demo<'l> {
    layout: &'l Layout,
    folder: PathBuf,
}

/// Makes a file, runs the script three times in each way, compares the results, and shows how much faster it was.
///
/// `begin` is when setting up and building began, which takes most of the time in the first run.
pub(crate) fn run(layout: &Layout, begin: Instant) -> Result<()> {
    let demo_begin = Instant::now();
    let demo = Demo { layout, folder: layout.scratch("demo") };
    shell::empty_folder(&demo.folder)?;
    let mut make = shell::command(layout.python());
    make.arg(demo.script("make_file.py")).arg(demo.file());
    shell::run_step(layout, "demo-file", "making a file with h5py", &mut make)?;
    let size = fs::metadata(demo.file()).context("the file was not created")?.len();
    println!("  {}, {} MB: gzip, lzf and uncompressed measurements", demo.file().display(), size / 1_000_000);

    println!("running python/demo/analyse.py, an ordinary h5py script, {ROUNDS} times each, in turns");
    println!("  natively:           python analyse.py demo.h5 written.h5");
    print!("  through h5bypass:   h5bypass run -- python analyse.py demo.h5 written.h5 ");
    let mut taken: Vec<Taken> = Vec::new();
    let counted = demo.folder.join("counted");
    shell::empty_folder(&counted)?;
    for _ in 0..ROUNDS {
        std::io::stdout().flush().context("cannot write to the terminal")?;
        let (expected, _) = demo.analyse(None, "".as_ref())?;
        let (found, _) = demo.analyse(Some(&[]), statistics::pattern(&counted).as_os_str())?;
        take(&mut taken, &expected, &found)?;
        print!(".");
    }
    println!("\n  every byte that it read, or wrote and read back, is the same both ways");

    let trace = layout.target.join("demo-trace.json");
    let proof = prove(&Statistics::of_folder(&counted)?);
    let (_, said) = demo.analyse(Some(&["--trace".as_ref(), trace.as_os_str()]), "1".as_ref())?;
    println!("\nwhat the connector says about one run (BYPASS_VOL_STATS=1):\n{}\n", said.trim_end());
    let results = demo.results(taken, &proof, &trace)?;
    let look = Look { width: 100, has_colours: std::io::stdout().is_terminal() };
    println!("{}", table::text(&results, look));
    show_gains(&results);

    let html = layout.target.join("demo.html");
    fs::write(&html, page::html(&results)).with_context(|| format!("cannot write {}", html.display()))?;
    println!("with plots, and what each thread did: {}", html.display());
    println!("the same for ui.perfetto.dev:         {}", trace.display());
    println!(
        "the demo took {}; with setting up and building, {}",
        shell::seconds(demo_begin.elapsed()),
        shell::seconds(begin.elapsed())
    );
    ensure!(proof == Proof::Bypassed, "not everything was bypassed: {proof:?}");
    Ok(())
}

/// Whether the connector did all reads and writes.
fn prove(counted: &Statistics) -> Proof {
    let Statistics { reads, writes, .. } = counted;
    if reads.bypassed > 0 && writes.bypassed > 0 && reads.passed_on + writes.passed_on == 0 {
        return Proof::Bypassed;
    }
    Proof::PassedOn(format!("{} reads and {} writes", reads.passed_on, writes.passed_on))
}

/// How many times as fast each step was, as bars.
fn show_gains(results: &Results) {
    println!("times as fast as without h5bypass (ratio of the median times of {ROUNDS} runs each way):\n");
    for row in &results.rows {
        if let Outcome::Measured(measured) = &row.outcome {
            let gain = measured.ratio.median;
            // Four characters for each time as fast.
            let length = (1..=LONGEST_BAR).take_while(|&length| f64::from(length) <= 4.0 * gain).count();
            println!("  {:36}{gain:5.1}  {}", row.what, "#".repeat(length));
        }
    }
    println!();
}

/// Adds the times of one more round, if both ways gave the same data.
fn take(taken: &mut Vec<Taken>, native: &[Step], bypass: &[Step]) -> Result<()> {
    ensure!(native.len() == bypass.len(), "the script did not do all its steps through the connector");
    for (number, (native, bypass)) in native.iter().zip(bypass).enumerate() {
        ensure!(
            native.name == bypass.name && native.digest == bypass.digest,
            "'{}' gave different data through the connector",
            native.name
        );
        if taken.len() <= number {
            let (native_samples, bypass_samples) = (Samples::default(), Samples::default());
            let step = native.name.clone();
            taken.push(Taken { step, bytes: native.bytes, native: native_samples, bypass: bypass_samples });
        }
        let so_far = &mut taken[number];
        for (samples, step) in [(&mut so_far.native, native), (&mut so_far.bypass, bypass)] {
            samples.seconds.push(step.seconds);
            samples.cpu.push(step.cpu);
        }
    }
    Ok(())
}

impl Demo<'_> {
    fn file(&self) -> PathBuf {
        self.folder.join("demo.h5")
    }

    fn script(&self, name: &str) -> PathBuf {
        self.layout.python_sources().join("demo").join(name)
    }

    /// Runs the script, through the connector if there are options of `h5bypass run`: what it found, and what the
    /// connector said. `statistics` is the value of `BYPASS_VOL_STATS`.
    fn analyse(&self, options: Option<&[&OsStr]>, statistics: &OsStr) -> Result<(Vec<Step>, String)> {
        let mut command = match options {
            None => shell::command(self.layout.python()),
            Some(options) => {
                let mut run = shell::command(self.layout.plugins().join("h5bypass"));
                run.arg("run").args(options).arg("--").arg(self.layout.python());
                run.env("BYPASS_VOL_STATS", statistics);
                run
            }
        };
        command.arg(self.script("analyse.py")).arg(self.file()).arg(self.folder.join("written.h5"));
        let output = without_litter(&mut command).output().context("cannot start the script")?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(output.status.success(), "the script failed ({}): {said}", output.status);
        let lines = String::from_utf8_lossy(&output.stdout);
        let steps = lines.lines().map(serde_json::from_str).collect::<Result<_, _>>();
        Ok((steps.context("the script printed something other than its steps")?, said))
    }

    fn results(&self, taken: Vec<Taken>, proof: &Proof, trace: &Path) -> Result<Results> {
        let machine = Machine::this();
        let file_system =
            FileSystem::of(&self.folder).map_or_else(|_| "unknown".to_owned(), |found| found.kind);
        let about = About {
            command: "cargo xtask demo".into(),
            date: today(),
            version: env!("CARGO_PKG_VERSION").into(),
            processor: machine.processor,
            processor_model: machine.processor_model,
            cores: machine.cores,
            memory: machine.memory,
            system: machine.system,
            file_system,
            libraries: vec![self.library()?],
            rounds: u32::try_from(ROUNDS).unwrap_or(u32::MAX),
            mebibytes: 64,
            is_cold: false,
            load: machine.load,
            ratio_of: RatioOf::Medians,
            file: Some("demo.h5".into()),
        };
        let rows = taken.into_iter().map(|taken| row(taken, proof, machine.cores)).collect::<Result<_>>()?;
        Ok(Results { format: FORMAT, about, rows, timeline: Some(timeline(trace)?) })
    }

    /// The libhdf5 of the script.
    fn library(&self) -> Result<Library> {
        let mut python = shell::command(self.layout.python());
        python.args(["-c", "import h5py; print(h5py.version.hdf5_version)"]);
        let version = shell::capture("asking h5py for its version of HDF5", &mut python)?;
        Ok(Library { name: "h5py".into(), version: version.trim().into(), is_thread_safe: false })
    }
}

fn without_litter(command: &mut Command) -> &mut Command {
    command.env("PYTHONDONTWRITEBYTECODE", "1")
}

/// A line of the table.
fn row(taken: Taken, proof: &Proof, cores: u32) -> Result<Row> {
    let Taken { step, bytes, native, bypass } = taken;
    let finished = Finished { bytes, calls: 1, unit: Unit::Rate, native, bypass, limit: None, sizes: None };
    let measured = measured(&finished, None, proof.clone()).map_err(anyhow::Error::msg)?;
    Ok(Row {
        name: step.clone(),
        group: "An ordinary h5py script".into(),
        what: step,
        library: "h5py".into(),
        application_threads: 1,
        pool_threads: cores,
        cell: None,
        asked: Asked::default(),
        // With three rounds, the median of the ratios could contradict the speeds in the same row.
        outcome: Outcome::Measured(Box::new(measured.with_ratios_of_medians())),
    })
}

fn timeline(trace: &Path) -> Result<Timeline> {
    let text = fs::read_to_string(trace).with_context(|| format!("cannot read {}", trace.display()))?;
    let what = "the script through h5bypass";
    Ok(chrome_trace::timeline(&text, what)?)
}
