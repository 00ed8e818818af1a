"""Children that write through the connector until they are killed: `zarr_killed.py FOLDER KILLS SEED`. Prints as JSON what was seen.

A child writes a new version to each dataset and flushes, and says after each flush which version it was. It is killed at a random moment.
Then the container must open, each chunk and each attribute must be of one version, and nothing may be older than the last flush.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
import traceback

import h5py
import numpy

ROWS, COLUMNS, CHUNK = 64, 4096, (16, 1024)
KINDS = {"gzip": {"compression": "gzip", "compression_opts": 1}, "plain": {}, "group/checked": {"fletcher32": True}}


def child(path, tell):
    """Writes until it is killed: in one piece, chunk by chunk, and by rows."""
    with h5py.File(path, "a") as file:
        version = int(file.attrs.get("version", 0))
        while True:
            version += 1
            for kind, filters in KINDS.items():
                if kind not in file:
                    file.create_dataset(kind, (ROWS, COLUMNS), "i4", chunks=CHUNK, **filters)
                data = file[kind]
                if version % 3 == 0:
                    data[...] = version
                elif version % 3 == 1:
                    for row in range(0, ROWS, CHUNK[0]):
                        data[row : row + CHUNK[0]] = version
                else:
                    for row in range(0, ROWS, 8):
                        data[row : row + 8] = version
                data.attrs["version"] = version
            # More than is kept in memory: stored at once, under a name that it gets later.
            if "large" in file:
                del file["large"]
            file.create_dataset("large", data=numpy.full((2, 1 << 20), version, "i4"), chunks=(1, 1 << 19))
            file.attrs["version"] = version
            file.flush()
            tell(version)


def check(path, flushed):
    """What is there after a kill; the versions that were found."""
    found = set()
    with h5py.File(path, "r") as file:
        for kind in KINDS:
            if kind not in file and flushed == 0:
                continue
            data = file[kind][...]
            for row in range(0, ROWS, CHUNK[0]):
                for column in range(0, COLUMNS, CHUNK[1]):
                    chunk = data[row : row + CHUNK[0], column : column + CHUNK[1]]
                    # Rows of eight are stored together with those below, or before them.
                    halves = {int(half) for part in (chunk[:8], chunk[8:]) for half in numpy.unique(part)}
                    assert len(halves) <= 2, (kind, row, column, halves)
                    assert min(halves) >= flushed, (kind, row, column, halves, flushed)
                    found |= halves
            assert flushed == 0 or file[kind].attrs["version"] >= flushed, kind
        assert file.attrs.get("version", 0) >= flushed
        if "large" in file:
            # It is made anew each time.
            versions = numpy.unique(file["large"][...])
            assert versions[-1] >= flushed, versions
    return found


def one(path, seconds, after_flush):
    """The last version that was flushed by a child that was killed after so many seconds, from its start or from its first flush."""
    receive, send = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(receive)
        try:
            child(path, lambda version: os.write(send, version.to_bytes(4, "little")))
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    os.close(send)
    told = os.read(receive, 4) if after_flush else b""
    time.sleep(seconds)
    os.kill(process, signal.SIGKILL)
    _, status = os.waitpid(process, 0)
    assert os.WIFSIGNALED(status), f"the child ended by itself: {status}"
    while part := os.read(receive, 1 << 16):
        told += part
    os.close(receive)
    return int.from_bytes(told[-4:], "little")


def main(folder, kills, seed):
    numbers = random.Random(seed)
    path = os.path.join(folder, "killed.zarr")
    flushed, between, seen = 0, 0, set()
    for _ in range(kills):
        after_flush = numbers.random() < 0.8
        last = one(path, numbers.uniform(0, 0.15) if after_flush else numbers.uniform(0.02, 0.25), after_flush)
        flushed = max(flushed, last)
        between += last > 0
        if os.path.isdir(path) and os.path.exists(os.path.join(path, "zarr.json")):
            seen |= check(path, flushed)
        else:
            assert flushed == 0
    # What was left behind goes away when somebody writes, and it can go on.
    print(json.dumps({"kills": kills, "after a flush": between, "versions": len(seen), "flushed": flushed}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
