"""h5py's side of tests of the Zarr connector. Prints as JSON what clients/zarr_peer.py prints of the same container.

    read FOLDER      what is in a container
    change FOLDER    changes one that zarr-python has made
    write FOLDER     makes one
"""

from __future__ import annotations

import json
import sys

import h5py
import numpy as np

TYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16", "S5"]
FILTERS = {
    "contiguous": {},
    "chunked": {"chunks": (5, 4)},
    "gzip": {"chunks": (5, 4), "compression": "gzip", "compression_opts": 4},
    "shuffled": {"chunks": (5, 4), "compression": "gzip", "shuffle": True},
    "checked": {"chunks": (5, 4), "compression": "gzip", "fletcher32": True},
    "resizable": {"chunks": (5, 4), "maxshape": (None, 20)},
}


def told(values):
    """As clients/zarr_peer.py has it."""
    values = np.asarray(values)
    if values.dtype.kind == "O":
        return ["text", list(values.shape), [value.decode() for value in values.ravel()]]
    name = values.dtype.newbyteorder("=").str.lstrip("<>|=")
    return [name, list(values.shape), [repr(value) for value in values.ravel().tolist()]]


def read(folder):
    """Everything in a container."""
    things = {}
    with h5py.File(folder, "r") as file:
        file.visititems(lambda name, thing: things.update({name: thing}))
        plain = {name: {key: value.tolist() if hasattr(value, "tolist") else value for key, value in thing.attrs.items()}
                 for name, thing in {"": file, **things}.items()}
        return {"arrays": {name: told(thing[()]) for name, thing in things.items() if isinstance(thing, h5py.Dataset)},
                "attributes": plain}


def change(folder):
    """Changes that both sides must see alike."""
    with h5py.File(folder, "r+") as file:
        file["int32/gzip"][2:4] = 5
        file["int32/gzip"].resize((15, 7))
        file["int32/gzip"][14] = 9
        file["float64/none"].attrs["new"] = 1.5
        file["sub/from h5py"] = np.arange(5.0)
        file["strings"][1] = "changed"
        file["shards"][3, 5:8] = -1
        del file["big"]
        file.move("fill", "sub/filled")
    return read(folder)


def write(folder):
    """A container of many types, layouts and filters."""
    rng = np.random.default_rng(1)
    with h5py.File(folder, "w") as file:
        file.attrs.update({"title": "héllo", "n": 3, "pi": 3.5, "list": [1, 2, 3], "names": ["a", "b"]})
        for dtype in TYPES:
            for order in "<>":
                data = (rng.random((13, 7)) * 100).astype(np.dtype(dtype).newbyteorder(order))
                for name, options in FILTERS.items():
                    file.create_dataset(f"{dtype}{'be' if order == '>' else ''}/{name}", data=data, **options)
        file.create_dataset("fill", (5,), "f8", chunks=(2,), fillvalue=np.nan)[1] = 3
        file.create_dataset("strings", data=["x", "yy", "zß"], dtype=h5py.string_dtype())
        file["scalar"] = np.int32(42)
        file["sub/deeper/array"] = np.arange(6).reshape(2, 3)
        file["sub"].attrs["x"] = 1
        file["resized"] = [0]
        del file["resized"]
        grows = file.create_dataset("resized", (2,), "i4", chunks=(3,), maxshape=(None,))
        grows.resize((8,))
        grows[6:] = [4, 5]
    return read(folder)


if __name__ == "__main__":
    print(json.dumps({"read": read, "change": change, "write": write}[sys.argv[1]](sys.argv[2])))
