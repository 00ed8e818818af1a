"""Makes the files that are read, natively, once.

A file is written under another name and renamed when it is whole, so what is there can be used.

The numbers are a random walk in steps of 1/64, which compresses as measured data does: to about a quarter by shuffle
and gzip.
"""

import argparse
import os
import shutil
import sys

import numpy
from cases import DATASETS, WIDTH, rows_of
from formats import WRITERS, Cannot, path_of

STEP, SPREAD = 1 / 64, 0.25
# Rows that are made at a time.
BAND = 1024


def walk(rows):
    """The array."""
    numbers, last = numpy.random.default_rng(1), 0.0
    array = numpy.empty((rows, WIDTH), "<f4")
    for start in range(0, rows, BAND):
        part = array[start : start + BAND]
        band = last + numpy.cumsum(numbers.standard_normal(part.size) * SPREAD)
        last = band[-1]
        part[...] = (numpy.round(band / STEP) * STEP).reshape(part.shape)
    return array


def array_path(folder):
    return os.path.join(folder, "array.npy")


def remove(path):
    """A file, or the folder that a Zarr array is."""
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.remove(path)


def make(path, write, *arguments):
    """Makes a file unless it is there; the end of its name stays the end, which some look at."""
    if os.path.exists(path):
        return
    folder, name = os.path.split(path)
    unfinished = os.path.join(folder, f"unfinished-{name}")
    remove(unfinished)
    write(unfinished, *arguments)
    os.rename(unfinished, path)


def save_walk(path, rows):
    numpy.save(path, walk(rows))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", required=True)
    parser.add_argument("--size", type=int, required=True, help="MiB of the array")
    parser.add_argument("--files", nargs="*", default=[], metavar="DATASET.FORMAT")
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    make(array_path(args.folder), save_walk, rows_of(args.size))
    array = numpy.load(array_path(args.folder), mmap_mode="r")
    for file in args.files:
        name, form = file.split(".")
        try:
            make(path_of(args.folder, name, form), WRITERS[form], array, DATASETS[name])
        except Cannot:
            # Its reader will say so.
            continue


if __name__ == "__main__":
    sys.exit(main())
