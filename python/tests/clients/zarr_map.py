"""How HDF5 is kept in Zarr, row by row.

    write    h5py writes m.zarr through the Zarr connector (with transcode=zstd;compound=structured), and reads it again
    check    looks at its documents, and reads it with zarr-python; no HDF5 here
"""

from __future__ import annotations

import json
import pathlib
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")

GRID = np.arange(240, dtype="i4").reshape(20, 12)
TABLE = np.array([(1, 2.5, b"ab"), (3, 4.5, b"c")], dtype=[("x", "i4"), ("y", "f8"), ("z", "S4")])


def filters():
    """Filters, as arguments of h5py, by what they become in Zarr."""
    import hdf5plugin

    return {
        "gzip": ({"compression": "gzip"}, ["bytes", "gzip"]),
        "shuffle": ({"compression": "gzip", "shuffle": True}, ["bytes", "blosc"]),
        "fletcher32": ({"fletcher32": True}, ["bytes", "crc32c"]),
        "zstd": ({**hdf5plugin.Zstd()}, ["bytes", "zstd"]),
        "blosc": ({**hdf5plugin.Blosc(cname="lz4")}, ["bytes", "blosc"]),
        "lzf": ({"compression": "lzf"}, ["bytes", "zstd"]),
        "szip": ({"compression": "szip"}, ["bytes", "zstd"]),
        "scaleoffset": ({"scaleoffset": 0}, ["bytes", "zstd"]),
        "lz4": ({**hdf5plugin.LZ4()}, ["bytes", "zstd"]),
        "bzip2": ({**hdf5plugin.BZip2()}, ["bytes", "zstd"]),
        "nbit": (None, ["bytes", "zstd"]),
    }


def write():
    import h5py

    with h5py.File("m.zarr", "w") as file:
        for name, (options, _) in filters().items():
            if options is None:
                creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
                creation.set_chunk((8, 5))
                creation.set_filter(5)
                space = h5py.h5s.create_simple(GRID.shape)
                h5py.Dataset(h5py.h5d.create(file.id, name.encode(), h5py.h5t.STD_I32LE, space, creation))[...] = GRID
            else:
                file.create_dataset(name, data=GRID, chunks=(8, 5), **options)
        file["enum"] = np.array([0, 1, 1], h5py.enum_dtype({"A": 0, "B": 1}, "u2"))
        bits = h5py.h5d.create(file.id, b"bitfield", h5py.h5t.STD_B16LE, h5py.h5s.create_simple((3,)))
        bits.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([1, 2, 300], "u2"), mtype=h5py.h5t.STD_B16LE)
        file["opaque"] = np.array([b"abc", b"d\0f"], "V3")
        file["table"] = TABLE
        file["text"] = ["x", "ß"]
        lists = file.create_dataset("sequence", (2,), h5py.vlen_dtype("i2"))
        lists[0], lists[1] = [1, 2], [3]
        file["big"] = GRID.astype(">u2")
        file.create_dataset("filled", (9,), "f4", chunks=(4,), fillvalue=np.nan)[2] = 1
        shrinks = file.create_dataset("shrinks", data=GRID, chunks=(4, 4), maxshape=(None, 30))
        file.flush()
        shrinks.resize((9, 6))
        file["group/hard"], file["group/soft"] = file["gzip"], h5py.SoftLink("/table")
        file["group/external"] = h5py.ExternalLink("other.h5", "/there")
        file["references"] = np.array([file["table"].ref, file["group"].ref], dtype=h5py.ref_dtype)
        file.attrs["to"] = file["table"].ref
        file.create_dataset("region", data=file["gzip"].regionref[2:4], dtype=h5py.regionref_dtype)
        file["type"] = np.dtype([("q", "i8")])
        file.create_dataset("of type", (2,), file["type"])
    with h5py.File("m.zarr") as file:
        for name, (options, _) in filters().items():
            assert (file[name][...] == GRID).all() and file[name].chunks == (8, 5), name
            assert file[name].id.get_create_plist().get_nfilters() >= 1, name
        assert file["lzf"].compression == "lzf" and file["szip"].compression == "szip" and file["scaleoffset"].scaleoffset == 0
        assert h5py.check_enum_dtype(file["enum"].dtype) == {"A": 0, "B": 1}
        assert file["bitfield"].id.get_type().get_class() == h5py.h5t.BITFIELD and list(file["bitfield"]) == [1, 2, 300]
        assert file["opaque"].dtype == "V3" and (file["table"][...] == TABLE).all()
        assert [list(one) for one in file["sequence"]] == [[1, 2], [3]] and list(file["text"].asstr()) == ["x", "ß"]
        assert file["shrinks"].maxshape == (None, 30) and (file["shrinks"][...] == GRID[:9, :6]).all()
        assert file["group/hard"] == file["gzip"] and file.get("group/soft", getlink=True).path == "/table"
        assert file.get("group/external", getlink=True).filename == "other.h5"
        assert [file[one].name for one in file["references"]] == ["/table", "/group"] and file[file.attrs["to"]].name == "/table"
        assert (file["gzip"][file["region"][()]] == GRID[2:4]).all()
        assert file["of type"].id.get_type().committed() and file["type"].dtype == np.dtype([("q", "i8")])


def document(name):
    return json.loads(pathlib.Path("m.zarr", name, "zarr.json").read_text())


def check():
    import zarr

    group = zarr.open_group("m.zarr", mode="r")
    for name, (_, codecs) in filters().items():
        assert [codec["name"] for codec in document(name)["codecs"]] == codecs, (name, document(name)["codecs"])
        assert (group[name][...] == GRID).all(), name
    assert document("enum")["data_type"] == document("bitfield")["data_type"] == "uint16"
    assert list(group["enum"][...]) == [0, 1, 1] and list(group["bitfield"][...]) == [1, 2, 300]
    assert group["opaque"][...].tobytes() == b"abcd\0f" and (group["table"][...] == TABLE).all()
    assert list(group["text"][...]) == ["x", "ß"] and document("text")["codecs"][0] == {"name": "vlen-utf8"}
    assert [bytes(one) for one in group["sequence"][...]] == [b"\1\0\2\0", b"\3\0"]
    assert document("big")["codecs"][0]["configuration"] == {"endian": "big"} and (group["big"][...] == GRID).all()
    assert document("filled")["fill_value"] == "NaN" and np.isnan(group["filled"][0]) and group["filled"][2] == 1
    assert document("shrinks")["shape"] == [9, 6] and (group["shrinks"][...] == GRID[:9, :6]).all()
    places = {str(file.relative_to("m.zarr/shrinks/c")) for file in pathlib.Path("m.zarr/shrinks/c").rglob("*") if file.is_file()}
    assert places == {f"{row}/{column}" for row in range(3) for column in range(2)}, places
    links = {link["name"]: link for link in document("group")["attributes"]["_LINKS"]}
    assert links["soft"] == {"name": "soft", "source": ".", "path": "/table", "kind": "soft"}
    assert links["external"] == {"name": "external", "source": "other.h5", "path": "/there", "kind": "external"}
    # A dataset with several names lives under one of them; the others are links to it.
    assert links["hard"]["kind"] == "hard" and links["hard"]["path"] == "/gzip"
    assert list(group["references"][...]) == ["/table", "/group"]
    assert group.attrs["to"] == {"_REFERENCE": {"source": ".", "path": "/table"}}
    assert "/type" in document("")["attributes"]["_h5"]["types"]


if __name__ == "__main__":
    {"write": write, "check": check}[sys.argv[1]]()
    print(json.dumps("done"))
