"""What the read benchmark reads: each case with the ratio native time / bypass time that is required of it.

A case makes a workload for each of the two connectors, from the same file and into the same memory. A workload
knows how to do all of its reads a number of times, and to do them one by one, for comparing.
"""

import ctypes
import dataclasses
import os
import random
import time
from collections.abc import Callable

import data
from hdf5 import Buffer, Step, address, hid

ELEMENT = 4
# Where malloc puts a large buffer in its page.
MALLOC = 16


@dataclasses.dataclass
class Case:
    """One line of the table, or one for each of its phases."""

    name: str
    what: str
    required: float
    # Makes the workload from (bench, way, phase).
    make: Callable
    # Where the buffer begins in its page, counted from where the data begins in its own: a copy to 1 to 63 bytes
    # further is four times slower on some processors. None: where malloc would put it, wherever the data is.
    phases: tuple = (None,)
    # Required share of what parallel pread of the same bytes gives, where that can be told.
    limit: float | None = None
    # Whether leaving the reads to native HDF5 is a decision, not a failure.
    may_pass_on: bool = False
    # Shown as a time per call, not as a rate.
    small: bool = False


class Bench:
    """The library, the files and the memory of one run."""

    def __init__(self, library, folder, mebibytes):
        self.library, self.folder = library, folder
        self.side = data.side_of(mebibytes)
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

    def __init__(self, bench, way, path, name, selections, phase=None, repeat=1):
        """`selections`: (extent of the memory, hyperslab arguments of `Library.space`), None for all of it.

        Every read goes to the beginning of the same memory. `repeat` passes count as one.
        """
        lib = self.library = bench.library
        source = bench.offset_of(path, name) if phase is not None else 0
        self.lengths = [ELEMENT * product(extent) for extent, _ in selections]
        self.buffer = bench.buffer(max(self.lengths), source, phase)
        self.repeat = repeat
        self.calls, self.bytes = len(selections) * repeat, sum(self.lengths) * repeat
        self.file = lib.open_file(path, way)
        self.dataset = lib.open_dataset(self.file, name)
        memories = {}
        self.steps = (Step * len(selections))()
        for step, (extent, selection) in zip(self.steps, selections):
            if extent not in memories:
                memories[extent] = lib.space(extent)
            memory, file = (memories[extent], lib.space(**selection)) if selection else (0, 0)
            fields = (self.dataset, lib.float, memory, file, self.buffer.address)
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
        self.way, self.path, self.name = way, path, name
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


class OpenReadClose(Workload):
    """Opens a file and a dataset in it, reads a little, and closes both."""

    calls, bytes = 1, 64

    def __init__(self, bench, way, path, name):
        self.lib, self.path, self.name = bench.library, os.fsencode(path), name.encode()
        self.access, self.buffer = self.lib.access[way], bench.buffer(self.bytes, 0, None)
        self.lib.call("H5Fclose", self.lib.open_file(path, way))
        self.memory = self.lib.space((16,))
        self.part = self.lib.space((data.SMALL_BYTES // ELEMENT,), (0,), (16,))

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


def whole(name):
    def make(bench, way, phase):
        return Reads(bench, way, bench.matrix(name), "matrix", [((bench.side,) * 2, None)], phase)

    return make


def of_matrix(name, selections):
    """`selections(side)` gives (start, count, stride) of every read."""

    def make(bench, way, phase):
        extent = (bench.side,) * 2
        reads = [
            (count, {"extent": extent, "start": start, "count": count, "stride": stride})
            for start, count, stride in selections(bench.side)
        ]
        return Reads(bench, way, bench.matrix(name), "matrix", reads, phase)

    return make


def tiles(side):
    places = range(0, side // 1000 * 1000, 1000)
    return [((row, column), (1000, 1000), None) for row in places for column in places]


def small_tiles(side):
    places = random.Random(1)
    return [(tuple(places.randrange(side - 16) for _ in "yx"), (16, 16), None) for _ in range(1000)]


def slabs(side):
    return [((row, 0), (min(100, side - row), side), None) for row in range(0, side, 100)]


def second_rows(side):
    """Of the first quarter: natively this takes so long."""
    return [((0, 0), (side // 8, side), (2, 1))]


def second_columns(side):
    return [((0, 0), (side, side // 2), (1, 2))]


def columns(side):
    return [((0, column), (side, 1), None) for column in range(5, side, side // 16)]


def multi(kind, count, length, workload=Multi):
    def make(bench, way, phase):
        names = [f"{kind}{number}" for number in range(count)]
        return workload(bench, way, bench.path("multi.h5"), names, length, phase)

    return make


def small_reads(bench, way, phase):
    extent = (data.SMALL_BYTES // ELEMENT,)
    places = range(0, extent[0], 16)
    reads = [((16,), {"extent": extent, "start": (place,), "count": (16,)}) for place in places]
    return Reads(bench, way, bench.path("small.h5"), "small", reads, phase)


def open_read_close(bench, way, _phase):
    return OpenReadClose(bench, way, bench.path("small.h5"), "small")


def many_chunks(kind, name, count):
    def make(bench, way, _phase):
        places, extent = random.Random(2), (data.MANY_CHUNKS * data.MANY_CHUNK,)
        starts = [places.randrange(extent[0] // 1024) * 1024 for _ in range(count)]
        reads = [((1024,), {"extent": extent, "start": (start,), "count": (1024,)}) for start in starts]
        return kind(bench, way, bench.path(name), "many", reads)

    return make


CASES = [
    Case("contiguous", "all of a contiguous matrix", 1.3, whole("contiguous"), phases=(0, 16), limit=0.9),
    Case("tiles", "1000 x 1000 tiles of it", 4, of_matrix("contiguous", tiles)),
    Case("small-tiles", "16 x 16 tiles at random places", 3, of_matrix("contiguous", small_tiles), small=True),
    Case("chunks-1MiB", "all of it in chunks of 1 MiB", 1.6, whole("chunks-1MiB")),
    Case("chunks-64KiB", "all of it in chunks of 64 KiB", 2, whole("chunks-64KiB")),
    Case("chunks-16KiB", "all of it in chunks of 16 KiB", 3, whole("chunks-16KiB")),
    Case("slabs", "100 rows at a time, 1 MiB chunks", 3, of_matrix("chunks-1MiB", slabs)),
    Case("second-rows", "every 2nd row, 1 MiB chunks", 10, of_matrix("chunks-1MiB", second_rows)),
    Case("second-columns", "every 2nd column, contiguous", 4, of_matrix("contiguous", second_columns)),
    Case("column", "one column, contiguous", 1.5, of_matrix("contiguous", columns), small=True),
    Case(
        "multi-large",
        "H5Dread_multi of 8 x 16 MiB",
        1.3,
        multi("large", data.MULTI_LARGE, data.MULTI_LARGE_BYTES),
        phases=(0, 16),
    ),
    Case(
        "multi-small",
        "H5Dread_multi of 256 x 4 KiB",
        2,
        multi("small", data.MULTI_SMALL, data.MULTI_SMALL_BYTES),
        small=True,
    ),
    Case(
        "multi-small-first",
        "the same, each just opened",
        2,
        multi("small", data.MULTI_SMALL, data.MULTI_SMALL_BYTES, FirstMulti),
        small=True,
    ),
    Case("64-bytes", "64 bytes at a time, in order", 0.9, small_reads, small=True),
    Case("open-read-close", "open, read 64 bytes, close", 0.9, open_read_close, small=True),
    Case(
        "many-first",
        "first 4 KiB of a million chunks",
        0.9,
        many_chunks(FirstReads, "many.h5", 20),
        may_pass_on=True,
        small=True,
    ),
    Case(
        "many-later",
        "later 4 KiB of a million chunks",
        0.9,
        many_chunks(Reads, "many.h5", 200),
        may_pass_on=True,
        small=True,
    ),
    Case(
        "many-latest-first",
        "the same with libver=latest, first",
        0.9,
        many_chunks(FirstReads, "many-latest.h5", 20),
        may_pass_on=True,
        small=True,
    ),
    Case(
        "many-latest-later",
        "the same with libver=latest, later",
        0.9,
        many_chunks(Reads, "many-latest.h5", 200),
        may_pass_on=True,
        small=True,
    ),
]
