"""What a transfer property list asks for and what is told there afterwards, natively and through the connector.

    transfer_lists.py HOST [CASE ...]

A case says how many reads and writes must be bypassed, and why others are not.
"""

import ctypes

from cases import Cases
from writes_regressions_calls import NO_STORAGE, contents, create, ints, numbers

CASES = Cases()
SIZE = 1000
SMALL_BUFFER = "small-buffer"
NAMES = ("contiguous", "chunked", "shuffled", "large chunks", "external")
MODES = {"default": 0, "off": 1, "on": 2}


def case(reads, writes=0, reasons=None):
    return CASES.case([reads, writes], reasons)


def make(h5, file):
    """A dataset of each kind, not written yet."""
    space = h5.space([SIZE])
    dsets = []
    for name in NAMES:
        dcpl, dapl = h5.plist("DATASET_CREATE"), h5.plist("DATASET_ACCESS")
        if name == "external":
            h5.H5Pset_external.must(dcpl, b"raw", 0, SIZE * 4)
        elif name != "contiguous":
            h5.H5Pset_chunk.must(dcpl, 1, [100])
        if name == "shuffled":
            h5.H5Pset_shuffle.must(dcpl)
        if name == "large chunks":
            # Larger than what the cache may hold.
            h5.H5Pset_chunk_cache.must(dapl, 7, 200, ctypes.c_double(1.0))
        dsets.append(h5.H5Dcreate2.must(file, name.encode(), h5.type("STD_I32LE"), space, 0, dcpl, dapl))
        h5.H5Pclose(dcpl)
        h5.H5Pclose(dapl)
    h5.H5Sclose(space)
    return dsets


def told(h5, dxpl):
    """Why selections were not given to the driver, and how the file was read or written."""
    found = []
    for name in ("H5Pget_no_selection_io_cause", "H5Pget_actual_selection_io_mode"):
        number = ctypes.c_uint32(0xABCD)
        getattr(h5, name).must(dxpl, ctypes.byref(number))
        found.append(number.value)
    return found


def unbuffered(h5, fapl):
    """Without the sieve, which the connector takes away from files that can be written, and of which native HDF5 tells."""
    access = h5.H5Pcopy.must(fapl)
    h5.H5Pset_sieve_buf_size.must(access, 0)
    return access


def selection_io(h5, fapl, mode):
    access = unbuffered(h5, fapl)
    dxpl = h5.plist("DATASET_XFER")
    h5.H5Pset_selection_io.must(dxpl, MODES[mode])
    integer, real = h5.type("STD_I32LE"), h5.type("IEEE_F64BE")
    file = h5.create("a.h5", access)
    found = []
    for name, dset in zip(NAMES, make(h5, file)):
        # The first write of contiguous data is native's.
        for number in range(2):
            h5.H5Dwrite.must(dset, integer, 0, 0, dxpl, ints(SIZE, number))
            # While it takes storage for chunks that it does not cache, native HDF5 gives no reason.
            if number or name != "large chunks":
                found.append([name, "write", told(h5, dxpl)[0]])
        h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    for converted in (False, True):
        for name in NAMES:
            file = h5.open("a.h5", access)
            dapl = h5.plist("DATASET_ACCESS")
            if name == "large chunks":
                h5.H5Pset_chunk_cache.must(dapl, 7, 200, ctypes.c_double(1.0))
            dset = h5.H5Dopen2.must(file, name.encode(), dapl)
            # All of it is read for the first time: native HDF5 has nothing of it in memory.
            data = h5.read(dset, SIZE, *((real, 8) if converted else (integer, 4)), dxpl=dxpl)
            found.append([name, "read", told(h5, dxpl), sum(data)])
            h5.H5Dclose.must(dset)
            h5.H5Fclose.must(file)
            h5.H5Pclose(dapl)
    return found


@case(10, 9, {NO_STORAGE: 1})
def selection_io_default(h5, fapl):
    return selection_io(h5, fapl, "default")


@case(10, 9, {NO_STORAGE: 1})
def selection_io_off(h5, fapl):
    return selection_io(h5, fapl, "off")


@case(10, 9, {NO_STORAGE: 1})
def selection_io_on(h5, fapl):
    return selection_io(h5, fapl, "on")


@case(2)
def selection_io_of_several(h5, fapl):
    """Of several datasets the first reason is told; a call with the default list tells nothing in others."""
    file = h5.create("a.h5")
    dsets = make(h5, file)
    for dset in dsets:
        h5.H5Dwrite.must(dset, h5.type("STD_I32LE"), 0, 0, 0, ints(SIZE))
        h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    file = h5.open("a.h5", fapl)
    chosen = [h5.H5Dopen2.must(file, name, 0) for name in (b"chunked", b"shuffled")]
    dxpl, other = h5.plist("DATASET_XFER"), h5.plist("DATASET_XFER")
    buffers = [ctypes.create_string_buffer(SIZE * 4) for _ in chosen]
    ids, types, spaces = ((ctypes.c_int64 * 2)(*values) for values in (chosen, [h5.type("STD_I32LE")] * 2, [0, 0]))
    places = (ctypes.c_void_p * 2)(*map(ctypes.addressof, buffers))
    found = [h5.H5Dread_multi(ctypes.c_size_t(2), ids, types, spaces, spaces, dxpl, places), told(h5, dxpl), told(h5, other)]
    found += [sum(numbers(buffer.raw)) for buffer in buffers]
    return [*found, *map(h5.H5Dclose, chosen), h5.H5Fclose(file)]


# Converted and too small: three sizes below that of an element, for reads and for writes of both datasets.
@case(14, 14, {SMALL_BUFFER: 12})
def small_buffers(h5, fapl):
    """Native HDF5 refuses a buffer into which not one element fits, if it has to convert any."""
    file = h5.create("a.h5")
    h5.make(file, "contiguous", [SIZE], ints(SIZE))
    dset = create(h5, file, "chunked", deflate=False)
    h5.H5Dwrite.must(dset, h5.type("STD_I32LE"), 0, 0, 0, ints(SIZE))
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    integer, real = h5.type("STD_I32LE"), h5.type("IEEE_F64LE")
    file = h5.open("a.h5", fapl, h5.RDWR)
    found = []
    for name in (b"contiguous", b"chunked"):
        dset = h5.H5Dopen2.must(file, name, 0)
        for room in (1, 4, 7, 8, 100):
            dxpl = h5.plist("DATASET_XFER")
            h5.H5Pset_buffer.must(dxpl, room, None, None)
            wide = (ctypes.c_double * SIZE)(*range(SIZE))
            found += [room, h5.H5Dwrite(dset, real, 0, 0, dxpl, wide), h5.H5Dwrite(dset, integer, 0, 0, dxpl, ints(SIZE, room))]
            narrow = h5.read(dset, SIZE, dxpl=dxpl)
            found += [h5.H5Dread(dset, real, 0, 0, dxpl, wide), list(wide)[-3:], narrow and numbers(narrow)[-3:]]
            h5.H5Pclose(dxpl)
        h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return [*found, contents(h5, "a.h5", "contiguous"), contents(h5, "a.h5", "chunked")]


# A buffer of several datasets is looked at for all of them.
@case(0, 2, {SMALL_BUFFER: 2})
def small_buffers_of_several(h5, fapl):
    """If one of several datasets is refused, none of them is written."""
    file = h5.create("a.h5", fapl)
    dsets = [create(h5, file, name, deflate=False) for name in ("a", "b")]
    integer, real = h5.type("STD_I32LE"), h5.type("IEEE_F64LE")
    for dset in dsets:
        h5.H5Dwrite.must(dset, integer, 0, 0, 0, ints(SIZE))
    dxpl = h5.plist("DATASET_XFER")
    h5.H5Pset_buffer.must(dxpl, 4, None, None)
    narrow, wide = ctypes.create_string_buffer(ints(SIZE, 5)), (ctypes.c_double * SIZE)(*range(SIZE))
    ids, types, spaces = ((ctypes.c_int64 * 2)(*values) for values in (dsets, [integer, real], [0, 0]))
    places = (ctypes.c_void_p * 2)(ctypes.addressof(narrow), ctypes.addressof(wide))
    found = [h5.H5Dwrite_multi(ctypes.c_size_t(2), ids, types, spaces, spaces, dxpl, places)]
    found += [*map(h5.H5Dclose, dsets), h5.H5Fclose(file)]
    return [*found, contents(h5, "a.h5", "a"), contents(h5, "a.h5", "b")]


if __name__ == "__main__":
    CASES.main()
