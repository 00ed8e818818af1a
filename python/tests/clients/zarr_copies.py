"""Copies of objects between a Zarr directory and a plain HDF5 file, both opened through the Zarr connector.

    copy      copies both ways, and compares at once and after reopening
    check     compares the plain file alone; run natively
    refused   copies that are refused
"""

from __future__ import annotations

import json
import sys

import h5py
import numpy as np

GRID = np.arange(1000).reshape(25, 40)
SPARSE = np.full(100, 7)
SPARSE[35] = 1
TABLE = np.array([(1, 2.5), (3, 4.5)], dtype=[("x", "i4"), ("y", "f8")])


def fill(file):
    """A group with everything that is copied in its own way."""
    group = file.create_group("g")
    group.attrs["a"] = 5
    group.create_dataset("gzip", data=GRID, chunks=(7, 9), compression="gzip", shuffle=True, fletcher32=True)
    group.create_dataset("sparse", (100,), chunks=(10,), dtype="i2", fillvalue=7)[35] = 1
    group.create_dataset("never written", (5,), dtype="f4", fillvalue=2.5)
    group.create_dataset("grows", data=GRID[:3], maxshape=(None, 40), chunks=(2, 40))
    group["plain"] = np.arange(10.0)
    group["scalar"] = 3
    group["big-endian"] = np.arange(5, dtype=">i4")
    group["table"] = TABLE
    group["text"] = "hello"
    group["texts"] = ["x", "yy"]
    group["null"] = h5py.Empty("f4")
    group["sub/reference"] = np.array([group["gzip"].ref], dtype=h5py.ref_dtype)
    group["soft"] = h5py.SoftLink("/other")
    group["again"] = group["plain"]
    file["other"] = np.arange(3)


def compare(file, where):
    """Fails unless the copy is what was copied."""
    group = file[where]
    assert group.attrs["a"] == 5
    found = group["gzip"]
    assert (found[...] == GRID).all() and found.chunks == (7, 9)
    assert found.compression == "gzip" and found.shuffle and found.fletcher32
    assert (group["sparse"][...] == SPARSE).all() and group["sparse"].id.get_storage_size() < 200
    assert (group["never written"][...] == 2.5).all()
    assert (group["grows"][...] == GRID[:3]).all() and group["grows"].maxshape == (None, 40)
    assert (group["plain"][...] == np.arange(10.0)).all() and group["again"] == group["plain"]
    assert group["scalar"][()] == 3
    assert group["big-endian"].dtype == ">i4" and (group["big-endian"][...] == np.arange(5)).all()
    assert (group["table"][...] == TABLE).all()
    assert group["text"][()] == b"hello" and list(group["texts"]) == [b"x", b"yy"]
    assert group["null"].shape is None and group["sub/reference"].shape == (1,)
    assert group.get("soft", getlink=True).path == "/other"


def copy():
    with h5py.File("a.zarr", "w") as zarr, h5py.File("plain.h5", "w") as plain:
        fill(zarr)
        fill(plain)
        zarr.copy("g", plain, "from zarr")
        compare(plain, "from zarr")
        plain.copy("g", zarr, "from plain")
        compare(zarr, "from plain")
        zarr.copy("from plain", plain, "there and back")
        compare(plain, "there and back")
        zarr.copy("g", plain, "expanded", expand_soft=True)
        assert (plain["expanded/soft"][...] == np.arange(3)).all()
        zarr.copy("g", plain, "shallow", shallow=True)
        assert (plain["shallow/gzip"][...] == GRID).all() and "reference" not in plain["shallow/sub"]
        # What native HDF5 has copied into memory must not come back.
        zarr["from plain/gzip"][0] = -1
        zarr.copy("from plain/gzip", plain, "changed")
        assert (plain["changed"][0] == -1).all() and (plain["changed"][1:] == GRID[1:]).all()
        zarr["from plain/gzip"][0] = GRID[0]
        zarr["from plain/grows"].resize((1, 40))
        zarr["from plain/grows"].resize((3, 40))
        assert (zarr["from plain/grows"][1:] == 0).all()
        zarr["from plain/grows"][...] = GRID[:3]
    with h5py.File("a.zarr") as zarr, h5py.File("plain.h5", "r+") as plain:
        compare(zarr, "g")
        compare(zarr, "from plain")
        zarr.copy("/", plain, "everything")
        zarr.copy(zarr["g/gzip"], plain["g"], "deep/er")


def check():
    with h5py.File("plain.h5") as plain:
        for where in ("g", "from zarr", "there and back", "everything/g", "everything/from plain"):
            compare(plain, where)
        assert (plain["g/deep/er"][...] == GRID).all()


def refused():
    said = []
    with h5py.File("b.zarr", "w") as zarr, h5py.File("lzf.h5", "w") as plain:
        plain.create_dataset("d", data=GRID, compression="lzf")
        zarr["d"] = GRID
        try:
            plain.copy("d", zarr, "copy")
        except RuntimeError as error:
            said.append(str(error))
        assert "copy" not in zarr
    with h5py.File("b.zarr") as zarr:
        assert list(zarr) == ["d"] and (zarr["d"][...] == GRID).all()
    return said


if __name__ == "__main__":
    print(json.dumps({"copy": copy, "check": check, "refused": refused}[sys.argv[1]]()))
