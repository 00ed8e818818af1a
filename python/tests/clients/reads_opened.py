"""Ways to reach a dataset: links, mounts, references, callbacks, files that change while they are open."""

import ctypes
import os

from access_paths import access_path, created, ints, list_with, opened, opened_dataset, read_ints, simple, values
from hdf5lib import VISIT


@access_path(5)
def links(h5, fapl):
    user_block = list_with(h5, "FILE_CREATE", "H5Pset_userblock", 4096)
    simple(h5, "target.h5", 500, user_block)
    simple(h5, "a.h5")
    file = h5.open("a.h5", h5.native, h5.RDWR)
    h5.H5Lcreate_external.must(b"target.h5", b"/d", file, b"external", 0, 0)
    h5.H5Lcreate_soft.must(b"/d", file, b"soft", 0, 0)
    h5.H5Lcreate_soft.must(b"/external", file, b"soft to external", 0, 0)
    h5.H5Lcreate_hard.must(file, b"d", file, b"hard", 0, 0)
    h5.H5Fclose.must(file)
    with opened(h5, "a.h5", fapl) as file:
        return {name: read_ints(h5, file, name) for name in ("d", "soft", "hard", "external", "soft to external")}


@access_path(2)
def mounted(h5, fapl):
    simple(h5, "child.h5", 700)
    simple(h5, "a.h5")
    file = h5.open("a.h5", h5.native, h5.RDWR)
    h5.H5Gclose(h5.H5Gcreate2.must(file, b"point", 0, 0, 0))
    h5.H5Fclose.must(file)
    with opened(h5, "a.h5", fapl) as file, opened(h5, "child.h5", fapl) as child:
        h5.H5Fmount.must(file, b"point", child, 0)
        got = [read_ints(h5, file, "point/d"), read_ints(h5, file, "d")]
        h5.H5Funmount.must(file, b"point")
        return got


@access_path(6)
def opened_otherwise(h5, fapl):
    """H5Oopen, by index, by old and new references, relative to a dataset, and an id copied by reference count."""
    simple(h5)
    file = h5.open("a.h5", fapl)
    reference = ctypes.create_string_buffer(64)
    h5.H5Rcreate.must(reference, file, b"d", 0, -1)
    ways = [h5.H5Oopen.must(file, b"d", 0), h5.H5Oopen_by_idx.must(file, b".", 0, 0, 0, 0), h5.H5Rdereference2.must(file, 0, 0, reference)]
    new = ctypes.create_string_buffer(64)
    h5.H5Rcreate_object.must(file, b"d", 0, new)
    ways.append(h5.H5Ropen_object.must(new, 0, 0))
    ways.append(h5.H5Dopen2.must(ways[0], b"/d", 0))
    h5.H5Iinc_ref(ways[0])
    h5.H5Oclose(ways[0])
    ways.append(ways[0])
    got = [values(h5.read(dset, 100))[98:] for dset in ways]
    h5.H5Rdestroy(new)
    for dset in ways[1:]:
        h5.H5Oclose(dset)
    h5.H5Fclose.must(file)
    return got


@access_path(3)
def opened_again(h5, fapl):
    """H5Freopen, two opens of a file, and a dataset whose file ids are all closed."""
    simple(h5)
    first = h5.open("a.h5", fapl)
    again = h5.H5Freopen.must(first)
    dset = h5.H5Dopen2.must(again, b"d", 0)
    h5.H5Fclose.must(first)
    got = [values(h5.read(dset, 100))[-1]]
    second = h5.open("a.h5", fapl)
    h5.H5Fclose.must(again)
    got.append(read_ints(h5, second, "d"))
    h5.H5Fclose.must(second)
    got.append(values(h5.read(dset, 100))[-1])
    h5.H5Dclose.must(dset)
    return got


@access_path(8)
def in_callbacks(h5, fapl):
    """Reads of both small and large datasets from H5Literate2 and H5Ovisit3: native HDF5 holds metadata meanwhile."""
    file = h5.create("a.h5")
    for name in ("p", "q", "r"):
        h5.make(file, name, [200_000], ints(200_000, ord(name)), chunk=[50_000] if name == "q" else None)
    h5.make(file, "s", [5], ints(5))
    h5.H5Fclose.must(file)
    file = h5.open("a.h5", fapl)
    got = []

    def on_link(group, name, _info, _data):
        got.append([name.decode(), read_ints(h5, group, name.decode(), 5 if name == b"s" else 200_000)])
        return 0

    def on_object(where, name, _info, _data):
        if name != b".":
            got.append([name.decode(), read_ints(h5, where, name.decode(), 5 if name == b"s" else 200_000)])
        return 0

    h5.H5Literate2.must(file, 0, 0, None, VISIT(on_link), None)
    h5.H5Ovisit3.must(file, 0, 0, VISIT(on_object), None, 1)
    h5.H5Fclose.must(file)
    return got


@access_path(1)
def renamed_and_replaced(h5, fapl):
    """The open file is moved away and another one put in its place: the data is that of the open one."""
    simple(h5, "a.h5", 1)
    simple(h5, "other.h5", 5000)
    with opened(h5, "a.h5", fapl) as file:
        os.rename("a.h5", "moved.h5")
        os.rename("other.h5", "a.h5")
        return read_ints(h5, file, "d")


@access_path(1)
def unlinked(h5, fapl):
    simple(h5)
    with opened(h5, "a.h5", fapl) as file:
        os.unlink("a.h5")
        return read_ints(h5, file, "d")


@access_path(2)
def changed_between_opens(h5, fapl):
    """What was learned about a file is gone when it is opened again."""
    got = []
    for first in (1, 300):
        simple(h5, "a.h5", first, list_with(h5, "FILE_CREATE", "H5Pset_userblock", 512 * first if first == 1 else 2048))
        with opened(h5, "a.h5", fapl) as file:
            got.append(read_ints(h5, file, "d"))
    return got


@access_path(3)
def also_open_for_writing(h5, fapl):
    """Opened read-only while open for writing: what was written and not flushed is seen."""
    with created(h5) as file:
        h5.make(file, "d", [100], ints(100))
        h5.make(file, "c", [100], ints(100), chunk=[10])
    writer = h5.open("a.h5", h5.native if fapl == h5.native else fapl, h5.RDWR)
    with opened(h5, "a.h5", fapl) as reader:
        got = [read_ints(h5, reader, "d")]
        for name in (b"d", b"c"):
            dset = h5.H5Dopen2.must(writer, name, 0)
            h5.H5Dwrite.must(dset, h5.type("STD_I32LE"), 0, 0, 0, ints(100, 7000))
            got.append(read_ints(h5, reader, name.decode()))
            h5.H5Dclose.must(dset)
    h5.H5Fclose.must(writer)
    return got


@access_path(1)
def writer_refused_while_read(h5, fapl):
    simple(h5)
    with opened(h5, "a.h5", fapl) as reader:
        return [h5.H5Fopen(b"a.h5", h5.RDWR, fapl) < 0, read_ints(h5, reader, "d")]


@access_path(1)
def truncated_while_open(h5, fapl):
    """Bytes past the end of the file read as zeros, as native's driver gives them."""
    with created(h5) as file:
        h5.make(file, "d", [50_000], ints(50_000, 1))
    file = h5.open("a.h5", fapl)
    dset = h5.H5Dopen2.must(file, b"d", 0)
    os.truncate("a.h5", 100_000)
    got = values(h5.read(dset, 50_000))
    h5.H5Dclose(dset)
    h5.H5Fclose(file)
    return [sum(got), got.count(0), got[-1]]


@access_path(2)
def committed_type(h5, fapl):
    """No id stays open behind the application's back."""
    file = h5.create("a.h5")
    named = h5.H5Tcopy.must(h5.type("STD_I32LE"))
    h5.H5Tcommit2.must(file, b"t", named, 0, 0, 0)
    h5.make(file, "d", [100], ints(100), type=named)
    h5.H5Tclose(named)
    h5.H5Fclose.must(file)
    file = h5.open("a.h5", fapl)
    dset = h5.H5Dopen2.must(file, b"d", 0)
    named = h5.H5Topen2.must(file, b"t", 0)
    got = [values(h5.read(dset, 100, type=named))[-1], values(h5.read(dset, 100))[-1]]
    h5.H5Tclose(named)
    got.append([h5.H5Fget_obj_count(file, kind) for kind in (1, 2, 4, 8, 16, 31)])
    h5.H5Dclose.must(dset)
    got.append([h5.H5Fget_obj_count(file, kind) for kind in (1, 2, 4, 8, 16, 31)])
    got.append([count_ids(h5, kind) for kind in (1, 2, 3, 4, 5)])
    h5.H5Fclose.must(file)
    return got


def count_ids(h5, kind):
    number = ctypes.c_uint64()
    h5.H5Inmembers(kind, ctypes.byref(number))
    return number.value


@access_path(40)
def leaves_no_ids(h5, fapl):
    """Property lists, types and spaces asked for on the way are closed again."""
    with created(h5) as file:
        h5.make(file, "d", [100], ints(100), chunk=[7])
    counts = []
    for _ in range(20):
        with opened_dataset(h5, fapl) as (_, dset):
            h5.read(dset, 100)
            h5.read(dset, 100)
            counts.append([count_ids(h5, kind) for kind in (3, 4, 5, 8, 10)])
    # Ids of types, spaces, datasets and lists; the first round may have made lasting ones.
    return counts[-1] == counts[1]


@access_path(2)
def refreshed(h5, fapl):
    simple(h5)
    with opened_dataset(h5, fapl) as (_, dset):
        return [values(h5.read(dset, 100))[-1], h5.H5Drefresh(dset), values(h5.read(dset, 100))[-1]]


@access_path(15)
def compact_datasets(h5, fapl):
    """Their bytes are asked for once: selections, conversions, several handles."""
    file, compact = h5.create("a.h5"), list_with(h5, "DATASET_CREATE", "H5Pset_layout", 0)
    h5.make(file, "d", [100], ints(100, 7), dcpl=compact)
    h5.make(file, "one", [], ints(1, 42), dcpl=compact)
    h5.make(file, "wide", [8000], ints(8000), dcpl=compact)
    h5.H5Fclose.must(file)
    file = h5.open("a.h5", fapl)
    got = [read_ints(h5, file, "d") for _ in range(4)] + [read_ints(h5, file, "wide", 8000) for _ in range(2)]
    dset = h5.H5Dopen2.must(file, b"d", 0)
    got += [values(h5.read(dset, 3, memory=h5.space([3]), file=h5.slab([100], [start], [3]))) for start in (0, 50, 97)]
    got.append(values(h5.read(dset, 20, memory=h5.space([20]), file=h5.slab([100], [3], [20], [5]))))
    got += [h5.read(dset, 100, type=kind, size=size).hex() for kind, size in (("IEEE_F64BE", 8), ("STD_I8LE", 1))]
    one = h5.H5Dopen2.must(file, b"one", 0)
    got += [values(h5.read(one, 1)) for _ in range(3)]
    for dset in (dset, one):
        h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return got
