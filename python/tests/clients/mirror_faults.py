"""Each call that changes a mirrored file, while writes to one of its sides fail, or the process is killed.

    mirror_faults.py first|other ERRNO       each operation with failing writes (tests/c/preload/pwrite_faults.c)
    mirror_faults.py kill                    each operation in a process that is killed right after it

Only names that end in .h5 get faults: the first side is NUMBER.h5 or NUMBER.first. The last line of output is JSON: for each operation where
it failed and why, and how many faults there were.
"""

import ctypes
import json
import os
import signal
import sys

import h5py
import numpy as np


def rename_attribute(f):
    h5py.h5a.rename(f["g"].id, b"old", b"new")


OPERATIONS = {
    "H5Gcreate": lambda f: f.create_group("g/new"),
    "H5Dcreate": lambda f: f.create_dataset("g/new", (100,), "i4"),
    "H5Dwrite": lambda f: f["g/contiguous"].write_direct(np.full(50_000, 9)),
    "H5Dwrite of chunks": lambda f: f["g/chunked"].write_direct(np.full((100, 100), 9)),
    "H5Dwrite of texts": lambda f: f["g/texts"].write_direct(np.array(["x" * 9000] * 3, dtype=object)),
    "H5Dset_extent": lambda f: f["g/chunked"].resize((150, 100)),
    "H5Acreate and H5Awrite": lambda f: f["g"].attrs.create("new", np.arange(2000)),
    "H5Adelete": lambda f: f["g"].attrs.__delitem__("old"),
    "H5Arename": rename_attribute,
    "H5Lcreate_soft": lambda f: f["g"].__setitem__("new", h5py.SoftLink("/g/contiguous")),
    "H5Lcreate_ud": lambda f: f["g"].__setitem__("new", h5py.ExternalLink("none.h5", "/x")),
    "H5Lcreate_hard": lambda f: f["g"].__setitem__("new", f["g/contiguous"]),
    "H5Lmove": lambda f: f.move("g/texts", "g/new"),
    "H5Ldelete": lambda f: f["g"].__delitem__("texts"),
    "H5Ocopy": lambda f: f.copy("g/contiguous", "g/new"),
    "H5Tcommit": lambda f: f["g"].__setitem__("new", np.dtype("i4,f8")),
}

# If chunks or texts cannot be written when a dataset is closed, HDF5 itself crashes, without any connector.
CRASHING = {"H5Dwrite of chunks", "H5Dwrite of texts", "H5Dset_extent"}


def make(name):
    with h5py.File(name, "w") as f:
        f["g/contiguous"] = np.arange(50_000)
        f.create_dataset("g/chunked", data=np.arange(10_000).reshape(100, 100), chunks=(10, 100), maxshape=(None, 100), compression="gzip")
        f.create_dataset("g/texts", data=["a", "b", "c"], dtype=h5py.string_dtype())
        f["g"].attrs["old"] = 1


def seen(name):
    """What a file has, in words, read without its other sides."""
    with h5py.File(name, "r") as f:
        g = f["g"]
        values = {key: str(g[key][...].tolist())[:60] + str(g[key].shape) for key in g if isinstance(g.get(key), h5py.Dataset)}
        return [sorted(g), sorted(g.attrs), values]


def attempt(operation, name, faults, error):
    """Where it failed first, and why."""
    stage, told, f = None, None, h5py.File(name, "r+")
    faults(3, 1, 0, error)
    for step, call in (("call", lambda: OPERATIONS[operation](f)), ("flush", f.flush)):
        try:
            call()
        except (OSError, RuntimeError, ValueError, KeyError) as problem:
            if stage is None:
                stage, told = step, str(problem)
    met = faults(0, 1, 0, 0)
    if f:
        # What could not be written before can be now.
        try:
            f.close()
        except (OSError, RuntimeError):
            pass
    return {"stage": stage, "told": told, "faults": met}


def killed(operation, name):
    child = os.fork()
    if child == 0:
        f = h5py.File(name, "r+")
        OPERATIONS[operation](f)
        os.kill(os.getpid(), signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return {"signal": os.WTERMSIG(status)}


def main():
    found = {}
    for number, operation in enumerate(OPERATIONS):
        if operation in CRASHING and sys.argv[1] != "kill":
            continue
        name = f"{number}.h5" if sys.argv[1] != "other" else f"{number}.first"
        make(name)
        if sys.argv[1] == "kill":
            found[operation] = killed(operation, name)
            continue
        found[operation] = {"number": number, **attempt(operation, name, ctypes.CDLL(None).pwrite_faults, int(sys.argv[2]))}
    print(json.dumps(found))
    sys.stdout.flush()
    # Files that could not be closed are HDF5's to close at the end, which is not what this is about.
    os._exit(0)


if __name__ == "__main__":
    main()
