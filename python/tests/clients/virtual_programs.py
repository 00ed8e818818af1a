"""Random programs on virtual datasets and their sources in files that are open for writing, natively and through the connector.

    virtual_programs.py HOST FIRST_SEED SEEDS

Each seed makes a file with virtual datasets and their sources, as virtual_random.py does, and a program: reads and writes through the
virtual datasets and through handles of the sources, flushes, handles that are closed and opened again, sources that grow. The program
runs on two copies of the files. Every step must have the same result, and afterwards native HDF5 must find the same in all datasets.
The last line of output is JSON: how many steps there were and how many failed, the kinds of steps, and the differences.
"""

import collections
import ctypes
import json
import math
import os
import random
import shutil
import sys
from pathlib import Path

from hdf5lib import VISIT, Library
from random_selections import build_space, random_memory, random_selection, random_slab
from virtual_random import GUARD, TYPES, Sources, count_of, do_read, make_virtual, random_read, random_type

MADE = Path("made")
UNOPENED = -2


class GrowingSources(Sources):
    """Remembers where sources are; some of the chunked ones can grow."""

    def __init__(self, rng, h5, report):
        super().__init__(rng, h5, report)
        self.made, self.can_grow = [], False
        # Without all sources, little can be written.
        if rng.random() < 0.8:
            self.PLACES = tuple(place for place in self.PLACES if not place.startswith("no "))

    def space(self, dims, kind):
        self.can_grow = bool(dims) and kind not in ("contiguous", "unwritten") and self.rng.random() < 0.5
        return self.h5.space(dims, [self.h5.UNLIMITED] * len(dims)) if self.can_grow else super().space(dims, kind)

    def make(self, where, name, dims):
        super().make(where, name, dims)
        self.made.append((file_name(self.h5, where), name, list(dims), self.can_grow))


def file_name(h5, file):
    text = ctypes.create_string_buffer(256)
    h5.H5Fget_name.must(file, text, len(text))
    return text.value.decode()


def random_write(rng, h5, dims, usual):
    """A write of part of a dataset: usually of its own type."""
    kind = rng.random()
    if kind < 0.3:
        selection = {"kind": "ALL"}
    elif kind < 0.7:
        selection = {"kind": "slabs", "slabs": [("SET", random_slab(rng, dims))]}
    else:
        selection = random_selection(rng, dims, allow_points=False)
    number = math.prod(dims) if selection["kind"] == "ALL" else count_of(h5, dims, selection)
    dtype = usual if rng.random() < 0.8 else rng.choice(list(TYPES))
    memory = random_memory(rng, number, dims, selection)
    return {"file": selection, "memory": memory, "type": dtype, "pattern": rng.randrange(2**32)}


def do_write(h5, dset, dims, write):
    extent, selection = write["memory"]
    # Native HDF5 takes elements for those of the virtual dataset, which may be larger.
    values = bytes(random.Random(write["pattern"]).randrange(100) for _ in range(64))
    buffer = (values * (math.prod(extent) * 8 // 64 + 2))[: math.prod(extent) * 8 + GUARD]
    memory, file = build_space(h5, extent, selection), build_space(h5, dims, write["file"])
    result = h5.H5Dwrite(dset, h5.type(write["type"]), memory, file, 0, buffer)
    h5.errors()
    for space in (memory, file):
        space > 1 and h5.H5Sclose(space)
    return result


def program(rng, h5, virtuals, sources):
    """The steps, each with the dataset that it concerns."""
    steps = []
    datasets = [("v.h5", name, dims, dtype) for name, dims, dtype in virtuals]
    others = [(file, name, dims, "STD_I32LE") for file, name, dims, _ in sources]
    growing = {(file, name): dims for file, name, dims, can_grow in sources if can_grow}
    # Some programs have the source files open, some do not.
    if rng.random() < 0.5:
        others = [source for source in others if source[0] == "v.h5"]
    for _ in range(rng.randint(8, 40)):
        of_virtual = not others or rng.random() < 0.7
        file, name, dims, dtype = rng.choice(datasets if of_virtual else others)
        what = rng.choice(["read"] * 5 + ["write"] * 5 + ["flush dataset", "flush file", "close", "close file", "grow"])
        details, dims = None, growing.get((file, name), dims)
        if what == "grow":
            if (file, name) not in growing:
                continue
            # What is mapped stays what it was.
            details = growing[file, name] = [size + rng.randint(0, 3) for size in dims]
        if what == "read":
            details = random_read(rng, h5, dims)
        elif what == "write":
            details = random_write(rng, h5, dims, dtype)
        steps.append((what, "virtual" if of_virtual else "source", file, name, dims, details))
    return steps


class Unopened(Exception):
    """A file could not be opened."""


class Run:
    """A run of a program: which files and datasets are open. Opening a file fails if a virtual dataset has it open in another way."""

    def __init__(self, h5, access, modes):
        self.h5, self.access, self.modes, self.files, self.datasets = h5, access, modes, {}, {}

    def file(self, name):
        if name not in self.files:
            file = self.h5.H5Fopen(name.encode(), self.modes.get(name, self.h5.RDWR), self.access)
            self.h5.errors()
            if file < 0:
                raise Unopened
            self.files[name] = file
        return self.files[name]

    def dataset(self, file, name):
        if (file, name) not in self.datasets:
            self.datasets[file, name] = self.h5.H5Dopen2.must(self.file(file), name.encode(), 0)
        return self.datasets[file, name]

    def try_step(self, *step):
        try:
            return self.step(*step)
        except Unopened:
            return UNOPENED

    def close_file(self, file):
        """Datasets first, or afterwards: then the file stays open as long as they are."""
        for key in [key for key in self.datasets if key[0] == file]:
            self.h5.H5Dclose.must(self.datasets.pop(key))
        if file in self.files:
            self.h5.H5Fclose.must(self.files.pop(file))

    def step(self, what, file, name, dims, details):
        h5 = self.h5
        if what == "read":
            return do_read(h5, self.dataset(file, name), dims, details)
        if what == "write":
            return do_write(h5, self.dataset(file, name), dims, details)
        if what == "grow":
            return h5.H5Dset_extent(self.dataset(file, name), details)
        if what == "flush dataset":
            return h5.H5Dflush(self.dataset(file, name))
        if what == "flush file":
            return h5.H5Fflush(self.file(file), 0)
        if what == "close":
            (file, name) in self.datasets and h5.H5Dclose.must(self.datasets.pop((file, name)))
        if what == "close file":
            self.close_file(file)
        return 0

    def end(self):
        for file in list(self.files):
            self.close_file(file)


def contents(h5):
    """All elements of all datasets that are not virtual, as stored, by native HDF5."""
    found = {}
    for path in sorted(Path().glob("*.h5")):
        file = h5.open(str(path), h5.native)
        names = []

        @VISIT
        def visit(_group, name, _info, _data):
            names.append(name)
            return 0

        h5.H5Literate2.must(file, 0, 0, None, visit, None)
        for name in names:
            dset = h5.H5Dopen2.must(file, name, 0)
            dtype, space = h5.H5Dget_type.must(dset), h5.H5Dget_space.must(dset)
            size = h5.H5Tget_size(dtype) * h5.H5Sget_simple_extent_npoints(space)
            buffer = ctypes.create_string_buffer(size + 1)
            status = h5.H5Dread(dset, dtype, 0, 0, 0, buffer)
            found[f"{path}/{name.decode()}"] = (status, buffer.raw.hex())
            h5.errors()
            h5.H5Sclose(space), h5.H5Tclose(dtype), h5.H5Dclose.must(dset)
        h5.H5Fclose.must(file)
    return found


def one_seed(h5, seed, report):
    rng = random.Random(seed)
    for path in Path().iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    MADE.mkdir()
    os.chdir(MADE)
    latest = h5.fapl()
    next(bound for bound in (6, 5, 4) if h5.H5Pset_libver_bounds(latest, bound, bound) >= 0)
    file = h5.create("v.h5", rng.choice([h5.native, latest]))
    sources, virtuals = GrowingSources(rng, h5, report), []
    for number in range(rng.randint(1, 2)):
        dims = [rng.choice([1, 5, 12, 30, 40]) for _ in range(rng.choice([1, 2, 2, 2, 3]))]
        make_virtual(rng, h5, file, f"v{number}", dims, sources, report)
        dset = h5.H5Dopen2.must(file, f"v{number}".encode(), 0)
        dtype = h5.H5Dget_type.must(dset)
        own = next((name for name in TYPES if h5.H5Tequal(dtype, h5.type(name)) > 0), "STD_I32LE")
        h5.H5Tclose(dtype), h5.H5Dclose.must(dset)
        virtuals.append((f"v{number}", dims, own))
    h5.H5Fclose.must(file)
    os.chdir("..")
    steps = program(rng, h5, virtuals, sources.made)
    # Natively the sources of a file that is open read-only are the same to all who have them open.
    modes = {"v.h5": h5.RDONLY} if rng.random() < 0.2 else {}
    report.kinds["read-only"] += len(modes)
    answers = {}
    for way in ("native", "bypass"):
        shutil.copytree(MADE, way)
        os.chdir(way)
        run = Run(h5, getattr(h5, way), modes)
        answers[way] = [run.try_step(what, *rest) for what, _, *rest in steps]
        run.end()
        answers[way, "contents"] = contents(h5)
        os.chdir("..")
    for number, (step, native, ours) in enumerate(zip(steps, answers["native"], answers["bypass"])):
        report.steps += 1
        report.kinds[f"{step[0]} {step[1]}"] += 1
        report.failed += (native[0] if isinstance(native, tuple) else native) < 0
        if (native == UNOPENED) != (ours == UNOPENED):
            # Of mappings that overlap, native HDF5 opens also those sources of which it needs nothing.
            report.opened_differently += 1
            break
        if native != ours:
            report.differences.append({"seed": seed, "number": number, "step": step, "native": str(native)[:300], "ours": str(ours)[:300]})
            break
    else:
        native, ours = answers["native", "contents"], answers["bypass", "contents"]
        wrong = [name for name in native if native[name] != ours.get(name)]
        if wrong or native.keys() != ours.keys():
            report.differences.append({"seed": seed, "contents": wrong, "steps": [step[:4] for step in steps]})


class Report:
    def __init__(self):
        self.steps = self.failed = self.opened_differently = 0
        self.kinds, self.coverage = collections.Counter(), collections.Counter()
        self.differences = []


def main():
    host, first, seeds = sys.argv[1:]
    h5, report = Library(host), Report()
    for seed in range(int(first), int(first) + int(seeds)):
        one_seed(h5, seed, report)
        if len(report.differences) > 5:
            break
    print(json.dumps(vars(report)))


if __name__ == "__main__":
    main()
