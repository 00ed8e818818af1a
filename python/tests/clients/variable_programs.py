"""Random programs with variable-length data in a file that is open for writing, natively and through the connector.

    variable_programs.py HOST [CASE ...]

A program creates datasets, writes, overwrites and reads parts of them through several handles, writes attributes, deletes, copies,
flushes, resizes and opens the file again. What it reads is compared with what it reads natively, and so is what is in the file in the end,
which is read natively. H5BYPASS_PROGRAMS=N runs N programs of each kind, from H5BYPASS_PROGRAMS_FIRST on.
"""

import ctypes
import hashlib
import os
import random

from cases import Cases
from variable_types import ASCII, DOUBLE, FLOAT, INT, TEXT, WIDE, Writer, build, random_value, size, values_in

CASES = Cases()
LIST = ("list", FLOAT)
RECORD = ("record", (("n", INT), ("name", TEXT), ("values", ("list", INT)), ("x", DOUBLE)), 0)
# What is written, what it is read as, and what it may be written as.
KINDS = {
    "texts": (TEXT, TEXT, TEXT),
    "plain_texts": (("text", ASCII),) * 3,
    "sequences": (LIST, ("list", DOUBLE), ("list", DOUBLE)),
    "records": (RECORD, RECORD, RECORD),
    "nested": (("list", ("list", INT)), ("list", ("list", WIDE)), ("list", ("list", WIDE))),
    "lists_of_records": (("list", RECORD),) * 3,
    "arrays": (("array", TEXT, 3),) * 3,
    "records_in_records": (("record", (("a", INT), ("r", ("record", (("t", TEXT), ("s", ("list", TEXT))), 0)), ("u", TEXT)), 0),) * 3,
}
LAYOUTS = ("contiguous", "chunked", "filtered", "filtered")
PROGRAMS = int(os.environ.get("H5BYPASS_PROGRAMS", "2"))
FIRST = int(os.environ.get("H5BYPASS_PROGRAMS_FIRST", "1"))
STEPS = 40


def hash_of(values):
    return hashlib.sha1(repr(values).encode()).hexdigest()[:12]


class Program:
    def __init__(self, h5, fapl, kind, seed):
        self.h5, self.fapl = h5, fapl
        self.random = random.Random(f"{kind} {seed}")
        self.stored, self.wanted, self.given = KINDS[kind]
        self.path = f"{kind}.{seed}.h5"
        self.file = h5.create(self.path, fapl)
        self.datasets, self.handles, self.found = {}, {}, []
        self.made = 0

    def note(self, *what):
        self.found.append(" ".join(map(str, what)))

    # ---- datasets

    def create(self):
        h5, chance = self.h5, self.random
        name, layout = f"d{self.made}", chance.choice(LAYOUTS)
        self.made += 1
        dims = chance.choice(([300], [90], [12, 20], [5, 50]))
        dcpl, most = h5.plist("DATASET_CREATE"), None
        if layout != "contiguous":
            h5.H5Pset_chunk.must(dcpl, len(dims), [chance.randrange(3, 60)] if len(dims) == 1 else [chance.randrange(2, 7), chance.randrange(3, 30)])
            most = [h5.UNLIMITED] * len(dims)
        if layout == "filtered":
            h5.H5Pset_deflate.must(dcpl, 2)
        space = h5.H5Screate_simple.must(len(dims), dims, most)
        dset = h5.H5Dcreate2.must(self.file, name.encode(), build(h5, self.stored), space, 0, dcpl, 0)
        self.datasets[name] = [layout, dims]
        self.handles[name] = [dset]
        self.note("create", name, layout, dims)

    def pick(self):
        return self.random.choice(list(self.datasets))

    def handle(self, name):
        handles = self.handles.setdefault(name, [])
        if not handles or (len(handles) < 3 and self.random.random() < 0.2):
            handles.append(self.h5.H5Dopen2.must(self.file, name.encode(), 0))
        return self.random.choice(handles)

    def selection(self, dims):
        """A selection, and how many elements it has: mostly all of them."""
        draw = self.random.random()
        if draw < 0.45:
            return 0, dims
        start = [self.random.randrange(size) for size in dims]
        if draw < 0.8:
            count = [self.random.randint(1, size - first) for size, first in zip(dims, start, strict=True)]
            return self.h5.slab(dims, start, count), count
        step = [self.random.randint(1, 3) for _ in dims]
        count = [(size - first + each - 1) // each for size, first, each in zip(dims, start, step, strict=True)]
        return self.h5.slab(dims, start, count, step), count

    def write(self):
        h5, name = self.h5, self.pick()
        dims = self.datasets[name][1]
        space, count = self.selection(dims)
        writer, elements = Writer(), 1
        for part in count:
            elements *= part
        values = [random_value(self.random, self.given, self.random.choice((3, 12, 12))) for _ in range(elements)]
        buffer = b"".join(writer.element(self.given, value) for value in values)
        memory = h5.BLOCK if space else 0
        h5.H5Dwrite.must(self.handle(name), build(h5, self.given), memory, space, 0, buffer)
        self.note("write", name, count)

    def read(self, name=None, dset=None):
        h5 = self.h5
        name = name or self.pick()
        space, count = self.selection(self.datasets[name][1]) if dset is None else (0, self.datasets[name][1])
        elements = 1
        for part in count:
            elements *= part
        spec = self.wanted
        made, each = build(h5, spec), size(spec)
        buffer = ctypes.create_string_buffer(b"\0" * (elements * each), elements * each)
        h5.H5Dread.must(dset or self.handle(name), made, h5.BLOCK if space else 0, space, 0, buffer)
        found = values_in(spec, buffer)
        h5.H5Treclaim.must(made, h5.space([elements]), 0, buffer)
        self.note("read", name, count, hash_of(found))

    def resize(self):
        name = self.pick()
        layout, dims = self.datasets[name]
        if layout == "contiguous":
            return
        dims = [max(1, size + self.random.randint(-size // 3, 40)) for size in dims]
        self.h5.H5Dset_extent.must(self.handle(name), dims)
        self.datasets[name][1] = dims
        self.note("resize", name, dims)

    # ---- what else is in the heap, and around it

    def attribute(self):
        """Written, and sometimes deleted: its value is in the same heap."""
        h5, name = self.h5, self.pick()
        dset, spec = self.handle(name), TEXT
        if h5.H5Aexists.must(dset, b"a") and self.random.random() < 0.5:
            h5.H5Adelete.must(dset, b"a")
            return
        made, space, writer = build(h5, spec), h5.space([20]), Writer()
        if h5.H5Aexists.must(dset, b"a"):
            attribute = h5.H5Aopen.must(dset, b"a", 0)
        else:
            attribute = h5.H5Acreate2.must(dset, b"a", made, space, 0, 0)
        values = [random_value(self.random, spec) for _ in range(20)]
        h5.H5Awrite.must(attribute, made, b"".join(writer.element(spec, value) for value in values))
        h5.H5Aclose.must(attribute)

    def numbers(self):
        """A dataset whose bytes look like a heap, and which is deleted again: its place is used for others."""
        h5 = self.h5
        dset = h5.H5Dcreate2.must(self.file, b"numbers", h5.type("STD_U8LE"), h5.space([8192]), 0, 0, 0)
        with open(self.path, "rb") as file:
            data = file.read()
        start = max(data.find(b"GCOL"), 0)
        h5.H5Dwrite.must(dset, h5.type("STD_U8LE"), 0, 0, 0, data[start : start + 8192].ljust(8192, b"\1"))
        h5.H5Dclose.must(dset)
        h5.H5Ldelete.must(self.file, b"numbers", 0)

    def delete(self):
        name = self.pick()
        if len(self.datasets) > 1:
            self.close_handles(name)
            self.h5.H5Ldelete.must(self.file, name.encode(), 0)
            del self.datasets[name]
            self.note("delete", name)

    def copy(self):
        name, new = self.pick(), f"c{self.made}"
        self.made += 1
        # Native HDF5 copies contiguous data without what is in its sieve buffer.
        self.h5.H5Fflush.must(self.file, 1)
        self.h5.H5Ocopy.must(self.file, name.encode(), self.file, new.encode(), 0, 0)
        self.datasets[new] = list(self.datasets[name])
        self.note("copy", name, new)

    # ---- handles and files

    def flush(self):
        if self.random.random() < 0.5:
            self.h5.H5Fflush.must(self.file, 1)
        else:
            self.h5.H5Dflush.must(self.handle(self.pick()))

    def close_handles(self, name):
        for dset in self.handles.pop(name, []):
            self.h5.H5Dclose.must(dset)

    def close_one(self):
        self.close_handles(self.pick())

    def reopen(self):
        for name in list(self.handles):
            self.close_handles(name)
        self.h5.H5Fclose.must(self.file)
        self.file = self.h5.open(self.path, self.fapl, self.h5.RDWR)

    def twice(self):
        """The file is opened once more, and the handle that was there is closed."""
        again = self.h5.open(self.path, self.fapl, self.h5.RDWR)
        for name in list(self.handles):
            self.close_handles(name)
        self.h5.H5Fclose.must(self.file)
        self.file = again

    def run(self):
        self.create()
        self.write()
        steps = [self.read] * 8 + [self.write] * 7 + [self.create, self.resize, self.attribute, self.attribute, self.numbers]
        steps += [self.delete, self.copy, self.flush, self.close_one, self.reopen, self.twice]
        for _ in range(STEPS):
            self.random.choice(steps)()
        for name in list(self.handles):
            self.close_handles(name)
        self.h5.H5Fclose.must(self.file)
        # What is in the file is what native HDF5 finds there.
        self.file, self.fapl = self.h5.open(self.path, self.h5.native), self.h5.native
        for name in sorted(self.datasets):
            dset = self.h5.H5Dopen2.must(self.file, name.encode(), 0)
            self.read(name, dset)
            self.h5.H5Dclose.must(dset)
        self.h5.H5Fclose.must(self.file)
        return self.found


def programs(kind):
    def run(h5, fapl):
        return [Program(h5, fapl, kind, seed).run() for seed in range(FIRST, FIRST + PROGRAMS)]

    run.__name__ = kind
    return run


for _kind in KINDS:
    CASES.case(None)(programs(_kind))


if __name__ == "__main__":
    CASES.main(filters=False)
