"""Datasets whose B-tree of version 1 has other keys than it should, read natively and through the connector.

    damaged_index.py HOST

The last line of output is JSON: how many trees were tried, and those that were not read alike. A key is the chunk's size, its filter mask
and an offset in each dimension, of which the last, that of the bytes of an element, is 0.
"""

import json
import os
import struct
import sys

from hdf5lib import Library

# Extent, bytes of an element, chunk.
SHAPES = {
    "one": ([4], 4, [4]),
    "line": ([48], 4, [7]),
    "plane": ([24, 14], 2, [8, 7]),
    "box": ([6, 4, 10], 8, [3, 4, 5]),
}
TYPES = {2: "STD_I16LE", 4: "STD_I32LE", 8: "STD_I64LE"}


def make(h5, path, dims, size, chunk, is_filtered):
    dcpl = h5.plist("DATASET_CREATE")
    h5.H5Pset_obj_track_times.must(dcpl, 0)
    if is_filtered:
        h5.H5Pset_chunk.must(dcpl, len(chunk), chunk)
        h5.H5Pset_deflate.must(dcpl, 4)
    count = 1
    for extent in dims:
        count *= extent
    values = b"".join((number % 30011 + 1).to_bytes(size, "little") for number in range(count))
    file = h5.create(path)
    h5.make(file, "data", dims, values, type=TYPES[size], chunk=chunk, dcpl=dcpl)
    h5.H5Fclose.must(file)
    h5.H5Pclose(dcpl)
    return count


def keys(image, rank):
    """Where the keys of leaves are, with how many bytes, and which are the last of their leaf."""
    size, found, at = 8 + 8 * (rank + 1), [], image.find(b"TREE")
    while at >= 0:
        kind, level, used = image[at + 4], image[at + 5], struct.unpack_from("<H", image, at + 6)[0]
        if kind == 1 and level == 0:
            found += [(at + 24 + number * (size + 8), size, number == used) for number in range(used + 1)]
        at = image.find(b"TREE", at + 4)
    return found


def mutations(image, rank, chunk, size, is_filtered):
    """Pairs of a name and a file: offsets that are too large, too small, not of a chunk, and in the wrong order.

    Nothing that makes a chunk too short: some versions of HDF5 then read what they find behind it in memory.
    """
    units = [*chunk, size]
    for number, (at, length, _is_last) in enumerate(keys(image, rank)):
        for dim in range(rank + 1):
            place = at + 8 + 8 * dim
            before = struct.unpack_from("<Q", image, place)[0]
            steps = {"next": before + units[dim], "huge": 1 << 40, "inside": before + 1}
            if before:
                steps |= {"first": 0, "previous": before - units[dim]}
            for name, after in steps.items():
                changed = bytearray(image)
                struct.pack_into("<Q", changed, place, after)
                yield f"key {number}, dimension {dim}: {name}", changed
        for name, place, value in [("mask of no filter", at + 4, 2), *([("size", at, 3)] if is_filtered else [])]:
            changed = bytearray(image)
            struct.pack_into("<I", changed, place, value)
            yield f"key {number}: {name}", changed
    for number, ((one, length, _), (other, _, _)) in enumerate(zip(keys(image, rank), keys(image, rank)[1:])):
        changed = bytearray(image)
        changed[one:one + length], changed[other:other + length] = image[other:other + length], image[one:one + length]
        yield f"keys {number} and {number + 1} exchanged", changed


def read(h5, path, fapl, dims, size, chunk, count):
    """All of it at once, and a piece of each chunk."""
    file = h5.open(path, fapl)
    data = h5.H5Dopen2(file, b"data", 0)
    answers = []
    if data >= 0:
        answers.append(h5.read(data, count, type=TYPES[size], size=size))
        starts = [[]]
        for extent, step in zip(dims, chunk):
            starts = [start + [at] for start in starts for at in range(0, extent, step)]
        for start in starts[:40]:
            space, memory = h5.slab(dims, start, [1] * len(dims)), h5.space([1])
            answers.append(h5.read(data, 1, type=TYPES[size], size=size, memory=memory, file=space))
            h5.H5Sclose(space)
            h5.H5Sclose(memory)
        h5.H5Dclose(data)
    h5.H5Fclose(file)
    return answers


def main():
    h5 = Library(sys.argv[1])
    tried, different = 0, []
    for shape, (dims, size, chunk) in SHAPES.items():
        for is_filtered in (False, True):
            count = make(h5, "made.h5", dims, size, chunk, is_filtered)
            with open("made.h5", "rb") as file:
                image = file.read()
            for name, changed in [("as it was", image), *mutations(image, len(dims), chunk, size, is_filtered)]:
                # Another file each time: nobody may remember the one before.
                path = f"{tried}.h5"
                with open(path, "wb") as file:
                    file.write(changed)
                native, ours = (read(h5, path, fapl, dims, size, chunk, count) for fapl in (h5.native, h5.bypass))
                os.remove(path)
                tried += 1
                if native != ours:
                    which = [number for number, pair in enumerate(zip(native, ours)) if pair[0] != pair[1]]
                    kinds = [(native[number] is None, ours[number] is None) for number in which[:3]]
                    different.append([shape, is_filtered, name, which[:5], kinds])
    print(json.dumps({"tried": tried, "different": different}))


main()
