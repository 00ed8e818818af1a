"""Virtual datasets with damaged bytes, natively and through the connector, each in a process of its own.

    virtual_damaged.py HOST FIRST_SEED SEEDS [growing]

A seed changes some bytes of the file with the virtual dataset; its checksums are made to fit again half of the time, so that HDF5 takes
the mappings for sound. The last line of output is JSON: how often native HDF5 gave values, failed or crashed, and the differences: values
that it does not give, or a crash where it does not crash. `growing`: the extent depends on the sources.
"""

import collections
import ctypes
import json
import random
import struct
import sys
import time
from pathlib import Path

from access_paths import ints, opened, simple, values
from children import run_child
from hdf5lib import Library
from virtual_cases import map_to, read_rows

ROWS = 4
# How a child ends after an exception.
NOT_OPENED = 7


def lookup3(data):
    """The checksum that HDF5 stores behind metadata (Bob Jenkins, lookup3, hashlittle)."""

    def rot(x, k):
        return ((x << k) | (x >> (32 - k))) & 0xFFFFFFFF

    a = b = c = (0xDEADBEEF + len(data)) & 0xFFFFFFFF
    if not data:
        return c
    padded = data + bytes(-len(data) % 12)
    words = list(struct.unpack(f"<{len(padded) // 4}I", padded))
    while len(words) > 3:
        a, b, c = (a + words[0]) & 0xFFFFFFFF, (b + words[1]) & 0xFFFFFFFF, (c + words[2]) & 0xFFFFFFFF
        del words[:3]
        a = ((a - c) & 0xFFFFFFFF) ^ rot(c, 4)
        c = (c + b) & 0xFFFFFFFF
        b = ((b - a) & 0xFFFFFFFF) ^ rot(a, 6)
        a = (a + c) & 0xFFFFFFFF
        c = ((c - b) & 0xFFFFFFFF) ^ rot(b, 8)
        b = (b + a) & 0xFFFFFFFF
        a = ((a - c) & 0xFFFFFFFF) ^ rot(c, 16)
        c = (c + b) & 0xFFFFFFFF
        b = ((b - a) & 0xFFFFFFFF) ^ rot(a, 19)
        a = (a + c) & 0xFFFFFFFF
        c = ((c - b) & 0xFFFFFFFF) ^ rot(b, 4)
        b = (b + a) & 0xFFFFFFFF
    a, b, c = (a + words[0]) & 0xFFFFFFFF, (b + words[1]) & 0xFFFFFFFF, (c + words[2]) & 0xFFFFFFFF
    c = ((c ^ b) - rot(b, 14)) & 0xFFFFFFFF
    a = ((a ^ c) - rot(c, 11)) & 0xFFFFFFFF
    b = ((b ^ a) - rot(a, 25)) & 0xFFFFFFFF
    c = ((c ^ b) - rot(b, 16)) & 0xFFFFFFFF
    a = ((a ^ c) - rot(c, 4)) & 0xFFFFFFFF
    b = ((b ^ a) - rot(a, 14)) & 0xFFFFFFFF
    return ((c ^ b) - rot(b, 24)) & 0xFFFFFFFF


def mappings_in(data):
    """Where the list of mappings is in a global heap: its beginning and where its checksum is."""
    heap = data.index(b"GCOL")
    size = struct.unpack_from("<Q", data, heap + 16 + 8)[0]
    begin = heap + 32
    return begin, begin + size - 4


def damage(rng, data):
    begin, end = mappings_in(data)
    assert lookup3(bytes(data[begin:end])) == struct.unpack_from("<I", data, end)[0], "the list is not where it should be"
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        place = rng.randrange(begin, end)
        data[place] = rng.choice([0, 1, 255, rng.randrange(256), data[place] ^ (1 << rng.randrange(8))])
    if rng.random() < 0.8:
        struct.pack_into("<I", data, end, lookup3(bytes(data[begin:end])))


def make_growing(h5):
    """Numbered sources side by side with one that can grow."""
    file = h5.create("g.h5")
    h5.make(file, "g", [ROWS, 50], ints(50 * ROWS, 9000), chunk=[2, 50], maxdims=[h5.UNLIMITED, 50])
    h5.H5Fclose.must(file)
    dcpl, endless = h5.plist("DATASET_CREATE"), h5.UNLIMITED
    virtual, source = h5.space([0, 150], [endless, 150]), h5.space([ROWS, 50], [endless, 50])
    h5.H5Sselect_hyperslab.must(virtual, h5.SET, [0, 0], [1, 1], [endless, 1], [1, 100])
    h5.H5Pset_virtual.must(dcpl, virtual, b"s%b.h5", b"d", h5.space([100]))
    h5.H5Sselect_hyperslab.must(virtual, h5.SET, [0, 100], [1, 1], [endless, 1], [1, 50])
    h5.H5Sselect_hyperslab.must(source, h5.SET, [0, 0], [1, 1], [endless, 1], [1, 50])
    h5.H5Pset_virtual.must(dcpl, virtual, b"g.h5", b"g", source)
    file = h5.create("v.h5")
    h5.make(file, "v", [0, 150], None, dcpl=dcpl, maxdims=[endless, 150])
    h5.H5Fclose.must(file)
    time.sleep(0.05)


def read_growing(h5, dset):
    """Some of what there is, now that the dataspace is asked for."""
    space, dims = h5.H5Dget_space.must(dset), (ctypes.c_uint64 * 2)()
    h5.H5Sget_simple_extent_dims.must(space, dims, None)
    count = [min(dims[0], ROWS), min(dims[1], 150)]
    if not all(count):
        return list(dims)
    h5.H5Sselect_hyperslab.must(space, h5.SET, [0, 0], None, count, None)
    return values(h5.read(dset, count[0] * count[1], memory=h5.space(count), file=space))


def read(host, way, is_growing):
    h5 = Library(host)
    with opened(h5, "v.h5", getattr(h5, way)) as file:
        dset = h5.H5Dopen2.must(file, b"v", 0)
        got = [read_growing(h5, dset) if is_growing else read_rows(h5, dset, ROWS) for _ in range(2)]
        h5.H5Dclose.must(dset)
    return got


def main():
    host, first, seeds, *growing = sys.argv[1:]

    def make():
        h5 = Library(host)
        for number in range(ROWS):
            simple(h5, f"s{number}.h5", first=1000 * number)
        make_growing(h5) if growing else map_to(h5, "v.h5", [(f"s{number}.h5", "d") for number in range(ROWS)])

    assert run_child(make)["ended"] == 0
    sound, outcomes, differences = Path("v.h5").read_bytes(), collections.Counter(), []
    for seed in range(int(first), int(first) + int(seeds)):
        data = bytearray(sound)
        damage(random.Random(seed), data)
        Path("v.h5").write_bytes(data)
        native, ours = (run_child(lambda way=way: read(host, way, growing), seconds=20) for way in ("native", "bypass"))
        if native["ended"] == 0:
            outcomes["values" if native["answer"] and None not in native["answer"] else "failed"] += 1
            known = native["answer"] or []
            allowed = ours["ended"] == 0 and all(mine is None or mine in known for mine in ours["answer"] or [])
        elif native["ended"] == NOT_OPENED:
            outcomes["not opened"] += 1
            allowed = ours["ended"] == NOT_OPENED
        else:
            # Native HDF5 crashes, or does not come to an end; so do we if we leave it to that.
            outcomes["crashed"] += 1
            allowed = True
        if not allowed:
            differences.append({"seed": seed, "native": native, "ours": ours})
    print(json.dumps({"outcomes": outcomes, "differences": differences}))


if __name__ == "__main__":
    main()
