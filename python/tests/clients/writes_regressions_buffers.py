"""Buffers and memory: what native HDF5 has of its own must stay with it where it does the work, and nothing may pile up.

    writes_regressions_buffers.py HOST CASE ...

Whether native HDF5 has its sieve, a buffer for parts of contiguous datasets, shows in the number of system calls it writes with.
"""

import ctypes
import os
import re
import struct

from cases import Cases

CASES, GROWING = Cases(), Cases()
case, growing = CASES.case, GROWING.case
NO_STORAGE = "no-storage"
DRIVER = "driver"
SIZE, STEP = 12_000, 3
# Strided writes that each case makes, of so many elements, each a run by itself.
WRITES, RUNS = 3, SIZE // STEP
# What is enough for a buffer of 64 KiB to be filled and emptied: far less than one call per run.
FEW = RUNS // 10
# Datasets that are made and forgotten again: more than are remembered, several times over.
# What is kept of a file's datasets is bounded, but reaches its bound only in the second turn or later: with few turns that would count.
TURNS, EACH = 10, 1024


def system_calls():
    """Calls that this process has written with so far."""
    with open("/proc/self/io") as counters:
        return int(re.search(r"syscw: (\d+)", counters.read())[1])


def strided(h5, path, access, fcpl=0, flags=None):
    """Writes every third element of a contiguous dataset, several times; whether that took few system calls, and what is in the file."""
    file = h5.H5Fcreate.must(path, h5.TRUNC | (flags or 0), fcpl, access)
    h5.make(file, "d", [SIZE], bytes(4 * SIZE))
    dset, space = h5.H5Dopen2.must(file, b"d", 0), h5.slab([SIZE], [0], [RUNS], [STEP])
    found, before = [], system_calls()
    for number in range(WRITES):
        found.append(h5.H5Dwrite(dset, h5.type("STD_I32LE"), h5.BLOCK, space, 0, struct.pack("<i", number + 1) * RUNS))
    # What is still in the buffer belongs to them.
    found.append(h5.H5Dflush(dset))
    calls = system_calls() - before
    found.append(struct.unpack("<7i", h5.read(dset, SIZE)[-28:]))
    h5.H5Dclose.must(dset)
    found.append(sieve(h5, file))
    h5.H5Fclose.must(file)
    return [*found, calls < FEW or calls]


def sieve(h5, file):
    """Bytes of the sieve, as the file's access list tells."""
    access, size = h5.H5Fget_access_plist.must(file), ctypes.c_size_t()
    h5.H5Pget_sieve_buf_size.must(access, ctypes.byref(size))
    h5.H5Pclose(access)
    return size.value


@case(WRITES, {NO_STORAGE: 1})
def default_driver(h5, fapl):
    """Here the engine writes, and merges the runs itself; the list shows what the application has asked for."""
    access = h5.H5Pcopy.must(fapl)
    h5.H5Pset_sieve_buf_size.must(access, ctypes.c_size_t(12345))
    return strided(h5, b"a.h5", access)


# The first write of a small new dataset is native HDF5's, however the file is open.
@case(0, {DRIVER: WRITES, NO_STORAGE: 1})
def family_driver(h5, fapl):
    access = h5.H5Pcopy.must(fapl)
    h5.H5Pset_fapl_family.must(access, 1 << 30, 0)
    return strided(h5, b"a%d.h5", access)


@case(0, {DRIVER: WRITES, NO_STORAGE: 1})
def split_driver(h5, fapl):
    access = h5.H5Pcopy.must(fapl)
    h5.H5Pset_fapl_split.must(access, b".meta", 0, b".raw", 0)
    return strided(h5, b"a", access)


@case(0, {"swmr-writer": WRITES, NO_STORAGE: 1})
def written_for_readers(h5, fapl):
    access = h5.H5Pcopy.must(fapl)
    # The newest format that the library knows.
    newest = next(bound for bound in (6, 5, 4) if h5.H5Pset_libver_bounds(access, bound, bound) >= 0)
    h5.H5Pset_libver_bounds.must(access, newest, newest)
    return strided(h5, b"a.h5", access, flags=h5.SWMR_WRITE)


@case(1, {NO_STORAGE: 1})
def second_handles(h5, fapl):
    """The sieve that the application has asked for is told by every handle of a file that is open for writing."""
    access = h5.H5Pcopy.must(fapl)
    h5.H5Pset_sieve_buf_size.must(access, ctypes.c_size_t(12345))
    file = h5.create("a.h5", access)
    h5.make(file, "d", [SIZE], bytes(4 * SIZE))
    dset = h5.H5Dopen2.must(file, b"d", 0)
    found = [h5.H5Dwrite(dset, h5.type("STD_I32LE"), 0, 0, 0, bytes(4 * SIZE)), h5.H5Dclose(dset)]
    handles = [file, h5.open("a.h5", access, h5.RDWR), h5.open("a.h5", fapl, h5.RDONLY), h5.H5Freopen.must(file)]
    found += [sieve(h5, handle) for handle in handles]
    for handle in reversed(handles):
        h5.H5Fclose.must(handle)
    return found


class MetadataCache(ctypes.Structure):
    """H5AC_cache_config_t, up to what is changed here."""

    _fields_ = [
        ("version", ctypes.c_int),
        ("reporting_and_traces", ctypes.c_bool * 3),
        ("trace_file", ctypes.c_char * 1025),
        ("evicts", ctypes.c_bool),
        ("sets_initial_size", ctypes.c_bool),
        ("initial_size", ctypes.c_size_t),
        ("clean_fraction", ctypes.c_double),
        ("largest_size", ctypes.c_size_t),
        ("smallest_size", ctypes.c_size_t),
        ("rest", ctypes.c_char * 512),
    ]


def small_metadata_cache(h5, fapl):
    """An access list with a cache for metadata that stays as small as it is: by default it grows with the number of datasets."""
    access, settings = h5.H5Pcopy.must(fapl), MetadataCache(version=1)
    h5.H5Pget_mdc_config.must(access, ctypes.byref(settings))
    settings.sets_initial_size = True
    settings.initial_size = settings.largest_size = settings.smallest_size = 1 << 20
    h5.H5Pset_mdc_config.must(access, ctypes.byref(settings))
    return access


def resident():
    """KiB of this process that are in memory."""
    with open("/proc/self/statm") as pages:
        return int(pages.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def growth(h5, fapl, prepare=lambda dcpl: None, type="STD_I32LE", data=bytes(16)):
    """Makes, uses and closes one dataset after the other in a file that stays open: KiB that memory grows by, but for the first ones."""
    file = h5.create("a.h5", small_metadata_cache(h5, fapl))
    space, dcpl = h5.space([4]), h5.plist("DATASET_CREATE")
    kind = h5.type(type) if isinstance(type, str) else type
    prepare(dcpl)
    for turn in range(TURNS):
        for number in range(EACH):
            name = f"{turn} {number}".encode()
            dset = h5.H5Dcreate2.must(file, name, kind, space, 0, dcpl, 0)
            h5.H5Dwrite.must(dset, kind, 0, 0, 0, data)
            h5.H5Dclose.must(dset)
            dset = h5.H5Dopen2.must(file, name, 0)
            h5.H5Dwrite.must(dset, kind, 0, 0, 0, data)
            h5.H5Dclose.must(dset)
        if turn == 0:
            before = resident()
    after = resident()
    h5.H5Fclose.must(file)
    return after - before


@growing(EACH * TURNS, {NO_STORAGE: EACH * TURNS})
def many_contiguous_datasets(h5, fapl):
    return growth(h5, fapl)


@growing(0, {"compact": 2 * EACH * TURNS})
def many_compact_datasets(h5, fapl):
    return growth(h5, fapl, lambda dcpl: h5.H5Pset_layout.must(dcpl, 0))


@growing(2 * EACH * TURNS)
def many_filtered_datasets(h5, fapl):
    def prepare(dcpl):
        h5.H5Pset_chunk.must(dcpl, 1, [2])
        h5.H5Pset_deflate.must(dcpl, 1)

    return growth(h5, fapl, prepare)


@growing(EACH * TURNS, {"no-storage": EACH * TURNS})
def many_datasets_of_words(h5, fapl):
    word = h5.H5Tcopy.must(h5.type("C_S1"))
    h5.H5Tset_size.must(word, ctypes.c_size_t(-1).value)
    return growth(h5, fapl, type=word, data=(ctypes.c_char_p * 4)(b"a", b"few", b"short", b"words"))


if __name__ == "__main__":
    Cases(CASES | GROWING).main()
