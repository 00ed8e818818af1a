"""Datasets with filters that this HDF5 does not have, read and created through the connector.

    no_plugins.py HOST make FILE native|bypass    creates and writes them
    no_plugins.py HOST read FILE native|bypass    reads them: few bytes first, then more

The last line of output is JSON. HDF5 prints its errors, as it does in a C program.
"""

import ctypes
import json
import os
import sys

import pipelines as p
from filters import add_filters, available, settle, stored_filters
from hdf5lib import Library

PIPELINES = {
    "bzip2": [p.bzip2(9, p.MANDATORY)],
    "blosc": [p.blosc("lz4", flags=p.MANDATORY)],
    "blosc plain": [(p.BLOSC, p.MANDATORY, [])],
    "lz4": [p.lz4(flags=p.MANDATORY)],
    "bitshuffle": [p.bitshuffle("lz4", flags=p.MANDATORY)],
    "bitshuffle plain": [(p.BITSHUFFLE, p.MANDATORY, [])],
    "zstd": [p.shuffle(), p.zstd(flags=p.MANDATORY)],
    "zstd optional": [p.zstd()],
    "blosc2": [p.blosc2("zstd", flags=p.MANDATORY)],
    "blosc2 few": [(p.BLOSC2, p.MANDATORY, [0, 0, 0, 0, 7])],
}
# Filters that the netCDF4 wheel brings along, and that are there even so. Its Blosc crashes if it is not told what to do.
for left_out in filter(None, os.environ.get("LEFT_OUT", "").split(",")):
    del PIPELINES[left_out]

DIMS, CHUNK = [60, 50], [20, 25]
COUNT = DIMS[0] * DIMS[1]


def values(size):
    return b"".join((number * number // 9 % 30000).to_bytes(size, "little") for number in range(COUNT))


def make(h5, path, fapl):
    """Whole datasets; then parts of them in small pieces."""
    file = h5.create(path, fapl)
    missing = []
    for name, pipeline in PIPELINES.items():
        dcpl = h5.plist("DATASET_CREATE")
        h5.H5Pset_chunk.must(dcpl, 2, CHUNK)
        add_filters(h5, dcpl, pipeline)
        space = h5.space(DIMS)
        data = h5.H5Dcreate2(file, name.encode(), h5.type("STD_I32LE"), space, 0, dcpl, 0)
        if data < 0:
            missing.append(name)
            continue
        h5.H5Dwrite.must(data, h5.type("STD_I32LE"), 0, 0, 0, values(4))
        for start in ([3, 4], [40, 30], [59, 49]):
            place, memory = h5.slab(DIMS, start, [1, 1]), h5.space([1])
            h5.H5Dwrite.must(data, h5.type("STD_I32LE"), memory, place, 0, b"\xff\xff\xff\x7f")
        h5.H5Dclose.must(data)
    if "zstd" in PIPELINES:
        # One that consists of another one.
        dcpl, space = h5.plist("DATASET_CREATE"), h5.space(DIMS)
        h5.H5Pset_virtual.must(dcpl, space, b".", b"zstd", space)
        h5.make(file, "virtual", DIMS, None, dcpl=dcpl)
    h5.H5Fclose.must(file)
    return {"missing": missing, "available": [name for name in PIPELINES if available(h5, PIPELINES[name])]}


def read(h5, path, fapl):
    """Each dataset in an opening of its own: 4 bytes first, then a row, then all of it."""
    answer = {}
    for name in (*(["virtual"] if "zstd" in PIPELINES else []), *PIPELINES):
        file = h5.open(path, fapl)
        data = h5.H5Dopen2.must(file, name.encode(), 0)
        found = []
        for start, count in (([5, 6], [1, 1]), ([5, 6], [1, 1]), ([30, 0], [1, 50]), ([7, 8], [2, 2]), ([0, 0], DIMS)):
            place, memory = h5.slab(DIMS, start, count), h5.space(count)
            got = h5.read(data, count[0] * count[1], memory=memory, file=place)
            found.append([got and got.hex(), h5.H5Eget_num(0) if got else None])
        filters = stored_filters(h5, data)
        answer[name] = [found, filters]
        h5.H5Dclose(data)
        h5.H5Fclose(file)
    return answer


def main():
    host, what, path, way = sys.argv[1:5]
    if os.pathsep in os.environ["HDF5_PLUGIN_PATH"]:
        settle(host)
    h5 = Library(host)
    # As a C program has it.
    printing = ctypes.cast(h5.dll.H5Eprint2, ctypes.c_void_p)
    h5.H5Eset_auto2.must(0, printing, None)
    fapl = getattr(h5, way)
    print(json.dumps((make if what == "make" else read)(h5, path, fapl)))


main()
