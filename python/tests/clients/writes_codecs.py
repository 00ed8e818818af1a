"""Datasets with every filter, written in several ways, and read back.

    writes_codecs.py HOST write native|bypass FILE     writes whole datasets
    writes_codecs.py HOST change native|bypass FILE    changes parts of the datasets of such a file
    writes_codecs.py HOST read native|bypass FILE      reads them

The last line of output is JSON. `read`: for each dataset its digest and its size in the file, and whether the digest is the right one as
far as that can be known: filters that lose something are only compared with each other. Datasets with filters that the library lacks are
left out.
"""

import ctypes
import hashlib
import json
import math
import random
import struct
import sys
from functools import cache

import conversions as c
import pipelines as p
from filters import add_filters, available, settle
from hdf5lib import H5Error, Library

DIMS, CHUNK = [150, 120], [64, 50]
COUNT = math.prod(DIMS)
RECORD = ("record", (("a", 0, ("std", "STD_I16LE")), ("b", 0, ("std", "IEEE_F64LE")), ("c", 0, ("std", "STD_U8LE"))), 0)
TYPES = {
    "int16": ("std", "STD_I16LE"),
    "int32": ("std", "STD_I32LE"),
    "big-endian": ("std", "STD_I32BE"),
    "float32": ("std", "IEEE_F32LE"),
    "float64": ("std", "IEEE_F64LE"),
    "record": RECORD,
}
FORMATS = {"int16": "<h", "int32": "<i", "big-endian": ">i", "float32": "<f", "float64": "<d"}
GZIP_LEVELS = (0, 1, 4, 6, 9)
LOSSY = {"scaleoffset digits", "scaleoffset bits"}
PIPELINES = {
    "unfiltered": [],
    **{f"gzip {level}": [p.deflate(level)] for level in GZIP_LEVELS},
    **{f"shuffle gzip {level}": [p.shuffle(), p.deflate(level)] for level in GZIP_LEVELS},
    "shuffle": [p.shuffle()],
    "fletcher32": [p.fletcher32()],
    "shuffle gzip fletcher32": [p.shuffle(), p.deflate(4), p.fletcher32()],
    "lzf": [p.lzf()],
    "shuffle lzf": [p.shuffle(), p.lzf()],
    "szip neighbour": [p.szip(p.SZIP_NEIGHBOUR, 8)],
    "szip entropy": [p.szip(p.SZIP_ENTROPY, 16)],
    "nbit": [p.nbit()],
    "nbit gzip": [p.nbit(), p.deflate(4)],
    "scaleoffset": [p.scaleoffset(p.INT_BITS, 0)],
    "scaleoffset bits": [p.scaleoffset(p.INT_BITS, 9)],
    "scaleoffset digits": [p.scaleoffset(p.FLOAT_DIGITS, 2)],
    **{f"blosc {inner} {how}": [p.blosc(inner, 5, how)] for inner in p.INNER if inner != "snappy" for how in (0, 1, 2)},
    **{f"blosc2 {inner} {how}": [p.blosc2(inner, 5, how)] for inner in ("blosclz", "lz4", "zlib", "zstd") for how in (0, 1, 2)},
    "zstd": [p.zstd()],
    "shuffle zstd": [p.shuffle(), p.zstd(9)],
    "lz4": [p.lz4()],
    "lz4 blocks": [p.lz4(1000)],
    "bitshuffle": [p.bitshuffle()],
    "bitshuffle lz4": [p.bitshuffle("lz4")],
    "bitshuffle zstd": [p.bitshuffle("zstd")],
    "bzip2": [p.bzip2(9)],
}


def fits(pipeline, kind):
    """Whether the filters are made for the type."""
    first = PIPELINES[pipeline][0][0] if PIPELINES[pipeline] else None
    if first in (p.SZIP, p.SCALEOFFSET) and kind == "record":
        return False
    if pipeline in ("scaleoffset", "scaleoffset bits"):
        return "float" not in kind
    return "float" in kind if pipeline == "scaleoffset digits" else True


CASES = [(f"{pipeline}, {kind}", pipeline, kind) for pipeline in PIPELINES for kind in TYPES if fits(pipeline, kind)]


@cache
def values(kind, seed, count):
    """Numbers that go up and down with some noise, as measurements do; the last tenth cannot be compressed."""
    rng = random.Random(f"{kind}{seed}")
    noisy = range(count - count // 10, count)
    if kind == "record":
        numbers = [(place // 7 % 3000, math.sin(place / 50) * rng.choice([1, 1.25, 1.5]), rng.randrange(4)) for place in range(count)]
        made = bytearray(b"".join(struct.pack("<hdB", *number) for number in numbers))
        made[noisy.start * 11:] = rng.randbytes(len(noisy) * 11)
        # No NaNs, which only differ in bits that say nothing.
        for place in noisy:
            made[place * 11 + 2:place * 11 + 10] = struct.pack("<d", rng.uniform(-1e6, 1e6))
        return bytes(made)
    if "float" in kind:
        numbers = [round(math.sin(place / 40) * 100, 3) + rng.choice([0, 0.001, 0.002]) for place in range(count)]
        numbers[noisy.start:] = [rng.uniform(-1e4, 1e4) for _ in noisy]
    else:
        numbers = [int(math.sin(place / 60) * 2000) + rng.randrange(8) for place in range(count)]
        numbers[noisy.start:] = [rng.randint(-32768, 32767) for _ in noisy]
    return b"".join(struct.pack(FORMATS[kind], number) for number in numbers)


def size_of(kind):
    return c.size_of(TYPES[kind])


# What `change` writes: pieces that cut chunks, cover some, and touch one at the edge; some again in other pieces.
CHANGES = [([0, 0], [64, 50]), ([10, 20], [70, 60]), ([149, 0], [1, 120]), ([3, 119], [140, 1]), ([70, 55], [2, 3]), ([64, 50], [64, 50])]


def changed(kind, data):
    """The content after `change`."""
    size = size_of(kind)
    data = bytearray(data)
    for number, (start, count) in enumerate(CHANGES):
        piece = values(kind, f"change {number}", count[0] * count[1])
        for row in range(count[0]):
            at = ((start[0] + row) * DIMS[1] + start[1]) * size
            data[at:at + count[1] * size] = piece[row * count[1] * size:(row + 1) * count[1] * size]
    return bytes(data)


def write(h5, file):
    for name, pipeline, kind in CASES:
        if not available(h5, PIPELINES[pipeline]):
            continue
        made, dcpl, space = c.build(h5, TYPES[kind]), h5.plist("DATASET_CREATE"), h5.space(DIMS)
        h5.H5Pset_chunk.must(dcpl, 2, CHUNK)
        add_filters(h5, dcpl, PIPELINES[pipeline])
        dset = h5.H5Dcreate2(file, name.encode(), made, space, 0, dcpl, 0)
        if dset >= 0:
            h5.H5Dwrite.must(dset, made, 0, 0, 0, values(kind, 0, COUNT))
            h5.H5Dclose.must(dset)
        for close, one in ((h5.H5Tclose, made), (h5.H5Sclose, space), (h5.H5Pclose, dcpl)):
            close(one)


def change(h5, file):
    for name, pipeline, kind in CASES:
        dset = h5.H5Dopen2(file, name.encode(), 0)
        if dset < 0 or not available(h5, PIPELINES[pipeline]) or (old(h5) and "scaleoffset" in pipeline):
            continue
        made = c.build(h5, TYPES[kind])
        for number, (start, count) in enumerate(CHANGES):
            space = h5.slab(DIMS, start, count)
            if h5.H5Dwrite(dset, made, h5.BLOCK, space, 0, values(kind, f"change {number}", count[0] * count[1])) < 0:
                raise H5Error(f"{name}, change {number}: {h5.errors()}")
            h5.H5Sclose(space)
        h5.H5Tclose(made)
        h5.H5Dclose.must(dset)


def old(h5):
    """Whether it is HDF5 1.14, which cannot read all chunks of its own scaleoffset filter."""
    version = [ctypes.c_uint() for _ in range(3)]
    h5.H5get_libversion.must(*map(ctypes.byref, version))
    return version[0].value < 2


def read(h5, file):
    found = {}
    for name, pipeline, kind in CASES:
        dset = h5.H5Dopen2(file, name.encode(), 0)
        if dset < 0 or not available(h5, PIPELINES[pipeline]):
            continue
        made = c.build(h5, TYPES[kind])
        buffer = ctypes.create_string_buffer(COUNT * size_of(kind))
        result = h5.H5Dread(dset, made, 0, 0, 0, buffer)
        found[name] = [hashlib.sha1(buffer.raw).hexdigest() if result >= 0 else h5.errors()[0], h5.H5Dget_storage_size(dset)]
        h5.H5Tclose(made)
        h5.H5Dclose.must(dset)
    return found


def right(changing):
    """The digests that datasets must have, of those whose filters lose nothing."""
    by_kind = {kind: values(kind, 0, COUNT) for kind in TYPES}
    if changing:
        by_kind = {kind: changed(kind, data) for kind, data in by_kind.items()}
    digests = {kind: hashlib.sha1(data).hexdigest() for kind, data in by_kind.items()}
    return {name: digests[kind] for name, pipeline, kind in CASES if pipeline not in LOSSY}


def main():
    host, action, way, name = sys.argv[1:]
    h5 = Library(host)
    settle(host, lzf=True)
    h5.H5Eset_auto2.must(0, None, None)
    fapl = getattr(h5, way)
    if action == "write":
        file = h5.create(name, fapl)
    else:
        file = h5.open(name, fapl, h5.RDWR if action == "change" else h5.RDONLY)
    answer = {"write": write, "change": change, "read": read}[action](h5, file)
    connector = h5.connector(file)
    h5.H5Fclose.must(file)
    print(json.dumps({"connector": connector, "found": answer}))


if __name__ == "__main__":
    main()
