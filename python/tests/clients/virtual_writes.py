"""Virtual datasets in files that are open for writing: what is written through them, and through handles of their sources.

    virtual_writes.py HOST [CASE ...]

What a case is: cases.py; how many reads and writes must have been bypassed are two numbers. Sources are datasets of 100 ints.
"""

import ctypes
import os
import threading

from access_paths import ints, list_with, values
from cases import Cases
from virtual_cases import descriptors, map_to

CASES = Cases()
case = CASES.case
ROWS = 3


def sources(h5, chunk=(30,), rows=ROWS, **more):
    """Files s0.h5 and so on with a compressed "d" in each, and v.h5 with a row of each."""
    for row in range(rows):
        file = h5.create(f"s{row}.h5")
        dcpl = h5.plist("DATASET_CREATE")
        chunk and h5.H5Pset_deflate.must(dcpl, 1)
        h5.make(file, "d", [100], ints(100, 1000 * row), chunk=chunk, dcpl=dcpl, **more)
        h5.H5Fclose.must(file)
    map_to(h5, "v.h5", [(f"s{row}.h5", "d") for row in range(rows)])


def write(h5, dset, first, space=0, count=100, type="STD_I32LE"):
    return h5.H5Dwrite(dset, h5.type(type), h5.BLOCK if space else 0, space, 0, ints(count, first))


def first_and_last(got):
    return got and (got[0], got[-1])


def row_of(h5, dset, row, rows=ROWS):
    got = values(h5.read(dset, 100, memory=h5.BLOCK, file=h5.slab([rows, 100], [row, 0], [1, 100])))
    return first_and_last(got)


def stored(h5, rows=ROWS):
    """What native HDF5 finds in the sources afterwards."""
    found = []
    for row in range(rows):
        file = h5.open(f"s{row}.h5", h5.native)
        dset = h5.H5Dopen2.must(file, b"d", 0)
        found.append(values(h5.read(dset, 100)))
        h5.H5Dclose.must(dset)
        h5.H5Fclose.must(file)
    return found


@case([5, 3])
def both_ways_see_each_other(h5, fapl):
    sources(h5)
    file, of_source = h5.open("v.h5", fapl, h5.RDWR), h5.open("s1.h5", fapl, h5.RDWR)
    shown, dset = h5.H5Dopen2.must(file, b"v", 0), h5.H5Dopen2.must(of_source, b"d", 0)
    part = h5.slab([ROWS, 100], [0, 20], [ROWS, 50])
    found = [row_of(h5, shown, 1), write(h5, shown, 5000, part, 150)]
    found += [values(h5.read(dset, 100)), write(h5, dset, 7000, h5.slab([100], [40], [20]), 20)]
    found += [values(h5.read(shown, 100 * ROWS)), write(h5, shown, 9000, h5.slab([ROWS, 100], [1, 99], [1, 1]), 1)]
    found += [row_of(h5, shown, 1), values(h5.read(dset, 100))]
    for close, hid in ((h5.H5Dclose, shown), (h5.H5Dclose, dset), (h5.H5Fclose, file), (h5.H5Fclose, of_source)):
        close.must(hid)
    return found, stored(h5)


@case([0, 1])
def large_chunks_are_encoded(h5, fapl):
    """Each source gets whole chunks."""
    sources(h5)
    file = h5.open("v.h5", fapl, h5.RDWR)
    shown = h5.H5Dopen2.must(file, b"v", 0)
    found = write(h5, shown, 300, count=300)
    h5.H5Dclose.must(shown)
    h5.H5Fclose.must(file)
    return found, stored(h5)


@case([3, 4])
def parts_of_chunks_are_kept(h5, fapl):
    """What is in memory only must be in the file when the source is closed with the virtual dataset."""
    sources(h5)
    file = h5.open("v.h5", fapl, h5.RDWR)
    shown = h5.H5Dopen2.must(file, b"v", 0)
    found = []
    for turn in range(2):
        for row in (0, 2):
            found.append(write(h5, shown, 100 * turn + row, h5.slab([ROWS, 100], [row, 7 + turn], [1, 3]), 3))
        turn or found.append(row_of(h5, shown, 0))
        h5.H5Dclose.must(shown)
        shown = h5.H5Dopen2.must(file, b"v", 0)
        found.append(row_of(h5, shown, 2))
    h5.H5Dclose.must(shown)
    h5.H5Fclose.must(file)
    return found, stored(h5)


@case([0, 2])
def sources_without_storage(h5, fapl):
    """Contiguous sources of which nothing was written yet: one with a fill value, one without."""
    dcpl = h5.plist("DATASET_CREATE")
    h5.H5Pset_fill_value.must(dcpl, h5.type("STD_I32LE"), (ctypes.c_int * 1)(55))
    for row, how in enumerate((dcpl, None, h5.plist("DATASET_CREATE"))):
        file = h5.create(f"s{row}.h5")
        h5.make(file, "d", [100], None, dcpl=how)
        h5.H5Fclose.must(file)
    map_to(h5, "v.h5", [(f"s{row}.h5", "d") for row in range(ROWS)])
    file = h5.open("v.h5", fapl, h5.RDWR)
    shown = h5.H5Dopen2.must(file, b"v", 0)
    found = [write(h5, shown, 1000, h5.slab([ROWS, 100], [0, 10], [2, 5]), 10)]
    found.append(write(h5, shown, 2000, h5.slab([ROWS, 100], [2, 0], [1, 100]), 100))
    h5.H5Dclose.must(shown)
    h5.H5Fclose.must(file)
    return found, stored(h5)


@case([0, 0], {"virtual-mapping": 1})
def a_missing_source(h5, fapl):
    """Nothing is written to the others either."""
    sources(h5)
    os.unlink("s1.h5")
    file = h5.open("v.h5", fapl, h5.RDWR)
    shown = h5.H5Dopen2.must(file, b"v", 0)
    found = [write(h5, shown, 5000, count=300), h5.errors()[0]]
    h5.H5Dclose.must(shown)
    h5.H5Fclose.must(file)
    os.rename("s2.h5", "s1.h5")
    return found, stored(h5, 2)


@case([0, 0], {"conversion": 1})
def another_type_in_memory(h5, fapl):
    """Native HDF5 takes the memory for elements of the virtual dataset's own type."""
    sources(h5)
    file = h5.open("v.h5", fapl, h5.RDWR)
    shown = h5.H5Dopen2.must(file, b"v", 0)
    found = write(h5, shown, 5000, count=300, type="STD_U32BE")
    h5.H5Dclose.must(shown)
    h5.H5Fclose.must(file)
    return found, stored(h5)


@case([0, 1])
def sources_of_another_type(h5, fapl):
    sources(h5, type="STD_I16BE", chunk=None)
    file = h5.open("v.h5", fapl, h5.RDWR)
    shown = h5.H5Dopen2.must(file, b"v", 0)
    found = write(h5, shown, 32700, count=300)
    h5.H5Dclose.must(shown)
    h5.H5Fclose.must(file)
    return found, stored(h5)


@case([1, 0], {"selection": 5})
def shifted_selections(h5, fapl):
    """Native HDF5 does not see that they are."""
    sources(h5)
    file = h5.open("v.h5", fapl, h5.RDWR)
    shown = h5.H5Dopen2.must(file, b"v", 0)
    found = [row_of(h5, shown, 1)]
    in_file, in_memory = h5.slab([ROWS, 100], [0, 2], [1, 7]), h5.slab([20], [0], [7])
    h5.H5Soffset_simple.must(in_file, [1, 1])
    h5.H5Soffset_simple.must(in_memory, [4])
    found += [values(h5.read(shown, 7, memory=h5.BLOCK, file=in_file)), write(h5, shown, 5000, in_file, 7)]
    for _ in range(2):
        found.append(values(h5.read(shown, 20, memory=in_memory, file=h5.slab([ROWS, 100], [1, 2], [1, 7])))[:7])
    kind = h5.type("STD_I32LE")
    found.append(h5.H5Dwrite(shown, kind, in_memory, h5.slab([ROWS, 100], [2, 2], [1, 7]), 0, ints(20, 7000)))
    h5.H5Dclose.must(shown)
    h5.H5Fclose.must(file)
    return found, stored(h5)


@case(None)
def small_reads(h5, fapl):
    """Of a virtual dataset, and of one that has no storage."""
    sources(h5)
    file = h5.open("v.h5", fapl, h5.RDWR)
    h5.make(file, "empty", [ROWS, 100], None)
    found = []
    for name in (b"empty", b"v"):
        dset = h5.H5Dopen2.must(file, name, 0)
        found += [row_of(h5, dset, turn % ROWS) for turn in range(5 if name == b"empty" else 68)]
        h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return found


@case(None)
def small_writes(h5, fapl):
    """Through several handles, one after another."""
    sources(h5)
    file = h5.open("v.h5", fapl, h5.RDWR)
    found = []
    for handle in range(2):
        dset = h5.H5Dopen2.must(file, b"v", 0)
        for turn in range(36 if handle == 0 else 2):
            part = h5.slab([ROWS, 100], [0, 8 * (turn % 11) + handle], [ROWS, 7])
            found += [write(h5, dset, 1000 * turn + handle, part, 7 * ROWS), row_of(h5, dset, turn % ROWS)]
        h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return found, stored(h5)


@case([2, 2])
def a_source_that_is_mapped_twice(h5, fapl):
    """The last mapping is what stays."""
    found = []
    for chunk in (None, [30]):
        file, dcpl = h5.create("v.h5"), h5.plist("DATASET_CREATE")
        h5.make(file, "d", [100], ints(100), chunk=chunk)
        for row in range(2):
            h5.H5Pset_virtual.must(dcpl, h5.slab([2, 60], [row, 0], [1, 60]), b".", b"d", h5.slab([100], [20 * row], [60]))
        h5.make(file, "v", [2, 60], None, dcpl=dcpl)
        h5.H5Fclose.must(file)
        file = h5.open("v.h5", fapl, h5.RDWR)
        shown = h5.H5Dopen2.must(file, b"v", 0)
        found += [write(h5, shown, 500, count=120), values(h5.read(shown, 120))]
        h5.H5Dclose.must(shown)
        h5.H5Fclose.must(file)
    return found


@case([0, 2])
def flushed(h5, fapl):
    """The sources are flushed with the virtual dataset: what is written is in their files."""
    sources(h5, chunk=None)
    file = h5.open("v.h5", fapl, h5.RDWR)
    shown = h5.H5Dopen2.must(file, b"v", 0)
    found = []
    for turn, flush in enumerate((lambda: h5.H5Dflush(shown), lambda: h5.H5Fflush(file, 0))):
        values_of_turn = ints(3, 0x01020300 + 16 * turn)
        found.append(write(h5, shown, 0x01020300 + 16 * turn, h5.slab([ROWS, 100], [1, 50], [1, 3]), 3))
        found.append(flush())
        with open("s1.h5", "rb") as raw:
            found.append(values_of_turn in raw.read())
    h5.H5Dclose.must(shown)
    h5.H5Fclose.must(file)
    return found, stored(h5)


@case([0, 1])
def its_source_file_is_closed_first(h5, fapl):
    sources(h5)
    file, of_source = h5.open("v.h5", fapl, h5.RDWR), h5.open("s1.h5", fapl, h5.RDWR)
    shown = h5.H5Dopen2.must(file, b"v", 0)
    found = [write(h5, shown, 5000, h5.slab([ROWS, 100], [1, 20], [1, 3]), 3)]
    for close, hid in ((h5.H5Fclose, of_source), (h5.H5Fclose, file), (h5.H5Dclose, shown)):
        close.must(hid)
    return found, stored(h5)


@case([0, 2], {"dataset-twice": 2})
def several_in_one_call(h5, fapl):
    """A virtual dataset and one of its sources in one call; then with a dataset that has nothing to do with it."""
    file = h5.create("v.h5")
    dcpl = h5.plist("DATASET_CREATE")
    h5.H5Pset_virtual.must(dcpl, h5.space([100]), b".", b"own", h5.space([100]))
    h5.make(file, "own", [100], ints(100), chunk=[30])
    h5.make(file, "other", [100], ints(100), chunk=[30])
    h5.make(file, "shown", [100], None, dcpl=dcpl)
    h5.H5Fclose.must(file)
    file, found = h5.open("v.h5", fapl, h5.RDWR), []
    for name in (b"own", b"other"):
        dsets = [h5.H5Dopen2.must(file, b"shown", 0), h5.H5Dopen2.must(file, name, 0)]
        given = [ctypes.create_string_buffer(ints(100, first), 400) for first in (2000, 3000)]
        array = ctypes.c_int64 * 2
        spaces, types = array(0, 0), array(*[h5.type("STD_I32LE")] * 2)
        buffers = (ctypes.c_void_p * 2)(*[ctypes.addressof(buffer) for buffer in given])
        found.append(h5.H5Dwrite_multi(2, array(*dsets), types, spaces, spaces, 0, buffers))
        for dset in dsets:
            h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    file = h5.open("v.h5", h5.native)
    for name in (b"own", b"other"):
        dset = h5.H5Dopen2.must(file, name, 0)
        found.append(values(h5.read(dset, 100)))
        h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return found


@case(None)
def left_open(h5, fapl):
    """A process that ends with everything open."""
    sources(h5)
    child = os.fork()
    if child == 0:
        file = h5.open("v.h5", fapl, h5.RDWR)
        shown = h5.H5Dopen2.must(file, b"v", 0)
        write(h5, shown, 5000, h5.slab([ROWS, 100], [0, 20], [ROWS, 50]), 150)
        ctypes.CDLL(None).exit(0)
    return os.waitpid(child, 0)[1], stored(h5)


@case(None)
def descriptors_are_closed(h5, fapl):
    """Also if native HDF5 has the same sources open."""
    sources(h5)
    before, found = descriptors(), []
    for steps in ("rwr", "rcr", "crwc"):
        file = h5.open("v.h5", fapl, h5.RDWR)
        shown = h5.H5Dopen2.must(file, b"v", 0)
        for step in steps:
            if step == "r":
                found.append(row_of(h5, shown, 1))
            else:
                # Native HDF5 does those of another type.
                found.append(write(h5, shown, 5000, count=300, type="STD_U32BE" if step == "c" else "STD_I32LE"))
        h5.H5Dclose.must(shown)
        h5.H5Fclose.must(file)
        found.append(descriptors() - before)
    return found, stored(h5)


@case(None)
def a_file_with_a_page_buffer(h5, fapl):
    """The virtual dataset is native HDF5's, its source is not: what is in memory must be written before."""
    fcpl = list_with(h5, "FILE_CREATE", "H5Pset_file_space_strategy", 1, 0, 1)
    sources(h5)
    map_to(h5, "paged.h5", [(f"s{row}.h5", "d") for row in range(ROWS)], fcpl=fcpl)
    of_source = h5.open("s1.h5", fapl, h5.RDWR)
    dset = h5.H5Dopen2.must(of_source, b"d", 0)
    found = [write(h5, dset, 7000, h5.slab([100], [40], [20]), 20)]
    paged = h5.H5Pcopy.must(fapl)
    h5.H5Pset_page_buffer_size.must(paged, 1 << 16, 0, 0)
    file = h5.open("paged.h5", paged, h5.RDWR)
    shown = h5.H5Dopen2.must(file, b"v", 0)
    for first in (8000, 9000):
        found += [values(h5.read(shown, 300)), write(h5, dset, first, h5.slab([100], [40], [20]), 20), values(h5.read(shown, 300))]
        found += [write(h5, shown, first + 500, h5.slab([ROWS, 100], [1, 20], [1, 30]), 30), values(h5.read(dset, 100))]
    for close, hid in ((h5.H5Dclose, shown), (h5.H5Dclose, dset), (h5.H5Fclose, file), (h5.H5Fclose, of_source)):
        close.must(hid)
    return found, stored(h5)


def line(row, first, count, rows=ROWS):
    """Where elements of a row are."""
    return [rows, 100], [row, first], [1, count]


@case([31, 21])
def lines_through_chunks(h5, fapl):
    """Lines of several chunks, with filters and without, of sources that were written natively, by us, or not at all."""
    sources(h5)
    file = h5.open("s1.h5", h5.native, h5.RDWR)
    h5.H5Ldelete.must(file, b"d", 0)
    h5.make(file, "d", [100], ints(100, 1000), chunk=[30])
    h5.H5Fclose.must(file)
    file = h5.open("s2.h5", h5.native, h5.RDWR)
    h5.H5Ldelete.must(file, b"d", 0)
    h5.make(file, "d", [100], None, chunk=[7])
    h5.H5Fclose.must(file)
    file, of_source = h5.open("v.h5", fapl, h5.RDWR), h5.open("s1.h5", fapl, h5.RDWR)
    shown, dset = h5.H5Dopen2.must(file, b"v", 0), h5.H5Dopen2.must(of_source, b"d", 0)
    found = []
    for turn in range(3):
        for row in range(ROWS):
            found.append(write(h5, shown, 3000 * turn + 200 * row, h5.slab(*line(row, 10 + turn, 85)), 85))
            found += [row_of(h5, shown, row), values(h5.read(shown, 40, memory=h5.BLOCK, file=h5.slab(*line(row, 25, 40))))]
            wide = h5.read(shown, 95, type="STD_I64BE", size=8, memory=h5.BLOCK, file=h5.slab(*line(row, 0, 95)))
            found.append(wide.hex())
        found += [write(h5, dset, 90000 + turn, h5.slab([100], [5], [90]), 90), values(h5.read(dset, 100))]
        # A shorter line, which begins and ends with a chunk; the last element alone; and a line in memory that is a part of one.
        found.append(write(h5, shown, 70000 + turn, h5.slab(*line(1, 30, 60)), 60))
        found.append(write(h5, shown, 80000 + turn, h5.slab(*line(1, 99, 1)), 1))
        memory = h5.slab([200], [50], [90])
        found.append(h5.H5Dwrite(shown, h5.type("STD_I32LE"), memory, h5.slab(*line(2, 3, 90)), 0, ints(200, turn)))
        turn or found.append(h5.H5Fflush(file, 1))
    found.append(values(h5.read(shown, 100 * ROWS)))
    for close, hid in ((h5.H5Dclose, shown), (h5.H5Dclose, dset), (h5.H5Fclose, file), (h5.H5Fclose, of_source)):
        close.must(hid)
    return found, stored(h5)


@case([2, 0], {"read-only": 1})
def files_that_are_open_read_only(h5, fapl):
    sources(h5, chunk=None)
    of_source, file = h5.open("s1.h5", fapl), h5.open("v.h5", fapl)
    shown = h5.H5Dopen2.must(file, b"v", 0)
    found = [row_of(h5, shown, 1), row_of(h5, shown, 1), write(h5, shown, 5, h5.slab(*line(1, 3, 10)), 10)]
    h5.H5Dclose.must(shown)
    h5.H5Fclose.must(file)
    h5.H5Fclose.must(of_source)
    return found, stored(h5)


@case([2, 4], {"conversion": 1})
def after_native_was_here(h5, fapl):
    """What native HDF5 has read of sources does not matter any more when their files were closed: chunks are written in place."""
    sources(h5)
    for row in range(ROWS):
        file = h5.open(f"s{row}.h5", h5.native, h5.RDWR)
        h5.H5Ldelete.must(file, b"d", 0)
        h5.make(file, "d", [100], ints(100, 1000 * row), chunk=[30])
        h5.H5Fclose.must(file)
    found = []
    for turn in range(2):
        file = h5.open("v.h5", fapl, h5.RDWR)
        shown = h5.H5Dopen2.must(file, b"v", 0)
        turn or found.append(h5.H5Dwrite(shown, h5.type("STD_I64LE"), 0, 0, 0, ints(600, 5)))
        for number in range(2):
            found.append(write(h5, shown, 7000 * turn + number, h5.slab(*line(1, 10 * number, 80)), 80))
        found.append(row_of(h5, shown, 1))
        h5.H5Dclose.must(shown)
        h5.H5Fclose.must(file)
    return found, stored(h5)


@case(None)
def threads_on_lines(h5, fapl):
    """The same as below with lines that go through chunks of one source: each has one number."""
    if not h5.lets_threads_in():
        return None
    sources(h5, rows=2)
    file, of_source = h5.open("v.h5", fapl, h5.RDWR), h5.open("s1.h5", fapl, h5.RDWR)
    torn, kind = [], h5.type("STD_I32LE")

    def turns(of, path, work):
        dset = h5.H5Dopen2.must(of, path, 0)
        for turn in range(200):
            work(dset, turn)
        h5.H5Dclose.must(dset)

    def put_source(dset, turn):
        h5.H5Dwrite.must(dset, kind, h5.BLOCK, h5.slab([100], [0], [100]), 0, ints(1, turn) * 100)

    def put(dset, turn):
        h5.H5Dwrite.must(dset, kind, h5.BLOCK, h5.slab(*line(1, 0, 100, 2)), 0, ints(1, 5000 + turn) * 100)

    def get(dset, turn):
        got = set(values(h5.read(dset, 100, memory=h5.BLOCK, file=h5.slab(*line(1, 0, 100, 2)))))
        len(got) == 1 or torn.append(sorted(got))

    turns(file, b"v", put)
    jobs = [(of_source, b"d", put_source), (file, b"v", put), (file, b"v", get), (file, b"v", get)]
    all_threads = [threading.Thread(target=turns, args=job) for job in jobs]
    for thread in all_threads:
        thread.start()
    for thread in all_threads:
        thread.join()
    h5.H5Fclose.must(file)
    h5.H5Fclose.must(of_source)
    return torn, len(set(stored(h5, 2)[1]))


@case(None)
def threads(h5, fapl):
    """Some read the virtual dataset while others write a source, or through the virtual dataset: no read sees half of a write."""
    if not h5.lets_threads_in():
        return None
    sources(h5, rows=2)
    file, of_source = h5.open("v.h5", fapl, h5.RDWR), h5.open("s1.h5", fapl, h5.RDWR)
    torn, kind = [], h5.type("STD_I32LE")

    def turns(of, path, work):
        dset = h5.H5Dopen2.must(of, path, 0)
        for turn in range(200):
            work(dset, turn)
        h5.H5Dclose.must(dset)

    def put(dset, turn):
        h5.H5Dwrite.must(dset, kind, 0, 0, 0, ints(1, turn) * 100)

    def put_both(dset, turn):
        h5.H5Dwrite.must(dset, kind, 0, 0, 0, ints(1, 5000 + turn) * 200)

    def get(dset, turn):
        got = values(h5.read(dset, 200))
        rows = [set(got[:100]), set(got[100:])]
        turn and torn.extend(sorted(row) for row in rows if len(row) > 1)

    # No row has different numbers from now on.
    turns(file, b"v", put_both)
    jobs = [(of_source, b"d", put), (file, b"v", put_both), (file, b"v", get), (file, b"v", get)]
    all_threads = [threading.Thread(target=turns, args=job) for job in jobs]
    for thread in all_threads:
        thread.start()
    for thread in all_threads:
        thread.join()
    h5.H5Fclose.must(file)
    h5.H5Fclose.must(of_source)
    return torn, [len(set(row)) for row in stored(h5, 2)]


@case(None)
def threads_on_large_sources(h5, fapl):
    """The same with so much data that HDF5's lock is given up while it is moved: only claims on the sources keep reads whole."""
    if not h5.lets_threads_in():
        return None
    count, turns = 1 << 19, 60
    dcpl, dims = h5.plist("DATASET_CREATE"), [2, count]
    for row in range(2):
        file = h5.create(f"s{row}.h5")
        h5.make(file, "d", [count], ints(1, row) * count)
        h5.H5Fclose.must(file)
        h5.H5Pset_virtual.must(dcpl, h5.slab(dims, [row, 0], [1, count]), f"s{row}.h5".encode(), b"d", h5.space([count]))
    file = h5.create("v.h5")
    h5.make(file, "v", dims, None, dcpl=dcpl)
    h5.H5Fclose.must(file)
    file, of_source = h5.open("v.h5", fapl, h5.RDWR), h5.open("s1.h5", fapl, h5.RDWR)
    kind, torn, failed, done = h5.type("STD_I32LE"), [], [], []

    def put(of, path, elements, first):
        dset = h5.H5Dopen2.must(of, path, 0)
        given = [ints(1, first + turn) * elements for turn in range(2)]
        for turn in range(turns):
            h5.H5Dwrite(dset, kind, 0, 0, 0, given[turn % 2]) < 0 and failed.append(path.decode())
        h5.H5Dclose.must(dset)
        done.append(path)

    def get():
        dset = h5.H5Dopen2.must(file, b"v", 0)
        buffer = (ctypes.c_ubyte * (8 * count))()
        while len(done) < 2:
            h5.H5Dread(dset, kind, 0, 0, 0, buffer) < 0 and failed.append("read")
            got = bytes(buffer)
            rows = [got[: 4 * count], got[4 * count :]]
            torn.extend(values(row[:4]) for row in rows if row != row[:4] * count)
        h5.H5Dclose.must(dset)

    jobs = [(put, (of_source, b"d", count, 100)), (put, (file, b"v", 2 * count, 200)), (get, ()), (get, ())]
    all_threads = [threading.Thread(target=work, args=arguments) for work, arguments in jobs]
    for thread in all_threads:
        thread.start()
    for thread in all_threads:
        thread.join()
    h5.H5Fclose.must(file)
    h5.H5Fclose.must(of_source)
    return torn, failed


if __name__ == "__main__":
    CASES.main()
