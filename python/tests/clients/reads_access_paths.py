"""Every way to reach a dataset's data, natively and through the connector, each in a process of its own.

    reads_access_paths.py HOST

A case is a function of the library and a file access list; it writes its files natively and returns what it read. Its decorator
says what the connector must have counted. The last line of output is JSON: per case what both ways returned, and the counters.
"""

import ctypes
import os
import struct
from pathlib import Path

from cases import Cases
from hdf5lib import VISIT

CASES = Cases()
access_path = CASES.case
DRIVER = "driver"
NOTHING = "nothing-selected"


def ints(count, first=0):
    return struct.pack(f"<{count}i", *range(first, first + count))


def values(data):
    return None if data is None else list(struct.unpack(f"<{len(data) // 4}i", data))


def simple(h5, path="a.h5", first=0, fcpl=0, names=("d",)):
    """A file with contiguous datasets of 100 ints, each counting up from another number."""
    file = h5.create(path, fcpl=fcpl)
    for number, name in enumerate(names):
        h5.make(file, name, [100], ints(100, first + 1000 * number))
    h5.H5Fclose.must(file)


def read_ints(h5, where, name, count=100):
    """Opens, reads, closes: the first and last numbers, or None."""
    dset = h5.H5Dopen2.must(where, name.encode(), 0)
    got = values(h5.read(dset, count))
    h5.H5Dclose.must(dset)
    return None if got is None else [*got[:3], got[-1]]


def list_with(h5, cls, set_name, *arguments):
    made = h5.plist(cls)
    getattr(h5, set_name).must(made, *arguments)
    return made


# ---- ways to reach a dataset -------------------------------------------------------------------------------------------------


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
    file = h5.open("a.h5", fapl)
    got = {name: read_ints(h5, file, name) for name in ("d", "soft", "hard", "external", "soft to external")}
    h5.H5Fclose.must(file)
    return got


@access_path(2)
def mounted(h5, fapl):
    simple(h5, "child.h5", 700)
    simple(h5, "a.h5")
    file = h5.open("a.h5", h5.native, h5.RDWR)
    h5.H5Gclose(h5.H5Gcreate2.must(file, b"point", 0, 0, 0))
    h5.H5Fclose.must(file)
    file, child = h5.open("a.h5", fapl), h5.open("child.h5", fapl)
    h5.H5Fmount.must(file, b"point", child, 0)
    got = [read_ints(h5, file, "point/d"), read_ints(h5, file, "d")]
    h5.H5Funmount.must(file, b"point")
    h5.H5Fclose.must(child)
    h5.H5Fclose.must(file)
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
    file = h5.open("a.h5", fapl)
    os.rename("a.h5", "moved.h5")
    os.rename("other.h5", "a.h5")
    got = read_ints(h5, file, "d")
    h5.H5Fclose.must(file)
    return got


@access_path(1)
def unlinked(h5, fapl):
    simple(h5)
    file = h5.open("a.h5", fapl)
    os.unlink("a.h5")
    got = read_ints(h5, file, "d")
    h5.H5Fclose.must(file)
    return got


@access_path(2)
def changed_between_opens(h5, fapl):
    """What was learned about a file is gone when it is opened again."""
    got = []
    for first in (1, 300):
        simple(h5, "a.h5", first, list_with(h5, "FILE_CREATE", "H5Pset_userblock", 512 * first if first == 1 else 2048))
        file = h5.open("a.h5", fapl)
        got.append(read_ints(h5, file, "d"))
        h5.H5Fclose.must(file)
    return got


@access_path(3)
def also_open_for_writing(h5, fapl):
    """Opened read-only while open for writing: what was written and not flushed is seen."""
    file = h5.create("a.h5")
    h5.make(file, "d", [100], ints(100))
    h5.make(file, "c", [100], ints(100), chunk=[10])
    h5.H5Fclose.must(file)
    writer = h5.open("a.h5", h5.native if fapl == h5.native else fapl, h5.RDWR)
    reader = h5.open("a.h5", fapl)
    got = [read_ints(h5, reader, "d")]
    for name in (b"d", b"c"):
        dset = h5.H5Dopen2.must(writer, name, 0)
        h5.H5Dwrite.must(dset, h5.type("STD_I32LE"), 0, 0, 0, ints(100, 7000))
        got.append(read_ints(h5, reader, name.decode()))
        h5.H5Dclose.must(dset)
    h5.H5Fclose.must(reader)
    h5.H5Fclose.must(writer)
    return got


@access_path(1)
def writer_refused_while_read(h5, fapl):
    simple(h5)
    reader = h5.open("a.h5", fapl)
    got = [h5.H5Fopen(b"a.h5", h5.RDWR, fapl) < 0, read_ints(h5, reader, "d")]
    h5.H5Fclose.must(reader)
    return got


@access_path(1)
def truncated_while_open(h5, fapl):
    """Bytes past the end of the file read as zeros, as native's driver gives them."""
    file = h5.create("a.h5")
    h5.make(file, "d", [50_000], ints(50_000, 1))
    h5.H5Fclose.must(file)
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
    file = h5.create("a.h5")
    h5.make(file, "d", [100], ints(100), chunk=[7])
    h5.H5Fclose.must(file)
    counts = []
    for _ in range(20):
        file = h5.open("a.h5", fapl)
        dset = h5.H5Dopen2.must(file, b"d", 0)
        h5.read(dset, 100)
        h5.read(dset, 100)
        counts.append([count_ids(h5, kind) for kind in (3, 4, 5, 8, 10)])
        h5.H5Dclose.must(dset)
        h5.H5Fclose.must(file)
    # Ids of types, spaces, datasets and lists; the first round may have made lasting ones.
    return counts[-1] == counts[1]


@access_path(2)
def refreshed(h5, fapl):
    simple(h5)
    file = h5.open("a.h5", fapl)
    dset = h5.H5Dopen2.must(file, b"d", 0)
    got = [values(h5.read(dset, 100))[-1], h5.H5Drefresh(dset), values(h5.read(dset, 100))[-1]]
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return got


# ---- what is not bypassed ----------------------------------------------------------------------------------------------------


@access_path(
    1,
    {
        "compact": 1,
        "virtual": 1,
        "variable-length": 3,
        "reference": 1,
    },
)
def of_other_kinds(h5, fapl):
    file = h5.create("a.h5")
    h5.make(file, "d", [100], ints(100))
    h5.make(file, "compact", [10], ints(10), dcpl=list_with(h5, "DATASET_CREATE", "H5Pset_layout", 0))
    mapping = h5.plist("DATASET_CREATE")
    space = h5.space([100])
    h5.H5Pset_virtual.must(mapping, space, b".", b"d", space)
    h5.make(file, "virtual", [100], None, dcpl=mapping)
    text = h5.H5Tcopy.must(h5.type("C_S1"))
    h5.H5Tset_size.must(text, -1)
    vlen = h5.H5Tvlen_create.must(h5.type("STD_I32LE"))
    record = h5.H5Tcreate.must(6, 12)
    h5.H5Tinsert.must(record, b"a", 0, h5.type("STD_I32LE"))
    h5.H5Tinsert.must(record, b"b", 4, text)
    for name, kind in (("text", text), ("vlen", vlen), ("record", record), ("reference", h5.type("STD_REF"))):
        h5.make(file, name, [3], None, type=kind, chunk=[2])
    h5.H5Fclose.must(file)
    file = h5.open("a.h5", fapl)
    got = [read_ints(h5, file, "compact", 10), read_ints(h5, file, "virtual")]
    for name, kind, size in (("text", text, 8), ("vlen", vlen, 16), ("record", record, 12), ("reference", h5.type("STD_REF"), 64)):
        dset = h5.H5Dopen2.must(file, name.encode(), 0)
        got.append((h5.read(dset, 3, type=kind, size=size) or b"").hex())
        h5.H5Dclose.must(dset)
    dset = h5.H5Dopen2.must(file, b"d", 0)
    got.append(h5.read(dset, 100, type="IEEE_F64LE", size=8).hex()[-40:])
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return got


@access_path(3)
def filtered(h5, fapl):
    file = h5.create("a.h5")
    for name, filters in (("x", ["deflate"]), ("y", ["shuffle", "deflate"]), ("z", ["fletcher32"])):
        dcpl = h5.plist("DATASET_CREATE")
        for one in filters:
            getattr(h5, f"H5Pset_{one}").must(dcpl, *([4] if one == "deflate" else []))
        h5.make(file, name, [100], ints(100), dcpl=dcpl, chunk=[30])
    h5.H5Fclose.must(file)
    file = h5.open("a.h5", fapl)
    got = [read_ints(h5, file, name) for name in "xyz"]
    h5.H5Fclose.must(file)
    return got


def by_driver(h5, fapl, path, set_name, *arguments, reads=1, connected=True):
    """Written natively with a driver, read with it through `fapl`'s connector."""
    writing, reading = h5.H5Pcopy.must(h5.native), h5.H5Pcopy.must(fapl)
    for one in (writing, reading):
        getattr(h5, set_name).must(one, *arguments)
    file = h5.create(path, writing)
    h5.make(file, "d", [3000], ints(3000))
    h5.make(file, "c", [3000], ints(3000), chunk=[700])
    h5.H5Fclose.must(file)
    file = h5.open(path, reading)
    got = [read_ints(h5, file, "d", 3000), read_ints(h5, file, "c", 3000)]
    h5.H5Fclose.must(file)
    return got


@access_path(2)
def driver_sec2(h5, fapl):
    return by_driver(h5, fapl, "a.h5", "H5Pset_fapl_sec2")


@access_path(2)
def driver_log(h5, fapl):
    return by_driver(h5, fapl, "a.h5", "H5Pset_fapl_log", b"log.txt", 1, 0)


@access_path(0, {DRIVER: 2})
def driver_stdio(h5, fapl):
    return by_driver(h5, fapl, "a.h5", "H5Pset_fapl_stdio")


@access_path(0, {DRIVER: 2})
def driver_core(h5, fapl):
    return by_driver(h5, fapl, "a.h5", "H5Pset_fapl_core", 65536, 1)


@access_path(0, {DRIVER: 2})
def driver_family(h5, fapl):
    return by_driver(h5, fapl, "a%d.h5", "H5Pset_fapl_family", 4096, 0)


@access_path(0, {DRIVER: 2})
def driver_split(h5, fapl):
    return by_driver(h5, fapl, "a", "H5Pset_fapl_split", b".meta", 0, b".raw", 0)


@access_path(0, {"swmr-reader": 2})
def swmr_reader(h5, fapl):
    latest = h5.fapl()
    bound = next(bound for bound in (6, 5, 4) if h5.H5Pset_libver_bounds(latest, bound, bound) >= 0)
    file = h5.create("a.h5", latest)
    h5.make(file, "d", [100], ints(100))
    h5.make(file, "c", [100], ints(100), chunk=[10], maxdims=[h5.UNLIMITED])
    h5.H5Fclose.must(file)
    reading = h5.H5Pcopy.must(fapl)
    h5.H5Pset_libver_bounds.must(reading, bound, bound)
    file = h5.open("a.h5", reading, h5.SWMR_READ)
    got = [read_ints(h5, file, "d"), read_ints(h5, file, "c")]
    h5.H5Fclose.must(file)
    return got


@access_path(1, {"data-transform": 1})
def data_transform(h5, fapl):
    simple(h5)
    file = h5.open("a.h5", fapl)
    dset = h5.H5Dopen2.must(file, b"d", 0)
    dxpl = list_with(h5, "DATASET_XFER", "H5Pset_data_transform", b"3*x+1")
    plain = list_with(h5, "DATASET_XFER", "H5Pset_buffer", 64, None, None)
    got = [values(h5.read(dset, 100, dxpl=dxpl)), values(h5.read(dset, 100, dxpl=plain))]
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return got


@access_path(0, {NOTHING: 2, "selection": 2})
def odd_buffers(h5, fapl):
    """No buffer at all: fine for nothing, an error for something."""
    simple(h5)
    file = h5.open("a.h5", fapl)
    dset = h5.H5Dopen2.must(file, b"d", 0)
    none = h5.space([100])
    h5.H5Sselect_none.must(none)
    other = h5.space([50])
    integer = h5.type("STD_I32LE")
    got = [h5.H5Dread(dset, integer, none, none, 0, None), h5.H5Dread(dset, integer, none, none, 0, ctypes.create_string_buffer(8))]
    got.append(h5.H5Dread(dset, integer, 0, 0, 0, None))
    got.append(h5.H5Dread(dset, integer, other, 0, 0, ctypes.create_string_buffer(400)))
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return got


@access_path(3, {"large-index": 2})
def few_of_many_chunks(h5, fapl):
    file = h5.create("a.h5")
    h5.make(file, "d", [20_000], ints(20_000), chunk=[4])
    h5.H5Fclose.must(file)
    file = h5.open("a.h5", fapl)
    dset = h5.H5Dopen2.must(file, b"d", 0)
    got = []
    for start in (0, 19_990):
        got.append(values(h5.read(dset, 10, memory=h5.BLOCK, file=h5.slab([20_000], [start], [10]))))
    got.append(sum(values(h5.read(dset, 20_000))))
    for start in (3, 19_990):
        got.append(values(h5.read(dset, 10, memory=h5.BLOCK, file=h5.slab([20_000], [start], [10]))))
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return got


# ---- several datasets in one call --------------------------------------------------------------------------------------------


def read_multi(h5, dsets, sizes, types=None):
    """H5Dread_multi of whole datasets: the result, the values and the errors."""
    buffers = [ctypes.create_string_buffer(b"\x5a" * size, size) for size in sizes]
    pointers = (ctypes.c_void_p * len(dsets))(*[ctypes.addressof(buffer) for buffer in buffers])
    types = types or [h5.type("STD_I32LE")] * len(dsets)
    result = h5.H5Dread_multi(len(dsets), dsets, types, [0] * len(dsets), [0] * len(dsets), 0, pointers)
    errors = h5.errors() if result < 0 else []
    return result, [sum(buffer.raw) for buffer in buffers], errors


@access_path(3)
def multi_one_file(h5, fapl):
    simple(h5, names=("x", "y", "z"))
    file = h5.open("a.h5", fapl)
    dsets = [h5.H5Dopen2.must(file, name, 0) for name in (b"x", b"y", b"z")]
    return read_multi(h5, dsets, [400] * 3)[:2]


@access_path(5, {"compact": 1})
def multi_mixed(h5, fapl):
    """Bypassed and passed-on datasets in one call."""
    simple(h5, names=("x", "y"))
    file = h5.open("a.h5", h5.native, h5.RDWR)
    h5.make(file, "deflated", [100], ints(100, 50), chunk=[20], dcpl=list_with(h5, "DATASET_CREATE", "H5Pset_deflate", 1))
    h5.make(file, "compact", [100], ints(100, 60), dcpl=list_with(h5, "DATASET_CREATE", "H5Pset_layout", 0))
    h5.make(file, "chunked", [100], ints(100, 70), chunk=[33])
    h5.H5Fclose.must(file)
    file = h5.open("a.h5", fapl)
    dsets = [h5.H5Dopen2.must(file, name, 0) for name in (b"x", b"deflated", b"y", b"compact", b"chunked")]
    dsets.append(h5.H5Dopen2.must(file, b"x", 0))
    types = [h5.type("STD_I32LE")] * 5 + [h5.type("IEEE_F64LE")]
    return read_multi(h5, dsets, [400] * 5 + [800], types)[:2]


@access_path(2)
def multi_two_files(h5, fapl):
    """Native HDF5 refuses; through the connector it works. The only case where the two differ on purpose."""
    simple(h5, "a.h5", 10)
    simple(h5, "b.h5", 20)
    files = [h5.open("a.h5", fapl), h5.open("b.h5", fapl)]
    result, sums, errors = read_multi(h5, [h5.H5Dopen2.must(file, b"d", 0) for file in files], [400] * 2)
    if fapl == h5.native:
        # What it must be, in native's place.
        assert result < 0 and any("different files" in text for text in errors), errors
        return [0, [sum(ints(100, 10)), sum(ints(100, 20))]]
    return [result, sums]


@access_path(2)
def multi_fails_by_name(h5, fapl):
    """One of two datasets cannot be read (its raw file is a folder): the call fails, and the connector says which it was."""
    os.mkdir("folder")
    file = h5.create("a.h5")
    h5.make(file, "good", [100], ints(100))
    h5.make(file, "bad", [100], None, dcpl=list_with(h5, "DATASET_CREATE", "H5Pset_external", b"folder", 0, 400))
    h5.H5Fclose.must(file)
    file = h5.open("a.h5", fapl)
    result, _, errors = read_multi(h5, [h5.H5Dopen2.must(file, name, 0) for name in (b"good", b"bad")], [400] * 2)
    if fapl != h5.native:
        text = "\n".join(errors)
        assert "'/bad'" in text and "a.h5" in text and "Is a directory" in text and "'/good'" not in text, text
    return result


# ---- raw data in external files ----------------------------------------------------------------------------------------------


def with_external(h5, path, name, content=1):
    """A file whose dataset's raw data is in the file `name`."""
    file = h5.create(path)
    h5.make(file, "d", [100], None, dcpl=list_with(h5, "DATASET_CREATE", "H5Pset_external", name.encode(), 0, 400))
    h5.H5Fclose.must(file)


def read_prefixed(h5, file, prefix):
    dset = h5.H5Dopen2.must(file, b"d", list_with(h5, "DATASET_ACCESS", "H5Pset_efile_prefix", prefix))
    got = values(h5.read(dset, 100))
    h5.H5Dclose.must(dset)
    return got and got[:2]


def raw(path, first):
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_bytes(ints(100, first))


@access_path(1)
def origin_of_a_symbolic_link(h5, fapl):
    """${ORIGIN} is the folder of the name that was opened, not of the file it leads to."""
    raw("real/raw.bin", 100)
    raw("linked/raw.bin", 200)
    with_external(h5, "real/a.h5", "raw.bin")
    os.symlink("../real/a.h5", "linked/a.h5")
    file = h5.open("linked/a.h5", fapl)
    got = read_prefixed(h5, file, b"${ORIGIN}")
    h5.H5Fclose.must(file)
    return got


@access_path(1)
def origin_after_chdir(h5, fapl):
    """${ORIGIN} is settled when the file is opened."""
    for folder, first in (("one", 100), ("two", 200)):
        raw(f"{folder}/raw.bin", first)
        os.mkdir(f"{folder}/sub")
        raw(f"{folder}/sub/raw.bin", first + 50)
    with_external(h5, "one/a.h5", "raw.bin")
    with_external(h5, "two/a.h5", "raw.bin")
    os.chdir("one")
    file = h5.open("a.h5", fapl)
    os.chdir("../two")
    got = read_prefixed(h5, file, b"${ORIGIN}/sub")
    h5.H5Fclose.must(file)
    return got


@access_path(1)
def origin_of_a_renamed_file(h5, fapl):
    raw("one/raw.bin", 100)
    raw("raw.bin", 200)
    with_external(h5, "one/a.h5", "raw.bin")
    file = h5.open("one/a.h5", fapl)
    os.rename("one/a.h5", "one/b.h5")
    got = read_prefixed(h5, file, b"${ORIGIN}")
    h5.H5Fclose.must(file)
    return got


@access_path(1)
def prefix_from_a_late_environment(h5, fapl):
    """HDF5 asks for HDF5_EXTFILE_PREFIX once, when it starts."""
    raw("one/raw.bin", 100)
    raw("raw.bin", 200)
    with_external(h5, "a.h5", "raw.bin")
    os.environ["HDF5_EXTFILE_PREFIX"] = "one"
    file = h5.open("a.h5", fapl)
    got = read_prefixed(h5, file, b"")
    h5.H5Fclose.must(file)
    return got


@access_path(2)
def external_file_replaced(h5, fapl):
    """Another raw file under the same name: native opens it at every read."""
    raw("raw.bin", 100)
    raw("new.bin", 200)
    with_external(h5, "a.h5", "raw.bin")
    file = h5.open("a.h5", fapl)
    dset = h5.H5Dopen2.must(file, b"d", 0)
    got = [values(h5.read(dset, 100))[0]]
    os.replace("new.bin", "raw.bin")
    got.append(values(h5.read(dset, 100))[0])
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return got


@access_path(1, {"external-file": 1})
def external_file_comes_later(h5, fapl):
    """Absent at the first read, there at the second."""
    with_external(h5, "a.h5", "raw.bin")
    file = h5.open("a.h5", fapl)
    dset = h5.H5Dopen2.must(file, b"d", 0)
    got = [h5.read(dset, 100) is None]
    raw("raw.bin", 100)
    got.append(values(h5.read(dset, 100))[0])
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return got


# ---- wrong data once ---------------------------------------------------------------------------------------------------------


@access_path(2)
def unwritten_behind_a_user_block(h5, fapl):
    """H5Dget_offset answers HADDR_UNDEF + user block for a dataset without storage, which looks like an address."""
    file = h5.create("a.h5", fcpl=list_with(h5, "FILE_CREATE", "H5Pset_userblock", 4096))
    h5.make(file, "late", [100], None)
    fill = list_with(h5, "DATASET_CREATE", "H5Pset_fill_value", h5.type("STD_I32LE"), ints(1, 77))
    h5.make(file, "filled", [100], None, dcpl=fill)
    h5.H5Fclose.must(file)
    file = h5.open("a.h5", fapl)
    got = [read_ints(h5, file, "late"), read_ints(h5, file, "filled")]
    h5.H5Fclose.must(file)
    return got


def growing(h5, fapl, dims, unlimited, spots):
    """A dataset of 1-element chunks with one unlimited dimension and a few written elements, read whole."""
    latest = h5.fapl()
    bound = next(bound for bound in (6, 5, 4) if h5.H5Pset_libver_bounds(latest, bound, bound) >= 0)
    h5.H5Pset_libver_bounds.must(latest, bound, bound)
    file = h5.create("a.h5", latest)
    maxdims = [h5.UNLIMITED if axis == unlimited else size for axis, size in enumerate(dims)]
    h5.make(file, "d", dims, None, chunk=[1] * len(dims), maxdims=maxdims)
    dset = h5.H5Dopen2.must(file, b"d", 0)
    for number, spot in enumerate(spots):
        h5.H5Dwrite.must(dset, h5.type("STD_I32LE"), h5.BLOCK, h5.slab(dims, spot, [1] * len(dims)), 0, ints(1, 7 + number))
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    file = h5.open("a.h5", fapl)
    dset = h5.H5Dopen2.must(file, b"d", 0)
    count = 1
    for size in dims:
        count *= size
    got = values(h5.read(dset, count))
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return got


@access_path(1)
def extensible_array_first(h5, fapl):
    return growing(h5, fapl, [8, 2], 0, [[1, 0], [5, 1]])


@access_path(1)
def extensible_array_last(h5, fapl):
    """HDF5 tells chunk coordinates of an extensible array wrongly unless the first dimension is the unlimited one."""
    return growing(h5, fapl, [2, 8], 1, [[1, 0], [0, 3]])


@access_path(1)
def extensible_array_middle(h5, fapl):
    return growing(h5, fapl, [2, 6, 3], 1, [[1, 2, 2], [0, 5, 0]])


@access_path(0, {"reference": 1})
def references_of_four_bytes(h5, fapl):
    """In a file with 4-byte addresses object references have 4 bytes too, while HDF5 says 8."""
    file = h5.create("a.h5", fcpl=list_with(h5, "FILE_CREATE", "H5Pset_sizes", 4, 4))
    h5.make(file, "d", [100], ints(100))
    reference = ctypes.create_string_buffer(8)
    h5.H5Rcreate.must(reference, file, b"d", 0, -1)
    h5.make(file, "r", [20], reference.raw * 20, type="STD_REF_OBJ")
    h5.H5Fclose.must(file)
    file = h5.open("a.h5", fapl)
    dset = h5.H5Dopen2.must(file, b"r", 0)
    got = h5.read(dset, 20, type="STD_REF_OBJ", size=8)
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return got and got.hex()


@access_path(2)
def references_of_eight_bytes(h5, fapl):
    file = h5.create("a.h5")
    h5.make(file, "d", [100], ints(100))
    reference, region = ctypes.create_string_buffer(8), ctypes.create_string_buffer(12)
    h5.H5Rcreate.must(reference, file, b"d", 0, -1)
    h5.make(file, "r", [20], reference.raw * 20, type="STD_REF_OBJ")
    h5.H5Rcreate.must(region, file, b"d", 1, h5.slab([100], [3], [5]))
    h5.make(file, "g", [20], region.raw * 20, type="STD_REF_DSETREG", chunk=[6])
    h5.H5Fclose.must(file)
    file = h5.open("a.h5", fapl)
    got = []
    for name, kind, size in ((b"r", "STD_REF_OBJ", 8), (b"g", "STD_REF_DSETREG", 12)):
        dset = h5.H5Dopen2.must(file, name, 0)
        got.append(h5.read(dset, 20, type=kind, size=size).hex())
        h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return got


if __name__ == "__main__":
    CASES.main(filters=False)
