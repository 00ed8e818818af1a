"""Virtual datasets with damaged bytes, natively and through the connector, each in a process of its own.

    virtual_damaged.py HOST FIRST_SEED SEEDS

A seed changes some bytes of the file with the virtual dataset; its checksums are made to fit again half of the time, so that HDF5 takes
the mappings for sound. The last line of output is JSON: how often native HDF5 gave values, failed or crashed, and the differences: values
that it does not give, or a crash where it does not crash.
"""

import collections
import json
import random
import struct
import sys
from pathlib import Path

from access_paths import opened, simple
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


def read(host, way):
    h5 = Library(host)
    with opened(h5, "v.h5", getattr(h5, way)) as file:
        dset = h5.H5Dopen2.must(file, b"v", 0)
        got = [read_rows(h5, dset, ROWS) for _ in range(2)]
        h5.H5Dclose.must(dset)
    return got


def main():
    host, first, seeds = sys.argv[1:]

    def make():
        h5 = Library(host)
        for number in range(ROWS):
            simple(h5, f"s{number}.h5", first=1000 * number)
        map_to(h5, "v.h5", [(f"s{number}.h5", "d") for number in range(ROWS)])

    assert run_child(make)["ended"] == 0
    sound, outcomes, differences = Path("v.h5").read_bytes(), collections.Counter(), []
    for seed in range(int(first), int(first) + int(seeds)):
        data = bytearray(sound)
        damage(random.Random(seed), data)
        Path("v.h5").write_bytes(data)
        native, ours = (run_child(lambda way=way: read(host, way), seconds=5) for way in ("native", "bypass"))
        if native["ended"] == 0:
            outcomes["values" if native["answer"] and None not in native["answer"] else "failed"] += 1
            values = native["answer"] or []
            allowed = ours["ended"] == 0 and all(mine is None or mine in values for mine in ours["answer"] or [])
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
