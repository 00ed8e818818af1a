"""Random datasets with filters, random reads, natively and through the connector: the whole buffer must be the same.

    filtered_random.py HOST FIRST_SEED SEEDS [explain]

As reads_random.py, whose reads these are, with chunked datasets only: any filters in any order, chunks for which filters were left
out (by HDF5, because they failed, or by writing the chunk directly), partial chunks at the edge that are not filtered, missing chunks.
"""

import ctypes
import math
import random
import sys
import zlib
from pathlib import Path

import pipelines as p
import random_datasets
import random_reads
import random_selections
import random_types
import reads_random
from filters import add_filters, available, content, foreign, random_pipeline, settle, stored_filters, unfit
from hdf5lib import Library

DONT_FILTER_PARTIAL = 2
NUMBERS = ["STD_U8LE", "STD_I16LE", "STD_U16BE", "STD_I32LE", "STD_I32BE", "STD_I64LE", "IEEE_F32LE", "IEEE_F64BE"]
unfiltered_expectation = random_reads.expectation


def random_dataset(rng, h5):
    while True:
        data = random_datasets.random_dataset(rng, h5)
        if data["layout"] == "chunked" and data["dims"]:
            break
    if rng.random() < 0.6:
        # Numbers, for which all filters are made.
        data["type"] = ("std", rng.choice(NUMBERS))
    kind, bits = "other", 0
    if data["type"][0] == "std" and "REF" not in data["type"][1] and "_B" not in data["type"][1]:
        kind = "float" if "IEEE" in data["type"][1] else "int"
        bits = int("".join(filter(str.isdigit, data["type"][1])))
    while True:
        data["pipeline"] = random_pipeline(rng, kind, bits)
        if available(h5, data["pipeline"]):
            break
    data["edge"] = rng.random() < 0.25
    return data


def make_dataset(rng, h5, file, name, data):
    """Writes it natively; raises H5Error where HDF5 does not allow the combination."""
    made = random_types.build_type(h5, data["type"])
    size = data["size"] = h5.H5Tget_size(made)
    dcpl = h5.plist("DATASET_CREATE")
    try:
        h5.H5Pset_chunk.must(dcpl, len(data["chunk"]), data["chunk"])
        add_filters(h5, dcpl, data["pipeline"])
        if data["edge"]:
            h5.H5Pset_chunk_opts.must(dcpl, DONT_FILTER_PARTIAL)
        dset = random_datasets.create_dataset(h5, file, name, made, data, dcpl, lambda: bytes([rng.randrange(5)]) * size)
        for action, what in data["history"]:
            if action == "extent":
                h5.H5Dset_extent.must(dset, what)
                data["dims"] = what
            else:
                write(rng, h5, dset, made, size, data["dims"], what)
        for _ in range(rng.choice([0, 0, 1, 3])):
            write_chunk(rng, h5, dset, size, data)
        data["stored pipeline"] = stored_filters(h5, dset)
        h5.H5Dclose.must(dset)
    finally:
        h5.H5Pclose(dcpl)
        h5.H5Tclose(made)


def write(rng, h5, dset, made, size, dims, what):
    whole = what == "whole" or 0 in dims
    slab = None if whole else random_selections.random_slab(rng, dims)
    if what == "spot" and not whole:
        slab[2] = [1] * len(dims)
    space = random_selections.build_space(h5, dims, {"kind": "ALL"} if whole else {"kind": "slabs", "slabs": [("SET", slab)]})
    number = math.prod(dims) if space == h5.ALL else h5.H5Sget_select_npoints(space)
    h5.H5Dwrite.must(dset, made, h5.ALL if space == h5.ALL else h5.BLOCK, space, 0, content(rng, size, max(number, 1)))
    space and h5.H5Sclose(space)


def write_chunk(rng, h5, dset, size, data):
    """One chunk as it is to be stored, with filters left out."""
    if 0 in data["dims"]:
        return
    place = [rng.randrange(0, extent, chunk) for extent, chunk in zip(data["dims"], data["chunk"])]
    if data["edge"] and any(at + chunk > extent for at, chunk, extent in zip(place, data["chunk"], data["dims"])):
        # Such a chunk is stored as it is, whatever the mask says.
        return
    stored = content(rng, size, math.prod(data["chunk"]))
    mask = (1 << len(data["pipeline"])) - 1
    deflating = [number for number, (filter_id, _, _) in enumerate(data["pipeline"]) if filter_id == p.DEFLATE]
    if deflating and rng.random() < 0.6:
        mask &= ~(1 << rng.choice(deflating))
        stored = zlib.compress(stored, rng.randint(0, 9))
    h5.H5Dwrite_chunk.must(dset, 0, mask, place, len(stored), stored)
    data["left out"] = data.get("left out", 0) + 1


def expectation(data, read):
    """What the connector should count for the read: None is a bypassed one, EITHER one that may be."""
    if unfit(data["stored pipeline"]):
        return random_reads.EITHER
    if foreign(data["stored pipeline"]) and not read.get("transform"):
        return "filter-unknown"
    if read.get("transform"):
        return random_reads.REASONS["transform"]
    if math.prod(-(-size // chunk) for size, chunk in zip(data["dims"], data["chunk"])) > 1000:
        # Many chunks are looked up only for large reads.
        return random_reads.EITHER
    # The index is known, so the unlimited dimensions say nothing more.
    return unfiltered_expectation(data | {"maxdims": None}, read, False)


def cannot_read_its_own(h5, data, errors):
    """HDF5 1.14.6 fails on some chunks of its own scaleoffset filter, which 2.0.0 and 2.2.0 read; ours reads what these read."""
    version = [ctypes.c_uint() for _ in range(3)]
    h5.H5get_libversion.must(*map(ctypes.byref, version))
    scaled = any(number == p.SCALEOFFSET for number, _, _, _ in data["stored pipeline"])
    return scaled and [part.value for part in version] == [1, 14, 6] and "filter returned failure during read" in errors


def note_coverage(h5, dset, data, report):
    reads_random.note_coverage(h5, dset, data, report)
    index = ctypes.c_int(-1)
    h5.H5Dget_chunk_index_type.must(dset, ctypes.byref(index))
    data["index"] = reads_random.INDEXES[index.value]
    stored = data["stored pipeline"]
    report.coverage[f"filters {len(stored)}"] += 1
    for number, _, _, _ in stored:
        report.coverage[f"filter {number}"] += 1
    report.coverage["edge chunks not filtered"] += data["edge"]
    report.coverage["written directly"] += data.get("left out", 0)
    count = ctypes.c_uint64()
    h5.H5Dget_num_chunks.must(dset, 0, ctypes.byref(count))
    for number in range(min(count.value, 40)):
        address, size, mask = ctypes.c_uint64(), ctypes.c_uint64(), ctypes.c_uint()
        place = (ctypes.c_uint64 * 32)()
        h5.H5Dget_chunk_info.must(dset, 0, number, place, ctypes.byref(mask), ctypes.byref(address), ctypes.byref(size))
        if mask.value:
            report.coverage["chunk with filters left out"] += 1
            break


def one_seed(h5, seed, report, explaining=False):
    rng = random.Random(seed)
    folder = Path.cwd().resolve()
    path = folder / "filtered.h5"
    fapl = h5.fapl()
    latest = next(bound for bound in (6, 5, 4) if h5.H5Pset_libver_bounds(fapl, bound, bound) >= 0)
    h5.H5Pset_libver_bounds.must(fapl, rng.choice([0, 0, 2, latest, latest]), latest)
    fcpl = h5.plist("FILE_CREATE")
    h5.H5Pset_userblock.must(fcpl, rng.choice([0, 0, 512]))
    file = h5.create(path, fapl, fcpl)
    h5.H5Pclose(fapl)
    h5.H5Pclose(fcpl)

    def make(name):
        data = random_dataset(rng, h5) | {"short addresses": False, "allocated": False}
        return data, lambda: make_dataset(rng, h5, file, name, data)

    datasets = random_datasets.make_datasets(h5, file, make, report)
    h5.H5Fclose.must(file)
    plan = []
    for name, data in datasets:
        reads = [random_reads.random_read(rng, h5, data) for _ in range(3 if math.prod(data["dims"]) > 20_000 else 8)]
        for read in reads:
            read["type"] = None
        # Some again, when their chunks may have been kept.
        plan.append((name, data, reads + rng.sample(reads, 2)))

    native = {}
    file = h5.open(path, h5.native)
    for name, data, reads in plan:
        dset = h5.H5Dopen2.must(file, name.encode(), 0)
        note_coverage(h5, dset, data, report)
        for number, read in enumerate(reads):
            native[name, number] = random_reads.do_read(h5, dset, data, read)
        h5.H5Dclose.must(dset)
    chosen = random_reads.choose_for_multi(rng, plan, native, lambda read: not read.get("transform"))
    native_multi = random_reads.read_multi(h5, file, chosen, folder) if chosen else None
    h5.H5Fclose.must(file)

    if explaining:
        for name, data, reads in plan:
            if foreign(data["stored pipeline"]):
                # The reason has the filter's name in it.
                continue
            for number, read in enumerate(reads):
                reads_random.explain(h5, seed, f"{name}.{number}", path, folder, [(name, data, read)], report)
        return
    ours = h5.open(path, h5.bypass)
    for name, data, reads in plan:
        handles = [h5.H5Dopen2.must(ours, name.encode(), 0) for _ in range(rng.choice([1, 2]))]
        for number, read in enumerate(reads):
            got = random_reads.do_read(h5, handles[number % len(handles)], data, read)
            report.reads += 1
            report.failed += got[0] < 0
            report.expected[expectation(data, read)] += 1
            wanted = native[name, number]
            if wanted[0] < 0 <= got[0] and cannot_read_its_own(h5, data, wanted[2]):
                report.coverage["scaleoffset that only ours reads"] += 1
                continue
            reads_random.compare(h5, report, seed, f"{name}.{number}", data, read, wanted, got)
        for dset in handles:
            h5.H5Dclose.must(dset)
    if chosen:
        got = random_reads.read_multi(h5, ours, chosen, folder)
        report.multi += 1
        for _, data, read in chosen:
            report.expected[expectation(data, read)] += 1
        if got[:2] != native_multi[:2]:
            report.differences.append({"seed": seed, "multi": chosen, "native": native_multi[2], "ours": got[2]})
    h5.H5Fclose.must(ours)


def main():
    host, first, seeds, *explaining = sys.argv[1:]
    h5 = Library(host)
    settle(host, lzf=True)
    # HDF5's handler prints errors again once h5py is there.
    h5.H5Eset_auto2.must(0, None, None)
    if explaining:
        # It is reads_random that explains.
        random_reads.expectation = lambda data, read, _allocated: expectation(data, read)
    reads_random.run_seeds(h5, first, seeds, "filtered.h5", lambda seed, report: one_seed(h5, seed, report, bool(explaining)))


if __name__ == "__main__":
    main()
