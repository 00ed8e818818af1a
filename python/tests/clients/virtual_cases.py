"""Virtual datasets: where their sources are looked for, how long they stay open, what is counted, and what is left to native HDF5.

    virtual_cases.py HOST [CASE ...]

What a case is: cases.py. All sources are datasets of 100 ints, each counting up from another number.
"""

import ctypes
import os
import resource
import time
from pathlib import Path

from access_paths import ints, list_with, opened, opened_dataset, simple, values
from cases import Cases

CASES = Cases()
case = CASES.case


def map_to(h5, path, sources, dims=None, fill=-7, type="STD_I32LE", **create):
    """A file with a virtual dataset "v": row after row, or what `sources` says: (file, dataset)."""
    dims = dims or [len(sources), 100]
    dcpl = h5.plist("DATASET_CREATE")
    h5.H5Pset_fill_value.must(dcpl, h5.type("STD_I32LE"), (ctypes.c_int * 1)(fill))
    for row, (file, name) in enumerate(sources):
        h5.H5Pset_virtual.must(dcpl, h5.slab(dims, [row, 0], [1, 100]), file.encode(), name.encode(), h5.space([100]))
    file = h5.create(path, **create)
    h5.make(file, "v", dims, None, dcpl=dcpl, type=type)
    h5.H5Fclose.must(file)


def read_rows(h5, dset, rows, **how):
    """The first and the last number of each row, or None."""
    got = values(h5.read(dset, rows * 100, **how))
    return got and [(got[row * 100], got[row * 100 + 99]) for row in range(rows)]


def read_all(h5, file, rows, access=0, times=3):
    """The dataset "v", read a few times while it is open."""
    dset = h5.H5Dopen2.must(file, b"v", access)
    got = [read_rows(h5, dset, rows) for _ in range(times)]
    h5.H5Dclose.must(dset)
    return got


def read_mapped(h5, fapl, sources, path="v.h5", access=0):
    """What is read of a new virtual dataset with these sources."""
    map_to(h5, path, sources)
    with opened(h5, path, fapl) as file:
        return read_all(h5, file, len(sources), access)


def descriptors():
    return len(os.listdir("/proc/self/fd"))


@case(3)
def sources_in_several_files(h5, fapl):
    for number in range(3):
        simple(h5, f"s{number}.h5", first=1000 * number)
    return read_mapped(h5, fapl, [(f"s{number}.h5", "d") for number in range(3)])


@case(3)
def sources_in_the_same_file(h5, fapl):
    map_to(h5, "v.h5", [(".", "a"), (".", "b")])
    file = h5.open("v.h5", h5.native, h5.RDWR)
    for name, first in (("a", 100), ("b", 300)):
        h5.make(file, name, [100], ints(100, first))
    h5.H5Fclose.must(file)
    with opened(h5, "v.h5", fapl) as file:
        return read_all(h5, file, 2)


@case(3)
def missing_file_and_missing_dataset(h5, fapl):
    simple(h5, "s.h5", first=500)
    return read_mapped(h5, fapl, [("nowhere.h5", "d"), ("s.h5", "d"), ("s.h5", "nothing")])


@case(4)
def source_that_appears(h5, fapl):
    """It is looked for again by each read."""
    map_to(h5, "v.h5", [("late.h5", "d")])
    with opened_dataset(h5, fapl, "v.h5", b"v") as (_, dset):
        got = [read_rows(h5, dset, 1) for _ in range(2)]
        simple(h5, "late.h5", first=800)
        got += [read_rows(h5, dset, 1) for _ in range(2)]
        return got


@case(5)
def source_that_is_replaced(h5, fapl):
    """It stays open as long as the virtual dataset, whose next handle sees the new one."""
    simple(h5, "s.h5", first=100)
    simple(h5, "new.h5", first=900)
    map_to(h5, "v.h5", [("s.h5", "d")])
    with opened(h5, "v.h5", fapl) as file:
        dset = h5.H5Dopen2.must(file, b"v", 0)
        got = [read_rows(h5, dset, 1) for _ in range(2)]
        os.rename("new.h5", "s.h5")
        got.append(read_rows(h5, dset, 1))
        other = h5.H5Dopen2.must(file, b"v", 0)
        got.append(read_rows(h5, other, 1))
        h5.H5Dclose.must(dset)
        h5.H5Dclose.must(other)
        return got + read_all(h5, file, 1, times=1)


@case(None)
def open_objects_and_descriptors(h5, fapl):
    """Sources have no identifiers, and are closed with the virtual dataset."""
    for number in range(5):
        simple(h5, f"s{number}.h5", first=number)
    map_to(h5, "v.h5", [(f"s{number}.h5", "d") for number in range(5)])
    with opened(h5, "v.h5", fapl) as file:
        before = descriptors()
        dset = h5.H5Dopen2.must(file, b"v", 0)
        got = [read_rows(h5, dset, 5) for _ in range(3)]
        counts = [h5.H5Fget_obj_count(where, kind) for where in (file, 0x1F) for kind in (1, 2, 0x1F)]
        # Native HDF5's own: one for each source, and at most one more for the file.
        during = descriptors() - before
        # A file that is read through the virtual dataset cannot be opened for writing.
        refused = h5.H5Fopen(b"s1.h5", h5.RDWR, fapl)
        h5.errors()
        h5.H5Dclose.must(dset)
        after = descriptors() - before
        writable = h5.open("s1.h5", fapl, h5.RDWR)
        h5.H5Fclose.must(writable)
        return [got, counts, during in (5, 6), refused, after <= 1]


@case(3)
def prefix_of_the_dataset(h5, fapl):
    os.mkdir("there")
    simple(h5, "there/s.h5", first=100)
    simple(h5, "s.h5", first=200)
    return read_mapped(h5, fapl, [("s.h5", "d")], access=list_with(h5, "DATASET_ACCESS", "H5Pset_virtual_prefix", b"there"))


@case(3)
def prefix_with_origin(h5, fapl):
    for folder in ("one", "one/sub", "sub"):
        os.makedirs(folder, exist_ok=True)
    simple(h5, "one/sub/s.h5", first=100)
    simple(h5, "sub/s.h5", first=200)
    return read_mapped(h5, fapl, [("s.h5", "d")], path="one/v.h5", access=list_with(h5, "DATASET_ACCESS", "H5Pset_virtual_prefix", b"${ORIGIN}/sub"))


@case(3)
def prefix_from_a_late_environment(h5, fapl):
    """HDF5 looks at it whenever it opens a source."""
    os.makedirs("a/b")
    simple(h5, "a/b/s.h5", first=100)
    simple(h5, "s.h5", first=200)
    map_to(h5, "v.h5", [("s.h5", "d")])
    os.environ["HDF5_VDS_PREFIX"] = "nowhere:a/b"
    with opened(h5, "v.h5", fapl) as file:
        return read_all(h5, file, 1)


@case(6)
def beside_the_file_and_in_the_current_folder(h5, fapl):
    """First where the file with the virtual dataset is, then here. Of an absolute name the last part counts if it leads nowhere."""
    os.mkdir("far")
    simple(h5, "far/s.h5", first=100)
    simple(h5, "s.h5", first=200)
    simple(h5, "t.h5", first=300)
    map_to(h5, "far/v.h5", [("s.h5", "d"), ("t.h5", "d"), ("/nowhere/t.h5", "d"), (str(Path("t.h5").resolve()), "d")])
    got = []
    for path in ("far/v.h5", str(Path("far/v.h5").resolve())):
        with opened(h5, path, fapl) as file:
            got += read_all(h5, file, 4)
    return got


@case(3)
def through_a_symbolic_link(h5, fapl):
    os.mkdir("real")
    simple(h5, "real/s.h5", first=100)
    map_to(h5, "real/v.h5", [("s.h5", "d")])
    os.mkdir("linked")
    os.symlink("../real/v.h5", "linked/v.h5")
    with opened(h5, "linked/v.h5", fapl) as file:
        return read_all(h5, file, 1)


@case(None)
def after_chdir(h5, fapl):
    for folder, first in (("one", 100), ("two", 200)):
        os.mkdir(folder)
        simple(h5, f"{folder}/s.h5", first=first)
        map_to(h5, f"{folder}/v.h5", [("s.h5", "d")])
    os.chdir("one")
    with opened(h5, "v.h5", fapl) as file:
        os.chdir("../two")
        return read_all(h5, file, 1)


@case(None)
def a_name_that_is_no_hdf5_file(h5, fapl):
    """Native HDF5 fails, and so do we."""
    Path("s.h5").write_bytes(b"nothing that HDF5 knows")
    return read_mapped(h5, fapl, [("s.h5", "d")])


@case(None)
def a_source_that_is_a_group(h5, fapl):
    file = h5.create("s.h5")
    h5.H5Gclose.must(h5.H5Gcreate2.must(file, b"d", 0, 0, 0))
    h5.H5Fclose.must(file)
    return read_mapped(h5, fapl, [("s.h5", "d")])


@case(3)
def sources_of_other_types(h5, fapl):
    file = h5.create("s.h5")
    h5.make(file, "i16", [100], bytes(range(200)), type="STD_I16BE")
    h5.make(file, "f64", [100], bytes(800), type="IEEE_F64LE", chunk=[30])
    h5.H5Fclose.must(file)
    return read_mapped(h5, fapl, [("s.h5", "i16"), ("s.h5", "f64"), ("no.h5", "d")])


@case(0, {"conversion": 3})
def a_source_of_variable_length(h5, fapl):
    """It cannot be converted to numbers: native HDF5 says so."""
    simple(h5, "s.h5")
    file = h5.open("s.h5", h5.native, h5.RDWR)
    h5.make(file, "text", [100], None, type=h5.H5Tvlen_create.must(h5.type("STD_I32LE")), chunk=[50])
    h5.H5Fclose.must(file)
    return read_mapped(h5, fapl, [("s.h5", "d"), ("s.h5", "text")])


@case(3)
def a_compact_source(h5, fapl):
    file = h5.create("s.h5")
    h5.make(file, "d", [100], ints(100, 50), dcpl=list_with(h5, "DATASET_CREATE", "H5Pset_layout", 0))
    h5.H5Fclose.must(file)
    return read_mapped(h5, fapl, [("s.h5", "d")])


def overlapping(h5, fapl, places):
    """A virtual dataset of 100 ints: 20 of "a", "b", "a" and so on at each of these places. Where there are several, the last counts."""
    simple(h5, "s.h5", names=("a", "b"))
    dcpl = h5.plist("DATASET_CREATE")
    for number, place in enumerate(places):
        h5.H5Pset_virtual.must(dcpl, h5.slab([100], [place], [20]), b"s.h5", b"ab"[number % 2 :][:1], h5.slab([100], [3 * number % 80], [20]))
    file = h5.create("v.h5")
    h5.make(file, "v", [100], None, dcpl=dcpl)
    h5.H5Fclose.must(file)
    with opened_dataset(h5, fapl, "v.h5", b"v") as (_, dset):
        got = [values(h5.read(dset, 100)) for _ in range(2)]
        got.append(values(h5.read(dset, 30, memory=h5.space([30]), file=h5.slab([100], [5], [30], [3]))))
        return got


@case(3)
def overlapping_mappings(h5, fapl):
    return overlapping(h5, fapl, [0, 50, 10, 60, 5, 30, 30])


@case(3)
def overlapping_mappings_with_a_gap(h5, fapl):
    """As many elements are mapped as there are, but not all of them: native HDF5 fills nothing."""
    return overlapping(h5, fapl, [0, 10, 20, 0, 10])


@case(0, {"virtual-mapping": 3})
def many_overlapping_mappings(h5, fapl):
    """Newer versions of HDF5 search for them, and take them in another order."""
    return overlapping(h5, fapl, [number % 80 for number in range(60)])


def map_growing(h5, stored, space, files, source_space):
    """A file with a virtual dataset "v" of `stored` elements that may have more of datasets "d"."""
    dcpl = h5.plist("DATASET_CREATE")
    h5.H5Pset_virtual.must(dcpl, space, files, b"d", source_space)
    file = h5.create("v.h5")
    h5.make(file, "v", [stored], None, dcpl=dcpl, maxdims=[h5.UNLIMITED])
    h5.H5Fclose.must(file)
    # Sources that have just changed are native HDF5's.
    time.sleep(0.05)


def growing_file(h5, stored, available):
    """A file with a virtual dataset "v" of `stored` elements that follows a source of `available`."""
    file = h5.create("s.h5")
    h5.make(file, "d", [available], ints(available, 70), chunk=[40], maxdims=[h5.UNLIMITED])
    h5.H5Fclose.must(file)
    space = h5.space([stored], [h5.UNLIMITED])
    h5.H5Sselect_hyperslab.must(space, h5.SET, [0], None, [h5.UNLIMITED], None)
    map_growing(h5, stored, space, b"s.h5", space)


def numbered_files(h5, count, stored):
    """Files "s0.h5" and so on, and a virtual dataset "v" of `stored` elements that follows them."""
    for number in range(count):
        simple(h5, f"s{number}.h5", first=100 * number)
    space = h5.space([stored], [h5.UNLIMITED])
    h5.H5Sselect_hyperslab.must(space, h5.SET, [0], [100], [h5.UNLIMITED], [100])
    map_growing(h5, stored, space, b"s%b.h5", h5.space([100]))


@case(0, {"virtual-unlimited": 3})
def unlimited_mapping(h5, fapl):
    growing_file(h5, 100, 100)
    with opened(h5, "v.h5", fapl) as file:
        return read_all(h5, file, 1)


@case(0, {"virtual-unlimited": 3})
def numbered_sources(h5, fapl):
    numbered_files(h5, 3, 300)
    with opened(h5, "v.h5", fapl) as file:
        return read_all(h5, file, 3)


def told(h5, dset):
    """The extent, by asking for the dataspace."""
    space, dims = h5.H5Dget_space.must(dset), (ctypes.c_uint64 * 1)()
    h5.H5Sget_simple_extent_dims.must(space, dims, None)
    h5.H5Sclose(space)
    return dims[0]


@case(3)
def unlimited_mapping_whose_extent_is_known(h5, fapl):
    growing_file(h5, 100, 150)
    with opened_dataset(h5, fapl, "v.h5", b"v") as (_, dset):
        got = [told(h5, dset)]
        for _ in range(2):
            got.append(values(h5.read(dset, 160)))
        got.append(values(h5.read(dset, 3, memory=h5.space([3]), file=h5.slab([150], [120], [3]))))
        return got


@case(0, {"virtual-unlimited": 2})
def whole_read_before_the_extent_is_asked_for(h5, fapl):
    """The extent is that in the file, and whoever reads must not change it: there is no room for more."""
    growing_file(h5, 100, 150)
    with opened_dataset(h5, fapl, "v.h5", b"v") as (_, dset):
        got = [values(h5.read(dset, 160)) for _ in range(2)]
        got.append(told(h5, dset))
        return got


@case(2, {"virtual-unlimited": 2})
def numbered_sources_of_which_one_appears(h5, fapl):
    """It counts when the dataspace is asked for again. From then on native HDF5 reads: a source has changed since the file was opened."""
    numbered_files(h5, 2, 0)
    with opened_dataset(h5, fapl, "v.h5", b"v") as (_, dset):
        got = [told(h5, dset), read_rows(h5, dset, 3)]
        simple(h5, "s2.h5", first=200)
        got.append(read_rows(h5, dset, 3))
        got += [told(h5, dset), read_rows(h5, dset, 3)]
        time.sleep(0.05)
        got += [told(h5, dset), read_rows(h5, dset, 3)]
        return got


@case(3)
def many_numbered_sources_and_few_descriptors(h5, fapl):
    """Sources are looked for when the dataspace is asked for, but only those that are read stay open."""
    names, dcpl = ("a", "b"), h5.plist("DATASET_CREATE")
    for column, name in enumerate(names):
        for number in range(30):
            simple(h5, f"{name}{number}.h5", first=1000 * column + number)
        space = h5.space([0, 200], [h5.UNLIMITED, 200])
        h5.H5Sselect_hyperslab.must(space, h5.SET, [0, 100 * column], [1, 1], [h5.UNLIMITED, 1], [1, 100])
        h5.H5Pset_virtual.must(dcpl, space, f"{name}%b.h5".encode(), b"d", h5.space([100]))
    file = h5.create("v.h5")
    h5.make(file, "v", [0, 200], None, dcpl=dcpl, maxdims=[h5.UNLIMITED, 200])
    h5.H5Fclose.must(file)
    time.sleep(0.05)
    with opened_dataset(h5, fapl, "v.h5", b"v") as (_, dset):
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors() + 12, most))
        space, dims = h5.H5Dget_space.must(dset), (ctypes.c_uint64 * 2)()
        h5.H5Sget_simple_extent_dims.must(space, dims, None)
        rows = [h5.slab([30, 200], [row, 0], [1, 200]) for row in (3, 29, 3)]
        got = [list(dims), *[values(h5.read(dset, 200, memory=h5.space([200]), file=row)) for row in rows]]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        return got


@case(3)
def percent_sign_in_a_name(h5, fapl):
    simple(h5, "100%.h5", first=40)
    return read_mapped(h5, fapl, [("100%%.h5", "d")])


@case(None)
def in_a_file_that_can_be_written(h5, fapl):
    """What is written to a source is seen through the virtual dataset."""
    simple(h5, "s.h5", first=100)
    map_to(h5, "v.h5", [("s.h5", "d"), (".", "own")])
    file = h5.open("v.h5", fapl, h5.RDWR)
    h5.make(file, "own", [100], ints(100, 600), chunk=[30])
    got = read_all(h5, file, 2)
    own = h5.H5Dopen2.must(file, b"own", 0)
    h5.H5Dwrite.must(own, h5.type("STD_I32LE"), 0, 0, 0, ints(100, 4000))
    got += read_all(h5, file, 2)
    h5.H5Dclose.must(own)
    h5.H5Fclose.must(file)
    return got


@case(None)
def while_another_file_is_written(h5, fapl):
    """Sources that cannot be written are read by the connector all the same; one that is being written is not."""
    simple(h5, "s.h5", first=100)
    simple(h5, "t.h5", first=200)
    map_to(h5, "v.h5", [("s.h5", "d")])
    map_to(h5, "w.h5", [("t.h5", "d")])
    other = h5.create("other.h5", fapl)
    written = h5.open("t.h5", fapl, h5.RDWR)
    dset = h5.H5Dopen2.must(written, b"d", 0)
    got = []
    for first in (1000, 2000):
        h5.H5Dwrite.must(dset, h5.type("STD_I32LE"), 0, 0, 0, ints(100, first))
        for path in ("v.h5", "w.h5"):
            with opened(h5, path, fapl) as file:
                got.append(read_all(h5, file, 1))
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(written)
    h5.H5Fclose.must(other)
    return got


@case(None)
def its_own_source(h5, fapl):
    """A virtual dataset that is a source of itself has no end; one that is made of parts of itself has."""
    dcpl = h5.plist("DATASET_CREATE")
    for start in range(1, 4):
        h5.H5Pset_virtual.must(dcpl, h5.slab([4], [start], [1]), b".", b"v", h5.slab([4], [start - 1], [1]))
    file = h5.create("v.h5")
    h5.make(file, "v", [4], None, dcpl=dcpl)
    h5.H5Fclose.must(file)
    with opened_dataset(h5, fapl, "v.h5", b"v") as (_, dset):
        got = [values(h5.read(dset, 4)) for _ in range(3)]
        return got


@case(None)
def few_descriptors(h5, fapl):
    """More sources than files that may be open: native HDF5 takes those that it cannot open for missing."""
    for number in range(60):
        simple(h5, f"s{number}.h5", first=number)
    map_to(h5, "v.h5", [(f"s{number}.h5", "d") for number in range(60)])
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    file = h5.open("v.h5", fapl)
    dset = h5.H5Dopen2.must(file, b"v", 0)
    resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors() + 75, most))
    enough = [read_rows(h5, dset, 60) for _ in range(3)]
    h5.H5Dclose.must(dset)
    dset = h5.H5Dopen2.must(file, b"v", 0)
    # As many as native HDF5 alone could use: the connector has a descriptor of the file itself.
    resource.setrlimit(resource.RLIMIT_NOFILE, (40, most))
    few = read_rows(h5, dset, 60)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return [enough, few is None or sum(first != -7 for first, _ in few) > 20]


@case(3)
def several_in_one_call(h5, fapl):
    """Two virtual datasets, one of which has a gap, and a source of theirs."""
    simple(h5, "v.h5", first=100, names=("a", "b"))
    file = h5.open("v.h5", h5.native, h5.RDWR)
    for name, sources in (("v", (b"a", b"b")), ("w", (b"b", b"nothing"))):
        dcpl = h5.plist("DATASET_CREATE")
        for row, source in enumerate(sources):
            h5.H5Pset_virtual.must(dcpl, h5.slab([2, 100], [row, 0], [1, 100]), b".", source, h5.space([100]))
        h5.make(file, name, [2, 100], None, dcpl=dcpl)
    h5.H5Fclose.must(file)
    file = h5.open("v.h5", fapl)
    dsets = [h5.H5Dopen2.must(file, name, 0) for name in (b"v", b"w", b"a")]
    buffers = [(ctypes.c_int * count)(*[5] * count) for count in (200, 200, 100)]
    pointers = (ctypes.c_void_p * 3)(*[ctypes.addressof(buffer) for buffer in buffers])
    status = h5.H5Dread_multi(3, dsets, [h5.type("STD_I32LE")] * 3, [h5.ALL] * 3, [h5.ALL] * 3, 0, pointers)
    for dset in dsets:
        h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return [status, *[[buffer[0], buffer[-1], sum(buffer)] for buffer in buffers]]


@case(0, {"virtual": 3})
def behind_a_link(h5, fapl):
    os.mkdir("far")
    simple(h5, "far/s.h5", first=100)
    map_to(h5, "far/w.h5", [("s.h5", "d")])
    file = h5.create("v.h5")
    h5.H5Lcreate_external.must(b"far/w.h5", b"v", file, b"v", 0, 0)
    h5.H5Fclose.must(file)
    with opened(h5, "v.h5", fapl) as file:
        return read_all(h5, file, 1)


@case(0, {"virtual": 3})
def opened_by_two_names(h5, fapl):
    """Sources are looked for beside the name that the file was first opened by."""
    for folder, first in (("one", 100), ("two", 200)):
        os.mkdir(folder)
        simple(h5, f"{folder}/s.h5", first=first)
    map_to(h5, "one/v.h5", [("s.h5", "d")])
    os.link("one/v.h5", "two/v.h5")
    with opened(h5, "one/v.h5", fapl):
        with opened(h5, "two/v.h5", fapl) as file:
            return read_all(h5, file, 1)


@case(3)
def nothing_on_the_error_stack(h5, fapl):
    """Sources that are not there leave no trace in a read that succeeds."""
    simple(h5, "s.h5", first=100)
    map_to(h5, "v.h5", [("nowhere.h5", "d"), ("s.h5", "d"), ("s.h5", "nothing")])
    with opened_dataset(h5, fapl, "v.h5", b"v") as (_, dset):
        got = []
        for _ in range(3):
            got += [read_rows(h5, dset, 3), h5.H5Eget_num(0)]
        return got


@case(None)
def left_open(h5, fapl):
    """Nothing is closed: the library does that when the process ends."""
    simple(h5, "s.h5", first=100)
    map_to(h5, "v.h5", [("s.h5", "d")])
    file = h5.open("v.h5", fapl)
    dset = h5.H5Dopen2.must(file, b"v", 0)
    return [read_rows(h5, dset, 1) for _ in range(3)]


@case(None)
def dataset_outlives_its_file(h5, fapl):
    simple(h5, "s.h5", first=100)
    map_to(h5, "v.h5", [("s.h5", "d"), (".", "none")])
    file = h5.open("v.h5", fapl)
    dset = h5.H5Dopen2.must(file, b"v", 0)
    got = [read_rows(h5, dset, 2)]
    h5.H5Fclose.must(file)
    got += [read_rows(h5, dset, 2) for _ in range(2)]
    h5.H5Dclose.must(dset)
    return [got, h5.H5Fget_obj_count(0x1F, 0x1F)]


@case(None)
def strong_close(h5, fapl):
    """Closing the file closes everything in it."""
    simple(h5, "s.h5", first=100)
    map_to(h5, "v.h5", [("s.h5", "d"), (".", "w")])
    map_to(h5, "x.h5", [("s.h5", "d")])
    strong = h5.H5Pcopy.must(fapl)
    h5.H5Pset_fclose_degree.must(strong, 3)
    file = h5.open("v.h5", strong)
    dset = h5.H5Dopen2.must(file, b"v", 0)
    got = [read_rows(h5, dset, 2) for _ in range(3)]
    h5.H5Fclose.must(file)
    got.append(h5.H5Fget_obj_count(0x1F, 0x1F))
    writable = h5.open("s.h5", fapl, h5.RDWR)
    h5.H5Fclose.must(writable)
    return got


if __name__ == "__main__":
    CASES.main(filters=False)
