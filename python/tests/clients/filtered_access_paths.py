"""Reads of filtered datasets in the ways that caches and threads care about, natively and through the connector.

    filtered_access_paths.py HOST [CASE ...]

What a case is: cases.py.
"""

import ctypes
import hashlib
import struct
import threading
import zlib

import pipelines as p
from access_paths import created, ints, opened, opened_dataset
from cases import Cases
from filters import add_filters

CASES = Cases()
case = CASES.case
DISABLE_EDC = 0
FAILURES = "filter-callback"
# H5Z_cb_return_t (*)(H5Z_filter_t, void *buf, size_t, void *data)
ON_FAILURE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
FAIL, GO_ON = 0, 1


def make(h5, file, name, dims, chunk, values, filters=None, type="STD_I32LE", maxdims=None, fill=None):
    dcpl = h5.plist("DATASET_CREATE")
    add_filters(h5, dcpl, [p.shuffle(), p.deflate()] if filters is None else filters)
    if fill is not None:
        h5.H5Pset_fill_value.must(dcpl, h5.type(type), fill)
    h5.make(file, name, dims, values, type=type, chunk=chunk, dcpl=dcpl, maxdims=maxdims)
    h5.H5Pclose(dcpl)


def simple(h5, path="a.h5", first=0, dims=(40, 300), **more):
    """A file with a dataset of 40 x 300 ints in chunks of 16 x 100."""
    with created(h5, path) as file:
        make(h5, file, "d", list(dims), [16, 100], ints(dims[0] * dims[1], first), **more)


def part(h5, dset, start, count, dims=(40, 300), type="STD_I32LE", size=4, dxpl=0):
    """A block as text, or None if the read fails."""
    space = h5.slab(list(dims), start, count)
    number = count[0] * count[1]
    data = h5.read(dset, number, type=type, size=size, memory=h5.BLOCK, file=space, dxpl=dxpl)
    h5.H5Sclose(space)
    return data and data.hex()


def whole(h5, where, name="d", number=12_000):
    dset = h5.H5Dopen2.must(where, name.encode(), 0)
    data = h5.read(dset, number)
    h5.H5Dclose.must(dset)
    return data and hashlib.sha1(data).hexdigest()


@case(80)
def rows_one_by_one(h5, fapl):
    simple(h5)
    with opened_dataset(h5, fapl) as (_, dset):
        got = [part(h5, dset, [row, 0], [1, 300]) for row in range(40)]
        return got + [part(h5, dset, [39 - row, 7], [1, 200]) for row in range(40)]


@case(30)
def columns_one_by_one(h5, fapl):
    simple(h5)
    with opened_dataset(h5, fapl) as (_, dset):
        return [part(h5, dset, [0, column], [40, 1]) for column in range(0, 300, 10)]


@case(6)
def the_same_again(h5, fapl):
    simple(h5)
    with opened_dataset(h5, fapl) as (file, dset):
        return [*[part(h5, dset, [10, 90], [20, 120]) for _ in range(5)], whole(h5, file)]


@case(8)
def two_handles(h5, fapl):
    """One is closed in between; the other goes on."""
    simple(h5)
    file = h5.open("a.h5", fapl)
    one, two = (h5.H5Dopen2.must(file, b"d", 0) for _ in range(2))
    got = [part(h5, (one, two)[turn % 2], [turn * 4, 3], [9, 250]) for turn in range(6)]
    h5.H5Dclose.must(one)
    got += [part(h5, two, [0, 0], [40, 300])]
    h5.H5Fclose.must(file)
    got += [part(h5, two, [16, 100], [16, 100])]
    h5.H5Dclose.must(two)
    return got


@case(6)
def two_files(h5, fapl):
    """Same names, same places, other numbers: chunks that are kept must not be taken for one another."""
    simple(h5, "a.h5", 0)
    simple(h5, "b.h5", 5_000_000)
    with opened_dataset(h5, fapl, "a.h5") as (_, one), opened_dataset(h5, fapl, "b.h5") as (_, two):
        return [part(h5, (one, two)[turn % 2], [5, 5], [20, 200]) for turn in range(6)]


@case(4)
def two_datasets(h5, fapl):
    """In one file, with one chunk each."""
    with created(h5) as file:
        make(h5, file, "one", [20, 30], [20, 30], ints(600))
        make(h5, file, "two", [20, 30], [20, 30], ints(600, 9000))
    with opened(h5, "a.h5", fapl) as file:
        return [whole(h5, file, name, 600) for name in ("one", "two", "one", "two")]


def written_anew(h5, fapl, first):
    simple(h5, "a.h5", first)
    with opened(h5, "a.h5", fapl) as file:
        return whole(h5, file)


@case(3)
def changed_between_opens(h5, fapl):
    """The file is written anew in between, with chunks in the same places: nothing may be left of the old ones."""
    return [written_anew(h5, fapl, first) for first in (0, 700_000, 3)]


@case(2)
def changed_while_another_file_is_open(h5, fapl):
    """As before, while the connector has something to keep its state for."""
    simple(h5, "other.h5")
    with opened(h5, "other.h5", fapl):
        return [written_anew(h5, fapl, first) for first in (0, 41)]


@case(4)
def opened_again(h5, fapl):
    simple(h5)
    one = h5.open("a.h5", fapl)
    two = h5.H5Freopen.must(one)
    three = h5.open("a.h5", fapl)
    got = [whole(h5, file) for file in (one, two, three)]
    h5.H5Fclose.must(one)
    got.append(whole(h5, three))
    h5.H5Fclose.must(two)
    h5.H5Fclose.must(three)
    return got


@case(3)
def nothing_written(h5, fapl):
    """No chunk, some chunks: the rest is the fill value."""
    with created(h5) as file:
        make(h5, file, "none", [40, 300], [16, 100], None, fill=ints(1, 77))
        make(h5, file, "zero", [40, 300], [16, 100], None)
        make(h5, file, "some", [40, 300], [16, 100], None, fill=ints(1, 78))
        dset = h5.H5Dopen2.must(file, b"some", 0)
        h5.H5Dwrite.must(dset, h5.type("STD_I32LE"), h5.BLOCK, h5.slab([40, 300], [20, 120], [3, 5]), 0, ints(15))
        h5.H5Dclose.must(dset)
    with opened(h5, "a.h5", fapl) as file:
        return [whole(h5, file, name) for name in ("none", "zero", "some")]


@case(3)
def several_at_once(h5, fapl):
    """H5Dread_multi: filtered, not filtered, contiguous."""
    with created(h5) as file:
        make(h5, file, "filtered", [40, 300], [16, 100], ints(12_000))
        make(h5, file, "plain", [40, 300], [16, 100], ints(12_000, 5), filters=[])
        h5.make(file, "contiguous", [40, 300], ints(12_000, 9))
    with opened(h5, "a.h5", fapl) as file:
        dsets = [h5.H5Dopen2.must(file, name, 0) for name in (b"filtered", b"plain", b"contiguous")]
        buffers = [ctypes.create_string_buffer(48_000) for _ in dsets]
        pointers = (ctypes.c_void_p * 3)(*map(ctypes.addressof, buffers))
        h5.H5Dread_multi.must(3, dsets, [h5.type("STD_I32LE")] * 3, [0] * 3, [0] * 3, 0, pointers)
        for dset in dsets:
            h5.H5Dclose.must(dset)
    return [hashlib.sha1(buffer.raw).hexdigest() for buffer in buffers]


def wrong_checksum(h5, path="a.h5"):
    """One chunk whose Fletcher32 checksum is not that of its data."""
    with created(h5, path) as file:
        make(h5, file, "d", [40, 300], [40, 300], None, filters=[p.deflate(), p.fletcher32()])
        dset = h5.H5Dopen2.must(file, b"d", 0)
        stored = zlib.compress(ints(12_000)) + b"\x01\x02\x03\x04"
        h5.H5Dwrite_chunk.must(dset, 0, 0, [0, 0], len(stored), stored)
        h5.H5Dclose.must(dset)


def unchecked(h5):
    dxpl = h5.plist("DATASET_XFER")
    h5.H5Pset_edc_check.must(dxpl, DISABLE_EDC)
    return dxpl


@case(2)
def checksums_not_looked_at(h5, fapl):
    wrong_checksum(h5)
    with opened_dataset(h5, fapl) as (_, dset):
        return [part(h5, dset, [3, 4], [5, 6]), part(h5, dset, [3, 4], [5, 6], dxpl=unchecked(h5))]


@case(2)
def checksums_looked_at_later(h5, fapl):
    """What was read without a look at checksums is not taken for checked when the dataset is opened again."""
    wrong_checksum(h5)
    got = []
    for dxpl in (unchecked(h5), 0):
        with opened_dataset(h5, fapl) as (_, dset):
            got.append(part(h5, dset, [3, 4], [5, 6], dxpl=dxpl))
    return got


@case(0, {FAILURES: 2})
def failures_have_a_function(h5, fapl):
    """The application decides what becomes of a chunk whose filter fails."""
    wrong_checksum(h5)
    got = []
    for answer in (GO_ON, FAIL):
        with opened_dataset(h5, fapl) as (_, dset):
            function = ON_FAILURE(lambda _filter, _buffer, _size, _data, answer=answer: answer)
            dxpl = h5.plist("DATASET_XFER")
            h5.H5Pset_filter_callback.must(dxpl, function, None)
            got.append(part(h5, dset, [3, 4], [5, 6], dxpl=dxpl) is None)
    return got


@case(2)
def the_application_wants_no_cache(h5, fapl):
    simple(h5)
    access = h5.H5Pcopy.must(fapl)
    h5.H5Pset_cache.must(access, 0, ctypes.c_size_t(0), ctypes.c_size_t(0), ctypes.c_double(0.5))
    with opened(h5, "a.h5", access) as file:
        got = [whole(h5, file)]
        dapl = h5.plist("DATASET_ACCESS")
        h5.H5Pset_chunk_cache.must(dapl, ctypes.c_size_t(521), ctypes.c_size_t(1 << 26), ctypes.c_double(1.0))
        dset = h5.H5Dopen2.must(file, b"d", dapl)
        got.append(part(h5, dset, [1, 1], [30, 30]))
        h5.H5Dclose.must(dset)
        return got


@case(3)
def large_chunks(h5, fapl):
    """Chunks of 2.4 MB, as doubles, read whole and in slabs that cut them."""
    with created(h5) as file:
        values = struct.pack("<1200000d", *(place % 1000 / 8 for place in range(1_200_000)))
        make(h5, file, "d", [1000, 1200], [250, 1200], values, type="IEEE_F64LE")
    with opened_dataset(h5, fapl) as (_, dset):
        got = [hashlib.sha1(h5.read(dset, 1_200_000, type="IEEE_F64LE", size=8)).hexdigest()]
        for start, count in (([240, 7], [300, 1000]), ([0, 599], [1000, 2])):
            got.append(hashlib.sha1(part(h5, dset, start, count, (1000, 1200), "IEEE_F64LE", 8).encode()).hexdigest())
        return got


@case(1)
def many_chunks(h5, fapl):
    with created(h5) as file:
        make(h5, file, "d", [400, 300], [5, 6], ints(120_000), filters=[p.shuffle(), p.zstd(), p.fletcher32()])
    with opened(h5, "a.h5", fapl) as file:
        return whole(h5, file, "d", 120_000)


@case(0, {"filter-unknown": 2})
def a_filter_we_lack(h5, fapl):
    simple(h5, filters=[p.zfp(), p.deflate()])
    with opened(h5, "a.h5", fapl) as file:
        return [whole(h5, file), whole(h5, file)]


@case(240)
def several_threads(h5, fapl):
    """Four threads read parts of two datasets through handles of their own and a common one, where the library lets them in."""
    file = h5.create("a.h5")
    for name, first in (("p", 0), ("q", 1_000_000)):
        make(h5, file, name, [200, 300], [16, 100], ints(60_000, first))
    h5.H5Fclose.must(file)
    file = h5.open("a.h5", fapl)
    safe = h5.lets_threads_in()
    common = h5.H5Dopen2.must(file, b"q", 0)
    got = [[] for _ in range(4)]

    def work(number):
        own = h5.H5Dopen2.must(file, b"p" if number % 2 else b"q", 0)
        for turn in range(60):
            dset = common if turn % 3 == 0 else own
            start = [(turn * 37 + number * 11) % 100, (turn * 53) % 150]
            got[number].append(hashlib.sha1(part(h5, dset, start, [100, 150], (200, 300)).encode()).hexdigest())
        h5.H5Dclose.must(own)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
        if not safe:
            thread.join()
    for thread in threads:
        thread.join()
    h5.H5Dclose.must(common)
    h5.H5Fclose.must(file)
    return got


if __name__ == "__main__":
    CASES.main()
