"""Writes while positional writes fall short, are interrupted or fail (tests/c/preload/pwrite_faults.c must be preloaded).

    writes_faults.py HOST native|bypass short|interrupted|failed LAYOUT FIRST LAST

short, interrupted: every n-th positional write, for n from FIRST to LAST. failed: only the n-th, with EIO. Each n in a child with a file
of its own, n.h5. The last line of output is JSON, by n: how the child ended, the number of faults, the calls that failed with their
errors, and `right`, whether a native process finds what the calls that succeeded have promised.
"""

import ctypes
import errno
import json
import random
import sys

from children import run_child
from hdf5lib import Library

DIMS, CHUNK = [64, 256], [16, 100]
ROW = DIMS[1] * 4
MODES = {"short": 1, "interrupted": 2, "failed": 3}


def content(label, rows):
    return random.Random(label).randbytes(rows * ROW)


def make(h5, file, layout):
    dcpl = h5.plist("DATASET_CREATE")
    if layout != "contiguous":
        h5.H5Pset_chunk.must(dcpl, 2, CHUNK)
    if layout == "gzip":
        h5.H5Pset_shuffle.must(dcpl)
        h5.H5Pset_deflate.must(dcpl, 1)
    h5.H5Pset_fill_time.must(dcpl, 0)
    return h5.H5Dcreate2.must(file, b"d", h5.type("STD_I32LE"), h5.space(DIMS), 0, dcpl, 0)


def program(h5, fapl, mode, layout, number):
    """The calls that failed, the faults, and the rows that must be in the file: None where that is not known."""
    faults = ctypes.CDLL(None).pwrite_faults
    name = f"{number}.h5"
    file = h5.create(name, fapl)
    dset = make(h5, file, layout)
    h5.H5Fflush.must(file, 1)
    failed, rows = [], [bytes(ROW)] * DIMS[0]

    def call(label, function, *arguments):
        """Tried again if it fails: the fault is over then."""
        for attempt in range(3):
            result = function(*arguments)
            if result >= 0:
                return True
            failed.append([label, attempt, h5.errors()])
        return False

    def write(label, first, count):
        data = content(label, count)
        space = h5.slab(DIMS, [first, 0], [count, DIMS[1]])
        well = call(label, h5.H5Dwrite, dset, h5.type("STD_I32LE"), h5.BLOCK, space, 0, data)
        for row in range(count):
            rows[first + row] = data[row * ROW:(row + 1) * ROW] if well else None

    faults(MODES[mode], number, mode == "failed", errno.EIO)
    write("all", 0, 64)
    promised = call("first flush", h5.H5Fflush, file, 1)
    write("two chunks", 16, 32)
    for row in range(3, 40, 5):
        write(f"row {row}", row, 1)
    promised = call("flush", h5.H5Fflush, file, 1) and promised
    write("last", 60, 3)
    promised = call("flush again", h5.H5Dflush, dset) and promised
    closed = call("close dataset", h5.H5Dclose, dset)
    closed = call("close file", h5.H5Fclose, file) and closed
    count = faults(0, 0, 0, 0)
    return {"failed": failed, "faults": count, "promised": promised, "rows": [row and row.hex() for row in rows]}


def check(h5, number, rows):
    """Whether the file, natively, has the rows that are known."""
    file = h5.H5Fopen(f"{number}.h5".encode(), h5.RDONLY, h5.native)
    if file < 0:
        return f"cannot be opened: {h5.errors()}"
    dset = h5.H5Dopen2.must(file, b"d", 0)
    data = h5.read(dset, DIMS[0] * DIMS[1])
    if data is None:
        return f"cannot be read: {h5.errors()}"
    wrong = [row for row, expected in enumerate(rows) if expected is not None and data[row * ROW:(row + 1) * ROW].hex() != expected]
    return f"rows {wrong} are wrong" if wrong else "right"


def main():
    host, way, mode, layout, first, last = sys.argv[1:]
    h5 = Library(host)
    answer = {}
    for number in range(int(first), int(last) + 1):
        child = run_child(lambda: program(h5, getattr(h5, way), mode, layout, number))
        sys.stderr.write(child["stderr"])
        found = child["answer"] or {}
        rows = found.pop("rows", [])
        after = run_child(lambda: check(h5, number, rows)) if rows else {"answer": "not looked at"}
        answer[number] = {"ended": child["ended"], "state": after["answer"], **found}
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
