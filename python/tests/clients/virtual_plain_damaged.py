"""A source with damaged bytes in its metadata, natively and through the connector, each in a process of its own.

    virtual_plain_damaged.py HOST FIRST_SEED SEEDS old|new

A seed changes some bytes of the source in front of its elements. In files of the new form, the checksums are made to fit again most of the
time. The last line of output is JSON: how often native HDF5 gave values or failed, how often the connector opened the source without HDF5,
and the differences: values that native HDF5 does not give, or a crash where it does not crash.
"""

import collections
import json
import random
import struct
import sys
from pathlib import Path

from access_paths import opened
from children import run_child
from counted import summaries
from hdf5lib import Library
from virtual_cases import map_to, read_rows
from virtual_damaged import NOT_OPENED, lookup3
from virtual_plain import LATEST_OF_ALL, OLDEST, V18, bounds, make


def checksums(data):
    """Where pieces with a checksum begin, and where the checksum is, in a file of the new form as HDF5 has written it."""
    found = [(0, 44)]
    start = data.find(b"OHDR")
    while start >= 0:
        flags = data[start + 5]
        prefix = 6 + (16 if flags & 0x20 else 0) + (4 if flags & 0x10 else 0)
        size = 1 << (flags & 3)
        length = int.from_bytes(data[start + prefix : start + prefix + size], "little")
        found.append((start, start + prefix + size + length))
        start = data.find(b"OHDR", start + 1)
    return found


def damage(rng, data, end, sums):
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        place = rng.randrange(end)
        data[place] = rng.choice([0, 1, 255, rng.randrange(256), data[place] ^ (1 << rng.randrange(8))])
    if rng.random() < 0.8:
        for begin, place in sums:
            struct.pack_into("<I", data, place, lookup3(bytes(data[begin:place])))


def read(host, way):
    h5 = Library(host)
    with opened(h5, "v.h5", getattr(h5, way)) as file:
        dset = h5.H5Dopen2.must(file, b"v", 0)
        got = [read_rows(h5, dset, 1) for _ in range(2)]
        h5.H5Dclose.must(dset)
    return got


def main():
    host, first, seeds, form = sys.argv[1:]

    def write():
        h5 = Library(host)
        make(h5, "s.h5", 1000, name="group/d", others=2, fapl=bounds(h5, OLDEST if form == "old" else V18, LATEST_OF_ALL))
        map_to(h5, "v.h5", [("s.h5", "group/d")])

    assert run_child(write)["ended"] == 0
    sound, outcomes, differences = Path("s.h5").read_bytes(), collections.Counter(), []
    end, sums = sound.index(struct.pack("<3i", 1000, 1001, 1002)), [] if form == "old" else checksums(sound)
    for begin, place in sums:
        assert lookup3(sound[begin:place]) == struct.unpack_from("<I", sound, place)[0], "a checksum is not where it should be"
    for seed in range(int(first), int(first) + int(seeds)):
        data = bytearray(sound)
        damage(random.Random(seed), data, end, sums)
        Path("s.h5").write_bytes(data)
        native, ours = (run_child(lambda way=way: read(host, way), seconds=20) for way in ("native", "bypass"))
        outcomes["plain"] += sum(summary["plain_sources"] for summary in summaries(ours["stderr"]))
        if native["ended"] == 0:
            known = native["answer"] or []
            outcomes["values" if None not in known else "failed"] += 1
            allowed = ours["ended"] == 0 and all(mine is None or mine in known for mine in ours["answer"] or [])
        elif native["ended"] == NOT_OPENED:
            outcomes["not opened"] += 1
            allowed = ours["ended"] == NOT_OPENED
        else:
            outcomes["crashed"] += 1
            allowed = True
        if not allowed:
            differences.append({"seed": seed, "native": native, "ours": ours})
    print(json.dumps({"outcomes": outcomes, "differences": differences}))


if __name__ == "__main__":
    main()
