"""Writes that are measured: each pass writes a file of its own, from its creation until it is closed.

A workload belongs to one connector; the workloads of two connectors write the same numbers, from the same memory, to
a file each. The file of the last pass is there to be read until the next pass begins.
"""

import contextlib
import dataclasses
import os
import time

import numpy
from hdf5 import TRUNCATE, UNLIMITED, WRITABLE, Step, address, array, hid
from workloads import Workload, product, spent_by
from write_data import size_of

NAME = "data"


@dataclasses.dataclass(frozen=True)
class Recipe:
    """What is written."""

    # Of an element in memory, as NumPy calls it, and in the file, if it differs.
    kind: str
    extent: tuple
    stored: str | None = None
    chunks: tuple | None = None
    # (number, options) of each filter, in the order of writing.
    filters: tuple = ()
    # Whether the dataset begins without rows.
    grows: bool = False

    def bytes(self):
        return size_of(self.kind) * product(self.extent)


def remove(path):
    with contextlib.suppress(FileNotFoundError):
        os.remove(path)


class Timed(Workload):
    """Beginning, writing and ending, which are measured together and apart."""

    def __init__(self, path):
        self.path = path
        # Seconds of (begin, write, end) of every pass.
        self.parts = []

    def prepare(self):
        """What a pass needs, and is not measured."""
        remove(self.path)

    def begin(self):
        raise NotImplementedError

    def write(self):
        raise NotImplementedError

    def end(self):
        raise NotImplementedError

    def once(self):
        moments = [time.perf_counter()]
        for step in (self.begin, self.write, self.end):
            step()
            moments.append(time.perf_counter())
        self.parts.append([later - earlier for earlier, later in zip(moments, moments[1:])])

    def run(self, passes):
        self.spent(passes)

    def spent(self, passes):
        clock = cpu = 0
        for _ in range(passes):
            self.prepare()
            seconds, of_processor = spent_by(self.once)
            clock, cpu = clock + seconds, cpu + of_processor
        return clock, cpu

    def close(self):
        remove(self.path)


class Writes(Timed):
    """H5Dwrites to a dataset of a new file."""

    def __init__(self, bench, way, recipe, selections=None):
        """`selections`: (extent of the memory, hyperslab arguments of `Library.space`) of every write.

        What is written lies in memory in the order of the writes, one behind the other. Without selections all
        of the dataset is written at once.
        """
        super().__init__(bench.path(f"{way}.h5"))
        lib = self.library = bench.library
        self.way, self.recipe = way, recipe
        self.buffer = bench.numbers(recipe.kind, product(recipe.extent))
        self.datatype = lib.stored(recipe.kind)
        self.creation = lib.creation(recipe.chunks, recipe.filters)
        rest = recipe.extent[1:]
        self.space = lib.space((0, *rest), most=(UNLIMITED, *rest)) if recipe.grows else lib.space(recipe.extent)
        self.prepare_steps(selections or [(recipe.extent, None)])

    def prepare_steps(self, selections):
        memories, place = {}, self.buffer.address
        self.steps = (Step * len(selections))()
        for step, (extent, selection) in zip(self.steps, selections):
            if extent not in memories:
                memories[extent] = self.library.space(extent)
            memory, file = (memories[extent], self.library.space(**selection)) if selection else (0, 0)
            step.datatype, step.memory, step.file, step.buffer = self.datatype, memory, file, place
            place += product(extent) * size_of(self.recipe.kind)
        self.calls, self.bytes = len(selections), place - self.buffer.address
        self.spaces = [self.space, *memories.values(), *(step.file for step in self.steps if step.file)]

    def begin(self):
        self.file = self.library.create_file(self.path, self.way)
        datatype = self.library.stored(self.recipe.stored or self.recipe.kind)
        self.dataset = self.library.create_dataset(self.file, NAME, datatype, self.space, self.creation)
        for step in self.steps:
            step.dataset = self.dataset

    def write(self):
        self.library.write_all(self.steps)

    def end(self):
        self.library.call("H5Dclose", self.dataset)
        self.library.call("H5Fclose", self.file)

    def contents(self):
        """What is in the file, as native HDF5 reads it."""
        yield read_natively(self.library, self.path, NAME, self.datatype, self.recipe.bytes())

    def file_bytes(self):
        return os.path.getsize(self.path)

    def close(self):
        super().close()
        for space in self.spaces:
            self.library.call("H5Sclose", space)
        self.library.call("H5Pclose", self.creation)


def read_natively(library, path, name, datatype, length):
    content = numpy.full(length, 0x55, numpy.uint8)
    file = library.open_file(path, "native")
    dataset = library.open_dataset(file, name)
    library.call("H5Dread", dataset, datatype, 0, 0, 0, content.ctypes.data)
    library.call("H5Dclose", dataset)
    library.call("H5Fclose", file)
    return content


class Appends(Writes):
    """The same, each after making the dataset longer by what it writes."""

    def prepare_steps(self, selections):
        super().prepare_steps(selections)
        self.extents = [array(selection["extent"]) for _, selection in selections]

    def write(self):
        lib = self.library.lib
        for extent, step in zip(self.extents, self.steps):
            self.library.call("H5Dset_extent", self.dataset, extent)
            result = lib.H5Dwrite(step.dataset, step.datatype, step.memory, step.file, 0, step.buffer)
            if result < 0:
                raise SystemExit("a write failed")


class Overwrites(Writes):
    """The same, to a file that is there and has other numbers in it."""

    def __init__(self, bench, way, recipe):
        super().__init__(bench, way, recipe)
        self.way = "native"
        zeros = numpy.zeros(self.bytes, numpy.uint8)
        super().prepare()
        super().begin()
        self.library.call("H5Dwrite", self.dataset, self.datatype, 0, 0, 0, zeros.ctypes.data)
        super().end()
        self.way = way

    def prepare(self):
        pass

    def begin(self):
        self.file = self.library.open_file(self.path, self.way, WRITABLE)
        self.dataset = self.library.open_dataset(self.file, NAME)
        self.steps[0].dataset = self.dataset


class InThreads(Writes):
    """The same, by several threads of the application, each taking the next write when it is done with its last."""

    THREADS = 4

    def write(self):
        self.library.write_in_threads(self.steps, self.THREADS)


class Multi(Writes):
    """One H5Dwrite_multi of whole datasets, all of one recipe."""

    def __init__(self, bench, way, recipe, count):
        super().__init__(bench, way, recipe)
        self.names = [f"{NAME}{number}" for number in range(count)]
        self.calls, self.bytes = 1, recipe.bytes() * count
        self.types, self.zeros = (hid * count)(*[self.datatype] * count), (hid * count)()
        self.sources = (address * count)(*[self.buffer.address] * count)

    def begin(self):
        lib = self.library
        self.file = lib.create_file(self.path, self.way)
        arguments = (self.datatype, self.space, self.creation)
        self.datasets = [lib.create_dataset(self.file, name, *arguments) for name in self.names]

    def write(self):
        datasets, zeros = (hid * len(self.names))(*self.datasets), self.zeros
        self.library.call("H5Dwrite_multi", len(datasets), datasets, self.types, zeros, zeros, 0, self.sources)

    def end(self):
        for dataset in self.datasets:
            self.library.call("H5Dclose", dataset)
        self.library.call("H5Fclose", self.file)

    def contents(self):
        for name in self.names:
            yield read_natively(self.library, self.path, name, self.datatype, self.recipe.bytes())


class Files(Writes):
    """Many small files, each created, written and closed before the next."""

    def __init__(self, bench, way, recipe, count):
        super().__init__(bench, way, recipe)
        self.paths = [bench.path(f"{way}{number}.h5") for number in range(count)]
        self.calls, self.bytes = count, recipe.bytes() * count

    def prepare(self):
        for path in self.paths:
            remove(path)

    def once(self):
        lib, step = self.library.lib, self.steps[0]
        access, datatype = self.library.access[self.way], step.datatype
        for path in self.paths:
            file = lib.H5Fcreate(os.fsencode(path), TRUNCATE, 0, access)
            dataset = lib.H5Dcreate2(file, NAME.encode(), datatype, self.space, 0, self.creation, 0)
            result = lib.H5Dwrite(dataset, datatype, 0, 0, 0, step.buffer)
            closed = lib.H5Dclose(dataset), lib.H5Fclose(file)
            if min(result, *closed) < 0:
                raise SystemExit("create, write, close failed")

    def contents(self):
        for path in self.paths:
            yield read_natively(self.library, path, NAME, self.datatype, self.recipe.bytes())

    def file_bytes(self):
        return sum(map(os.path.getsize, self.paths))

    def close(self):
        self.prepare()
        super().close()
