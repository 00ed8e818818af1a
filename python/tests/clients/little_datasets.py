"""Compact datasets in files that are open for writing, and datasets with no element or one.

    little_datasets.py HOST [CASE ...]

What a case is: cases.py; how many reads and writes must have been bypassed are two numbers. Native HDF5 has the elements of a compact
dataset in its object header. They are asked for after 64 reads in a row, and again after each write.
"""

import ctypes
import struct

from access_paths import ints, list_with, values
from cases import Cases
from virtual_cases import map_to

CASES = Cases()
case = CASES.case
# The first read decides, and these follow.
LEFT = 1 + 64
MANY = 80


def compact(h5):
    return list_with(h5, "DATASET_CREATE", "H5Pset_layout", 0)


def with_compact(h5, path="a.h5", name="d", **more):
    """A file with a compact dataset of 100 ints, made natively."""
    file = h5.create(path)
    h5.make(file, name, [100], ints(100, 7), dcpl=compact(h5), **more)
    h5.H5Fclose.must(file)


def opened(h5, fapl, name=b"d", path="a.h5"):
    file = h5.open(path, fapl, h5.RDWR)
    return file, h5.H5Dopen2.must(file, name, 0)


def closed(h5, file, *dsets):
    for dset in dsets:
        h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)


def put(h5, dset, first, start=0, count=100):
    space = h5.slab([100], [start], [count])
    return h5.H5Dwrite(dset, h5.type("STD_I32LE"), h5.BLOCK, space, 0, ints(count, first))


def some(h5, dset):
    """All of it, as a sum that tells one order from another."""
    got = values(h5.read(dset, 100))
    return got and sum((place + 1) * value for place, value in enumerate(got))


def stored(h5, path="a.h5", name=b"d"):
    """What native HDF5 finds in the file afterwards."""
    file = h5.open(path, h5.native)
    dset = h5.H5Dopen2.must(file, name, 0)
    found = values(h5.read(dset, 100))
    closed(h5, file, dset)
    return found


@case([MANY - LEFT + 6, 0], {"compact": LEFT})
def read_again_and_again(h5, fapl):
    """All of it, parts, and as other types."""
    with_compact(h5)
    file, dset = opened(h5, fapl)
    got = [some(h5, dset) for _ in range(MANY)]
    got += [values(h5.read(dset, 3, memory=h5.space([3]), file=h5.slab([100], [start], [3]))) for start in (0, 50, 97)]
    got.append(values(h5.read(dset, 20, memory=h5.space([20]), file=h5.slab([100], [3], [20], [5]))))
    got += [h5.read(dset, 100, type=kind, size=size).hex() for kind, size in (("IEEE_F64BE", 8), ("STD_I8LE", 1))]
    closed(h5, file, dset)
    return got


@case([2 * (MANY - LEFT) + 2, 0], {"compact": 2 * LEFT + 2})
def written_after_that(h5, fapl):
    """What was asked for is out of date: after a part is written, and after all of it."""
    with_compact(h5)
    file, dset = opened(h5, fapl)
    got = [some(h5, dset) for _ in range(MANY)]
    got.append([put(h5, dset, 5000, 40, 9), some(h5, dset), put(h5, dset, 9000), some(h5, dset)])
    got += [some(h5, dset) for _ in range(MANY)]
    closed(h5, file, dset)
    return got, stored(h5)


@case([0, 0], {"compact": 2 * MANY})
def read_and_written_in_turns(h5, fapl):
    with_compact(h5)
    file, dset = opened(h5, fapl)
    got = [(put(h5, dset, 100 * turn, turn % 90, 10), some(h5, dset)) for turn in range(MANY)]
    closed(h5, file, dset)
    return got, stored(h5)


@case(None)
def written_through_another_handle(h5, fapl):
    """Of the same file, of another handle of the file, and by a call that names several datasets."""
    with_compact(h5)
    file, dset = opened(h5, fapl)
    second, other = opened(h5, fapl)
    h5.make(file, "x", [100], ints(100))
    x, got = h5.H5Dopen2.must(file, b"x", 0), []
    third = h5.H5Dopen2.must(file, b"d", 0)
    for turn in range(3):
        got += [some(h5, dset) for _ in range(MANY)]
        got.append([put(h5, other, 1000 * turn, 10 * turn, 5), some(h5, dset), some(h5, third)])
        got += [some(h5, dset) for _ in range(MANY)]
        got.append([put(h5, third, 2000 * turn, 10 * turn, 5), some(h5, dset), some(h5, other)])
        got += [some(h5, dset) for _ in range(MANY)]
        both, kinds, spaces = (ctypes.c_int64 * 2)(x, third), (ctypes.c_int64 * 2)(*[h5.type("STD_I32LE")] * 2), (ctypes.c_int64 * 2)()
        data = [ctypes.create_string_buffer(ints(100, 3000 * turn + number)) for number in range(2)]
        buffers = (ctypes.c_void_p * 2)(*[ctypes.addressof(buffer) for buffer in data])
        got.append([h5.H5Dwrite_multi(2, both, kinds, spaces, spaces, 0, buffers), some(h5, dset), some(h5, x)])
    closed(h5, file, dset, third, x)
    closed(h5, second, other)
    return got, stored(h5)


@case(None)
def refreshed_deleted_and_made_again(h5, fapl):
    """Another dataset may get the place of the one that was deleted."""
    with_compact(h5)
    file, dset = opened(h5, fapl)
    got = [some(h5, dset) for _ in range(MANY)]
    got += [h5.H5Drefresh(dset), some(h5, dset)]
    for turn in range(3):
        got += [some(h5, dset) for _ in range(MANY)]
        h5.H5Dclose.must(dset)
        h5.H5Ldelete.must(file, b"d", 0)
        h5.make(file, "d", [100], ints(100, 100 * turn), dcpl=compact(h5))
        dset = h5.H5Dopen2.must(file, b"d", 0)
        got.append(some(h5, dset))
    closed(h5, file, dset)
    return got, stored(h5)


@case([5, 0], {"virtual-source": 2, "compact": 2})
def sources_of_a_virtual_dataset(h5, fapl):
    """A compact one and a contiguous one: what is written through the virtual dataset, or through the source itself, is seen at once."""
    with_compact(h5, "s0.h5")
    file = h5.create("s1.h5")
    h5.make(file, "d", [100], ints(100, 50))
    h5.H5Fclose.must(file)
    map_to(h5, "v.h5", [("s0.h5", "d"), ("s1.h5", "d")])
    file, shown = opened(h5, fapl, b"v", "v.h5")

    def rows():
        got = values(h5.read(shown, 200))
        return got and (sum((place + 1) * value for place, value in enumerate(got)), got[0], got[-1])

    got = [rows(), rows()]
    second, source = opened(h5, fapl, path="s0.h5")
    got += [put(h5, source, 4000, 30, 20), rows()]
    for row in range(2):
        part = h5.slab([2, 100], [0, 10 + row], [2, 3])
        got += [h5.H5Dwrite(shown, h5.type("STD_I32LE"), h5.BLOCK, part, 0, ints(6, 600 * row)), rows()]
    got.append(some(h5, source))
    closed(h5, file, shown)
    closed(h5, second, source)
    return got, stored(h5, "s0.h5"), stored(h5, "s1.h5")


@case([0, 0], {"compact": 1 + MANY})
def strings_of_variable_length(h5, fapl):
    """Their values are elsewhere: native HDF5 reads and writes them."""
    word = h5.H5Tcopy.must(h5.type("C_S1"))
    h5.H5Tset_size.must(word, ctypes.c_size_t(-1).value)
    file = h5.create("a.h5")
    h5.make(file, "d", [3], None, type=word, dcpl=compact(h5))
    h5.H5Fclose.must(file)
    file, dset = opened(h5, fapl)
    got = [h5.H5Dwrite(dset, word, 0, 0, 0, (ctypes.c_char_p * 3)(b"one", b"", b"three and more"))]
    for _ in range(MANY):
        words = (ctypes.c_char_p * 3)()
        got.append([h5.H5Dread(dset, word, 0, 0, 0, words), *[None if text is None else text.decode() for text in words]])
    closed(h5, file, dset)
    return got


@case([2 * (MANY - LEFT), 0], {"compact": LEFT + 2})
def compounds(h5, fapl):
    """All members, and one of them in another type."""

    def of(*members):
        kind = h5.H5Tcreate.must(6, sum(size for _, _, size in members))
        place = 0
        for name, member, size in members:
            h5.H5Tinsert.must(kind, name, place, h5.type(member))
            place += size
        return kind

    stored_as, one = of((b"a", "STD_I16LE", 2), (b"b", "IEEE_F64LE", 8)), of((b"b", "IEEE_F32LE", 4))
    file = h5.create("a.h5")
    data = b"".join(struct.pack("<hd", number, number / 4) for number in range(20))
    h5.make(file, "d", [20], data, type=stored_as, dcpl=compact(h5))
    h5.H5Fclose.must(file)
    file, dset = opened(h5, fapl)
    got = [h5.read(dset, 20, type=stored_as, size=10).hex() for _ in range(MANY)]
    got += [h5.read(dset, 20, type=one, size=4).hex() for _ in range(MANY - LEFT)]
    got.append(h5.H5Dwrite(dset, one, 0, 0, 0, struct.pack("<20f", *range(20))))
    got.append(h5.read(dset, 20, type=stored_as, size=10).hex())
    closed(h5, file, dset)
    return got


@case([MANY - LEFT, 0], {"compact": LEFT + 2})
def a_fill_value_that_was_never_written(h5, fapl):
    file, dcpl = h5.create("a.h5", fapl), compact(h5)
    h5.H5Pset_fill_value.must(dcpl, h5.type("STD_I32LE"), (ctypes.c_int * 1)(-7))
    h5.make(file, "d", [100], None, dcpl=dcpl)
    dset = h5.H5Dopen2.must(file, b"d", 0)
    got = [some(h5, dset) for _ in range(MANY)]
    got += [put(h5, dset, 10, 3, 4), some(h5, dset)]
    closed(h5, file, dset)
    return got, stored(h5)


LAYOUTS = {"contiguous": None, "chunked": [10], "compact": 0}


def each_layout(h5, fapl, dims, layouts, work, maxdims=None):
    """What `work` returns for a dataset of each layout, in a new file and after it was opened again, and what is in the file."""
    file, got = h5.create("a.h5", fapl), []
    for name in layouts:
        dcpl = compact(h5) if name == "compact" else None
        chunk = LAYOUTS[name] if name == "chunked" else None
        h5.make(file, name, dims, None, dcpl=dcpl, chunk=chunk, maxdims=maxdims)
        dset = h5.H5Dopen2.must(file, name.encode(), 0)
        got.append([name, *work(dset)])
        h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    for flags, way in ((h5.RDWR, fapl), (h5.RDONLY, fapl), (h5.RDONLY, h5.native)):
        file = h5.open("a.h5", way, flags)
        for name in layouts:
            dset = h5.H5Dopen2.must(file, name.encode(), 0)
            got.append([name, *work(dset)])
            h5.H5Dclose.must(dset)
        h5.H5Fclose.must(file)
    return got


def one_or_none(h5):
    """Reads, writes and reads one int or none, each twice."""

    def work(dset):
        kind, got = h5.type("STD_I32LE"), []
        for turn in range(2):
            buffer = ctypes.create_string_buffer(ints(1, 77 + turn), 4)
            got += [h5.H5Dread(dset, kind, 0, 0, 0, buffer), values(buffer.raw), h5.H5Dwrite(dset, kind, 0, 0, 0, ints(1, 5 + turn))]
        buffer = ctypes.create_string_buffer(ints(1, 99), 4)
        return [*got, h5.H5Dread(dset, kind, 0, 0, 0, buffer), values(buffer.raw)]

    return work


@case(None)
def null_dataspaces(h5, fapl):
    return each_layout(h5, fapl, None, ("contiguous", "compact"), one_or_none(h5))


@case(None)
def scalar_dataspaces(h5, fapl):
    return each_layout(h5, fapl, [], ("contiguous", "compact"), one_or_none(h5))


@case(None)
def no_elements(h5, fapl):
    return each_layout(h5, fapl, [0], ("contiguous", "compact"), one_or_none(h5))


@case(None)
def no_elements_in_chunks(h5, fapl):
    return each_layout(h5, fapl, [0], ("chunked",), one_or_none(h5), maxdims=[h5.UNLIMITED])


if __name__ == "__main__":
    CASES.main()
