"""A disk that is full, by a limit on the size of files: `zarr_full.py FOLDER`. Run through the connector; prints the errors as JSON."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys

import h5py
import numpy

LIMIT = 64 << 10


def attempt(said, what, run):
    try:
        run()
    except (OSError, RuntimeError) as error:
        said[what] = str(error)


def main(folder):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    said, numbers = {}, numpy.random.default_rng(1).integers(0, 1 << 30, (3, 1 << 20), "i4")
    path = os.path.join(folder, "full.zarr")
    with h5py.File(path, "w") as file:
        small = file.create_dataset("small", (4, 1 << 15), "i4", chunks=(1, 1 << 15))
        large = file.create_dataset("large", (3, 1 << 20), "i4", chunks=(1, 1 << 19), compression="gzip", compression_opts=1)
        file.flush()
        unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, unlimited[1]))
        small[...] = 7
        attempt(said, "flush", file.flush)
        attempt(said, "write", lambda: large.__setitem__(..., numbers))
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
        # There is room again: what was kept is stored, and what failed can be repeated.
        large[...] = numbers
    with h5py.File(path, "r") as file:
        assert (file["small"][...] == 7).all() and (file["large"][...] == numbers).all()
    left = [name for _, _, files in os.walk(path) for name in files if name.endswith("~")]
    print(json.dumps({"said": said, "left": left}))


if __name__ == "__main__":
    main(sys.argv[1])
