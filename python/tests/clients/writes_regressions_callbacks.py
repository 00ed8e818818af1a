"""Functions of the application that HDF5 calls in the middle of moving raw data, and that use the same dataset.

    writes_regressions_callbacks.py HOST [CASE ...]

Native HDF5 lets them, in one thread: nothing may wait for the call that they are made from. Contiguous datasets only, as native HDF5
itself does not survive that with chunks.
"""

import ctypes
import struct

from cases import Cases

CASES = Cases()
case = CASES.case
NO_STORAGE = "no-storage"
CALLBACK = "conversion-callback"
# H5T_conv_ret_t (*)(H5T_conv_except_t, hid_t source, hid_t target, void *from, void *to, void *data)
EXCEPTION = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64, *[ctypes.c_void_p] * 3)
# H5O_mcdt_search_ret_t (*)(void *data)
SEARCH = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
SIZE = 1000


def ints(count, first=0):
    return struct.pack(f"<{count}i", *range(first, first + count))


def some(h5, dset, start):
    """A few elements, as numbers."""
    space = h5.slab([SIZE], [start], [5])
    data = h5.read(dset, 5, memory=h5.BLOCK, file=space)
    h5.H5Sclose(space)
    return data and struct.unpack("<5i", data)


def put(h5, dset, start, first):
    space = h5.slab([SIZE], [start], [5])
    result = h5.H5Dwrite(dset, h5.type("STD_I32LE"), h5.BLOCK, space, 0, ints(5, first))
    h5.H5Sclose(space)
    return result


def once(action):
    """A function for exceptions that does something the first time it is called, and what came of it."""
    found = []

    def called(*_arguments):
        if not found:
            found.append(None)
            found[0] = action()
        # H5T_CONV_UNHANDLED: as if there were no function.
        return 0

    return EXCEPTION(called), found


def with_function(h5, function):
    transfer = h5.plist("DATASET_XFER")
    h5.H5Pset_type_conv_cb.must(transfer, function, None)
    return transfer


@case(2, {NO_STORAGE: 2})
def dataset_is_read_while_it_is_read(h5, fapl):
    file = h5.create("a.h5", fapl)
    for name in ("d", "other"):
        h5.make(file, name, [SIZE], ints(SIZE))
    dset, other = (h5.H5Dopen2.must(file, name, 0) for name in (b"d", b"other"))
    # Both have storage now, and are ours.
    results = [put(h5, dset, 0, 0), put(h5, other, 0, 50)]
    function, found = once(lambda: [some(h5, dset, 900), some(h5, other, 0), len(h5.read(other, SIZE))])
    narrow = (ctypes.c_int8 * SIZE)()
    results.append(h5.H5Dread(dset, h5.type("STD_I8LE"), 0, 0, with_function(h5, function), narrow))
    h5.H5Dclose.must(dset)
    h5.H5Dclose.must(other)
    h5.H5Fclose.must(file)
    return [results, found, list(narrow)[120:135]]


@case(1, {NO_STORAGE: 1, CALLBACK: 1})
def dataset_is_read_while_it_is_written(h5, fapl):
    file = h5.create("a.h5", fapl)
    h5.make(file, "d", [SIZE], ints(SIZE), type="STD_I32LE")
    dset = h5.H5Dopen2.must(file, b"d", 0)
    results = [put(h5, dset, 0, 0)]
    function, found = once(lambda: some(h5, dset, 900))
    wide = struct.pack(f"<{SIZE}q", *[number << 40 for number in range(SIZE)])
    results.append(h5.H5Dwrite(dset, h5.type("STD_I64LE"), 0, 0, with_function(h5, function), wide))
    results.append(some(h5, dset, 500))
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return [results, found]


@case(2, {NO_STORAGE: 1})
def dataset_is_written_while_it_is_read(h5, fapl):
    file = h5.create("a.h5", fapl)
    h5.make(file, "d", [SIZE], ints(SIZE))
    dset = h5.H5Dopen2.must(file, b"d", 0)
    results = [put(h5, dset, 0, 0)]
    function, found = once(lambda: put(h5, dset, 900, 7000))
    narrow = (ctypes.c_int8 * SIZE)()
    results.append(h5.H5Dread(dset, h5.type("STD_I8LE"), 0, 0, with_function(h5, function), narrow))
    results.append(some(h5, dset, 899))
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    file = h5.open("a.h5", h5.native)
    dset = h5.H5Dopen2.must(file, b"d", 0)
    results.append(some(h5, dset, 899))
    return [results, found, list(narrow)[120:135]]


@case(2, {NO_STORAGE: 1})
def dataset_is_used_while_it_is_copied(h5, fapl):
    """H5Ocopy asks whether to go on looking for a committed datatype like the one of what it copies."""
    file, target = h5.create("a.h5", fapl), h5.create("b.h5", fapl)
    committed = h5.H5Tcopy.must(h5.type("STD_I32LE"))
    h5.H5Tcommit2.must(file, b"type", committed, 0, 0, 0)
    h5.make(file, "d", [SIZE], ints(SIZE), type=committed)
    dset = h5.H5Dopen2.must(file, b"d", 0)
    results, found = [put(h5, dset, 0, 300)], []

    def called(_data):
        found.append([some(h5, dset, 900), put(h5, dset, 10, 4000)])
        # H5O_MCDT_SEARCH_CONT
        return 0

    function, copying = SEARCH(called), h5.plist("OBJECT_COPY")
    # H5O_COPY_MERGE_COMMITTED_DTYPE_FLAG
    h5.H5Pset_copy_object.must(copying, 0x40)
    h5.H5Padd_merge_committed_dtype_path.must(copying, b"/type")
    h5.H5Pset_mcdt_search_cb.must(copying, function, None)
    results.append(h5.H5Ocopy(file, b"d", target, b"d", copying, 0))
    results.append(some(h5, dset, 8))
    h5.H5Tclose.must(committed)
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    dset = h5.H5Dopen2.must(target, b"d", 0)
    results += [some(h5, dset, 0), some(h5, dset, 990)]
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(target)
    return [results, found]


if __name__ == "__main__":
    CASES.main()
