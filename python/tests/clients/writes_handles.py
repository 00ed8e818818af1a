"""Several handles of one file or dataset, one of which could miss what happened through another, or after one of which is closed.

    writes_handles.py HOST [CASE ...]

Each case returns what its calls returned and what is in the file, looked at natively in the end.
"""

import ctypes
import itertools
import os
import random
import resource
import signal
import zlib

from cases import Cases
from writes_regressions_calls import NO_STORAGE, contents, create, get, ints, numbers, put

CASES = Cases()
case = CASES.case
TRANSFORM = "data-transform"
TOO_LARGE = "too-large"
# So many numbers are in a chunk of the small datasets.
CHUNK = 10


def transform(h5):
    """A transfer list that leaves a call to native HDF5."""
    dxpl = h5.plist("DATASET_XFER")
    h5.H5Pset_data_transform.must(dxpl, b"x+1")
    return dxpl


def filled(h5, file, name, size, deflate, fill=77):
    """A small dataset that can grow."""
    value = (h5.type("STD_I32LE"), ints(1, fill))
    return create(h5, file, name, size, deflate=deflate, chunk=CHUNK, maxdims=[h5.UNLIMITED], H5Pset_fill_value=value)


def close(h5, dset, file):
    return [h5.H5Dclose(dset), h5.H5Fclose(file)]


# Three writes for each of the sixteen ways.
@case(48)
def grown_through_a_handle_that_is_closed(h5, fapl):
    """One handle grows a dataset, another writes what is new: a third that was there before sees it, and does not write over it."""
    found = []
    for number in range(16):
        deflate, flushed, kept, used = (number & bit for bit in (8, 4, 2, 1))
        file = h5.create("a.h5", fapl)
        first = filled(h5, file, "d", 20, deflate)
        found.append(put(h5, first, 0, range(20), 20))
        if used:
            found.append(get(h5, first, 0, 20, 20))
        growing = h5.H5Dopen2.must(file, b"d", 0)
        found += [h5.H5Dset_extent(growing, [40]), h5.H5Dclose(growing)]
        writing = h5.H5Dopen2.must(file, b"d", 0)
        found.append(put(h5, writing, 20, range(1000, 1020), 40))
        if flushed:
            found.append(h5.H5Dflush(writing))
        if not kept:
            found.append(h5.H5Dclose(writing))
        found += [get(h5, first, 0, 40, 40), put(h5, first, 23, [5, 6, 7], 40), get(h5, first, 0, 40, 40)]
        if kept:
            found += [get(h5, writing, 0, 40, 40), h5.H5Dclose(writing)]
        found += [close(h5, first, file), contents(h5, "a.h5", "d", 40)]
    return found


# One between two natively, for both, by points and by a block, twice.
@case(8, {TRANSFORM: 16})
def only_the_read_only_handle_is_left(h5, fapl):
    """A file that is open for writing is opened read-only as well: it stays writable through that, also when the first handle is closed,
    before or after. A dataset that nobody uses keeps it open meanwhile."""
    dxpl, found = transform(h5), []
    for deflate, by_points, before in itertools.product((False, True), repeat=3):
        file = h5.create("a.h5", fapl)
        found.append(h5.H5Dclose(filled(h5, file, "d", 50, deflate)))
        h5.H5Fclose.must(file)
        file = h5.open("a.h5", fapl, h5.RDWR)
        unused = h5.H5Dopen2.must(file, b"d", 0)
        if before:
            found.append(h5.H5Fclose(file))
        left = h5.open("a.h5", fapl, h5.RDONLY)
        if not before:
            found.append(h5.H5Fclose(file))
        found.append(h5.H5Dclose(unused))
        dset = h5.H5Dopen2.must(left, b"d", 0)
        found.append(put(h5, dset, 0, [100, 200, 300], 50, dxpl))
        if by_points:
            space = h5.space([50])
            h5.H5Sselect_elements.must(space, h5.SET, 2, [1, 0])
            found.append(h5.H5Dwrite(dset, h5.type("STD_I32LE"), h5.BLOCK, space, 0, ints(2, 1000)))
            h5.H5Sclose(space)
        else:
            found.append(put(h5, dset, 0, [1000, 2000], 50))
        found += [put(h5, dset, 2, [400], 50, dxpl), get(h5, dset, 0, 5, 50), close(h5, dset, left), contents(h5, "a.h5", "d", 50)]
    return found


def write_what_native_hdf5_has_read(h5, fapl, deflate):
    """Native HDF5 keeps a chunk that it has read, also one without storage; of a large dataset the connector asks chunk by chunk."""
    dxpl, found = transform(h5), []
    for chunks in (20, 1500):
        size = CHUNK * chunks
        file = h5.create("a.h5", fapl)
        dset = filled(h5, file, "d", size, deflate)
        found.append(put(h5, dset, 0, range(CHUNK), size))
        found.append(get(h5, dset, size - 5, 3, size, dxpl))
        found += [put(h5, dset, size - 4, [100, 101], size), put(h5, dset, size - 40, range(500, 535), size)]
        found += [get(h5, dset, size - 45, 45, size), close(h5, dset, file), contents(h5, "a.h5", "d", size)[-45:]]
    return found


@case(6)
def missing_chunks_that_native_hdf5_has_read(h5, fapl):
    """It says that they have a size."""
    return write_what_native_hdf5_has_read(h5, fapl, False)


@case(6)
def missing_filtered_chunks_that_native_hdf5_has_read(h5, fapl):
    """It does not say of them what it says of others that are missing."""
    return write_what_native_hdf5_has_read(h5, fapl, True)


def descriptors(name):
    """How many of this process's descriptors are of the file."""
    links = (f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd"))
    return sum(os.path.realpath(link) == os.path.realpath(name) for link in links)


def limit_files(size=resource.RLIM_INFINITY):
    """How large the process may make a file: a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


@case(4)
def failed_close(h5, fapl):
    """After an H5Fclose that failed nobody holds the file, or its lock: it can be opened again as natively."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    size, chunk, found = 400_000, 100_000, []
    for name, deflate in (("plain.h5", False), ("gzip.h5", True)):
        file = h5.create(name, fapl)
        dset = create(h5, file, "d", size, deflate=deflate, chunk=chunk, maxdims=[h5.UNLIMITED])
        found += [put(h5, dset, 0, range(chunk), size), h5.H5Fflush(file, 1), descriptors(name) > 0]
        noise = random.Random(1).choices(range(1 << 31), k=chunk * 3 // 2)
        stored = os.path.getsize(name)
        found.append(put(h5, dset, chunk, noise, size))
        limit_files(stored + 1000)
        found += [close(h5, dset, file), descriptors(name)]
        limit_files()
        again = h5.H5Fopen(name.encode(), h5.RDWR, fapl)
        found += [again >= 0, h5.errors()[0].split(":")[0] if again < 0 else h5.H5Fclose(again), descriptors(name)]
    return found


@case(2)
def outside_of_the_extent(h5, fapl):
    """What the application has put into a chunk beyond the extent is there when the dataset grows over it."""
    found = []
    for name, deflate in (("plain.h5", False), ("gzip.h5", True)):
        file = h5.create(name, fapl)
        dset = filled(h5, file, "d", 15, deflate)
        chunk = ints(CHUNK, 500)
        chunk = zlib.compress(chunk) if deflate else chunk
        found.append(h5.H5Dwrite_chunk(dset, 0, 0, [CHUNK], len(chunk), chunk))
        found += [put(h5, dset, 10, range(5), 15), h5.H5Dset_extent(dset, [20]), get(h5, dset, 0, 20, 20)]
        found += [close(h5, dset, file), contents(h5, name, "d", 20)]
    return found


def sieve(h5, file):
    """How large a file's access list says that its sieve buffer is."""
    fapl, size = h5.H5Fget_access_plist.must(file), ctypes.c_size_t()
    h5.H5Pget_sieve_buf_size.must(fapl, ctypes.byref(size))
    h5.H5Pclose(fapl)
    return size.value


@case(2, {NO_STORAGE: 2})
def sieve_of_further_handles(h5, fapl):
    """The connector opens files without a sieve buffer, and nobody sees that, whichever handle is asked."""
    other = h5.H5Pcopy.must(fapl)
    h5.H5Pset_sieve_buf_size.must(other, 1234)
    found = []
    for access in (fapl, other):
        file = h5.create("a.h5", access)
        h5.make(file, "d", [10], ints(10))
        dset = h5.H5Dopen2.must(file, b"d", 0)
        further = [file, h5.H5Freopen.must(file), h5.H5Iget_file_id.must(dset)]
        further += [h5.open("a.h5", again, flags) for again in (fapl, other) for flags in (h5.RDWR, h5.RDONLY)]
        found += [put(h5, dset, 3, [7], 10), [sieve(h5, handle) for handle in further]]
        found += [h5.H5Dclose(dset), [h5.H5Fclose(handle) for handle in further]]
    return found


# A slice of so many bytes cannot be: native HDF5 gets what has more than 63 bits of them, unless it is a short run.
@case(6, {TOO_LARGE: 3, NO_STORAGE: 1})
def memory_larger_than_memory(h5, fapl):
    """A memory dataspace may be as large as can be: only what is selected of it has to be there."""
    file, found = h5.create("a.h5", fapl), []
    for name, chunk in (("contiguous", None), ("chunked", [CHUNK])):
        h5.make(file, name, [95], ints(95), chunk=chunk)
        dset = h5.H5Dopen2.must(file, name.encode(), 0)
        place = h5.slab([95], [7], [20])
        for exponent in (60, 61, 62, 63):
            memory = h5.slab([1 << exponent], [3], [20])
            found.append(h5.H5Dwrite(dset, h5.type("STD_I32LE"), memory, place, 0, ints(23, 1000 * exponent)))
            back = ctypes.create_string_buffer(4 * 23)
            found += [h5.H5Dread(dset, h5.type("STD_I32LE"), memory, place, 0, back), numbers(back.raw)]
            h5.H5Sclose(memory)
        found.append(h5.H5Dclose(dset))
    h5.H5Fclose.must(file)
    return found + [contents(h5, "a.h5", name, 95) for name in ("contiguous", "chunked")]


@case(2)
def no_room_at_the_start_of_swmr(h5, fapl):
    """What cannot be written when H5Fstart_swmr_write begins is not given up: there may be room again."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    access = h5.H5Pcopy.must(fapl)
    latest = next(bound for bound in (6, 5, 4) if h5.H5Pset_libver_bounds(access, bound, bound) >= 0)
    h5.H5Pset_libver_bounds.must(access, latest, latest)
    size, chunk = 40_000, 20_000
    noise = random.Random(1).choices(range(1 << 31), k=size)
    file = h5.create("a.h5", access)
    dset = create(h5, file, "d", size, chunk=chunk, maxdims=[h5.UNLIMITED])
    found = [put(h5, dset, 0, noise, size), h5.H5Fflush(file, 1)]
    # The chunk stays in its place, the last one of the file: everything else can be written.
    noise[chunk:chunk + 5] = range(5)
    found.append(put(h5, dset, chunk, noise[chunk:chunk + 5], size))
    limit_files(os.path.getsize("a.h5") - 1000)
    found.append(h5.H5Fstart_swmr_write(file))
    limit_files()
    return found + close(h5, dset, file) + [contents(h5, "a.h5", "d", size) == noise]


@case(4)
def index_replaced(h5, fapl):
    """H5Dformat_convert makes another chunk index, under the eyes of one who has read the old one and has something in memory."""
    access, found = h5.H5Pcopy.must(fapl), []
    latest = next(bound for bound in (6, 5, 4) if h5.H5Pset_libver_bounds(access, bound, bound) >= 0)
    h5.H5Pset_libver_bounds.must(access, latest, latest)
    for deflate in (False, True):
        file = h5.create("a.h5", access)
        dset = filled(h5, file, "d", 95, deflate)
        found += [put(h5, dset, 3, list(range(80)), 95), get(h5, dset, 0, 95, 95)]
        found += [h5.H5Dformat_convert(dset), get(h5, dset, 0, 95, 95)]
        found += [put(h5, dset, 75, list(range(500, 517)), 95), get(h5, dset, 0, 95, 95), *close(h5, dset, file)]
        found.append(contents(h5, "a.h5", "d", 95))
    return found


if __name__ == "__main__":
    CASES.main()
