"""What the benchmark of writes writes: numbers in memory, and where the files go.

The numbers are the random walk of filter_data.py, as floats, doubles or, counted in steps, integers.
"""

import os

import numpy
from filter_data import STEP, quantised, walk
from hdf5 import Buffer
from workloads import MALLOC, Bench

# Elements of a row, and bytes of a chunk of whole rows.
WIDTH, CHUNK = 4096, 1 << 20


def size_of(kind):
    return numpy.dtype(kind).itemsize


def extent_of_rows(kind, mebibytes):
    """Of a dataset of so many mebibytes, made of whole chunks."""
    return ((mebibytes << 20) // (WIDTH * size_of(kind)), WIDTH)


def chunk_of_rows(kind):
    return (CHUNK // (WIDTH * size_of(kind)), WIDTH)


def fill(numbers):
    """Puts the walk into an array."""
    start = 0
    for band in walk():
        part = quantised(band[: numbers.size - start])
        numbers[start : start + part.size] = part / STEP if numbers.dtype.kind == "i" else part
        start += part.size
        if start == numbers.size:
            return


class WriteBench(Bench):
    """The library, the files and the memory of one run."""

    def __init__(self, library, folder, mebibytes, thread_safe=None):
        """`thread_safe`: gives the library for writes by several threads."""
        super().__init__(library, os.path.join(folder, "writes"), mebibytes)
        os.makedirs(self.folder, exist_ok=True)
        self._numbers, self._thread_safe = (None, None), thread_safe

    def numbers(self, kind, count):
        """So many numbers in memory; all workloads of a case get the same."""
        key, numbers = self._numbers
        if key != (kind, count):
            self._numbers = (None, None)
            numbers = Buffer(count * size_of(kind), MALLOC)
            fill(numbers.bytes.view(kind))
            self._numbers = ((kind, count), numbers)
        return numbers

    def thread_safe(self):
        """The same with another library, whose callers may be threads."""
        other = WriteBench(self._thread_safe(), os.path.dirname(self.folder), self.mebibytes)
        other._numbers = self._numbers
        return other
