"""How much of asynchronous I/O happens while the application computes, and what a call costs.

    python3 bench/asynchronous.py --plugins target/release --host /path/to/libhdf5.so [--rounds 7]

C seconds of computing, W seconds of I/O work on one thread, T what both take together with two threads. At best T is the larger one of C
and (C + W) / 2: the thread that waits helps. Times of a machine that does other things mean nothing.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[1] / "tests" / "c"
MIB = 64
RATIOS = (0.25, 0.5, 1, 2)


class Bench:
    """The program, natively and through the connector."""

    def __init__(self, host: Path, plugins: Path, folder: Path) -> None:
        self.host, self.plugins, self.folder = host, plugins, folder
        self.program, self.slow = folder / "overlap", folder / "slow_reads.so"
        cc = ["cc", "-O2", "-pthread"]
        subprocess.run([*cc, SOURCES / "overlap.c", SOURCES / "h5api.c", "-o", self.program, "-ldl"], check=True)
        subprocess.run([*cc, "-shared", "-fPIC", SOURCES / "preload" / "slow_reads.c", "-o", self.slow, "-ldl"], check=True)

    def run(self, mode: str, seconds: float = 0, size: int = MIB, threads: int = 2, native: bool = False) -> list[float]:
        """What it prints: seconds."""
        env = {**os.environ, "BYPASS_VOL_NTHREADS": str(threads)}
        if not native:
            env |= {"HDF5_PLUGIN_PATH": str(self.plugins), "HDF5_VOL_CONNECTOR": "bypass under_vol=0;under_info={}"}
        if mode == "wait":
            env |= {"LD_PRELOAD": str(self.slow), "H5_TEST_READ_US": "8000"}
        command = [self.program, self.host, mode, self.folder, str(seconds), str(size)]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
        return [float(word) for word in done.stdout.split()]

    def best(self, mode: str, rounds: int, **how) -> float:
        return min(self.run(mode, -1, **how)[0] for _ in range(rounds))


def overlap(bench: Bench, mode: str, rounds: int) -> None:
    work = bench.best(mode, rounds, threads=1)
    print(f"{mode}: W {work:.3f} s; two threads {bench.best(mode, rounds):.3f}, native {bench.best(mode, rounds, native=True):.3f}")
    for ratio in RATIOS:
        times = [bench.run(mode, ratio * work)[0] for _ in range(rounds)]
        best = max(ratio * work, (ratio * work + work) / 2)
        print(f"  C/W {ratio}: T median {statistics.median(times):.3f}, least {min(times):.3f}; at best {best:.3f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugins", type=Path, required=True, help="folder of libh5bypass_vol.so")
    parser.add_argument("--host", type=Path, required=True, help="a libhdf5")
    parser.add_argument("--rounds", type=int, default=7)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(asked.host.resolve(), asked.plugins.resolve(), Path(folder))
        bench.run("make", native=True)
        for mode in ("wait", "read", "write"):
            overlap(bench, mode, asked.rounds)
        plain, asynchronous = bench.best("new", asked.rounds), min(bench.run("new")[0] for _ in range(asked.rounds))
        print(f"new chunks without filters: {plain:.3f} s, asynchronous {asynchronous:.3f}")
        for kib in (4, 1024):
            median, high = (min(column) * 1e6 for column in zip(*(bench.run("submit", 0, kib) for _ in range(3))))
            print(f"submitting a read of {kib} KiB: median {median:.1f} us, 99 % {high:.1f} us")


if __name__ == "__main__":
    main()
