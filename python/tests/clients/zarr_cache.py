"""Decoded chunks that are kept: `zarr_cache.py CASE FOLDER`. Run through the connector; prints JSON. Fails if anything old is read."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import h5py
import numpy

ROWS, COLUMNS = 128, 1000


def numbers(start=0):
    return numpy.arange(start, start + ROWS * COLUMNS, dtype="i4").reshape(ROWS, COLUMNS)


def make(path):
    with h5py.File(path, "w") as file:
        file.create_dataset("d", data=numbers(), chunks=(64, 500), compression="gzip", maxshape=(None, COLUMNS))


def rows(path):
    """Row by row: 256 parts of 4 chunks."""
    with h5py.File(path, "r") as file:
        for row in range(ROWS):
            assert (file["d"][row] == numbers()[row]).all(), row


def writes(path):
    """What is written, flushed or cut off is not read from the cache, and neither is what comes with another extent."""
    expected = numbers()
    with h5py.File(path, "r+") as file:
        data = file["d"]
        for row in range(ROWS):
            assert (data[row] == expected[row]).all(), row
            if row % 10 == 0:
                data[row, 3:7] = expected[row, 3:7] = -row
                assert (data[row] == expected[row]).all(), row
            if row % 30 == 0:
                file.flush()
        data.resize(70, axis=0)
        assert (data[69] == expected[69]).all()
        data.resize(ROWS, axis=0)
        expected[70:] = 0
        for row in range(60, ROWS):
            assert (data[row] == expected[row]).all(), row
        data[...] = expected = numbers(5)
        assert (data[10] == expected[10]).all()
        del file["d"]
        file.create_dataset("d", data=numbers(9), chunks=(64, 500), compression="gzip")
        assert (file["d"][10] == numbers(9)[10]).all()
    with h5py.File(path, "r") as file:
        assert (file["d"][10] == numbers(9)[10]).all()


def others(path):
    """Another process replaces chunks while the file is open, and while it is not."""
    code = "import sys, zarr; zarr.open_array(sys.argv[1], path='d', mode='r+')[:, :] = int(sys.argv[2])"
    plain = {key: value for key, value in os.environ.items() if not key.startswith(("HDF5_", "ZARR_VOL_"))}

    def replace(value):
        subprocess.run([sys.executable, "-c", code, path, str(value)], env=plain, check=True)

    with h5py.File(path, "r") as file:
        assert (file["d"][3] == numbers()[3]).all() and (file["d"][4] == numbers()[4]).all()
        replace(77)
        assert (file["d"][4] == 77).all()
    replace(78)
    with h5py.File(path, "r") as file:
        assert (file["d"][4] == 78).all()


def forked(path):
    """A child of a process that has chunks in its cache, and threads, reads by itself."""
    with h5py.File(path, "r") as file:
        assert (file["d"][...] == numbers()).all() and (file["d"][3] == numbers()[3]).all()
        child = os.fork()
        if child == 0:
            is_right = (file["d"][...] == numbers()).all() and (file["d"][5] == numbers()[5]).all()
            os._exit(0 if is_right else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert (file["d"][5] == numbers()[5]).all()


def unreadable(path):
    """A chunk that cannot be read makes a call fail that writes others too. What was written before is kept."""
    broken = os.path.join(path, "d", "c", "1", "0")
    with h5py.File(path, "r+") as file:
        file["d"][0, :10] = -1
        os.remove(broken)
        os.mkdir(broken)
        said = []
        for use in (lambda: file["d"][70], lambda: file["d"].__setitem__(slice(60, 70), 5)):
            try:
                use()
            except OSError as error:
                said.append(str(error))
        os.rmdir(broken)
        assert (file["d"][0, :10] == -1).all() and (file["d"][0, 10:] == numbers()[0, 10:]).all()
    with h5py.File(path, "r") as file:
        assert (file["d"][0, :10] == -1).all() and (file["d"][63] == numbers()[63]).all()
    return said


def members(path):
    """Members that are not written stay as they are: in memory, and stored."""
    kind = numpy.dtype([("a", "i4"), ("b", "f8")])
    with h5py.File(path, "a") as file:
        data = file.create_dataset("pairs", (10,), kind, chunks=(4,), compression="gzip")
        data["a"] = numpy.arange(10)
        data["b"] = 1.5
    with h5py.File(path, "a") as file:
        file["pairs"]["b"] = 2.5
    with h5py.File(path, "r") as file:
        found = file["pairs"][...]
        assert (found["a"] == numpy.arange(10)).all() and (found["b"] == 2.5).all(), found


if __name__ == "__main__":
    case, folder = sys.argv[1:]
    name = os.path.join(folder, "x.zarr")
    make(name)
    print(json.dumps(globals()[case](name)))
