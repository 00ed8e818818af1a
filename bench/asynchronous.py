"""How much I/O goes on while the application computes, and what an asynchronous call costs.

    python3 bench/asynchronous.py --plugins target/release --host tables=/path/to/libhdf5.so --json asynchronous.json [--rounds 7]

`cargo xtask bench overlap` runs it, with a Python that has h5py. Times of a machine that does other things mean nothing.

C seconds of computing, W seconds of I/O work on one thread, T what both take together with two threads. At best T is the larger one of C
and (C + W) / 2: all the work there is, on two cores, and the program itself computes on one of them. The C program tests/c/overlap.c makes
asynchronous calls; asynchronous_loops.py is a loop of an ordinary h5py program, with which reading ahead and writing behind overlap.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE / "shared"))

import machine  # noqa: E402
from process import clean_environment  # noqa: E402
from spread import spread  # noqa: E402

FORMAT = 1
SOURCES = HERE.parent / "tests" / "c"
LOOPS = HERE / "asynchronous_loops.py"
RATIOS = (0.25, 0.5, 1, 2)
# What the C program does, and in the last case also how: each mebibyte takes 8 ms to read, without any work.
CALLS = {"read": "read", "write": "write", "wait": "read from a disk that takes 8 ms for each MiB"}
# Name, loop, how long it computes in units of what the I/O takes, and what that is.
LOOP_CASES = [
    ("read", "read", 1, "reads one chunk at a time, and computes as long as the reads take"),
    ("read-long", "read", 2, "reads one chunk at a time, and computes twice as long"),
    ("read-many", "read-many", 1, "reads 8 chunks at a time, and computes as long as the reads take"),
    ("read-many-long", "read-many", 2, "reads 8 chunks at a time, and computes twice as long"),
    ("write", "write", 1, "writes one chunk at a time, and computes as long as the writes take"),
]
NO_OVERLAP = {"BYPASS_VOL_READ_AHEAD": "0", "BYPASS_VOL_WRITE_BEHIND": "false"}


class Bench:
    """Processes, natively and through the connector."""

    def __init__(self, plugins: Path, folder: Path, size: int, rounds: int) -> None:
        self.plugins, self.folder, self.size, self.rounds = plugins, folder, size, rounds
        self.program, self.slow = folder / "overlap", folder / "slow_reads.so"
        cc = ["cc", "-O2", "-pthread"]
        subprocess.run([*cc, SOURCES / "overlap.c", SOURCES / "h5api.c", "-o", self.program, "-ldl"], check=True)
        subprocess.run([*cc, "-shared", "-fPIC", SOURCES / "preload" / "slow_reads.c", "-o", self.slow, "-ldl"], check=True)

    def figures(self, command: list, threads: int, connector: str | None, **variables: str) -> list[float]:
        """What a process prints: numbers."""
        env = {**clean_environment(), "BYPASS_VOL_NTHREADS": str(threads), **variables}
        if connector is not None:
            env |= {"HDF5_PLUGIN_PATH": str(self.plugins), "HDF5_VOL_CONNECTOR": f"{connector} under_vol=0;under_info={{}}"}
        done = subprocess.run(list(map(str, command)), env=env, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{command[0]} has failed:\n{done.stderr}")
        return [float(word) for word in done.stdout.split()]

    def call(
        self, host: Path, mode: str, seconds: float = 0, size: int = 0, threads: int = 2, connector: str | None = "bypass"
    ) -> list[float]:
        slow = {"LD_PRELOAD": str(self.slow), "H5_TEST_READ_US": "8000"} if mode == "wait" else {}
        return self.figures([self.program, host, mode, self.folder, seconds, size or self.size], threads, connector, **slow)

    def loop(self, name: str, *computes: float, speed: float = 1, threads: int = 2, native: bool = False, **variables: str) -> list[float]:
        file = self.folder / ("written.h5" if name == "write" else "loops.h5")
        command = [sys.executable, LOOPS, file, name, self.size, speed, *computes]
        return self.figures(command, threads, None if native else "bypass", **variables)

    def least(self, measure: Callable[[], list[float]]) -> float:
        return min(min(measure()) for _ in range(self.rounds))

    def calls(self, library: str, host: Path, mode: str) -> dict:
        """What a call of the C program takes alone, and together with computing."""
        # Negative: not asynchronous.
        work = self.least(lambda: self.call(host, mode, -1, threads=1))
        row = {
            "library": library,
            "name": mode,
            "what": CALLS[mode],
            "work": work,
            "plain": self.least(lambda: self.call(host, mode, -1)),
            "points": [],
        }
        print(f"{library} {mode}: W {work:.4f} s; two threads {row['plain']:.4f}", flush=True)
        # Native HDF5 reads all of it at once, so it waits once for what is meant to be many reads.
        if mode != "wait":
            row["native"] = self.least(lambda: self.call(host, mode, -1, connector=None))
            print(f"  native {row['native']:.4f}", flush=True)
        for ratio in RATIOS:
            together = spread([self.call(host, mode, ratio * work)[0] for _ in range(self.rounds)])
            row["points"].append({"compute": ratio * work, "together": together})
            best = max(ratio * work, (ratio * work + work) / 2)
            print(f"  C/W {ratio}: T {together['median']:.4f} ({together['low']:.4f}); at best {best:.4f}", flush=True)
        return row

    def submitting(self, host: Path, kib: int) -> dict:
        """What a call takes until it returns, and what it takes with a connector that does nothing, in turns."""
        figures = {connector: [] for connector in ("bypass", "idle")}
        for _ in range(3):
            for connector, rounds in figures.items():
                rounds.append(self.call(host, "submit", 0, kib, connector=connector))
        (median, high), (idle_median, idle_high) = ([min(column) for column in zip(*rounds, strict=True)] for rounds in figures.values())
        print(
            f"submitting a read of {kib} KiB: median {median * 1e6:.1f} us, 99 % {high * 1e6:.1f} us; "
            f"with a connector that does nothing {idle_median * 1e6:.1f} us, {idle_high * 1e6:.1f} us",
            flush=True,
        )
        return {"median": median, "high": high, "idle": {"median": idle_median, "high": idle_high}}

    def loops(self, name: str, loop: str, times: float, what: str, speed: float) -> dict:
        """What a loop takes with and without overlap. The time that it computes is that of the I/O without overlap, or a multiple."""
        work = self.least(lambda: self.loop(loop, 0, threads=1, **NO_OVERLAP))
        plain = self.least(lambda: self.loop(loop, 0, **NO_OVERLAP))
        compute, passes = times * plain, ("without", "together", "native")
        figures = {which: [] for which in passes}
        for _ in range(self.rounds):
            for which in passes:
                variables = NO_OVERLAP if which == "without" else {}
                figures[which] += self.loop(loop, compute, speed=speed, native=which == "native", **variables)
        row = {"name": name, "what": what, "work": work, "plain": plain, "compute": compute}
        row |= {which: spread(values) for which, values in figures.items()}
        best = max(compute, (compute + work) / 2)
        without, together = row["without"]["median"], row["together"]["median"]
        print(
            f"h5py {what}: W {work:.4f} s, alone {plain:.4f}, C {compute:.4f}; native {row['native']['median']:.4f}, without overlap "
            f"{without:.4f}, with {together:.4f}, at best {best:.4f}: {without / together:.2f}x of {without / best:.2f}x",
            flush=True,
        )
        return row


def versions() -> dict[str, str]:
    command = "import h5py; print(h5py.__version__, h5py.version.hdf5_version)"
    done = subprocess.run([sys.executable, "-c", command], env=clean_environment(), capture_output=True, text=True, check=True)
    return dict(zip(("h5py", "hdf5"), done.stdout.split(), strict=True))


def version_of(host: Path) -> str:
    command = (
        "import ctypes, sys; numbers = [ctypes.c_uint() for _ in range(3)]; "
        "ctypes.CDLL(sys.argv[1]).H5get_libversion(*map(ctypes.byref, numbers)); print(*(number.value for number in numbers), sep='.')"
    )
    done = subprocess.run([sys.executable, "-c", command, host], env=clean_environment(), capture_output=True, text=True, check=True)
    return done.stdout.strip()


def measure(bench: Bench, hosts: dict[str, Path]) -> dict:
    results = {"calls": [], "new_chunks": [], "submitting": [], "loops": []}
    for library, host in hosts.items():
        bench.call(host, "make", connector=None)
        results["calls"] += [bench.calls(library, host, mode) for mode in CALLS]
        plain, asynchronous = bench.least(lambda: bench.call(host, "new", -1)), bench.least(lambda: bench.call(host, "new"))
        print(f"{library}: new chunks without filters: {plain:.4f} s, asynchronous {asynchronous:.4f}")
        results["new_chunks"].append({"library": library, "plain": plain, "asynchronous": asynchronous})
        for kib in (4, 1024):
            results["submitting"].append({"library": library, "kib": kib, **bench.submitting(host, kib)})
    bench.loop("make", native=True)
    [speed] = bench.loop("read", speed=0, native=True)
    results["loops"] = [bench.loops(*case, speed) for case in LOOP_CASES]
    return results


def rounded(value):
    """Figures to six digits: more are noise."""
    match value:
        case float():
            return float(f"{value:.6g}")
        case list():
            return [rounded(item) for item in value]
        case dict():
            return {key: rounded(item) for key, item in value.items()}
    return value


def parse() -> argparse.Namespace:
    def host(text: str) -> tuple[str, Path]:
        name, _, path = text.partition("=")
        if not name or not Path(path).is_file():
            raise argparse.ArgumentTypeError(f"{text}: NAME=PATH of a libhdf5 is wanted")
        return name, Path(path).resolve()

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugins", type=Path, required=True, help="folder of libh5bypass_vol.so and libh5idle_vol.so")
    parser.add_argument("--host", type=host, action="append", required=True, metavar="NAME=PATH", help="a libhdf5; may be repeated")
    parser.add_argument("--json", type=Path, required=True, help="the file that the results go to")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--size", type=int, default=64, metavar="MIB", help="of the dataset: a multiple of 16 (default 64)")
    asked = parser.parse_args()
    if asked.rounds < 1:
        parser.error(f"--rounds {asked.rounds}: must be at least 1")
    if asked.size < 16 or asked.size % 16:
        parser.error(f"--size {asked.size}: must be a positive multiple of 16")
    for plugin in ("libh5bypass_vol.so", "libh5idle_vol.so"):
        if not (asked.plugins / plugin).is_file():
            parser.error(f"--plugins {asked.plugins}: there is no {plugin}")
    return asked


def main() -> None:
    asked = parse()
    hosts = dict(asked.host)
    results = {
        "format": FORMAT,
        "command": f"cargo xtask bench overlap --rounds {asked.rounds}",
        "date": datetime.date.today().isoformat(),
        "machine": machine.describe(),
        "load": os.getloadavg()[0],
        "version": machine.version(),
        "libraries": [{"name": name, "version": version_of(path)} for name, path in hosts.items()],
        "h5py": versions(),
        "python": platform.python_version(),
        "mebibytes": asked.size,
        "rounds": asked.rounds,
    }
    with tempfile.TemporaryDirectory() as folder:
        results |= measure(Bench(asked.plugins.resolve(), Path(folder), asked.size, asked.rounds), hosts)
    asked.json.write_text(json.dumps(rounded(results), indent=2) + "\n")
    print(f"written to {asked.json}")


if __name__ == "__main__":
    main()
