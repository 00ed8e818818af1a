"""zarr-python's side of tests of the Zarr connector: no HDF5 here. `write FOLDER` makes a container and prints what is in it,
`read FOLDER` prints what is in one, as JSON: for each array its type, shape, and elements as text.
"""

from __future__ import annotations

import json
import sys
import warnings

import numpy as np
import zarr
import zarr.codecs as codecs

warnings.simplefilter("ignore")

TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
         "complex64", "complex128", "S5"]
COMPRESSORS = {
    "none": None,
    "gzip": codecs.GzipCodec(level=3),
    "zstd": codecs.ZstdCodec(level=2),
    "blosc": codecs.BloscCodec(cname="lz4", clevel=3),
}


def told(values):
    """An array as JSON."""
    values = np.asarray(values)
    if values.dtype.kind in "OTU":
        return ["text", list(values.shape), [str(value) for value in values.ravel()]]
    # Byte order is not zarr-python's to tell.
    name = values.dtype.newbyteorder("=").str.lstrip("<>|=")
    return [name, list(values.shape), [repr(value) for value in values.ravel().tolist()]]


def write(folder):
    """A container of many types and codecs."""
    group = zarr.open_group(folder, mode="w")
    group.attrs.update({"title": "héllo", "n": 3, "pi": 3.5, "list": [1, 2, 3], "names": ["a", "b"], "flag": True,
                        "nested": {"a": 1}})
    rng = np.random.default_rng(0)
    for dtype in TYPES:
        data = (rng.random((13, 7)) * 100).astype(dtype)
        for name, compressor in COMPRESSORS.items():
            group.create_array(f"{dtype}/{name}", shape=data.shape, chunks=(5, 4), dtype=dtype, compressors=compressor)[...] = data
    group.create_array("shards", shape=(20, 20), chunks=(5, 5), shards=(10, 10), dtype="f4")[...] = np.arange(400).reshape(20, 20)
    group.create_array("fill", shape=(5,), chunks=(2,), dtype="f8", fill_value=np.nan)[1] = 3
    group.create_array("strings", shape=(3,), chunks=(2,), dtype=str)[...] = ["x", "yy", "zzz"]
    group.create_array("scalar", shape=(), chunks=(), dtype="i4")[...] = 42
    group.create_array("big", shape=(4,), chunks=(4,), dtype=">i4")[...] = [1, 2, 3, 4]
    turned = codecs.TransposeCodec(order=(1, 0))
    group.create_array("turned", shape=(4, 6), chunks=(2, 3), dtype="i4", filters=[turned])[...] = np.arange(24).reshape(4, 6)
    kind = [("a", "i4"), ("b", "f8")]
    group.create_array("struct", shape=(2,), chunks=(2,), dtype=kind)[...] = np.array([(1, 2.5), (3, 4.5)], dtype=kind)
    group.create_group("sub/deeper").attrs["x"] = 1
    return read(folder)


def read(folder):
    """Everything in a container."""
    group = zarr.open_group(folder, mode="r")
    members = dict(group.members(max_depth=None))
    attributes = {name: {key: value for key, value in thing.attrs.asdict().items() if key not in ("_h5", "_LINKS")}
                  for name, thing in {"": group, **members}.items()}
    return {"arrays": {name: told(thing[()]) for name, thing in members.items() if isinstance(thing, zarr.Array)},
            "attributes": attributes}


if __name__ == "__main__":
    print(json.dumps({"write": write, "read": read}[sys.argv[1]](sys.argv[2])))
