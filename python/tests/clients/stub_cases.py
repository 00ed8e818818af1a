"""What h5py says of regular files, natively and with a stub at each name: `stub_cases.py`. Prints a dictionary of cases as JSON."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys

import h5py
import numpy as np

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def outcome(action, *arguments):
    """What comes of an action: its result, or the kind of its failure and the system's error number."""
    try:
        return action(*arguments)
    except OSError as error:
        return [type(error).__name__, error.errno]


def opened(name, mode):
    with h5py.File(name, mode) as file:
        return [file.filename, file.mode, sorted(file), [int(file[key][()].sum()) for key in sorted(file)]]


def library():
    """The libhdf5 of h5py."""
    with open("/proc/self/maps") as maps:
        path = next(line.split()[-1] for line in maps if "h5py.libs/libhdf5-" in line)
    loaded = ctypes.CDLL(path, mode=os.RTLD_NOLOAD | os.RTLD_NOW)
    loaded.H5Fdelete.argtypes = [ctypes.c_char_p, ctypes.c_int64]
    return loaded


@case
def modes():
    told = [outcome(opened, "modes.h5", mode) for mode in ("r", "r+")]
    for mode in ("w-", "w-", "x", "a", "r", "r+", "w", "r"):
        told.append(outcome(opened, "modes.h5", mode))
        if mode in ("a", "w"):
            with h5py.File("modes.h5", "r+") as file:
                file.create_dataset(mode, data=np.arange(10))
    told.append(outcome(opened, "new.h5", "a"))
    return told


@case
def regular_files():
    with h5py.File("regular.h5", "w") as file:
        file["x"] = 1
    with open("regular.h5", "rb") as file:
        signature = file.read(8).hex()
    return [os.path.exists("regular.h5"), os.path.isfile("regular.h5"), signature, h5py.is_hdf5("regular.h5"),
            h5py.is_hdf5("missing.h5")]


@case
def overwriting():
    """An ordinary file, garbage, and a file that is open."""
    with open("garbage.h5", "w") as file:
        file.write("no HDF5\n" * 512)
    told = [h5py.is_hdf5("garbage.h5"), outcome(opened, "garbage.h5", "r"), outcome(opened, "garbage.h5", "w")]
    with h5py.File("open.h5", "w") as file:
        file["x"] = 7
        told.append(outcome(opened, "open.h5", "w"))
        told.append(int(file["x"][()]))
    told.append(outcome(opened, "open.h5", "w"))
    return told


@case
def deleting():
    for name in ("deleted.h5", "removed.h5"):
        with h5py.File(name, "w") as file:
            file["x"] = 7
    told = [library().H5Fdelete(b"deleted.h5", 0), os.path.exists("deleted.h5"), library().H5Fdelete(b"missing.h5", 0) < 0]
    # A program that removes its file itself, and makes it again.
    os.remove("removed.h5")
    return [*told, outcome(opened, "removed.h5", "w-")]


@case
def names():
    os.mkdir("folder")
    os.symlink("folder", "other")
    told = []
    for name in ("plain", "with blank.h5", "ä € 漢字.nc", "folder/x.h5", "other/y.h5", "n" * 200 + ".h5", "dots.tar.h5"):
        with h5py.File(name, "w") as file:
            file["x"] = np.arange(3)
        told.append(outcome(opened, name, "r"))
    os.symlink("plain", "link.h5")
    told.append(outcome(opened, "link.h5", "r"))
    # One file under two names.
    with h5py.File("folder/x.h5", "r+") as one, h5py.File("other/x.h5", "r+") as other:
        one["new"] = np.arange(4)
        told.append(sorted(other))
    with h5py.File("link.h5", "w") as file:
        file["y"] = 5
    return [*told, os.path.islink("link.h5"), outcome(opened, "plain", "r")]


@case
def links():
    """An external link to another regular file."""
    for name in ("a.h5", "b.h5"):
        with h5py.File(name, "w") as file:
            file["data"] = np.arange(10)
    with h5py.File("a.h5", "r+") as file:
        file["there"] = h5py.ExternalLink("b.h5", "/data")
    with h5py.File("a.h5", "r") as file:
        return [file["there"][3:5].tolist(), file["there"].file.filename.endswith("b.h5")]


@case
def locks():
    """Another process has the file open."""
    with h5py.File("locked.h5", "w") as file:
        file["x"] = 1
        file.flush()
        program = "import h5py, sys\ntry:\n  h5py.File('locked.h5', sys.argv[1])\nexcept OSError:\n  print('refused')"
        tried = {}
        for mode in ("r", "r+"):
            done = subprocess.run([sys.executable, "-c", program, mode], capture_output=True, text=True, timeout=60)
            tried[mode] = done.stdout + done.stderr
        file["y"] = 2
    return [tried, outcome(opened, "locked.h5", "r")]


@case
def times():
    """A file that was changed is newer, and one that was only read is not."""
    with h5py.File("times.h5", "w") as file:
        file["x"] = np.arange(10)
    told = []
    for mode, change in (("r", None), ("r+", "x"), ("r+", "attribute")):
        os.utime("times.h5", (0, 0))
        with h5py.File("times.h5", mode) as file:
            if change == "x":
                file["x"][3] = 7
            elif change:
                file.attrs[change] = 1
            file["x"][:]
        told.append(os.stat("times.h5").st_mtime > 0)
    return told


@case
def creation_order():
    """The file's own creation list is kept: clients append only if orders were tracked."""
    with h5py.File("order.h5", "w", track_order=True) as file:
        for name in "zyxabc":
            file[name] = 1
            file.attrs[name] = name
    with h5py.File("order.h5", "r+") as file:
        file["last"] = 1
        return [list(file), list(file.attrs)]


def main():
    print(json.dumps({name: function() for name, function in CASES.items()}))


main()
