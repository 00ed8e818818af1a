"""Makes HDF5 files with every kind of object, link, type, layout and filter in the current folder, natively.

Usage: exchange_corpus.py h5py|netCDF4|tables
"""

import json
import sys
from pathlib import Path

import numpy as np


def types(h5py, file):
    """Datasets of every type, two of them with the same committed type, which is made after them."""
    group = file.create_group("types")
    for name in ("<i1", ">i2", "<i4", ">i8", "<u1", ">u2", "<u4", "<u8", "<f2", ">f4", "<f8", ">f8", "<c8", ">c16"):
        group[f"{name[0] == '<' and 'le' or 'be'}_{name[1:]}"] = np.arange(-6, 6).astype(name).reshape(3, 4)
    group["long_double"] = np.linspace(-1, 1, 5, dtype=np.longdouble)
    group["special"] = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324, 1.5])
    group["bool"] = np.array([True, False, True])
    kind = h5py.enum_dtype({"RED": 3, "GREEN": -1, "BLUE": 70}, basetype="<i2")
    group.create_dataset("enum", data=np.array([3, 70, -1, 3], "<i2"), dtype=kind)
    group["fixed_string"] = np.array([b"a", b"bc", b"def", b""], "S3")
    group["utf8_fixed"] = np.array(["\u00e4".encode(), b"xyz"], dtype=h5py.string_dtype("utf-8", 6))
    group.create_dataset("string", data=["one", "", "drei \u00e4\u00f6", "x" * 1000], dtype=h5py.string_dtype())
    group.create_dataset("ascii", data=[b"one", b"two"], dtype=h5py.string_dtype("ascii"))
    group["opaque"] = np.array([b"abc", b"xyz"], "V3")
    group["tagged"] = np.array(["2020-01-01", "2021-02-03"], "M8[s]").astype(h5py.opaque_dtype("M8[s]"))
    gaps = np.dtype({"names": ["a", "b", "c"], "formats": ["<i2", ">f8", ("<u1", (2, 3))], "offsets": [1, 8, 20], "itemsize": 40})
    padded = np.zeros(4, gaps)
    padded["a"], padded["b"], padded["c"] = np.arange(4), 1.5, 7
    group["compound"] = padded
    nested = np.dtype([("x", [("y", "<i4"), ("z", "S2")]), ("v", h5py.string_dtype())])
    group.create_dataset("nested", data=np.array([((1, b"ab"), "text"), ((2, b""), "")], nested))
    group.create_dataset("array", data=np.arange(12).reshape(2, 6), dtype="<i4")
    space = h5py.h5s.create_simple((2,))
    array = h5py.h5t.array_create(h5py.h5t.STD_I16BE, (2, 3))
    h5py.h5d.create(group.id, b"array_type", array, space).write(
        h5py.h5s.ALL, h5py.h5s.ALL, np.arange(12, dtype=">i2"), mtype=array
    )
    ragged = group.create_dataset("ragged", (3,), h5py.vlen_dtype("<f4"))
    ragged[0], ragged[2] = np.arange(3), np.arange(100)
    bits = h5py.h5d.create(group.id, b"bits", h5py.h5t.STD_B16BE, space)
    bits.write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(2, dtype="<u2"), mtype=h5py.h5t.STD_B16BE)
    # HDF5 neither reads nor writes times.
    h5py.h5d.create(group.id, b"time", h5py.h5t.UNIX_D32LE, space)
    odd = h5py.h5t.STD_I32LE.copy()
    odd.set_precision(17)
    odd.set_offset(3)
    h5py.h5d.create(group.id, b"odd_bits", odd, space).write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(2, dtype="<i4") << 3, mtype=odd)
    file["zz_type"] = np.dtype([("i", "<i4"), ("f", "<f8")])
    file["zz_type"].attrs["about"] = "committed"
    group.create_dataset("committed", data=np.array([(1, 2.5)], file["zz_type"].dtype), dtype=file["zz_type"])
    group.create_dataset("committed_too", shape=(3,), dtype=file["zz_type"])
    group.attrs.create("committed", np.array((5, 6.0), file["zz_type"].dtype), dtype=file["zz_type"])


def layouts(h5py, file):
    """Datasets stored in every way."""
    group = file.create_group("layouts")
    random = np.random.default_rng(5)
    data = random.integers(0, 50, (37, 41)).astype("<i4")
    group["contiguous"] = data
    group.create_dataset("scalar", data=7.25)
    group.create_dataset("null", data=h5py.Empty("<f4"))
    group.create_dataset("no_elements", shape=(0, 5), maxshape=(None, 5), dtype="<i8")
    group.create_dataset("never_written", shape=(1000, 1000), dtype="<f8")
    group.create_dataset("huge_sparse", shape=(1 << 40, 1 << 20), maxshape=(None, None), chunks=(64, 64), dtype="<i4")[100:110, 5] = 3
    compact = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    compact.set_layout(h5py.h5d.COMPACT)
    space = h5py.h5s.create_simple((10,))
    h5py.h5d.create(group.id, b"compact", h5py.h5t.STD_I32LE, space, compact).write(
        h5py.h5s.ALL, h5py.h5s.ALL, np.arange(10, dtype="<i4")
    )
    filters = {
        "chunked": {},
        "gzip": {"compression": "gzip", "compression_opts": 6},
        "shuffle_gzip": {"compression": "gzip", "shuffle": True},
        "lzf": {"compression": "lzf"},
        "szip": {"compression": "szip"},
        "fletcher": {"fletcher32": True, "compression": "gzip"},
        "scaled": {"scaleoffset": 6},
        "growing": {"maxshape": (None, 100), "compression": "gzip"},
        "filled": {"fillvalue": -9, "compression": "gzip"},
    }
    for name, options in filters.items():
        group.create_dataset(name, data=data, chunks=(10, 16), **options)
    part = group.create_dataset("partly_written", shape=(100, 100), chunks=(10, 10), fillvalue=4, dtype="<i2", compression="gzip")
    part[35:50, 3] = 8
    grown = group.create_dataset("resized", data=np.arange(100.0), chunks=(7,), maxshape=(None,))
    grown.resize((55,))
    early = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    early.set_chunk((4, 4))
    early.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    early.set_fill_time(h5py.h5d.FILL_TIME_ALLOC)
    early.set_deflate(1)
    h5py.h5d.create(group.id, b"early", h5py.h5t.IEEE_F32LE, h5py.h5s.create_simple((9, 9)), early)
    # A chunk that was stored without its filter.
    masked = group.create_dataset("masked", shape=(20,), chunks=(10,), dtype="<i4", compression="gzip")
    masked.id.write_direct_chunk((0,), np.arange(10, dtype="<i4").tobytes(), filter_mask=1)
    masked[10:] = 5
    # A filter that nobody has, and may not be left out.
    unknown = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    unknown.set_chunk((8,))
    unknown.set_filter(511, h5py.h5z.FLAG_OPTIONAL, (3, 1, 4))
    chunked = h5py.h5d.create(group.id, b"unknown_filter", h5py.h5t.STD_U8LE, h5py.h5s.create_simple((16,)), unknown)
    chunked.write_direct_chunk((0,), b"whatever it is", filter_mask=0)
    group.create_dataset("strings", data=[f"text {i}" for i in range(300)], dtype=h5py.string_dtype(), chunks=(64,), compression="gzip")


def links(h5py, file):
    """Links of every kind, shared objects and circles."""
    group = file.create_group("links")
    group["target"] = np.arange(5)
    group["again"] = group["target"]
    group["soft"] = h5py.SoftLink("/links/target")
    group["relative"] = h5py.SoftLink("../types/le_i4")
    group["dangling"] = h5py.SoftLink("/nowhere/at all")
    group["external"] = h5py.ExternalLink("other file.h5", "/x")
    below = group.create_group("below")
    below["above"] = group
    below["root"] = file["/"]
    below["itself"] = below
    group["\u00fcml\u00e4ut"] = 5
    file["layouts_too"] = file["layouts"]


def references(h5py, file):
    """References of the old kinds, in datasets and attributes, alone and inside other types."""
    group = file.create_group("references")
    target = file["layouts/contiguous"]
    objects = group.create_dataset("objects", (5,), h5py.ref_dtype)
    objects[0], objects[1], objects[2] = target.ref, file["links"].ref, file["zz_type"].ref
    regions = group.create_dataset("regions", (3,), h5py.regionref_dtype)
    regions[0] = target.regionref[3:9, ::5]
    regions[1] = file["layouts/gzip"].regionref[[1, 5, 8], :]
    pair = np.dtype([("ref", h5py.ref_dtype), ("n", "<i4")])
    group.create_dataset("inside", data=np.array([(file["types/ragged"].ref, 3), (h5py.Reference(), 0)], pair))
    ragged = group.create_dataset("ragged", (2,), h5py.vlen_dtype(h5py.ref_dtype))
    ragged[0] = np.array([target.ref, group.ref], h5py.ref_dtype)
    group.attrs["to"] = target.ref
    group.attrs["region"] = target.regionref[1:3, 2:4]
    group.attrs.create("list", np.array([target.ref, file.ref], h5py.ref_dtype))
    group.create_dataset("chunked", (40,), h5py.ref_dtype, chunks=(7,), compression="gzip")[3:30] = target.ref


def scales(h5py, file):
    """Dimension scales."""
    group = file.create_group("scales")
    group["time"], group["x"] = np.arange(6.0), np.arange(4)
    group["time"].make_scale("the time")
    group["x"].make_scale()
    for name in ("first", "second"):
        data = group.create_dataset(name, data=np.ones((6, 4)))
        data.dims[0].attach_scale(group["time"])
        data.dims[1].attach_scale(group["x"])
        data.dims[0].label = "t"


def attributes(h5py, file):
    """Attributes of every kind, few and many."""
    group = file.create_group("attributes")
    group.attrs["int"], group.attrs["float"], group.attrs["text"] = 5, 2.5, "some text \u00e4"
    group.attrs["bytes"] = np.bytes_(b"fixed")
    group.attrs["empty"] = h5py.Empty("<f8")
    group.attrs["no_elements"] = np.zeros((0,), "<i4")
    group.attrs["array"] = np.arange(24, dtype=">u2").reshape(2, 3, 4)
    group.attrs["strings"] = ["a", "bb", ""]
    group.attrs.create("ragged", np.array([np.arange(3), np.arange(5)], dtype=object), dtype=h5py.vlen_dtype("<i8"))
    group.attrs.create("enum", 1, dtype=h5py.enum_dtype({"NO": 0, "YES": 1}))
    group.attrs["\u00fcber"] = 1
    many = group.create_group("many")
    for number in range(40):
        many.attrs[f"number {number}"] = number
    group.create_dataset("data", data=[1, 2]).attrs["on data"] = "yes"


def whole(h5py, file):
    for make in (types, layouts, links, references, scales, attributes):
        make(h5py, file)


def with_h5py():
    import h5py

    for name, options in {
        "earliest.h5": {},
        "latest.h5": {"libver": "latest"},
        "ordered.h5": {"libver": ("v110", "v114"), "track_order": True},
        "user_block.h5": {"userblock_size": 1024},
    }.items():
        with h5py.File(name, "w", **options) as file:
            whole(h5py, file)
            if name == "ordered.h5":
                group = file.create_group("backwards", track_order=True)
                for letter in "zyxwa":
                    group[letter] = ord(letter)
                    group.attrs[letter] = ord(letter)
            if name == "latest.h5":
                file["types"].attrs["large"] = np.arange(20_000)
    with open("user_block.h5", "r+b") as file:
        file.write(b"#!/bin/sh\necho a user block\n")
    for number in range(3):
        with h5py.File(f"part{number}.h5", "w") as file:
            file["x"] = np.arange(10) + 100 * number
    with h5py.File("virtual.h5", "w") as file:
        layout = h5py.VirtualLayout((4, 10), "<i8")
        for number in range(3):
            layout[number] = h5py.VirtualSource(f"part{number}.h5", "x", (10,))
        file.create_virtual_dataset("v", layout, fillvalue=-1)
        file.create_dataset("e", (20,), "<i4", external=[("outside.bin", 16, 40), ("more.bin", 0, 40)])[:] = np.arange(20)
    with h5py.File("names.h5", "w") as file:
        file[b"not UTF-8: \xe9"] = 6
        file[b"not UTF-8: \xe8"] = file.create_group("  odd . names ")
    h5py.File("empty.h5", "w").close()


def with_netcdf4():
    import netCDF4

    with netCDF4.Dataset("weather.nc", "w") as data:
        data.title = "weather"
        data.createDimension("time", None)
        data.createDimension("x", 5)
        times = data.createVariable("time", "f8", ("time",))
        times.units = "hours since 2020-01-01"
        times[:] = np.arange(30)
        wind = data.createVariable("wind", "f4", ("time", "x"), zlib=True, fill_value=-999.0)
        wind[:] = np.random.default_rng(1).normal(size=(30, 5))
        wind.valid_range = np.array([-50, 50], "f4")
        group = data.createGroup("forecast").createGroup("one")
        names = group.createVariable("names", str, ("x",))
        names[:] = np.array(["a", "bb", "", "dddd", "e"], dtype=object)
        kind = group.createEnumType(np.uint8, "cloud", {"clear": 0, "grey": 7})
        group.createVariable("sky", kind, ("time",))[:] = np.array([0, 7] * 15, "u1")
        ragged = group.createVLType(np.int32, "ragged")
        group.createVariable("lists", ragged, ("x",))[0] = np.arange(4, dtype="i4")


def with_tables():
    import tables

    class Particle(tables.IsDescription):
        name, energy = tables.StringCol(16), tables.Float64Col()
        place = tables.Int32Col(shape=(3,))

    with tables.open_file("tables.h5", "w") as file:
        table = file.create_table("/group", "particles", Particle, createparents=True)
        for number in range(500):
            table.row["name"], table.row["energy"], table.row["place"] = f"p{number}", number / 7, (number,) * 3
            table.row.append()
        table.flush()
        for codec in ("zlib", "blosc", "bzip2", "lzo", "blosc2:zstd"):
            if codec == "lzo" and not tables.which_lib_version("lzo"):
                continue
            file.create_carray("/", codec.replace(":", "_"), obj=np.arange(5000).reshape(50, 100), filters=tables.Filters(5, codec))
        lists = file.create_vlarray("/", "lists", tables.Int32Atom())
        lists.append([1, 2, 3])
        lists.append([])
        file.create_earray("/", "growing", tables.Float64Atom(), (2, 0), expectedrows=100).append(np.ones((2, 5)))
        file.create_soft_link("/", "soft", "/group/particles")


if __name__ == "__main__":
    {"h5py": with_h5py, "netCDF4": with_netcdf4, "tables": with_tables}[sys.argv[1]]()
    print(json.dumps(sorted(path.name for path in Path().glob("*.*"))))
