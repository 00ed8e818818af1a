"""Reads that are measured: how to do them, as often as asked, and one by one.

A workload belongs to one connector; the workloads of two connectors read the same file into the same memory.
"""

import ctypes
import os
import time

import data
from hdf5 import Buffer, Step, address, hid

FLOAT = 4
# Where malloc puts a large buffer in its page.
MALLOC = 16


class Bench:
    """The library, the files and the memory of one run."""

    def __init__(self, library, folder, mebibytes):
        self.library, self.folder = library, folder
        self.mebibytes, self.side = mebibytes, data.side_of(mebibytes)
        self._buffer, self._key = None, None

    def path(self, name):
        return os.path.join(self.folder, name)

    def matrix(self, name):
        return data.matrix_path(self.folder, name, self.side)

    def buffer(self, length, source, phase):
        """Memory for one case; both connectors get the same."""
        page_offset = MALLOC if phase is None else source + phase
        key = (length, page_offset % 4096)
        if self._key != key:
            self._buffer = None
            self._buffer, self._key = Buffer(length, page_offset), key
        return self._buffer

    def offset_of(self, path, name):
        """Where a contiguous dataset begins in its file."""
        lib = self.library
        file = lib.open_file(path, "native")
        dataset = lib.open_dataset(file, name)
        offset = lib.lib.H5Dget_offset(dataset)
        lib.call("H5Dclose", dataset)
        lib.call("H5Fclose", file)
        return offset


def spent_by(work):
    """Seconds that it takes, by the clock and of the processor: of all threads of the process together."""
    begin, begin_cpu = time.perf_counter(), time.process_time()
    work()
    cpu = time.process_time() - begin_cpu
    return time.perf_counter() - begin, cpu


class Workload:
    """Reads that are measured together."""

    # Bytes and reads of one pass.
    bytes = calls = 0

    def run(self, passes):
        """All the reads, `passes` times."""
        raise NotImplementedError

    def spent(self, passes):
        """Seconds for `passes` passes, by the clock and of the processor."""
        return spent_by(lambda: self.run(passes))

    def each(self):
        """For each read: the memory it fills, and a function that does it."""
        raise NotImplementedError

    def close(self):
        pass


class Reads(Workload):
    """H5Dreads of one open dataset."""

    def __init__(self, bench, way, path, name, selections, phase=None, repeat=1, datatype=None):
        """`selections`: (extent of the memory, hyperslab arguments of `Library.space`), None for all of it.

        Every read goes to the beginning of the same memory, as floats unless another `datatype` of that size is
        given. `repeat` passes count as one.
        """
        lib = self.library = bench.library
        source = bench.offset_of(path, name) if phase is not None else 0
        self.lengths = [FLOAT * product(extent) for extent, _ in selections]
        self.buffer = bench.buffer(max(self.lengths), source, phase)
        self.repeat = repeat
        self.calls, self.bytes = len(selections) * repeat, sum(self.lengths) * repeat
        self.way, self.path, self.name = way, path, name
        self.file = lib.open_file(path, way)
        self.dataset = lib.open_dataset(self.file, name)
        datatype = lib.float if datatype is None else datatype
        memories = {}
        self.steps = (Step * len(selections))()
        for step, (extent, selection) in zip(self.steps, selections):
            if extent not in memories:
                memories[extent] = lib.space(extent)
            memory, file = (memories[extent], lib.space(**selection)) if selection else (0, 0)
            fields = (self.dataset, datatype, memory, file, self.buffer.address)
            step.dataset, step.datatype, step.memory, step.file, step.buffer = fields
        self.spaces = [*memories.values(), *(step.file for step in self.steps if step.file)]

    def run(self, passes):
        self.library.repeat(self.steps, passes * self.repeat)

    def each(self):
        for number, length in enumerate(self.lengths):
            one = (Step * 1)(self.steps[number])
            yield self.buffer.bytes[:length], lambda one=one: self.library.repeat(one, 1)

    def close(self):
        for space in self.spaces:
            self.library.call("H5Sclose", space)
        self.library.call("H5Dclose", self.dataset)
        self.library.call("H5Fclose", self.file)


class FirstReads(Reads):
    """The same, each after opening the file anew; the opening itself is not measured."""

    def __init__(self, bench, way, path, name, selections):
        super().__init__(bench, way, path, name, selections)
        self.library.call("H5Dclose", self.dataset)
        self.library.call("H5Fclose", self.file)

    def first(self, step):
        lib = self.library
        file = lib.open_file(self.path, self.way)
        one = (Step * 1)(step)
        one[0].dataset = dataset = lib.open_dataset(file, self.name)
        spent = spent_by(lambda: lib.repeat(one, 1))
        lib.call("H5Dclose", dataset)
        lib.call("H5Fclose", file)
        return spent

    def run(self, passes):
        self.spent(passes)

    def spent(self, passes):
        each = [self.first(step) for _ in range(passes) for step in self.steps]
        return sum(seconds for seconds, _ in each), sum(cpu for _, cpu in each)

    def each(self):
        for step, length in zip(self.steps, self.lengths):
            yield self.buffer.bytes[:length], lambda step=step: self.first(step)

    def close(self):
        for space in self.spaces:
            self.library.call("H5Sclose", space)


class Passes(Reads):
    """The same, every pass after opening the file anew, so that nobody has any of it decoded yet.

    The opening itself is not measured.
    """

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.close_dataset()

    def open_dataset(self):
        self.file = self.library.open_file(self.path, self.way)
        self.dataset = self.library.open_dataset(self.file, self.name)
        for step in self.steps:
            step.dataset = self.dataset

    def close_dataset(self):
        self.library.call("H5Dclose", self.dataset)
        self.library.call("H5Fclose", self.file)

    def run(self, passes):
        self.spent(passes)

    def spent(self, passes):
        clock = cpu = 0
        for _ in range(passes):
            self.open_dataset()
            seconds, of_processor = spent_by(lambda: self.library.repeat(self.steps, 1))
            clock, cpu = clock + seconds, cpu + of_processor
            self.close_dataset()
        return clock, cpu

    def each(self):
        self.open_dataset()
        try:
            yield from super().each()
        finally:
            self.close_dataset()

    def close(self):
        for space in self.spaces:
            self.library.call("H5Sclose", space)


class OpenReadClose(Workload):
    """Opens a file and a dataset in it, reads a little, and closes both."""

    calls, bytes = 1, 64

    def __init__(self, bench, way, path, name):
        self.lib, self.path, self.name = bench.library, os.fsencode(path), name.encode()
        self.access, self.buffer = self.lib.access[way], bench.buffer(self.bytes, 0, None)
        self.lib.call("H5Fclose", self.lib.open_file(path, way))
        self.memory = self.lib.space((16,))
        self.part = self.lib.space((data.SMALL_BYTES // FLOAT,), (0,), (16,))

    def run(self, passes):
        lib, to = self.lib.lib, self.buffer.address
        for _ in range(passes):
            file = lib.H5Fopen(self.path, 0, self.access)
            dataset = lib.H5Dopen2(file, self.name, 0)
            result = lib.H5Dread(dataset, self.lib.float, self.memory, self.part, 0, to)
            lib.H5Dclose(dataset)
            if lib.H5Fclose(file) < 0 or result < 0:
                raise SystemExit("open, read, close failed")

    def each(self):
        yield self.buffer.bytes[: self.bytes], lambda: self.run(1)


class Multi(Workload):
    """One H5Dread_multi of whole datasets."""

    calls = 1

    def __init__(self, bench, way, path, names, length, phase):
        self.library, self.way, self.path, self.names = bench.library, way, path, names
        source = bench.offset_of(path, names[0]) if phase is not None else 0
        # Each dataset's memory begins at the same place in a page.
        distance = -(-length // 4096) * 4096
        self.bytes, count = length * len(names), len(names)
        self.buffer = bench.buffer(distance * count, source, phase)
        targets = (self.buffer.address + distance * number for number in range(count))
        self.targets = (address * count)(*targets)
        self.file, self.arguments = self.open()

    def open(self):
        """The file, and the arguments of the call."""
        lib, count = self.library, len(self.names)
        file = lib.open_file(self.path, self.way)
        datasets = (hid * count)(*(lib.open_dataset(file, name) for name in self.names))
        types, zeros = (hid * count)(*[lib.float] * count), (hid * count)()
        return file, (count, datasets, types, zeros, zeros, 0, self.targets)

    def run(self, passes):
        for _ in range(passes):
            self.library.call("H5Dread_multi", *self.arguments)

    def each(self):
        yield self.buffer.bytes, lambda: self.run(1)

    def close(self):
        self.library.call("H5Fclose", self.file)


class FirstMulti(Multi):
    """The same, after opening everything anew, so that native HDF5 has none of it in its sieve buffers."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        super().close()

    def run(self, passes):
        self.spent(passes)

    def spent(self, passes):
        clock = cpu = 0
        for _ in range(passes):
            self.file, self.arguments = self.open()
            seconds, of_processor = spent_by(lambda: super(FirstMulti, self).run(1))
            clock, cpu = clock + seconds, cpu + of_processor
            super().close()
        return clock, cpu

    def close(self):
        pass


def product(extent):
    result = 1
    for size in extent:
        result *= size
    return result
