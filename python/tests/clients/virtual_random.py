"""Random virtual datasets, random reads of them, natively and through the connector: the whole buffer must be the same.

    virtual_random.py HOST FIRST_SEED SEEDS

Each seed makes files with source datasets of random shape, type and layout, and a file with virtual datasets: boxes, patterns and
irregular selections of sources in the same file, in other files, or nowhere; of sources that are virtual themselves; now and then
mappings that overlap. (Native HDF5 does not come to an end if a source is smaller than what is mapped.) They are read by random selections, as several types, into
buffers filled with a pattern. The last line of output is JSON: how many reads there were and how many failed, which kinds of
mappings there were, and the differences found.
"""

import ctypes
import math
import random
import shutil
from pathlib import Path

from random_selections import build_space, random_memory, random_selection, random_slab
from seeds import run_seeds

TYPES = {"STD_I32LE": 4, "STD_I16BE": 2, "STD_U8LE": 1, "IEEE_F64LE": 8, "IEEE_F32BE": 4}
GUARD = 64


def random_type(rng, usual="STD_I32LE"):
    return usual if rng.random() < 0.6 else rng.choice(list(TYPES))


class Sources:
    """The files with sources: made on demand, all closed when they are read."""

    PLACES = (".", ".", "own", "own", "own", "shared", "shared", "no file", "no dataset")

    def __init__(self, rng, h5, report):
        self.rng, self.h5, self.report, self.count = rng, h5, report, 0

    def make(self, where, name, dims):
        """A source of this shape: plain, chunked, filtered, or without storage."""
        rng, h5 = self.rng, self.h5
        kind = rng.choice(["contiguous", "contiguous", "chunked", "filtered", "filtered", "unwritten", "sparse"])
        self.report.coverage[kind] += 1
        dtype, dcpl = random_type(rng), h5.plist("DATASET_CREATE")
        if rng.random() < 0.3:
            h5.H5Pset_fill_value.must(dcpl, h5.type("STD_I32LE"), (ctypes.c_int * 1)(rng.randint(-9, 99)))
        if kind not in ("contiguous", "unwritten") and dims:
            h5.H5Pset_chunk.must(dcpl, len(dims), [rng.randint(1, size) for size in dims])
            if kind == "filtered":
                rng.random() < 0.5 and h5.H5Pset_shuffle.must(dcpl)
                h5.H5Pset_deflate.must(dcpl, rng.randint(1, 9))
        space = self.space(dims, kind)
        made = h5.H5Dcreate2.must(where, name.encode(), h5.type(dtype), space, 0, dcpl, 0)
        if kind != "unwritten":
            part = space
            if kind == "sparse" and dims:
                part = build_space(h5, dims, {"kind": "slabs", "slabs": [("SET", random_slab(rng, dims))]})
            # Small numbers, which all types have.
            values = bytes(rng.randrange(100) for _ in range(math.prod(dims)))
            h5.H5Dwrite.must(made, h5.type("STD_U8LE"), part, part, 0, values)
        h5.H5Dclose.must(made)
        h5.H5Pclose(dcpl)

    def space(self, dims, _kind):
        return self.h5.space(dims)

    def new(self, file, dims):
        """Names of a new source: in this file, in another one, or nowhere."""
        rng, h5 = self.rng, self.h5
        self.count += 1
        name = f"s{self.count}"
        where = rng.choice(self.PLACES)
        self.report.coverage[where] += 1
        if where == "no file":
            return b"nowhere.h5", name.encode()
        if where == ".":
            self.make(file, name, dims)
            return b".", name.encode()
        path = "shared.h5" if where in ("shared", "no dataset") else f"{name}.h5"
        other = h5.open(path, h5.native, h5.RDWR) if Path(path).exists() else h5.create(path)
        if where != "no dataset":
            self.make(other, name, dims)
        h5.H5Fclose.must(other)
        return path.encode(), name.encode()


def count_of(h5, dims, selection):
    space = build_space(h5, dims, selection)
    count = h5.H5Sget_select_npoints(space)
    h5.H5Sclose(space)
    return count


def mapped(rng, dims):
    """What a mapping maps: usually a box."""
    kind = rng.choice(["box"] * 5 + ["slab", "slab", "slabs", "all"])
    if kind == "all":
        return kind, {"kind": "all"}
    if kind == "box":
        start = [rng.randrange(size) for size in dims]
        block = [rng.randint(1, size - first) for size, first in zip(dims, start)]
        return kind, {"kind": "slabs", "slabs": [("SET", [start, [1] * len(dims), [1] * len(dims), block])]}
    slabs = [("SET", random_slab(rng, dims))]
    if kind == "slabs":
        slabs += [("OR", random_slab(rng, dims)) for _ in range(rng.randint(1, 2))]
    return kind, {"kind": "slabs", "slabs": slabs}


def divided(rng, dims):
    """Boxes side by side along one or two dimensions, some of them left out."""
    boxes = [([0] * len(dims), list(dims))]
    for axis in rng.sample(range(len(dims)), rng.randint(1, min(2, len(dims)))):
        step = rng.randint(1, max(1, dims[axis] // 2))
        pieces = []
        for start, size in boxes:
            for first in range(0, size[axis], step):
                begin, block = list(start), list(size)
                begin[axis], block[axis] = start[axis] + first, min(step, size[axis] - first)
                pieces.append((begin, block))
        boxes = pieces
    ones = [1] * len(dims)
    kept = [box for box in boxes if rng.random() < 0.9][:60]
    return [("divided", {"kind": "slabs", "slabs": [("SET", [start, ones, ones, block])]}) for start, block in kept]


def make_virtual(rng, h5, file, name, dims, sources, report):
    dcpl, dtype = h5.plist("DATASET_CREATE"), random_type(rng)
    fill = rng.random()
    if fill < 0.5:
        h5.H5Pset_fill_value.must(dcpl, h5.type("STD_I32LE"), (ctypes.c_int * 1)(rng.randint(-99, 99)))
    elif fill < 0.6:
        h5.H5Pset_fill_value.must(dcpl, h5.type(dtype), None)
    fill > 0.8 and h5.H5Pset_fill_time.must(dcpl, 1)
    pieces = divided(rng, dims) if rng.random() < 0.6 else [mapped(rng, dims) for _ in range(rng.choice([0, 1, 1, 2, 4]))]
    for kind, what in pieces:
        report.coverage[f"mapped {kind}"] += 1
        extent, selection = random_memory(rng, count_of(h5, dims, what), dims, {"kind": "ALL"})
        if selection["kind"] not in ("slabs", "all"):
            extent, selection = [count_of(h5, dims, what)], {"kind": "all"}
        names = sources.new(file, extent)
        if rng.random() < 0.1 and math.prod(extent) < 3000 and not name.startswith("nested"):
            # A virtual one in the place of the source, which has something else.
            report.coverage["nested"] += 1
            nested = f"nested{sources.count}"
            make_virtual(rng, h5, file, nested, extent, sources, report)
            names = b".", nested.encode()
        spaces = build_space(h5, dims, what), build_space(h5, extent, selection)
        h5.H5Pset_virtual.must(dcpl, spaces[0], names[0], names[1], spaces[1])
    space = h5.space(dims)
    h5.H5Dclose.must(h5.H5Dcreate2.must(file, name.encode(), h5.type(dtype), space, 0, dcpl, 0))


def do_read(h5, dset, dims, read):
    extent, selection = read["memory"]
    pattern = random.Random(read["pattern"])
    buffer = bytearray(pattern.randbytes(2 * GUARD + math.prod(extent) * TYPES[read["type"]]))
    target = (ctypes.c_char * len(buffer)).from_buffer(buffer)
    memory, file = build_space(h5, extent, selection), build_space(h5, dims, read["file"])
    result = h5.H5Dread(dset, h5.type(read["type"]), memory, file, 0, ctypes.byref(target, GUARD))
    h5.errors()
    for space in (memory, file):
        space > 1 and h5.H5Sclose(space)
    del target
    return result, bytes(buffer).hex() if result >= 0 else ""


def random_read(rng, h5, dims):
    selection = random_selection(rng, dims, allow_points=rng.random() < 0.3)
    if selection["kind"] == "points":
        # In order, and none twice: with others native HDF5 reads something else, or crashes.
        points = sorted({tuple(point) for point in selection["points"]})
        selection = {"kind": "points", "points": [list(point) for point in points]}
    number = math.prod(dims) if selection["kind"] == "ALL" else count_of(h5, dims, selection)
    return {
        "file": selection,
        "memory": random_memory(rng, number, dims, selection),
        "type": random_type(rng),
        "pattern": rng.randrange(2**32),
    }


def one_seed(h5, seed, report):
    rng = random.Random(seed)
    for path in Path().iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    latest = h5.fapl()
    next(bound for bound in (6, 5, 4) if h5.H5Pset_libver_bounds(latest, bound, bound) >= 0)
    file = h5.create("v.h5", rng.choice([h5.native, latest]))
    sources, datasets = Sources(rng, h5, report), []
    for number in range(rng.randint(1, 3)):
        dims = [rng.choice([1, 5, 12, 30, 40]) for _ in range(rng.choice([1, 2, 2, 2, 3]))]
        make_virtual(rng, h5, file, f"v{number}", dims, sources, report)
        datasets.append((f"v{number}", dims, [random_read(rng, h5, dims) for _ in range(8)]))
    h5.H5Fclose.must(file)
    answers = {}
    for way in ("native", "bypass"):
        file = h5.open("v.h5", getattr(h5, way))
        for name, dims, reads in datasets:
            dset = h5.H5Dopen2.must(file, name.encode(), 0)
            for number, read in enumerate(reads):
                answers[way, name, number] = do_read(h5, dset, dims, read)
            h5.H5Dclose.must(dset)
        h5.H5Fclose.must(file)
    for name, dims, reads in datasets:
        for number, read in enumerate(reads):
            native, ours = answers["native", name, number], answers["bypass", name, number]
            report.reads += 1
            report.failed += native[0] < 0
            if ours != native:
                report.differences.append({"seed": seed, "dataset": name, "dims": dims, "number": number, "read": read, "results": [native[0], ours[0]]})


if __name__ == "__main__":
    run_seeds(one_seed)
