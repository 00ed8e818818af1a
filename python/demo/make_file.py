"""Makes the file that the demo's script works on: `make_file.py FILE`. Natively, with stock h5py."""

import sys

import h5py
import numpy

SIDE = 4096
PARTICLE = [("id", "<i4"), ("mass", "<f4"), ("position", "<f8", (3,)), ("velocity", "<f8", (3,)), ("kind", "<i2")]


def walk(random):
    """Something that compresses as measurements do: neighbours are alike, and there are only so many digits."""
    steps = random.standard_normal((SIDE, SIDE), dtype="f4")
    return numpy.round(numpy.cumsum(steps, axis=1) * 64) / 64


def particles(random, count):
    records = numpy.zeros(count, PARTICLE)
    records["id"] = numpy.arange(count)
    records["mass"] = random.integers(1, 100, count) / 4
    records["position"] = numpy.round(random.random((count, 3)), 3)
    records["kind"] = random.integers(0, 5, count)
    return records


def main():
    random = numpy.random.default_rng(1)
    matrix = walk(random)
    with h5py.File(sys.argv[1], "w") as file:
        file.create_dataset("temperature", data=matrix, chunks=(64, SIDE), compression="gzip", shuffle=True)
        file.create_dataset("pressure", data=matrix, chunks=(128, 128), compression="gzip", shuffle=True)
        file.create_dataset("wind", data=matrix, chunks=(512, 512), compression="lzf", shuffle=True)
        file["height"] = matrix
        file["seismic"] = matrix[: SIDE // 4].astype(">f8")
        file.create_dataset("particles", data=particles(random, 1_000_000), chunks=(16384,), compression="gzip")


if __name__ == "__main__":
    main()
