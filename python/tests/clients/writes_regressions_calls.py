"""Single calls after which native HDF5 and the connector were not of one mind.

    writes_regressions_calls.py HOST [CASE ...]

Each case returns what its calls returned and what is in the file, looked at natively in the end.
"""

import ctypes
import struct

from cases import Cases

CASES = Cases()
case = CASES.case
NO_STORAGE = "no-storage"
NAMED_TWICE = "dataset-twice"
UNVERIFIED = "unverified"
SIZE, CHUNK = 1000, 100


def ints(count, first=0):
    return struct.pack(f"<{count}i", *range(first, first + count))


def numbers(data):
    return data and list(struct.unpack(f"<{len(data) // 4}i", data))


def create(h5, file, name, size=SIZE, deflate=True, chunk=CHUNK, maxdims=None, **more):
    """A chunked dataset; `more` are other functions for its creation list, with their arguments."""
    dcpl = h5.plist("DATASET_CREATE")
    h5.H5Pset_chunk.must(dcpl, 1, [chunk])
    deflate and h5.H5Pset_deflate.must(dcpl, 1)
    for function, arguments in more.items():
        getattr(h5, function).must(dcpl, *arguments)
    return h5.H5Dcreate2.must(file, name.encode(), h5.type("STD_I32LE"), h5.space([size], maxdims), 0, dcpl, 0)


def put(h5, dset, start, values, size=SIZE, dxpl=0):
    space = h5.slab([size], [start], [len(values)])
    data = struct.pack(f"<{len(values)}i", *values)
    result = h5.H5Dwrite(dset, h5.type("STD_I32LE"), h5.BLOCK, space, dxpl, data)
    h5.H5Sclose(space)
    return result


def get(h5, dset, start, count, size=SIZE, dxpl=0):
    space = h5.slab([size], [start], [count])
    data = h5.read(dset, count, memory=h5.BLOCK, file=space, dxpl=dxpl)
    h5.H5Sclose(space)
    return numbers(data)


def contents(h5, path, name, size=SIZE):
    """A whole dataset, natively."""
    file = h5.open(path, h5.native)
    dset = h5.H5Dopen2.must(file, name.encode(), 0)
    found = numbers(h5.read(dset, size))
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return found


@case(2, {UNVERIFIED: 2})
def unverified(h5, fapl):
    """A chunk with a wrong checksum can be changed by who asks for checksums not to be looked at, and by nobody else."""
    file = h5.create("a.h5")
    dset = create(h5, file, "d", deflate=False, H5Pset_fletcher32=())
    marker = [0x1234567 + number for number in range(CHUNK)]
    results = [put(h5, dset, 0, marker), put(h5, dset, CHUNK, range(CHUNK))]
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    with open("a.h5", "rb") as opened:
        stored = bytearray(opened.read())
    stored[stored.index(struct.pack("<4i", *marker[:4])) + 40] ^= 1
    with open("a.h5", "wb") as opened:
        opened.write(stored)
    # H5Z_DISABLE_EDC
    unverified = h5.plist("DATASET_XFER")
    h5.H5Pset_edc_check.must(unverified, 0)
    for start, dxpl in ((3, 0), (3, unverified), (CHUNK + 3, 0), (CHUNK + 4, unverified)):
        file = h5.open("a.h5", fapl, h5.RDWR)
        dset = h5.H5Dopen2.must(file, b"d", 0)
        results += [put(h5, dset, start, [start], dxpl=dxpl), h5.H5Dclose(dset), h5.H5Fclose(file)]
    # Its checksum is right again, and what was wrong is in it.
    found = contents(h5, "a.h5", "d")
    return [results, found[:12], found[CHUNK:CHUNK + 12]]


def write_both(h5, dsets, buffers, spaces=None):
    """H5Dwrite_multi with two datasets."""
    memory = h5.BLOCK if spaces else h5.ALL
    ids = [dsets, [h5.type("STD_I32LE")] * 2, [memory] * 2, spaces or [h5.ALL] * 2]
    pointers = (ctypes.c_void_p * 2)(*[ctypes.addressof(buffer) for buffer in buffers])
    return h5.H5Dwrite_multi(2, *[(ctypes.c_int64 * 2)(*two) for two in ids], 0, pointers)


@case(2, {NO_STORAGE: 1, NAMED_TWICE: 24})
def one_dataset_twice_in_a_call(h5, fapl):
    """Two handles of one dataset: where both write, the later one wins. Native HDF5 does not take that for chunks."""
    count = 1 << 16
    file, found = h5.create("a.h5", fapl), []
    for name, chunk in (("contiguous", None), ("chunked", [1000]), ("large chunks", [1 << 14])):
        h5.make(file, name, [count], bytes(4 * count), chunk=chunk)
        dsets = [h5.H5Dopen2.must(file, name.encode(), 0) for _ in range(2)]
        for turn in range(3):
            buffers = [ctypes.create_string_buffer(struct.pack("<i", 2 * turn + which) * count, 4 * count) for which in range(2)]
            found += [write_both(h5, dsets, buffers), h5.read(dsets[0], count) == buffers[1].raw]
        # Only a part is written twice.
        spaces = [h5.slab([count], [start], [count // 2]) for start in (0, count // 4)]
        found.append(write_both(h5, dsets, [ctypes.create_string_buffer(ints(count // 2, first)) for first in (0, 10**6)], spaces))
        found.append([numbers(h5.read(dsets[0], count))[place] for place in (0, count // 4 - 1, count // 4, count // 2, count - 1)])
        for dset in dsets:
            h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return found


@case(6)
def mounted_in_a_file_that_is_read_only(h5, fapl):
    """What is newer in memory of a file that is mounted is seen by who comes by way of the other file."""
    file = h5.create("a.h5")
    h5.H5Gclose(h5.H5Gcreate2.must(file, b"point", 0, 0, 0))
    h5.H5Fclose.must(file)
    file = h5.create("b.h5")
    h5.H5Dclose.must(create(h5, file, "d"))
    h5.H5Fclose.must(file)
    parent, child = h5.open("a.h5", fapl, h5.RDONLY), h5.open("b.h5", fapl, h5.RDWR)
    dset = h5.H5Dopen2.must(child, b"d", 0)
    found = [put(h5, dset, 0, range(SIZE)), h5.H5Fmount(parent, b"point", child, 0)]
    for number in range(5):
        found.append(put(h5, dset, 3, [number]))
        other = h5.H5Dopen2.must(parent, b"point/d", 0)
        found += [get(h5, other, 0, 5), get(h5, dset, 0, 5)]
        h5.H5Dclose.must(other)
    h5.H5Dclose.must(dset)
    h5.H5Funmount.must(parent, b"point")
    h5.H5Fclose.must(parent)
    h5.H5Fclose.must(child)
    return found + contents(h5, "b.h5", "d")[:5]


@case(2)
def storage_is_taken_before_it_grows(h5, fapl):
    """With late allocation the first write takes storage for all chunks there are: those that come later must not be among them."""
    file, found = h5.create("a.h5", fapl), []
    for name, deflate in (("filtered", True), ("plain", False)):
        # H5D_ALLOC_TIME_LATE
        dset = create(h5, file, name, deflate=deflate, maxdims=[h5.UNLIMITED], H5Pset_alloc_time=(2,))
        found.append(put(h5, dset, 250, [7]))
        h5.H5Dset_extent.must(dset, [2 * SIZE])
        chunks = ctypes.c_uint64()
        h5.H5Dget_num_chunks.must(dset, 0, ctypes.byref(chunks))
        found += [chunks.value, h5.H5Dclose(dset)]
    h5.H5Fclose.must(file)
    return found + [contents(h5, "a.h5", name, 2 * SIZE)[248:253] for name in ("filtered", "plain")]


def names(h5, size, **members):
    kind = h5.H5Tenum_create.must(h5.type(size))
    for name, value in members.items():
        h5.H5Tenum_insert.must(kind, name.encode(), ctypes.byref(ctypes.c_int16(value)))
    return kind


@case(1)
def missing_chunks_of_names_without_zero(h5, fapl):
    """What was never written is 0, which no name has, and is converted like everything else."""
    stored = names(h5, "STD_U16LE", GREEN=87, NONE=88, BLUE=71)
    wanted = names(h5, "STD_I16LE", GREEN=25, NONE=88, BLUE=96)
    file = h5.create("a.h5", fapl)
    dcpl = h5.plist("DATASET_CREATE")
    h5.H5Pset_chunk.must(dcpl, 1, [1])
    dset = h5.H5Dcreate2.must(file, b"d", stored, h5.space([3], [h5.UNLIMITED]), 0, dcpl, 0)
    space = h5.slab([3], [0], [1])
    found = [h5.H5Dwrite(dset, stored, h5.BLOCK, space, 0, struct.pack("<H", 87))]
    for kind in (wanted, stored):
        data = h5.read(dset, 3, type=kind, size=2)
        found.append(data and struct.unpack("<3h", data))
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return found


@case(90, {NO_STORAGE: 10})
def addresses_are_used_again(h5, fapl):
    """Datasets are made, used, and removed while they are open: what is at the same place next is another dataset."""
    file, found = h5.create("a.h5", fapl), []
    for turn in range(30):
        size, chunk = 100 + turn, 10 + turn
        dset = create(h5, file, "d", size, deflate=turn % 2, chunk=chunk)
        other = h5.H5Dopen2.must(file, b"d", 0)
        found += [put(h5, dset, 3, [turn], size), put(h5, dset, 20, [7] * 20, size)]
        found += [h5.H5Ldelete(file, b"d", 0), put(h5, other, 5, [9], size)]
        found += [get(h5, dset, 2, 4, size), get(h5, other, 39, 3, size)]
        if turn % 3 == 0:
            h5.make(file, f"between {turn}", [10], ints(10, turn))
        h5.H5Dclose.must(dset)
        h5.H5Dclose.must(other)
    h5.H5Fclose.must(file)
    return found + [contents(h5, "a.h5", f"between {turn}", 10) for turn in range(0, 30, 3)]


if __name__ == "__main__":
    CASES.main()
