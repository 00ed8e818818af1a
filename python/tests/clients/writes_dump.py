"""Compares files that the same programs made natively and through the connector, with a native library.

    writes_dump.py HOST NATIVE_FOLDER OTHER_FOLDER NAME ...

NAME: a file below both folders. Compared are links, datasets with their properties, data and storage as far as HDF5 promises them, and
attributes. The last line of output is JSON: how many datasets there were, and the differences.
"""

import ctypes
import hashlib
import json
import math
import os
import sys
from pathlib import Path

from filters import settle, stored_filters
from hdf5lib import VISIT, Library
from writes_random_program import SAME_SIZE

FILE_MISSING = "missing"


def names_in(h5, file):
    found = []

    def note(_group, name, _info, _data):
        found.append(name)
        return 0

    h5.H5Literate2.must(file, 0, 0, None, VISIT(note), None)
    return found


def attributes(h5, dset):
    found = {}

    def note(_object, name, _info, _data):
        made = h5.H5Aopen.must(dset, name, 0)
        space = h5.H5Aget_space.must(made)
        buffer = ctypes.create_string_buffer(4 * h5.H5Sget_simple_extent_npoints.must(space))
        h5.H5Aread.must(made, h5.type("STD_I32LE"), buffer)
        found[name.decode()] = hashlib.sha1(buffer.raw).hexdigest()
        h5.H5Sclose(space)
        h5.H5Aclose(made)
        return 0

    h5.H5Aiterate2.must(dset, 0, 0, None, VISIT(note), None)
    return found


def extent(h5, dset):
    space = h5.H5Dget_space.must(dset)
    rank = h5.H5Sget_simple_extent_ndims.must(space)
    dims, most = (ctypes.c_uint64 * 32)(), (ctypes.c_uint64 * 32)()
    h5.H5Sget_simple_extent_dims.must(space, dims, most)
    h5.H5Sclose(space)
    return dims[:rank], most[:rank]


def properties(h5, dset, kind):
    dcpl = h5.H5Dget_create_plist.must(dset)
    layout = h5.H5Pget_layout.must(dcpl)
    chunk = (ctypes.c_uint64 * 32)()
    rank = h5.H5Pget_chunk.must(dcpl, 32, chunk) if layout == 2 else 0
    fill, fill_time, alloc_time = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    h5.H5Pfill_value_defined.must(dcpl, ctypes.byref(fill))
    h5.H5Pget_fill_time.must(dcpl, ctypes.byref(fill_time))
    h5.H5Pget_alloc_time.must(dcpl, ctypes.byref(alloc_time))
    value = ctypes.create_string_buffer(h5.H5Tget_size(kind))
    result = h5.H5Pget_fill_value(dcpl, kind, value)
    h5.H5Pclose(dcpl)
    times = fill.value, fill_time.value, alloc_time.value
    return {"layout": layout, "chunk": chunk[:rank], "fill": times, "fill value": [result, value.raw.hex()]}


def describe(h5, file, name):
    dset = h5.H5Dopen2.must(file, name, 0)
    kind = h5.H5Dget_type.must(dset)
    length = ctypes.c_size_t(0)
    h5.H5Tencode.must(kind, None, ctypes.byref(length))
    encoded = ctypes.create_string_buffer(length.value)
    h5.H5Tencode.must(kind, encoded, ctypes.byref(length))
    dims, most = extent(h5, dset)
    found = {"dims": dims, "maxdims": most, "type": encoded.raw.hex(), **properties(h5, dset, kind), "attributes": attributes(h5, dset)}
    buffer = ctypes.create_string_buffer(max(1, math.prod(dims) * h5.H5Tget_size(kind)))
    result = h5.H5Dread(dset, kind, 0, 0, 0, buffer)
    found["data"] = hashlib.sha1(buffer.raw).hexdigest() if result >= 0 else f"unreadable: {h5.errors()[0]}"
    filters = stored_filters(h5, dset)
    found["filters"] = [[number, flags, values] for number, flags, values, _ in filters]
    status = ctypes.c_int(-1)
    h5.H5Dget_space_status(dset, ctypes.byref(status))
    size = h5.H5Dget_storage_size(dset)
    # Encoded chunks need not have the same size; that they are there must be the same.
    found["storage"] = [status.value, size if {number for number, *_ in filters} <= SAME_SIZE else size > 0]
    if found["layout"] == 2:
        count = ctypes.c_uint64()
        h5.H5Dget_num_chunks.must(dset, 0, ctypes.byref(count))
        found["chunks"] = count.value
    h5.H5Tclose(kind)
    h5.H5Dclose.must(dset)
    return found


def describe_file(h5, path):
    if not path.exists():
        return FILE_MISSING
    # Sources of virtual datasets are looked for in the current folder.
    os.chdir(path.parent)
    file = h5.H5Fopen(path.name.encode(), h5.RDONLY, h5.native)
    if file < 0:
        return f"cannot be opened: {h5.errors()}"
    found = {name.decode(): describe(h5, file, name) for name in names_in(h5, file)}
    h5.H5Fclose.must(file)
    return found


def main():
    host, native, other, *names = sys.argv[1:]
    h5 = Library(host)
    settle(host, lzf=True)
    h5.H5Eset_auto2.must(0, None, None)
    folders = Path(native).resolve(), Path(other).resolve()
    datasets, differences = 0, []
    for name in names:
        one, two = (describe_file(h5, folder / name) for folder in folders)
        datasets += len(one)
        if one != two and isinstance(one, dict) and isinstance(two, dict):
            for key in one.keys() | two.keys():
                if one.get(key) != two.get(key):
                    a, b = one.get(key) or {}, two.get(key) or {}
                    fields = [field for field in a.keys() | b.keys() if a.get(field) != b.get(field)]
                    differences.append([name, key, {field: [a.get(field), b.get(field)] for field in fields}])
        elif one != two:
            differences.append([name, str(one)[:300], str(two)[:300]])
    print(json.dumps({"datasets": datasets, "differences": differences}))


if __name__ == "__main__":
    main()
