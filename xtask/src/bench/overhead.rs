//! The cost of passing through, by `python/bench/overhead.py`.

use anyhow::Result;

use crate::args::Overhead;
use crate::layout::Layout;
use crate::shell;

pub(super) fn run(layout: &Layout, options: &Overhead) -> Result<()> {
    let folder = layout.scratch("bench-overhead");
    shell::empty_folder(&folder)?;
    let mut python = shell::command(layout.python());
    python.arg(layout.python_sources().join("bench/overhead.py"));
    // Only the plugins' folder is set: which connector a file is opened through, the script says file by file.
    python.env("HDF5_PLUGIN_PATH", layout.plugins()).env("PYTHONDONTWRITEBYTECODE", "1");
    python.arg("--rounds").arg(options.rounds.to_string());
    python.arg("--folder").arg(&folder).arg("--output").arg(super::results(layout)?.join("overhead.json"));
    python.env("H5STATS_OUT", folder.join("h5stats.json"));
    shell::run_shown("the benchmark", &mut python)
}
