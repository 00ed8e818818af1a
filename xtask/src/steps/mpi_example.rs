//! The C program in docs/mpi.md: compiled and run exactly as it is printed there, and its summaries added up.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::connector::Connector;
use crate::layout::Layout;
use crate::report::Tally;
use crate::setup::Parallel;
use crate::shell;

const PROCESSES: usize = 2;

/// Runs it natively and through the connector.
pub(super) fn run(layout: &Layout, parallel: &Parallel, place: &Path) -> Result<Tally> {
    let document = layout.root.join("docs/mpi.md");
    let text = fs::read_to_string(&document).context("cannot read docs/mpi.md")?;
    let (source, program) = (place.join("example.c"), place.join("example"));
    fs::write(&source, program_in(&text).context("there is no C program in docs/mpi.md")?)
        .context("cannot write it")?;
    parallel.compile(layout, &source, &program)?;
    let run = |connector: &Connector| -> Result<Vec<String>> {
        let mut mpiexec = parallel.mpiexec(PROCESSES)?;
        mpiexec.arg(&program).current_dir(place).env("BYPASS_VOL_STATS", place.join("example-%r.json"));
        connector.apply(&mut mpiexec);
        let said = shell::capture("the example with MPI", &mut mpiexec)?;
        let mut lines: Vec<_> = said.lines().map(str::to_owned).collect();
        lines.sort();
        Ok(lines)
    };
    let native = run(&Connector::native())?;
    ensure!(native.len() == PROCESSES, "natively: {native:?}");
    let through = run(&Connector::bypass(layout))?;
    ensure!(native == through, "natively: {native:?}, through the connector: {through:?}");

    let mut merge = shell::command(layout.plugins().join("h5bypass"));
    merge.args(["stats", "merge"]);
    merge.args((0..PROCESSES).map(|rank| place.join(format!("example-{rank}.json"))));
    let merged = shell::capture("adding up summaries", &mut merge)?;
    let sum: Value = serde_json::from_str(&merged).context("the sum is not JSON")?;
    let reads = sum["reads"]["bypassed"].as_u64();
    ensure!(sum["processes"] == PROCESSES && reads == Some(PROCESSES as u64), "the sum is {merged}");
    Ok(Tally { passed: 1, failed: 0 })
}

/// The first C program in a document.
fn program_in(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("```c\n")?;
    Some(rest.split_once("```")?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_between_its_marks() {
        assert_eq!(program_in("a\n```sh\nx\n```\n```c\nint a;\n```\nb"), Some("int a;\n"));
        assert_eq!(program_in("no program"), None);
    }
}
