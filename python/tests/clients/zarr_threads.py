"""Threads that use one container through a thread-safe libhdf5, by ctypes: `LIBHDF5 FOLDER`. Prints as JSON what was seen.

overlap    which share of a long read or write a short call of another thread has waited
stress     writers, readers, flushes, other extents, closing: each call must take effect as a whole
"""

from __future__ import annotations

import ctypes
import json
import random
import sys
import threading
import time

COLUMNS, CHUNK = 1000, (8, 500)
BANDS, BAND = 20, 3  # bands of three rows: most chunks have parts of several
SECONDS = 5
hid = ctypes.c_int64


class Library:
    """A libhdf5. Calls give up Python's lock."""

    def __init__(self, path):
        self.h5 = ctypes.CDLL(path)
        self("H5open")
        # Errors are raised here, not printed.
        self("H5Eset_auto2", 0, None, None)

    def __call__(self, function, *arguments):
        found = getattr(self.h5, function)
        found.restype = hid if function.endswith(("open", "open2", "reopen", "create", "create2", "create_simple")) else ctypes.c_int
        value = found(*[hid(one) if isinstance(one, int) else one for one in arguments])
        if value < 0:
            raise RuntimeError(f"{function} failed")
        return value

    def constant(self, symbol):
        return hid.in_dll(self.h5, symbol).value

    def sizes(self, *numbers):
        return (ctypes.c_uint64 * len(numbers))(*numbers)

    def create(self, file, name, rows, columns, chunk, level=1):
        creation = self("H5Pcreate", self.constant("H5P_CLS_DATASET_CREATE_ID_g"))
        self("H5Pset_chunk", creation, ctypes.c_int(2), self.sizes(*chunk))
        self("H5Pset_deflate", creation, ctypes.c_uint(level))
        space = self("H5Screate_simple", ctypes.c_int(2), self.sizes(rows, columns), self.sizes(1 << 40, columns))
        dataset = self("H5Dcreate2", file, name, self.constant("H5T_STD_I32LE_g"), space, 0, creation, 0)
        for one, close in ((space, "H5Sclose"), (creation, "H5Pclose")):
            self(close, one)
        return dataset

    def move(self, function, dataset, first, count, memory, columns=COLUMNS):
        """Some rows."""
        space = self.space_of(dataset)
        rows = self("H5Screate_simple", ctypes.c_int(2), self.sizes(count, columns), None)
        try:
            self("H5Sselect_hyperslab", space, ctypes.c_int(0), self.sizes(first, 0), None, self.sizes(count, columns), None)
            self(function, dataset, self.constant("H5T_NATIVE_INT_g"), rows, space, 0, memory)
        finally:
            self("H5Sclose", space)
            self("H5Sclose", rows)

    def space_of(self, dataset):
        self.h5.H5Dget_space.restype = hid
        return self.h5.H5Dget_space(hid(dataset))


def overlap(h5, folder):
    """Short calls that end while a long one is under way."""
    rows, columns = 4096, 2048
    file = h5("H5Fcreate", f"{folder}/overlap.zarr".encode(), 2, 0, 0)
    dataset = h5.create(file, b"d", rows, columns, (256, 1024), level=6)
    memory = (ctypes.c_int * (rows * columns))()
    ctypes.memmove(memory, bytes(random.Random(1).randbytes(1 << 20)) * 32, 32 << 20)
    all_types = h5.constant("H5T_NATIVE_INT_g")
    found = {}
    for function in ("H5Dwrite", "H5Dread"):
        long, done = [], threading.Event()

        def long_calls(function=function, long=long, done=done):
            for _ in range(3):
                begin = time.perf_counter()
                h5(function, dataset, all_types, 0, 0, 0, memory)
                long.append((begin, time.perf_counter()))
            done.set()

        thread = threading.Thread(target=long_calls)
        thread.start()
        short = []
        while not done.is_set():
            begin = time.perf_counter()
            h5("H5Iis_valid", dataset)
            short.append((begin, time.perf_counter()))
        thread.join()
        # Of each long call: the share that the longest short call took of it.
        found[function] = [
            max((min(end, last) - max(begin, first) for begin, end in short), default=0) / (last - first) for first, last in long
        ]
    h5("H5Dclose", dataset)
    h5("H5Fclose", file)
    return found


class Stress:
    """What threads do to one container, and what is wrong."""

    def __init__(self, h5, folder):
        self.h5, self.name, self.wrong = h5, f"{folder}/stress.zarr".encode(), []
        self.file = h5("H5Fcreate", self.name, 2, 0, 0)
        dataset = h5.create(self.file, b"shared", BANDS * BAND, COLUMNS, CHUNK)
        h5("H5Dclose", dataset)
        h5("H5Dclose", h5.create(self.file, b"own", 0, 10, (4, 10)))
        self.last, self.counts, self.ended = [0] * BANDS, {}, threading.Event()

    def run(self):
        workers = [(self.write, 0), (self.write, 1), (self.read, 2), (self.read, 3), (self.flush, 4), (self.grow, 5), (self.own, 6)]
        threads = [threading.Thread(target=self.guarded, args=worker) for worker in workers]
        for thread in threads:
            thread.start()
        self.ended.wait(SECONDS)
        self.ended.set()
        for thread in threads:
            thread.join()
        self.close_while_writing()
        return {"wrong": self.wrong[:10], "counts": self.counts, "bands": self.bands_of_reopened()}

    def guarded(self, work, number):
        count = 0
        try:
            numbers = random.Random(number)
            while not self.ended.is_set():
                work(number, numbers)
                count += 1
        except Exception as error:
            self.wrong.append(f"{work.__name__}: {error!r}")
            self.ended.set()
        self.counts[f"{work.__name__} {number}"] = count

    def opened(self):
        return self.h5("H5Dopen2", self.file, b"shared", 0)

    def write(self, number, numbers):
        """A band of its own gets another number everywhere."""
        band = numbers.randrange(BANDS // 2) * 2 + number
        self.last[band] += 1
        self.put(band, self.last[band])

    def put(self, band, value):
        dataset = self.opened()
        memory = (ctypes.c_int * (BAND * COLUMNS))(*[value] * (BAND * COLUMNS))
        self.h5.move("H5Dwrite", dataset, band * BAND, BAND, memory)
        self.h5("H5Dclose", dataset)

    def read(self, _number, numbers):
        """Bands are the same everywhere, and never older than before."""
        dataset = self.opened()
        first = numbers.randrange(BANDS)
        count = numbers.randrange(1, BANDS - first + 1)
        before = self.last[first : first + count]
        memory = (ctypes.c_int * (count * BAND * COLUMNS))()
        self.h5.move("H5Dread", dataset, first * BAND, count * BAND, memory)
        self.h5("H5Dclose", dataset)
        for band in range(count):
            values = set(memory[band * BAND * COLUMNS : (band + 1) * BAND * COLUMNS])
            if len(values) != 1:
                raise RuntimeError(f"band {first + band} has {sorted(values)}")
            # It may not be written yet, but the one before is.
            if min(values) < before[band] - 1:
                raise RuntimeError(f"band {first + band} is {values}, but {before[band] - 1} was written")

    def flush(self, _, numbers):
        self.h5("H5Fflush", self.file, ctypes.c_int(1))
        threading.Event().wait(0.002 * numbers.random())

    def grow(self, _, numbers):
        """Another extent; what the others use stays."""
        dataset = self.opened()
        self.h5("H5Dset_extent", dataset, self.h5.sizes(BANDS * BAND + numbers.randrange(30), COLUMNS))
        self.h5("H5Dclose", dataset)
        threading.Event().wait(0.005 * numbers.random())

    def own(self, _, numbers):
        """A dataset that nobody else uses, with all kinds of extents."""
        dataset = self.h5("H5Dopen2", self.file, b"own", 0)
        rows = numbers.randrange(1, 50)
        self.h5("H5Dset_extent", dataset, self.h5.sizes(0, 10))
        self.h5("H5Dset_extent", dataset, self.h5.sizes(rows, 10))
        memory = (ctypes.c_int * (rows * 10))(*range(rows * 10))
        self.h5.move("H5Dwrite", dataset, 0, rows, memory, 10)
        found = (ctypes.c_int * (rows * 10))()
        self.h5.move("H5Dread", dataset, 0, rows, found, 10)
        self.h5("H5Dclose", dataset)
        if list(found) != list(memory):
            raise RuntimeError(f"{rows} rows are not what was written")

    def close_while_writing(self):
        """The file is closed by one thread while others write; their own handles are the last."""
        ready = threading.Barrier(3)

        def late(band):
            dataset = self.opened()
            memory = (ctypes.c_int * (BAND * COLUMNS))(*[-7] * (BAND * COLUMNS))
            ready.wait()
            for _ in range(20):
                self.h5.move("H5Dwrite", dataset, band * BAND, BAND, memory)
            self.h5("H5Dclose", dataset)

        threads = [threading.Thread(target=late, args=(band,)) for band in (0, 1)]
        for thread in threads:
            thread.start()
        ready.wait()
        self.h5("H5Fclose", self.file)
        for thread in threads:
            thread.join()
        self.last[:2] = [-7, -7]

    def bands_of_reopened(self):
        """What is there after all was closed, and what should be."""
        file = self.h5("H5Fopen", self.name, 0, 0)
        dataset = self.h5("H5Dopen2", file, b"shared", 0)
        memory = (ctypes.c_int * (BANDS * BAND * COLUMNS))()
        self.h5.move("H5Dread", dataset, 0, BANDS * BAND, memory)
        self.h5("H5Dclose", dataset)
        self.h5("H5Fclose", file)
        return [[memory[band * BAND * COLUMNS] for band in range(BANDS)], self.last]


def main(path, folder):
    h5 = Library(path)
    print(json.dumps({"overlap": overlap(h5, folder), **Stress(h5, folder).run()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
