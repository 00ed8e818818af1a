"""Random datasets, random reads, natively and through the connector: the whole buffer must be the same.

    reads_random.py HOST FIRST_SEED SEEDS [explain]

Each seed makes one file natively, with a few datasets of random shape, layout, type, fill value and history, then reads them by
random selections into buffers filled with a pattern, with guards. The last line of output is JSON: how many reads there were, how
many of them the connector is expected to have counted as bypassed or passed on for which reason, and the differences found.

`explain` makes every read through the connector in a process of its own and lists those whose counters are not the expected ones.
"""

import collections
import ctypes
import json
import math
import os
import random
import sys
from pathlib import Path

from counted import codes, summaries
from hdf5lib import H5Error, Library

GUARD = 64
REASONS = {
    "transform": "data-transform",
    "nothing": "nothing-selected",
    "fill": "no-fill-value",
    "selection": "selection",
    "repeated": "memory-place-twice",
    "reference": "reference",
}
# Bypassed if all chunks that are touched exist, else passed on for want of a fill value.
EITHER = "either"
INDEXES = ["v1 B-tree", "single chunk", "implicit", "fixed array", "extensible array", "v2 B-tree"]


# ---- datatypes ---------------------------------------------------------------------------------------------------------------


def is_converted(stored):
    """Whether a stored type is one whose conversion to the numbers of `random_read` is ours on every host."""
    return stored[0] == "std" and not stored[1].startswith(("STD_B", "IEEE_F16"))


def random_type(rng, h5, depth=0):
    """A description: a tuple that `build_type` understands."""
    kinds = ["int"] * 6 + ["float"] * 3 + ["precision", "bitfield", "enum", "string", "opaque", "compound", "array"]
    kinds += ["reference", "complex"] if depth == 0 else []
    kind = rng.choice(kinds)
    order = rng.choice(["LE", "BE"])
    if kind == "int":
        return ("std", f"STD_{rng.choice('IU')}{rng.choice([8, 16, 32, 64])}{order}")
    if kind == "float":
        sizes = [16, 32, 64] if h5.has("H5T_IEEE_F16LE_g") else [32, 64]
        return ("std", f"IEEE_F{rng.choice(sizes)}{order}")
    if kind == "bitfield":
        return ("std", f"STD_B{rng.choice([8, 16, 32, 64])}{order}")
    if kind == "precision":
        bits = rng.choice([16, 32, 64])
        precision = rng.randint(bits // 2 + 1, bits - 1)
        return ("precision", f"STD_{rng.choice('IU')}{bits}{order}", precision, rng.randint(0, bits - precision))
    if kind == "string":
        return ("string", rng.choice([1, 2, 3, 7, 16, 33]), rng.randint(0, 2))
    if kind == "opaque":
        return ("opaque", rng.choice([1, 3, 5, 24, 100, 1500] if depth == 0 else [1, 3, 5]))
    if kind == "enum":
        return ("enum", f"STD_I{rng.choice([8, 16, 32])}{order}")
    if kind == "array":
        return ("array", random_type(rng, h5, depth + 1), tuple(rng.randint(1, 3) for _ in range(rng.randint(1, 3))))
    if kind == "compound":
        members = tuple((rng.randint(0, 3), random_type(rng, h5, depth + 1)) for _ in range(rng.randint(1, 4)))
        return ("compound", members, rng.randint(0, 5))
    if kind == "reference":
        return ("std", rng.choice(["STD_REF_OBJ", "STD_REF_DSETREG"]))
    if h5.has("H5Tcomplex_create"):
        return ("complex", rng.choice(["IEEE_F32LE", "IEEE_F64BE"]))
    return ("std", "STD_I32LE")


def build_type(h5, spec):
    """The datatype of a description; the caller closes it."""
    kind = spec[0]
    if kind == "std":
        return h5.H5Tcopy.must(h5.type(spec[1]))
    if kind == "precision":
        made = h5.H5Tcopy.must(h5.type(spec[1]))
        h5.H5Tset_precision.must(made, spec[2])
        h5.H5Tset_offset.must(made, spec[3])
        return made
    if kind == "string":
        made = h5.H5Tcopy.must(h5.type("C_S1"))
        h5.H5Tset_size.must(made, spec[1])
        h5.H5Tset_strpad.must(made, spec[2])
        return made
    if kind == "opaque":
        made = h5.H5Tcreate.must(5, spec[1])
        h5.H5Tset_tag.must(made, b"tag")
        return made
    if kind == "complex":
        return h5.H5Tcomplex_create.must(h5.type(spec[1]))
    if kind == "enum":
        made = h5.H5Tenum_create.must(h5.type(spec[1]))
        for number, name in enumerate((b"ZERO", b"ONE", b"TWO")):
            # Whatever it means in the base type's byte order: only to be different.
            h5.H5Tenum_insert.must(made, name, ctypes.create_string_buffer(bytes([number] * 8)))
        return made
    if kind == "array":
        base = build_type(h5, spec[1])
        made = h5.H5Tarray_create2.must(base, len(spec[2]), list(spec[2]))
        h5.H5Tclose(base)
        return made
    members = [(gap, build_type(h5, member)) for gap, member in spec[1]]
    made = h5.H5Tcreate.must(6, sum(gap + h5.H5Tget_size(member) for gap, member in members) + spec[2])
    offset = 0
    for number, (gap, member) in enumerate(members):
        offset += gap
        h5.H5Tinsert.must(made, b"m%d" % number, offset, member)
        offset += h5.H5Tget_size(member)
        h5.H5Tclose(member)
    return made


# ---- selections --------------------------------------------------------------------------------------------------------------


def random_slab(rng, dims):
    """start, stride, count, block inside `dims`, none of which is zero."""
    start, stride, count, block = [], [], [], []
    for size in dims:
        b = rng.choice([1, 1, 2, 3, size])
        b = min(b, size)
        s = b + rng.choice([0, 0, 1, 2, 5])
        first = rng.randrange(size - b + 1)
        most = (size - first - b) // s + 1
        start.append(first)
        stride.append(s)
        block.append(b)
        count.append(rng.choice([most, most, rng.randint(1, most)]))
    return [start, stride, count, block]


def random_selection(rng, dims, allow_points=True):
    """What to select of an extent: a dictionary."""
    if len(dims) == 0 or 0 in dims:
        return {"kind": rng.choice(["ALL", "all", "none"])}
    kind = rng.choice(["ALL", "all", "none"] + ["slab"] * 8 + ["slabs"] * 4 + ["points"] * 4)
    if kind in ("ALL", "all", "none"):
        return {"kind": kind}
    if kind == "points" and allow_points:
        # Sometimes along a line, so that neighbours can be joined; sometimes with repeats.
        many = rng.choice([1, 2, 5, 30, 150])
        points = [[rng.randrange(size) for size in dims] for _ in range(many)]
        if rng.random() < 0.3:
            points = [[*points[0][:-1], place] for place in range(min(dims[-1], 40))]
            rng.random() < 0.3 and points.reverse()
        selection = {"kind": "points", "points": points}
    elif kind == "slabs":
        parts = [("SET", random_slab(rng, dims))]
        for _ in range(rng.randint(1, 4)):
            parts.append((rng.choice(["OR", "OR", "XOR", "AND", "NOTB", "NOTA"]), random_slab(rng, dims)))
        if math.prod(dims) > 20_000:
            # Native HDF5 takes seconds for many blocks of an irregular selection.
            for _, slab in parts:
                slab[2] = [min(count, 40) for count in slab[2]]
        selection = {"kind": "slabs", "slabs": parts}
    else:
        selection = {"kind": "slabs", "slabs": [("SET", random_slab(rng, dims))]}
    if rng.random() < 0.2:
        shift_back(rng, selection, dims)
    return selection


def shift_back(rng, selection, dims):
    """Moves the selection and sets the opposite offset, so that it stays where it was, or rarely does not."""
    shift = [rng.randint(-3, 3) for _ in dims]
    if selection["kind"] == "points":
        places = selection["points"]
    else:
        places = [slab[0] for _, slab in selection["slabs"]]
    for axis, size in enumerate(dims):
        low = min(place[axis] for place in places)
        high = max(place[axis] for place in places)
        shift[axis] = min(shift[axis], low)
        if selection["kind"] == "points":
            shift[axis] = max(shift[axis], high - size + 1)
        for place in places:
            place[axis] -= shift[axis]
    if rng.random() < 0.1:
        shift[rng.randrange(len(dims))] += rng.choice([1, 2, 7, -1, -2])
    selection["shift"] = shift


def build_space(h5, dims, selection):
    """The dataspace with the selection, or H5S_ALL / H5S_BLOCK themselves."""
    kind = selection["kind"]
    if kind == "ALL":
        return h5.ALL
    if kind == "BLOCK":
        return h5.BLOCK
    space = h5.space(dims)
    if kind == "none":
        h5.H5Sselect_none.must(space)
    elif kind == "points":
        points = selection["points"]
        h5.H5Sselect_elements.must(space, h5.SET, len(points), [place for point in points for place in point])
    elif kind == "slabs":
        for operation, (start, stride, count, block) in selection["slabs"]:
            h5.H5Sselect_hyperslab.must(space, getattr(h5, operation), start, stride, count, block)
    if "shift" in selection:
        h5.H5Soffset_simple.must(space, selection["shift"])
    return space


def split(rng, number, parts):
    """A number as a product of so many."""
    factors = [1] * parts
    rest, prime = number, 2
    while rest > 1:
        if prime * prime > rest:
            prime = rest
        if rest % prime:
            prime += 1
            continue
        factors[rng.randrange(parts)] *= prime
        rest //= prime
    return factors


def random_memory(rng, number, dims, selection):
    """Extent and selection of the memory for `number` elements."""
    ways = ["BLOCK", "line", "line", "strided", "shaped", "shaped", "ragged", "same"]
    if number <= 300:
        ways += ["points", "repeated"] if rng.random() < 0.5 else []
    if selection["kind"] in ("ALL", "all"):
        ways += ["ALL", "ALL"]
    elif number:
        ways += ["ALL"]
    if number == 0:
        ways = ["line", "none", "BLOCK"]
    way = rng.choice(ways)
    if way == "ALL":
        return list(dims), {"kind": "ALL"}
    if way == "BLOCK":
        return [number], {"kind": "BLOCK"}
    if way == "none":
        return [5, 2], {"kind": "none"}
    if way == "same" and selection["kind"] != "ALL":
        return list(dims), selection
    if way == "strided":
        stride, start = rng.randint(1, 9), rng.randint(0, 5)
        extent = [start + number * stride + rng.randint(0, 3)]
        return extent, {"kind": "slabs", "slabs": [("SET", [[start], [stride], [number], [1]])]}
    if way == "shaped":
        extent, start, strides, counts, blocks = [], [], [], [], []
        for factor in split(rng, number, rng.randint(1, 5)):
            divisors = [d for d in range(1, min(factor, 50) + 1) if factor % d == 0]
            block = rng.choice([*divisors, factor])
            stride = block + rng.choice([0, 0, 1, 3])
            first = rng.choice([0, 0, 2])
            start.append(first)
            strides.append(stride)
            counts.append(factor // block)
            blocks.append(block)
            extent.append(first + stride * (factor // block) + rng.choice([0, 0, 1]))
        if math.prod(extent) < 40 * number + 1000:
            return extent, {"kind": "slabs", "slabs": [("SET", [start, strides, counts, blocks])]}
    if way == "ragged":
        # Runs of any length with gaps between, in rows of a matrix.
        width = rng.randint(max(2, number // 12), max(3, number // 3))
        row, column, left, slabs = 0, 0, number, []
        while left:
            column += rng.choice([0, 1, 2])
            if column >= width:
                row, column = row + 1, 0
            run = min(left, width - column, rng.choice([width, rng.randint(1, width)]))
            slabs.append(("OR" if slabs else "SET", [[row, column], [1, 1], [1, 1], [1, run]]))
            left -= run
            column += run
        return [row + 1 + rng.randint(0, 1), width], {"kind": "slabs", "slabs": slabs}
    if way in ("points", "repeated"):
        extent = [rng.randint(1, 4), number * 2 + 3]
        places = [(i, j) for i in range(extent[0]) for j in range(extent[1])]
        chosen = rng.sample(places, number)
        if way == "repeated":
            chosen = [rng.choice(chosen) for _ in range(number)]
        return extent, {"kind": "points", "points": [list(place) for place in chosen]}
    return [number], {"kind": "all"}


def repeats(selection):
    points = [tuple(point) for point in selection.get("points", [])]
    return len(points) != len(set(points))


# ---- datasets ----------------------------------------------------------------------------------------------------------------


def random_dataset(rng, h5):
    rank = rng.choice([0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4, 5, 6])
    budget = 300_000 if rng.random() < 0.04 else 3000
    dims = []
    for _ in range(rank):
        most = max(1, int((budget / math.prod(dims)) ** (1 / max(1, rank - len(dims))) * rng.uniform(0.5, 2)) if 0 not in dims else 3)
        dims.append(0 if rng.random() < 0.02 else rng.choice([1, rng.randint(1, most), most]))
    layout = rng.choice(["contiguous", "chunked", "chunked", "chunked", "external"])
    if rank == 0:
        layout = rng.choice(["contiguous", "contiguous", "external"])
    data = {"dims": dims, "layout": layout, "type": random_type(rng, h5)}
    if rank == 0 and rng.random() < 0.1:
        data["dims"], data["layout"] = None, "contiguous"
    if budget > 3000:
        data["type"] = ("std", "STD_I32LE")
    maxdims = list(dims)
    if layout == "chunked":
        unlimited = rng.choice([0, 0, 1, 1, 2, 6])
        for axis in rng.sample(range(rank), min(unlimited, rank)):
            maxdims[axis] = h5.UNLIMITED
        if rng.random() < 0.2:
            axis = rng.randrange(rank)
            maxdims[axis] = maxdims[axis] if maxdims[axis] == h5.UNLIMITED else maxdims[axis] + rng.randint(1, 9)
        chunk = []
        for size, most in zip(dims, maxdims):
            wanted = rng.choice([size, rng.randint(1, max(size, 1)), max(1, size // 3), size + 3])
            chunk.append(max(1, wanted if most == h5.UNLIMITED else min(wanted, max(most, 1))))
        while math.prod(-(-size // c) for size, c in zip(dims, chunk)) > 900:
            axis = max(range(rank), key=lambda axis: dims[axis] / chunk[axis])
            chunk[axis] = min(chunk[axis] * 3, max(dims[axis], 1))
        if rng.random() < 0.15 and h5.UNLIMITED not in maxdims:
            chunk, maxdims = [max(size, 1) for size in dims], list(dims)
        data["chunk"] = chunk
    data["maxdims"] = maxdims
    data["fill"] = rng.choice(["default", "default", "set", "set", "undefined"])
    data["fill time"] = rng.choice([0, 1, 2, 2])
    data["alloc time"] = rng.choice([0, 0, 1, 2, 3])
    data["history"] = []
    now = list(dims)
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        data["history"].append(("write", rng.choice(["whole", "part", "spot", "spot"])))
        if layout == "chunked" and maxdims != dims and rng.random() < 0.5:
            now = [
                size if most == size else max(0, min(size + rng.randint(-4, 6), 10**9 if most == h5.UNLIMITED else most))
                for size, most in zip(now, maxdims)
            ]
            data["history"].append(("extent", list(now)))
    return data


def write_external(rng, h5, data, size, dcpl, folder, name):
    """Segments of raw files with random content, some too short, some absent."""
    need = math.prod(data["dims"]) * size
    segments, left = [], need
    prefix = rng.choice([None, None, "property", "origin", "dot"])
    # The environment is asked first; HDF5 reads it once, when the library starts.
    environment = os.environ.get("HDF5_EXTFILE_PREFIX")
    place = Path(environment) if environment else folder / "raw" if prefix in ("property", "origin") else Path(".")
    place.mkdir(exist_ok=True)
    while left > 0 or not segments:
        length = min(left, rng.randint(1, max(1, need))) if len(segments) < 4 else left
        if left - length == 0 and rng.random() < 0.3:
            length += rng.randint(0, 50)
        length = max(length, 1)
        offset = rng.choice([0, 0, 3, 1000])
        file = f"{name}.{len(segments)}"
        kept = rng.choice([offset + length] * 3 + [rng.randint(0, offset + length), offset + length + 9])
        (place / file).write_bytes(rng.randbytes(kept))
        given = str((place / file).absolute()) if rng.random() < 0.2 else file
        segments.append((given, offset, length))
        left -= min(length, left)
    if rng.random() < 0.03:
        (place / file).unlink()
        data["absent"] = True
    for given, offset, length in segments:
        h5.H5Pset_external.must(dcpl, given.encode(), offset, length)
    data["segments"], data["prefix"] = segments, prefix


def make_dataset(rng, h5, file, name, data, folder):
    """Writes it natively; raises H5Error where HDF5 does not allow the combination."""
    made = build_type(h5, data["type"])
    size = data["size"] = h5.H5Tget_size(made)
    dcpl = h5.plist("DATASET_CREATE")
    try:
        if data["layout"] == "external":
            write_external(rng, h5, data, size, dcpl, folder, name)
        if data["layout"] == "chunked":
            h5.H5Pset_chunk.must(dcpl, len(data["chunk"]), data["chunk"])
        if data["fill"] == "undefined":
            h5.H5Pset_fill_value.must(dcpl, made, None)
        elif data["fill"] == "set":
            h5.H5Pset_fill_value.must(dcpl, made, rng.randbytes(size))
        h5.H5Pset_fill_time.must(dcpl, data["fill time"])
        if data["alloc time"]:
            h5.H5Pset_alloc_time.must(dcpl, data["alloc time"])
        space = h5.space(data["dims"], data["maxdims"] if data["dims"] else None)
        dset = h5.H5Dcreate2(file, name.encode(), made, space, 0, dcpl, 0)
        h5.H5Sclose(space)
        if dset < 0:
            raise H5Error(h5.errors())
        history = data["history"] if data["layout"] != "external" and data["dims"] is not None else []
        for action, what in history:
            if action == "extent":
                h5.H5Dset_extent.must(dset, what)
                data["dims"] = what
                continue
            dims = data["dims"]
            whole = what == "whole" or 0 in dims or not dims
            slab = None if whole else random_slab(rng, dims)
            if what == "spot" and not whole:
                # One block only: most chunks stay unwritten.
                slab[2] = [1] * len(dims)
            selection = {"kind": "ALL"} if whole else {"kind": "slabs", "slabs": [("SET", slab)]}
            space = build_space(h5, dims, selection)
            number = math.prod(dims) if space == h5.ALL else h5.H5Sget_select_npoints(space)
            h5.H5Dwrite.must(dset, made, h5.ALL if space == h5.ALL else h5.BLOCK, space, 0, rng.randbytes(max(number * size, 1)))
            space and h5.H5Sclose(space)
        h5.H5Dclose.must(dset)
    finally:
        h5.H5Pclose(dcpl)
        h5.H5Tclose(made)


def random_read(rng, h5, data):
    """A read of the dataset: all that is needed to do it twice."""
    dims = data["dims"]
    if dims is None:
        return {"file": {"kind": "ALL"}, "number": 0, "memory": ([], {"kind": "ALL"}), "type": None, "pattern": rng.randrange(2**32)}
    selection = random_selection(rng, dims)
    space = build_space(h5, dims, selection)
    number = h5.H5Sget_select_npoints(space) if space != h5.ALL else math.prod(dims)
    valid = space == h5.ALL or h5.H5Sselect_valid(space) > 0
    if "shift" in selection and selection["kind"] == "points":
        # H5Sselect_valid lets points one past the end through.
        places = [[place + by for place, by in zip(point, selection["shift"])] for point in selection["points"]]
        valid = all(0 <= place < size for point in places for place, size in zip(point, dims))
    space and h5.H5Sclose(space)
    room = number + (rng.random() < 0.01)
    memory = random_memory(rng, room, dims, selection)
    # H5S_ALL and H5S_BLOCK take as many as the file's selection has.
    valid = valid and (room == number or memory[1]["kind"] in ("ALL", "BLOCK") or memory[1] is selection)
    read = {"file": selection, "valid": valid, "number": number, "memory": memory, "type": None, "pattern": rng.randrange(2**32)}
    if data["type"][0] in ("std", "precision") and rng.random() < 0.06 and "REF" not in data["type"][1] and "_B" not in data["type"][1]:
        read["type"] = rng.choice(["STD_I16BE", "IEEE_F64LE", "STD_U8LE"])
    if data["type"][0] == "std" and "IEEE" in data["type"][1] and "F16" not in data["type"][1] and rng.random() < 0.05:
        read["transform"] = True
    return read


def do_read(h5, dset, data, read):
    """One H5Dread: its result and the whole buffer with the guards."""
    hid = h5.H5Tcopy.must(h5.type(read["type"])) if read["type"] else build_type(h5, data["type"])
    size = h5.H5Tget_size(hid)
    extent, selection = read["memory"]
    pattern = random.Random(read["pattern"])
    lead = GUARD + pattern.randrange(9)
    buffer = bytearray(pattern.randbytes(lead + math.prod(extent) * size + GUARD))
    target = (ctypes.c_char * len(buffer)).from_buffer(buffer)
    memory, file = build_space(h5, extent, selection), build_space(h5, data["dims"], read["file"])
    dxpl = 0
    if read.get("transform"):
        dxpl = h5.plist("DATASET_XFER")
        h5.H5Pset_data_transform.must(dxpl, b"2*x")
    result = h5.H5Dread(dset, hid, memory, file, dxpl, ctypes.byref(target, lead))
    errors = h5.errors() if result < 0 else None
    for space in (memory, file):
        if space > 1:
            h5.H5Sclose(space)
    dxpl and h5.H5Pclose(dxpl)
    h5.H5Tclose(hid)
    del target
    return result, bytes(buffer) if result >= 0 else b"", errors


def expectation(data, read, allocated):
    """What the connector should count for the read: None is a bypassed one, EITHER one that may be."""
    if read.get("transform"):
        return REASONS["transform"]
    if data["short addresses"] and "REF" in str(data["type"]):
        # Stored with as many bytes as the file's addresses have.
        return REASONS["reference"]
    if data["dims"] is None:
        return REASONS["nothing"]
    if data.get("absent"):
        # The file is looked for when everything else is settled.
        return EITHER
    if read["type"] and read["type"] != data["type"][1] and not is_converted(data["type"]):
        return EITHER
    if read["number"] == 0:
        return REASONS["nothing"]
    if not read["valid"]:
        return REASONS["selection"]
    extent, selection = read["memory"]
    if selection["kind"] == "ALL":
        if repeats(read["file"]):
            return REASONS["repeated"]
    elif repeats(selection):
        return REASONS["repeated"]
    if data["fill"] == "undefined" and data["fill time"] != 1:
        if data["layout"] == "contiguous" and not allocated:
            return REASONS["fill"]
        if data["layout"] == "chunked":
            return EITHER
    return None


# ---- one seed ----------------------------------------------------------------------------------------------------------------


class Report:
    def __init__(self):
        self.reads = self.failed = self.multi = 0
        self.expected = collections.Counter()
        self.coverage = collections.Counter()
        self.differences = []


def open_dataset(h5, file, name, data, folder):
    prefix = data.get("prefix")
    dapl = 0
    if prefix in ("property", "origin", "dot"):
        dapl = h5.plist("DATASET_ACCESS")
        text = {"property": str(folder / "raw"), "origin": "${ORIGIN}/raw", "dot": "."}[prefix]
        h5.H5Pset_efile_prefix.must(dapl, text.encode())
    dset = h5.H5Dopen2.must(file, name.encode(), dapl)
    dapl and h5.H5Pclose(dapl)
    return dset


def note_coverage(h5, dset, data, report):
    report.coverage[data["layout"]] += 1
    report.coverage["rank " + ("null" if data["dims"] is None else str(len(data["dims"])))] += 1
    report.coverage["type " + data["type"][0]] += 1
    if data["layout"] == "chunked" and h5.has("H5Dget_chunk_index_type"):
        index = ctypes.c_int(-1)
        h5.H5Dget_chunk_index_type(dset, ctypes.byref(index))
        report.coverage[f"index {INDEXES[index.value]}"] += 1


def read_multi(h5, file, chosen, folder):
    """Some of the reads in one call: result and buffers."""
    dsets, types, memories, files, buffers, targets = [], [], [], [], [], []
    for name, data, read in chosen:
        dsets.append(open_dataset(h5, file, name, data, folder))
        types.append(build_type(h5, data["type"]))
        extent, selection = read["memory"]
        memories.append(build_space(h5, extent, selection))
        files.append(build_space(h5, data["dims"], read["file"]))
        size = math.prod(extent) * data["size"]
        buffers.append(bytearray(random.Random(read["pattern"]).randbytes(size + 2 * GUARD)))
        targets.append((ctypes.c_char * len(buffers[-1])).from_buffer(buffers[-1]))
    pointers = (ctypes.c_void_p * len(targets))(*[ctypes.addressof(target) + GUARD for target in targets])
    result = h5.H5Dread_multi(len(chosen), dsets, types, memories, files, 0, pointers)
    errors = h5.errors() if result < 0 else None
    del targets
    for dset, hid, memory, space in zip(dsets, types, memories, files):
        h5.H5Dclose(dset)
        h5.H5Tclose(hid)
        memory > 1 and h5.H5Sclose(memory)
        space > 1 and h5.H5Sclose(space)
    return result, [bytes(buffer) for buffer in buffers] if result >= 0 else [], errors


def explain(h5, seed, label, path, folder, chosen, report):
    """Makes the reads in a child, and compares what the connector counted there with the expectation."""
    sys.stdout.flush()
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(send, 2)
        file = h5.open(path, h5.bypass)
        if len(chosen) > 1:
            read_multi(h5, file, chosen, folder)
        else:
            name, data, read = chosen[0]
            do_read(h5, open_dataset(h5, file, name, data, folder), data, read)
        # The C library's exit: the connector prints its counters, Python does not tear itself down.
        ctypes.CDLL(None).exit(0)
    os.close(send)
    with os.fdopen(receive) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    wanted = [expectation(data, read, data["allocated"]) for _, data, read in chosen]
    told = summaries(text)
    got = [str(one["reads"]["bypassed"]) for one in told]
    got += sorted(f"{count} {reason}" for one in told for reason, count in codes(one, "read").items())
    if EITHER in wanted:
        # Cannot be told apart from here.
        return
    counted = collections.Counter(reason for reason in wanted if reason)
    hoped = [str(wanted.count(None))] + sorted(f"{count} {reason}" for reason, count in counted.items())
    if hoped != got:
        report.differences.append({"seed": seed, "read": label, "reads": chosen, "expected": hoped, "counted": got or text})


def make_datasets(h5, file, make, report):
    """Eight datasets, d0 to d7. `make(name)` gives a description and what makes the dataset; HDF5 refuses some."""
    datasets = []
    while len(datasets) < 8:
        name = f"d{len(datasets)}"
        data, create = make(name)
        try:
            create()
        except H5Error as error:
            report.coverage["not allowed by HDF5"] += 1
            h5.H5Ldelete(file, name.encode(), 0)
            if os.environ.get("VERBOSE"):
                print(f"{data}: {error}", file=sys.stderr)
            continue
        datasets.append((name, data))
    return datasets


def choose_for_multi(rng, plan, native, suits):
    """Some of the reads that succeed natively, for one call of H5Dread_multi.

    Each dataset once: native HDF5 fails on a chunked one that is there twice ("can't insert duplicate key").
    """
    sound = [
        (name, data, read)
        for name, data, reads in plan
        for number, read in enumerate(reads)
        if native[name, number][0] >= 0 and suits(read)
    ]
    rng.shuffle(sound)
    return list({name: (name, data, read) for name, data, read in sound}.values())[: rng.randint(2, 6)]


def run_seeds(h5, first, seeds, file, one_seed):
    """`one_seed(seed, report)` for all of them. The last line of output is JSON: counts, coverage and differences."""
    report = Report()
    for seed in range(int(first), int(first) + int(seeds)):
        one_seed(seed, report)
        if len(report.differences) > int(os.environ.get("MOST_DIFFERENCES", 5)):
            break
    answer = {"reads": report.reads, "failed": report.failed, "multi": report.multi}
    answer |= {"bypassed": report.expected.pop(None, 0), "either": report.expected.pop(EITHER, 0)}
    answer |= {"reasons": report.expected, "coverage": report.coverage, "differences": report.differences}
    answer["connector"] = h5.connector(h5.open(file, h5.bypass))
    print(json.dumps(answer, default=str))


def one_seed(h5, seed, report, explaining=False):
    rng = random.Random(seed)
    # A folder without symbolic links in its name, so that ${ORIGIN} has one meaning.
    folder = Path.cwd().resolve()
    path = folder / "random.h5"
    fapl = h5.fapl()
    latest = next(bound for bound in (6, 5, 4) if h5.H5Pset_libver_bounds(fapl, bound, bound) >= 0)
    low = rng.choice([0, 0, 1, 2, latest, latest, latest])
    h5.H5Pset_libver_bounds.must(fapl, low, latest)
    fcpl = h5.plist("FILE_CREATE")
    block = rng.choice([0, 0, 0, 512, 4096])
    h5.H5Pset_userblock.must(fcpl, block)
    address_bytes = 8
    if rng.random() < 0.15:
        address_bytes = rng.choice([4, 8])
        h5.H5Pset_sizes.must(fcpl, address_bytes, rng.choice([4, 8]))
    elif block == 0 and rng.random() < 0.2:
        h5.H5Pset_file_space_strategy.must(fcpl, rng.choice([1, 2, 3]), rng.choice([0, 1]), 1)
    file = h5.create(path, fapl, fcpl)
    h5.H5Pclose(fapl)
    h5.H5Pclose(fcpl)

    def make(name):
        data = random_dataset(rng, h5) | {"short addresses": address_bytes != 8}
        return data, lambda: make_dataset(rng, h5, file, name, data, folder)

    datasets = make_datasets(h5, file, make, report)
    h5.H5Fclose.must(file)
    plan = []
    for name, data in datasets:
        big = data["dims"] is not None and math.prod(data["dims"]) > 20_000
        plan.append((name, data, [random_read(rng, h5, data) for _ in range(3 if big else 10)]))
    # One file open natively and through a connector: HDF5 itself crashes on references then (with its own pass_through too:
    # the shared file keeps the first opener's connector, and H5T__ref_set_loc takes the other's object for a file).
    both_open = rng.random() < 0.3 and not any("REF" in str(data["type"]) for _, data in datasets)

    # Natively, and where the data is.
    native, unopened = {}, []
    file = h5.open(path, h5.native)
    for name, data, reads in list(plan):
        try:
            dset = open_dataset(h5, file, name, data, folder)
        except H5Error:
            # HDF5 makes some that it does not open (a reference with a fill value where addresses have 4 bytes).
            unopened.append(plan.pop(plan.index((name, data, reads))))
            continue
        status = ctypes.c_int(-1)
        h5.H5Dget_space_status.must(dset, ctypes.byref(status))
        data["allocated"] = data["layout"] == "contiguous" and status.value == 2
        note_coverage(h5, dset, data, report)
        for number, read in enumerate(reads):
            native[name, number] = do_read(h5, dset, data, read)
        h5.H5Dclose.must(dset)
    chosen = choose_for_multi(rng, plan, native, lambda read: not read["type"] and not read.get("transform"))
    native_multi = read_multi(h5, file, chosen, folder) if chosen else None
    if not both_open:
        h5.H5Fclose.must(file)

    if explaining:
        for name, data, reads in plan:
            for number, read in enumerate(reads):
                explain(h5, seed, f"{name}.{number}", path, folder, [(name, data, read)], report)
        if len(chosen) > 1:
            explain(h5, seed, "multi", path, folder, chosen, report)
        both_open and h5.H5Fclose.must(file)
        return
    ours = h5.open(path, h5.bypass)
    for name, _, _ in unopened:
        if h5.H5Dopen2(ours, name.encode(), 0) >= 0:
            report.differences.append({"seed": seed, "opened, but not natively": name})
    for name, data, reads in plan:
        dset = open_dataset(h5, ours, name, data, folder)
        for number, read in enumerate(reads):
            got = do_read(h5, dset, data, read)
            report.reads += 1
            report.failed += got[0] < 0
            report.expected[expectation(data, read, data["allocated"])] += 1
            compare(h5, report, seed, f"{name}.{number}", data, read, native[name, number], got)
        h5.H5Dclose.must(dset)
    if chosen:
        got = read_multi(h5, ours, chosen, folder)
        report.multi += 1
        for _, data, read in chosen:
            report.expected[expectation(data, read, data["allocated"])] += 1
        if got[:2] != native_multi[:2]:
            report.differences.append(
                {"seed": seed, "multi": [(name, data, read) for name, data, read in chosen], "native": native_multi[2], "ours": got[2]}
            )
    h5.H5Fclose.must(ours)
    if both_open:
        h5.H5Fclose.must(file)


def compare(h5, report, seed, label, data, read, native, got):
    if native[:2] == got[:2]:
        return
    found = {"seed": seed, "read": label, "dataset": data, "description": read, "result": [native[0], got[0]]}
    if native[0] >= 0 and got[0] >= 0:
        wrong = [place for place, (a, b) in enumerate(zip(native[1], got[1])) if a != b]
        found["bytes"] = f"{len(wrong)} of {len(native[1])} bytes differ, first at {wrong[0]}, last at {wrong[-1]}"
        found["first"] = [native[1][wrong[0]:wrong[0] + 16].hex(), got[1][wrong[0]:wrong[0] + 16].hex()]
    else:
        found["errors"] = {"native": native[2], "ours": got[2]}
    report.differences.append(found)


def main():
    host, first, seeds, *explaining = sys.argv[1:]
    h5 = Library(host)
    run_seeds(h5, first, seeds, "random.h5", lambda seed, report: one_seed(h5, seed, report, bool(explaining)))


if __name__ == "__main__":
    main()
