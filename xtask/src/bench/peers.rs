//! Others that read HDF5 or the like, beside us: `bench/peers`, in a Python environment of its own.

use anyhow::Result;

use crate::args::Peers;
use crate::layout::Layout;
use crate::setup::Environment;
use crate::shell;

pub(super) fn run(layout: &Layout, options: &Peers) -> Result<()> {
    let sources = layout.root.join("bench/peers");
    let environment = Environment {
        folder: layout.own().join("peers-venv"),
        requirements: sources.join("requirements.txt"),
        what: "installing hidefix, zarr, pyfive, b2h5py and others from PyPI",
    };
    environment.make(layout)?;
    let results = super::results(layout)?;
    let mut python = shell::command(environment.python());
    python.arg(sources.join("run.py")).env("PYTHONDONTWRITEBYTECODE", "1");
    if options.list {
        return shell::run_shown("the list", python.arg("--list"));
    }
    python.arg("--folder").arg(results.join("peers")).arg("--plugins").arg(layout.plugins());
    python.arg("--json").arg(results.join("peers.json"));
    if options.quick {
        python.arg("--quick");
    } else {
        python.arg("--size").arg(options.size.to_string()).arg("--rounds").arg(options.rounds.to_string());
    }
    for name in &options.only {
        python.arg("--only").arg(name);
    }
    shell::run_shown("the benchmark", &mut python)
}
