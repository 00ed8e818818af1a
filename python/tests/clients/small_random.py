"""Random programs of tiny reads and writes through h5py, checked against arrays in memory.

    small_random.py FIRST_SEED SEEDS STEPS

Each seed makes a file `SEED.h5` and, beside it, `SEED.npz` with what must be in it when it is closed. Every read is compared at once. The
last line of output is JSON: how often what was done.
"""

import collections
import json
import os
import random
import sys

import h5py
import numpy as np

SHAPES = [(5,), (300,), (5000,), (70_000,), (40, 16), (900, 16), (64, 64, 8)]
NATIVE = "HDF5_VOL_CONNECTOR" not in os.environ
NUMBERS = ["u1", "<i2", "<i4", ">i4", "<f8"]
# HDF5 has no types of its own that are like these.
OTHERS = ["S5", "?", [("number", "<i4"), ("value", "<f8"), ("name", "S3")]]


class Program:
    """One file, the arrays that its datasets must hold, and handles of them that are open."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.name = f"{seed}.h5"
        self.file = h5py.File(self.name, "w")
        self.arrays = {}
        self.handles = collections.defaultdict(list)
        self.done = collections.Counter()

    def close(self):
        self.handles.clear()
        self.file.close()

    def create(self):
        chance = self.random
        name = f"d{len(self.arrays)}.{self.done['create']}"
        shape, kind = chance.choice(SHAPES), np.dtype(chance.choice(NUMBERS * 2 + OTHERS))
        layout = chance.choice(["contiguous", "contiguous", "chunked", "chunked", "tiny chunks", "gzip"])
        arguments = {}
        if layout != "contiguous":
            longest = 3 if layout == "tiny chunks" else 40
            arguments = {"chunks": tuple(min(size, chance.randint(1, longest)) for size in shape), "maxshape": (None, *shape[1:])}
        if layout == "gzip":
            arguments["compression"] = 1
        # Native HDF5 shows old data where contiguous storage in reused space was never written.
        if chance.random() < 0.3 or (layout == "contiguous" and NATIVE):
            arguments["fillvalue"] = np.array(7).astype(kind)[()]
        array = np.full(shape, arguments.get("fillvalue", np.zeros((), kind)[()]), kind)
        dataset = self.file.create_dataset(name, shape, kind, **arguments)
        if chance.random() < 0.5:
            array[...] = np.arange(array.size).reshape(shape) % 100
            dataset[...] = array
        self.arrays[name] = array
        self.done[layout] += 1

    def dataset(self):
        """A dataset through a handle that is open, or through a new one."""
        name = self.random.choice(list(self.arrays))
        open_ones = self.handles[name]
        if open_ones and self.random.random() < 0.8:
            return name, self.random.choice(open_ones)
        handle = self.file[name]
        if self.random.random() < 0.7:
            open_ones.append(handle)
        return name, handle

    def selection(self, shape):
        """A few elements, most of the time: one, a run, a small box, every second one."""
        chance = self.random
        if any(size == 0 for size in shape):
            return ...
        kind = chance.choice(["one", "run", "run", "box", "step", "near", "near"])
        if kind == "one":
            return tuple(chance.randrange(size) for size in shape)
        if kind == "near":
            # Where the last one was, or beside it.
            place = (self.done["near"] * 3) % shape[0]
            self.done["near"] += chance.choice([-1, 1, 1, 1])
            return (slice(place, min(place + 3, shape[0])), *(slice(None, 16) for _ in shape[1:]))
        def part(size, longest):
            start = chance.randrange(size)
            return slice(start, min(size, start + chance.randint(1, longest)), 2 if kind == "step" else 1)
        if kind == "run":
            return (*(chance.randrange(size) for size in shape[:-1]), part(shape[-1], 200))
        return tuple(part(size, 8) for size in shape)

    def write(self):
        name, handle = self.dataset()
        where = self.selection(handle.shape)
        array = self.arrays[name]
        value = np.random.default_rng(self.random.randrange(1 << 30)).integers(0, 100, np.shape(array[where])).astype(array.dtype)
        if self.random.random() < 0.2 and array.dtype.kind in "iuf":
            value = value.astype("<f4")
        handle[where] = value
        array[where] = value

    def read(self):
        name, handle = self.dataset()
        where = self.selection(handle.shape)
        self.compare(name, handle[where], self.arrays[name][where])

    def read_all(self):
        name, handle = self.dataset()
        self.compare(name, handle[...], self.arrays[name])

    def read_list(self):
        name, handle = self.dataset()
        rows = sorted(self.random.sample(range(handle.shape[0]), min(handle.shape[0], 5)))
        if rows:
            self.compare(name, handle[rows], self.arrays[name][rows])

    def write_all(self):
        name, handle = self.dataset()
        self.arrays[name][...] = self.random.randrange(100)
        handle[...] = self.arrays[name]

    def resize(self):
        name, handle = self.dataset()
        if handle.chunks is None:
            return
        array, change = self.arrays[name], self.random.choice([1, 1, 1, 1, 5, -1, -20])
        rows = max(0, array.shape[0] + change)
        handle.resize(rows, axis=0)
        grown = np.full((rows, *array.shape[1:]), handle.fillvalue, array.dtype)
        grown[:array.shape[0]] = array[:rows]
        self.arrays[name] = grown
        if change == 1:
            grown[-1] = self.random.randrange(100)
            handle[-1] = grown[-1]

    def flush(self):
        self.file.flush()

    def flush_one(self):
        self.dataset()[1].flush()

    def drop_handles(self):
        self.handles.pop(self.random.choice(list(self.arrays)), None)

    def reopen(self):
        self.close()
        self.file = h5py.File(self.name, "r+")

    def copy(self):
        name, _ = self.dataset()
        if self.arrays[name].size < 10_000:
            new = f"copy{self.done['copy']}"
            self.file.copy(name, new)
            self.arrays[new] = self.arrays[name].copy()

    def delete(self):
        if len(self.arrays) > 3:
            name, _ = self.dataset()
            del self.file[name]
            self.handles.pop(name, None)
            del self.arrays[name]

    def view(self):
        """A virtual dataset, which native HDF5 reads from the file."""
        name, handle = self.dataset()
        if handle.shape[0] and handle.ndim < 3:
            layout = h5py.VirtualLayout(handle.shape, handle.dtype)
            layout[...] = h5py.VirtualSource(self.name, name, handle.shape)
            view = self.file.create_virtual_dataset(f"view{self.done['view']}", layout)
            self.compare(name, view[...], self.arrays[name])

    def compare(self, name, found, wanted):
        if not np.array_equal(found, wanted):
            sys.exit(f"{self.name}/{name}: after {sum(self.done.values())} steps {found!r} instead of {wanted!r}")

    def run(self, steps):
        weights = {
            self.write: 30, self.read: 30, self.read_all: 3, self.read_list: 3, self.write_all: 1, self.resize: 6, self.flush: 1,
            self.flush_one: 1, self.drop_handles: 4, self.reopen: 1, self.copy: 1, self.delete: 1, self.view: 1, self.create: 1,
        }
        for _ in range(3):
            self.create()
        for step in self.random.choices(list(weights), list(weights.values()), k=steps):
            step()
            self.done[step.__name__] += 1
        self.close()
        np.savez(self.name.replace(".h5", ".npz"), **self.arrays)
        return self.done


def main():
    first, seeds, steps = map(int, sys.argv[1:])
    total = collections.Counter()
    for seed in range(first, first + seeds):
        total.update(Program(seed).run(steps))
    print(json.dumps(total))


if __name__ == "__main__":
    main()
