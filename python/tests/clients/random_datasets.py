"""Random datasets: shape, layout, type, fill value and history.
"""

import math
import os
import random
import sys
from pathlib import Path

from hdf5lib import H5Error
from random_selections import build_space, random_slab
from random_types import build_type, random_type


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
    if layout == "contiguous" and data["dims"] is not None and random.Random(repr(data)).random() < 0.3:
        # HDF5 allows nothing else for these.
        data["layout"], data["alloc time"] = "compact", 0
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


def create_dataset(h5, file, name, made, data, dcpl, fill):
    """Creates it; `fill` makes its fill value. Raises H5Error where HDF5 does not allow the combination."""
    if data["fill"] == "undefined":
        h5.H5Pset_fill_value.must(dcpl, made, None)
    elif data["fill"] == "set":
        h5.H5Pset_fill_value.must(dcpl, made, fill())
    h5.H5Pset_fill_time.must(dcpl, data["fill time"])
    if data["alloc time"]:
        h5.H5Pset_alloc_time.must(dcpl, data["alloc time"])
    space = h5.space(data["dims"], data["maxdims"] if data["dims"] else None)
    dset = h5.H5Dcreate2(file, name.encode(), made, space, 0, dcpl, 0)
    h5.H5Sclose(space)
    if dset < 0:
        raise H5Error(h5.errors())
    return dset


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
        if data["layout"] == "compact":
            h5.H5Pset_layout.must(dcpl, 0)
        dset = create_dataset(h5, file, name, made, data, dcpl, lambda: rng.randbytes(size))
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
