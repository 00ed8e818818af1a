"""Datasets beyond 2 and 4 GiB in a sparse file: windows read natively and through the connector, and one read of more than 2 GiB.

    reads_large.py HOST [single]

Almost all of the file is a hole. The last line of output is JSON.
"""

import ctypes
import json
import mmap
import os
import sys

from hdf5lib import Library

GIB = 1 << 30
SIZE = 5 * GIB
SINGLE = 2 * GIB + (40 << 20)
PLACES = [0, 2 * GIB - 5, 2 * GIB + 7, 4 * GIB - 3, 4 * GIB + 1, SIZE - 9]


def make(h5):
    file = h5.create("large.h5")
    early = h5.plist("DATASET_CREATE")
    h5.H5Pset_alloc_time.must(early, 1)
    h5.H5Pset_fill_time.must(early, 1)
    h5.make(file, "d", [SIZE], None, type="STD_U8LE", dcpl=early)
    dset = h5.H5Dopen2.must(file, b"d", 0)
    for number, place in enumerate(PLACES):
        h5.H5Dwrite.must(dset, h5.type("STD_U8LE"), h5.BLOCK, h5.slab([SIZE], [place], [8]), 0, bytes(range(number + 1, number + 9)))
    h5.H5Dclose.must(dset)
    # This one's chunks lie beyond the 5 GiB.
    h5.make(file, "after", [1000], bytes(i % 251 for i in range(1000)), type="STD_U8LE", chunk=[300])
    h5.H5Fclose.must(file)


def look(h5, fapl):
    file = h5.open("large.h5", fapl)
    dset = h5.H5Dopen2.must(file, b"d", 0)
    found = []
    for place in PLACES:
        start, count = max(0, place - 1000), min(SIZE - max(0, place - 1000), 3000)
        found.append(h5.read(dset, count, type="STD_U8LE", size=1, memory=h5.BLOCK, file=h5.slab([SIZE], [start], [count])).hex())
    # Every place in one strided selection over the whole 5 GiB, and points in no order.
    stride = GIB // 4 + 1
    found.append(h5.read(dset, 20, type="STD_U8LE", size=1, memory=h5.BLOCK, file=h5.slab([SIZE], [1], [19], [stride])).hex())
    space = h5.space([SIZE])
    points = [PLACES[4] + 1, PLACES[1], PLACES[5] + 8, 0, PLACES[4], PLACES[1]]
    h5.H5Sselect_elements.must(space, h5.SET, len(points), points)
    found.append(h5.read(dset, len(points), type="STD_U8LE", size=1, memory=h5.BLOCK, file=space).hex())
    h5.H5Dclose.must(dset)
    dset = h5.H5Dopen2.must(file, b"after", 0)
    found.append(h5.read(dset, 1000, type="STD_U8LE", size=1).hex())
    h5.H5Dclose.must(dset)
    connector = h5.connector(file)
    h5.H5Fclose.must(file)
    return found, connector


def single(h5):
    """One read of more than 2 GiB: how many bytes are not zero, and whether those are the right ones."""
    file = h5.open("large.h5", h5.bypass)
    dset = h5.H5Dopen2.must(file, b"d", 0)
    start = 2 * GIB - 50
    with mmap.mmap(-1, SINGLE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        target = (ctypes.c_char * SINGLE).from_buffer(memory)
        result = h5.H5Dread(dset, h5.type("STD_U8LE"), h5.BLOCK, h5.slab([SIZE], [start], [SINGLE]), 0, target)
        del target
        wanted = {}
        for number, place in enumerate(PLACES):
            for i in range(8):
                if start <= place + i < start + SINGLE:
                    wanted[place + i - start] = number + 1 + i
        right = all(memory[place] == byte for place, byte in wanted.items())
        zeros = sum(memory[offset : offset + (1 << 20)].count(0) for offset in range(0, SINGLE, 1 << 20))
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return [result, right, SINGLE - zeros == len(wanted), len(wanted)]


def main():
    h5 = Library(sys.argv[1])
    make(h5)
    native, served = look(h5, h5.native)
    assert served == "native"
    ours, served = look(h5, h5.bypass)
    answer = {"same": native == ours, "windows": len(ours), "served": served, "blocks": os.stat("large.h5").st_blocks * 512}
    answer["nothing but zeros"] = not any(any(bytes.fromhex(text)) for text in native)
    if "single" in sys.argv:
        answer["single"] = single(h5)
    os.unlink("large.h5")
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
