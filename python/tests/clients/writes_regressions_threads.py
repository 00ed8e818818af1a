"""Threads that move data of the same datasets by different ways: some directly, some through native HDF5 (virtual datasets, copies).

    writes_regressions_threads.py HOST [CASE ...]

What one thread writes lies in the same chunk as what another does, but never at the same place: nothing may be lost. A chunk is large
enough for its old content to be decoded without HDF5's lock, which is when the others come. For a thread-safe host only.
"""

import array
import ctypes
import itertools
import random
import struct
import threading

from cases import Cases

CASES = Cases()
case = CASES.case
VIRTUAL = "virtual"
# Elements of a chunk, and how often each thread writes.
CHUNK, TIMES = 1 << 18, 40
SIZE = 2 * CHUNK


def together(*works):
    """Runs these in threads of their own, all at once; what went wrong in them."""
    wrong, start = [], threading.Barrier(len(works))

    def run(work):
        try:
            start.wait()
            work()
        except Exception as error:
            wrong.append(f"{type(error).__name__}: {error}"[:500])

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong


def create_source(h5, file, size, maxdims=None, compressed=True):
    """A dataset whose first chunk is written; open."""
    dcpl = h5.plist("DATASET_CREATE")
    if compressed:
        h5.H5Pset_chunk.must(dcpl, 1, [CHUNK])
        h5.H5Pset_deflate.must(dcpl, 1)
    source = h5.H5Dcreate2.must(file, b"source", h5.type("STD_I32LE"), h5.space([size], maxdims), 0, dcpl, 0)
    # Hard to compress, so that decoding it takes its time.
    noise = array.array("i", random.Random(1).choices(range(-9, 0), k=CHUNK)).tobytes()
    h5.H5Dwrite.must(source, h5.type("STD_I32LE"), h5.BLOCK, h5.slab([size], [0], [CHUNK]), 0, noise)
    return source


def prepare(h5, access, compressed=True):
    """A file with such a dataset, and a virtual one that shows it."""
    file = h5.create("a.h5", access)
    h5.H5Dclose.must(create_source(h5, file, SIZE, compressed=compressed))
    dcpl, space = h5.plist("DATASET_CREATE"), h5.space([SIZE])
    h5.H5Pset_virtual.must(dcpl, space, b".", b"source", space)
    h5.H5Dclose.must(h5.H5Dcreate2.must(file, b"virtual", h5.type("STD_I32LE"), space, 0, dcpl, 0))
    h5.H5Fclose.must(file)


class Opened:
    """The file of `prepare`, open for writing, with one handle per way. It is open twice: so the virtual dataset is native HDF5's."""

    def __init__(self, h5, fapl):
        self.h5, self.file, self.again = h5, *(h5.open("a.h5", fapl, h5.RDWR) for _ in range(2))
        self.source, self.virtual = (h5.H5Dopen2.must(self.file, name, 0) for name in (b"source", b"virtual"))

    def put(self, dset, start, numbers):
        space = self.h5.slab([SIZE], [start], [len(numbers)])
        data = array.array("i", numbers).tobytes()
        self.h5.H5Dwrite.must(dset, self.h5.type("STD_I32LE"), self.h5.BLOCK, space, 0, data)
        self.h5.H5Sclose(space)

    def get(self, dset, start, count):
        space = self.h5.slab([SIZE], [start], [count])
        data = (ctypes.c_int32 * count)()
        self.h5.H5Dread.must(dset, self.h5.type("STD_I32LE"), self.h5.BLOCK, space, 0, data)
        self.h5.H5Sclose(space)
        return data

    def close(self):
        self.h5.H5Dclose.must(self.source)
        self.h5.H5Dclose.must(self.virtual)
        self.h5.H5Fclose.must(self.file)
        self.h5.H5Fclose.must(self.again)


def lost(h5, name, places):
    """Places of a dataset, looked at natively, that do not have what was written to them."""
    file = h5.open("a.h5", h5.native)
    dset = h5.H5Dopen2.must(file, name.encode(), 0)
    data = (ctypes.c_int32 * SIZE)()
    h5.H5Dread.must(dset, h5.type("STD_I32LE"), 0, 0, 0, data)
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return {place: data[place] for place, number in places.items() if data[place] != number}


# The directly written ones, and one more for the chunk that is stored first.
@case(TIMES + 1, {VIRTUAL: TIMES})
def written_through_a_virtual_dataset(h5, fapl):
    """One thread writes the beginning of a chunk, another its end through a virtual dataset."""
    prepare(h5, fapl)
    opened = Opened(h5, fapl)

    def directly():
        for number in range(TIMES):
            opened.put(opened.source, number, [1000 + number])

    def through_virtual():
        for number in range(TIMES):
            opened.put(opened.virtual, CHUNK - 1 - number, [2000 + number])

    wrong = together(directly, through_virtual)
    opened.close()
    expected = {number: 1000 + number for number in range(TIMES)} | {CHUNK - 1 - number: 2000 + number for number in range(TIMES)}
    return [wrong, lost(h5, "source", expected)]


def all_or_nothing(h5, fapl, look):
    """One thread writes a whole dataset, always with the next number; `look` returns first and last numbers that another sees meanwhile.

    It is contiguous: its data is moved without HDF5's lock, piece by piece.
    """
    prepare(h5, fapl, compressed=False)
    opened = Opened(h5, fapl)
    opened.put(opened.virtual, 0, [0] * SIZE)
    seen, done = [], threading.Event()

    def directly():
        try:
            for number in range(TIMES):
                opened.put(opened.source, 0, [number] * SIZE)
        finally:
            done.set()

    def meanwhile():
        while not done.is_set():
            seen.append(look(opened))

    wrong = together(directly, meanwhile)
    opened.close()
    return [wrong, seen]


def torn(seen):
    """What nobody can have seen: a part of a write, or an older one than before."""
    return [pair for before, pair in zip([(0, 0), *seen], seen) if pair[0] != pair[1] or pair[0] < before[0]]


@case(TIMES + 1, {VIRTUAL: 1})
def read_through_a_virtual_dataset(h5, fapl):
    """Who looks through a virtual dataset sees all of a write, or nothing of it."""

    def look(opened):
        numbers = opened.get(opened.virtual, 0, SIZE)
        return numbers[0], numbers[-1]

    wrong, seen = all_or_nothing(h5, fapl, look)
    return [wrong, len(seen) > 3, torn(seen)[:3], lost(h5, "source", {0: TIMES - 1, SIZE - 1: TIMES - 1})]


@case(TIMES + 1, {VIRTUAL: 1})
def copied_meanwhile(h5, fapl):
    """H5Ocopy reads natively: a copy has all of a write, or nothing of it."""
    names = []

    def look(opened):
        names.append(f"copy {len(names)}".encode())
        h5.H5Ocopy.must(opened.file, b"source", opened.file, names[-1], 0, 0)

    wrong, _ = all_or_nothing(h5, fapl, look)
    seen, file = [], h5.open("a.h5", h5.native)
    for name in names:
        dset = h5.H5Dopen2.must(file, name, 0)
        numbers = memoryview(h5.read(dset, SIZE)).cast("i")
        seen.append((numbers[0], numbers[-1]))
        h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return [wrong, len(seen) > 3, torn(seen)[:3], lost(h5, "source", {0: TIMES - 1, SIZE - 1: TIMES - 1})]


@case(None)
def resized_meanwhile(h5, fapl):
    """The dataset grows and shrinks, but never below what the others write: a write fails for its extent only, and can be made again.

    Its only chunk is changed by all of them: what is cut off and added again is zeros.
    """
    size, more = CHUNK - 5000, 4000
    file = h5.create("a.h5", fapl)
    source = create_source(h5, file, CHUNK, [h5.UNLIMITED])
    h5.H5Dset_extent.must(source, [size])
    expected, wrong, resized = {}, [], threading.Event()

    def attempt(dset, place, number):
        """Whether one element could be written and read again."""
        space = h5.H5Dget_space(dset)
        h5.H5Sselect_hyperslab.must(space, h5.SET, [place], None, [1], None)
        back = ctypes.c_int32()
        written = h5.H5Dwrite(dset, h5.type("STD_I32LE"), h5.BLOCK, space, 0, struct.pack("<i", number)) >= 0
        read = written and h5.H5Dread(dset, h5.type("STD_I32LE"), h5.BLOCK, space, 0, ctypes.byref(back)) >= 0
        h5.H5Sclose(space)
        if read and back.value != number:
            wrong.append([place, number, back.value])
        return read

    def write(own):
        # HDF5 would print what is expected to fail now and then: each thread has an error stack of its own.
        h5.H5Eset_auto2.must(0, None, None)
        dset = h5.H5Dopen2.must(file, b"source", 0)
        for number in itertools.count(1):
            place = 2 * (number % 1000) + own
            if not any(attempt(dset, place, number) for _ in range(200)):
                wrong.append([place, number, h5.errors()[:2]])
            expected[place] = number
            if resized.is_set():
                break
        h5.H5Dclose.must(dset)

    def resize():
        back, space = (ctypes.c_int32 * more)(), h5.slab([size + more], [size], [more])
        try:
            for _ in range(TIMES // 2):
                h5.H5Dset_extent.must(source, [size + more])
                h5.H5Dread.must(source, h5.type("STD_I32LE"), h5.BLOCK, space, 0, back)
                if any(back):
                    wrong.append(["what was cut off is there again", sorted(set(back))])
                h5.H5Dwrite.must(source, h5.type("STD_I32LE"), h5.BLOCK, space, 0, struct.pack("<i", -1) * more)
                h5.H5Dset_extent.must(source, [size])
        finally:
            resized.set()

    failed = together(lambda: write(0), lambda: write(1), resize)
    h5.H5Dset_extent.must(source, [SIZE])
    h5.H5Dclose.must(source)
    h5.H5Fclose.must(file)
    return [failed, wrong[:3], lost(h5, "source", expected)]


if __name__ == "__main__":
    CASES.main()
