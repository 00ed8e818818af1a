"""Reads that are not bypassed: kinds of datasets, drivers, transfer lists, selections. Some cases are of what is bypassed next to them."""

import ctypes

from access_paths import access_path, ints, list_with, read_ints, simple, values

DRIVER = "driver"
NOTHING = "nothing-selected"


@access_path(
    6,
    {
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


def by_driver(h5, fapl, path, set_name, *arguments):
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
