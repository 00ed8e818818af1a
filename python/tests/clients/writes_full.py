"""A disk that becomes full while a file is written, and what is left of the file.

    writes_full.py HOST prepare native LAYOUT             makes full.h5, with old content
    writes_full.py HOST data|flush|close WAY LAYOUT ROOM  changes it until there is no room any more
    writes_full.py HOST check native LAYOUT               tells what is in it

ROOM: bytes by which the file may grow, set as a limit of the process; 0 leaves that to the file system. The last line of output is JSON:
for the second form the calls with their results and, if they failed, the error stacks.
"""

import ctypes
import hashlib
import json
import os
import random
import resource
import sys

from hdf5lib import Library

ROWS, COLUMNS = 32, 4096
CHUNK_BYTES = ROWS * COLUMNS * 4
OLD_CHUNKS, NEW_CHUNKS = 4, 8


def content(label):
    """A chunk that cannot be compressed."""
    return random.Random(label).randbytes(CHUNK_BYTES)


def digest(data):
    return hashlib.sha1(data).hexdigest()


class File:
    """full.h5 with its dataset, and the journal of calls."""

    def __init__(self, h5, fapl, layout, flags):
        self.h5, self.calls = h5, []
        self.file = h5.open("full.h5", fapl, flags)
        self.dset = h5.H5Dopen2.must(self.file, b"d", 0)
        self.growing = layout != "contiguous"

    def call(self, label, result):
        errors = self.h5.errors() if result < 0 else []
        self.calls.append([label, result, errors])
        return result >= 0

    def rows(self):
        dims = (ctypes.c_uint64 * 2)()
        space = self.h5.H5Dget_space.must(self.dset)
        self.h5.H5Sget_simple_extent_dims.must(space, dims, None)
        self.h5.H5Sclose(space)
        return dims[0]

    def grow(self, chunks):
        """To so many chunks."""
        self.call(f"extent {chunks}", self.h5.H5Dset_extent(self.dset, [chunks * ROWS, COLUMNS]))

    def write(self, label, chunk, data, first=0, rows=ROWS):
        """Rows of a chunk."""
        space = self.h5.slab([self.rows(), COLUMNS], [chunk * ROWS + first, 0], [rows, COLUMNS])
        well = self.call(label, self.h5.H5Dwrite(self.dset, self.h5.type("STD_I32LE"), self.h5.BLOCK, space, 0, data))
        self.h5.H5Sclose(space)
        return well

    def write_halves(self, label, chunk, data):
        """In two calls, neither of which writes the whole chunk."""
        half = CHUNK_BYTES // 2
        return self.write(label, chunk, data[:half], 0, ROWS // 2) and self.write(label, chunk, data[half:], ROWS // 2, ROWS // 2)

    def close(self):
        self.call("close dataset", self.h5.H5Dclose(self.dset))
        self.call("close file", self.h5.H5Fclose(self.file))


def prepare(h5, layout):
    file = h5.create("full.h5", h5.native)
    dcpl = h5.plist("DATASET_CREATE")
    maxdims = None
    if layout != "contiguous":
        h5.H5Pset_chunk.must(dcpl, 2, [ROWS, COLUMNS])
        maxdims = [h5.UNLIMITED, COLUMNS]
    if layout == "gzip":
        h5.H5Pset_deflate.must(dcpl, 1)
    chunks = OLD_CHUNKS if maxdims else OLD_CHUNKS + 1 + NEW_CHUNKS
    if layout == "contiguous":
        # The space is there in the file, but not on the disk yet.
        h5.H5Pset_alloc_time.must(dcpl, 1)
        h5.H5Pset_fill_time.must(dcpl, 1)
    space = h5.space([chunks * ROWS, COLUMNS], maxdims)
    dset = h5.H5Dcreate2.must(file, b"d", h5.type("STD_I32LE"), space, 0, dcpl, 0)
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    changed = File(h5, h5.native, layout, h5.RDWR)
    for chunk in range(OLD_CHUNKS):
        changed.write("old", chunk, content(f"old {chunk}"))
    changed.close()
    return [call for call in changed.calls if call[1] < 0]


def change(h5, fapl, when, layout, room):
    if room:
        # Of a contiguous dataset all is allocated: what counts is where its last old chunk ends.
        size = os.path.getsize("full.h5")
        if layout == "contiguous":
            size -= (NEW_CHUNKS + 1) * CHUNK_BYTES
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + room, size + room))
    file = File(h5, fapl, layout, h5.RDWR)
    # What is flushed must be there in the end.
    if file.growing:
        file.grow(OLD_CHUNKS + 1)
    file.write("first", OLD_CHUNKS, content("first"))
    file.call("first flush", h5.H5Fflush(file.file, 1))
    if file.growing:
        file.grow(OLD_CHUNKS + 1 + NEW_CHUNKS)
    file.write("over 1", 1, content("over 1"))
    file.write("part of 2", 2, content("part of 2")[: CHUNK_BYTES // 2], 0, ROWS // 2)
    for chunk in range(NEW_CHUNKS):
        write = file.write if when == "data" else file.write_halves
        if not write(f"new {chunk}", OLD_CHUNKS + 1 + chunk, content(f"new {chunk}")) and when == "data":
            break
    if when == "flush":
        file.call("dataset flush", h5.H5Dflush(file.dset))
        file.call("flush", h5.H5Fflush(file.file, 1))
    file.close()
    return file.calls


def check(h5, layout):
    """What each chunk is: the label of its content, or why it cannot be told."""
    opened = h5.H5Fopen(b"full.h5", h5.RDONLY, h5.native)
    if opened < 0:
        return {"opened": False, "errors": h5.errors()}
    h5.H5Fclose(opened)
    labels = [f"old {chunk}" for chunk in range(OLD_CHUNKS)] + ["first", "over 1"] + [f"new {chunk}" for chunk in range(NEW_CHUNKS)]
    known = {digest(content(label)): label for label in labels}
    half = CHUNK_BYTES // 2
    known[digest(content("part of 2")[:half] + content("old 2")[half:])] = "part of 2"
    known[digest(bytes(CHUNK_BYTES))] = "zeros"
    file = File(h5, h5.native, layout, h5.RDONLY)
    found = []
    for chunk in range(file.rows() // ROWS):
        space = h5.slab([file.rows(), COLUMNS], [chunk * ROWS, 0], [ROWS, COLUMNS])
        data = h5.read(file.dset, ROWS * COLUMNS, memory=h5.BLOCK, file=space)
        h5.H5Sclose(space)
        found.append("unreadable" if data is None else known.get(digest(data), "mixed"))
    file.close()
    return {"opened": True, "chunks": found}


def main():
    host, when, way, layout, *room = sys.argv[1:]
    h5 = Library(host)
    fapl = getattr(h5, way)
    if when == "prepare":
        answer = prepare(h5, layout)
    elif when == "check":
        answer = check(h5, layout)
    else:
        answer = change(h5, fapl, when, layout, int(room[0]))
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
