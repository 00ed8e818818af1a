"""A loop of an ordinary h5py program that reads or writes part by part and computes between: the process that is measured.

    asynchronous_loops.py FILE LOOP MIB SPEED [COMPUTE ...]

Makes one pass of LOOP over a dataset of MIB mebibytes (half of it to write) for each number COMPUTE, the seconds that are computed in all,
and prints the seconds that the pass takes. SPEED is how many numbers a second are computed; 0 measures that instead.

What is computed is an amount, not a time: if the connector's threads slow the program down, that counts. It touches no memory but a few
kilobytes.
"""

from __future__ import annotations

import sys
import time

import h5py
import numpy

CHUNK = (64, 4096)
STORED = {"chunks": CHUNK, "shuffle": True, "compression": "gzip", "compression_opts": 4}
NUMBERS = numpy.linspace(0, 1, 2048)
# Chunks of 1 MiB that one call reads or writes.
LOOPS = {"read": 1, "read-many": 8, "write": 1}


def made(mebibytes: int) -> numpy.ndarray:
    """Floats whose low bytes are noise, as those of measurements are."""
    noise = numpy.random.default_rng(1).integers(0, 256, mebibytes << 18) / 256
    return (numpy.arange(mebibytes << 18) % 1000 + noise).astype("f4").reshape(-1, CHUNK[1])


def compute(numbers: float) -> None:
    for _ in range(round(numbers / len(NUMBERS))):
        numpy.sin(NUMBERS)


def speed() -> float:
    """Numbers a second: the best of many, as nothing else may slow it down."""
    amount, best = len(NUMBERS) * 1000, float("inf")
    for _ in range(30):
        begin = time.perf_counter()
        compute(amount)
        best = min(best, time.perf_counter() - begin)
    return amount / best


def go(path: str, loop: str, values: numpy.ndarray, numbers: float) -> float:
    """One pass, in which so many numbers are computed: the seconds it takes."""
    rows = LOOPS[loop] * CHUNK[0]
    parts = range(0, len(values), rows)
    numbers /= len(parts)
    begin = time.perf_counter()
    if loop == "write":
        with h5py.File(path, "w") as file:
            dataset = file.create_dataset("d", values.shape, "f4", **STORED)
            for row in parts:
                dataset[row : row + rows] = values[row : row + rows]
                compute(numbers)
    else:
        with h5py.File(path) as file:
            dataset = file["d"]
            for row in parts:
                dataset.read_direct(values, numpy.s_[row : row + rows], numpy.s_[row : row + rows])
                compute(numbers)
    return time.perf_counter() - begin


def main() -> None:
    path, loop, mebibytes, numbers_a_second, *computes = sys.argv[1:]
    mebibytes = int(mebibytes)
    if loop == "make":
        with h5py.File(path, "w") as file:
            file.create_dataset("d", data=made(mebibytes), **STORED)
        return
    if float(numbers_a_second) == 0:
        print(speed())
        return
    values = made(mebibytes // 2) if loop == "write" else numpy.zeros((mebibytes << 6, CHUNK[1]), "f4")
    # The first pass finds its files in no cache.
    go(path, loop, values, 0)
    for seconds in computes:
        print(go(path, loop, values, float(seconds) * float(numbers_a_second)))


if __name__ == "__main__":
    main()
