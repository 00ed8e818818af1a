"""Makes the files that the read benchmark reads: by stock h5py, natively, once.

A file is written under another name and renamed when it is whole, so what is there can be used.
"""

import argparse
import math
import os

import h5py
import numpy

# Bands of rows that are written at a time; every chunk has a divisor of this many.
BAND = 512
MULTI_LARGE, MULTI_SMALL = 8, 256
MULTI_LARGE_BYTES, MULTI_SMALL_BYTES = 16 << 20, 4 << 10
SMALL_BYTES = 64 << 10
MANY_CHUNKS, MANY_CHUNK = 1_000_000, 16
# Dataset names of the matrix files, with their chunks.
CHUNKS = {"chunks-1MiB": 512, "chunks-64KiB": 128, "chunks-16KiB": 64}


def side_of(mebibytes):
    """The side of a square matrix of 4-byte numbers of about this size."""
    return math.isqrt((mebibytes << 20) // 4) // BAND * BAND


def matrix_path(folder, name, side):
    return os.path.join(folder, f"{name}-{side}.h5")


def write_matrix(file, side, chunk):
    chunks = chunk and (chunk, chunk)
    matrix = file.create_dataset("matrix", (side, side), "<f4", chunks=chunks)
    for row in range(0, side, BAND):
        # All bit patterns differ, so that every misplaced element shows.
        bits = numpy.arange(row * side, (row + BAND) * side, dtype="<u4")
        matrix[row : row + BAND] = bits.view("<f4").reshape(BAND, side)


def write_multi(file):
    for name, count, size in (
        ("large", MULTI_LARGE, MULTI_LARGE_BYTES),
        ("small", MULTI_SMALL, MULTI_SMALL_BYTES),
    ):
        for number in range(count):
            values = numpy.arange(number, number + size // 4, dtype="<u4").view("<f4")
            file.create_dataset(f"{name}{number}", data=values)


def write_small(file):
    file.create_dataset("small", data=numpy.arange(SMALL_BYTES // 4, dtype="<u4").view("<f4"))


def write_many(file):
    length, band = MANY_CHUNKS * MANY_CHUNK, 4000 * MANY_CHUNK
    many = file.create_dataset("many", (length,), "<f4", chunks=(MANY_CHUNK,))
    for start in range(0, length, band):
        many[start : start + band] = numpy.arange(start, start + band, dtype="<u4").view("<f4")


def make(path, write, *arguments, **options):
    if os.path.exists(path):
        return
    unfinished = f"{path}.part"
    print(f"writing {path}", flush=True)
    with h5py.File(unfinished, "w", **options) as file:
        write(file, *arguments)
    os.rename(unfinished, path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", required=True)
    parser.add_argument("--size", type=int, required=True, help="MiB of the matrices")
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    side = side_of(args.size)
    make(matrix_path(args.folder, "contiguous", side), write_matrix, side, None)
    for name, chunk in CHUNKS.items():
        make(matrix_path(args.folder, name, side), write_matrix, side, chunk)
    make(os.path.join(args.folder, "multi.h5"), write_multi)
    make(os.path.join(args.folder, "small.h5"), write_small)
    make(os.path.join(args.folder, "many.h5"), write_many)
    make(os.path.join(args.folder, "many-latest.h5"), write_many, libver="latest")


if __name__ == "__main__":
    main()
