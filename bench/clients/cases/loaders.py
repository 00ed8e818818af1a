"""Random samples in forked processes, as PyTorch's DataLoader takes them: each process opens the file itself."""

import multiprocessing
import random

from case import File, Group
from files import CONTIGUOUS, GZIP
from packages import h5py, numpy

GROUP = Group("Random samples in forked processes", "h5py", prefix="loader")
PROCESSES = 2
# Samples that a process gives back at a time.
BATCH = 32


class Samples:
    """A dataset whose file is opened in the process that takes a sample first."""

    def __init__(self, path):
        self.path, self.data = path, None

    def batch(self, numbers):
        if self.data is None:
            self.data = h5py.File(self.path)["data"]
        return numpy.stack([self.data[number] for number in numbers])


def batches(count, end):
    """Random numbers of samples, the same ones in every process."""
    numbers = random.Random(3).choices(range(end), k=count)
    return [numbers[start : start + BATCH] for start in range(0, count, BATCH)]


_samples = None


def open_samples(path):
    global _samples
    _samples = Samples(path)


def take(numbers):
    return _samples.batch(numbers)


def epoch(place, source: File, count):
    """All samples, by processes that are forked for it."""
    path = place.input(source)
    with h5py.File(path) as file:
        length = len(file["data"])
    with multiprocessing.get_context("fork").Pool(PROCESSES, open_samples, (path,)) as pool:
        taken = pool.map(take, batches(count, length), chunksize=1)
        pool.close()
        pool.join()
    return taken


@GROUP.case(
    "contiguous",
    "{reads} random rows of a contiguous matrix, 2 processes",
    files=(CONTIGUOUS,),
    calls="reads",
    threads=PROCESSES,
)
def contiguous(place):
    return epoch(place, CONTIGUOUS, place.sizes.reads)


@GROUP.case(
    "gzip",
    "{samples} random rows of 1 MiB gzip chunks, 2 processes",
    files=(GZIP,),
    calls="samples",
    threads=PROCESSES,
)
def gzip(place):
    return epoch(place, GZIP, place.sizes.samples)
