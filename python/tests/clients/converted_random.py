"""Random datatypes, random reads into other datatypes, natively and through the connector: the whole buffer must be the same.

    converted_random.py HOST FIRST_SEED SEEDS sure|open

As reads_random.py, whose selections these are: contiguous, chunked, filtered, external and missing storage, into buffers with a
pattern, of which a conversion between records leaves parts as they are. `sure` makes only the reads through the connector of which it
is known whether they must be bypassed, `open` only the others: then no read can make up for another in the connector's counters. The
last line of output is JSON.
"""

import ctypes
import math
import random
import sys
from pathlib import Path

import conversions as c
import pipelines as p
import random_datasets
import random_reads
import random_selections
import reads_random
from filters import add_filters
from hdf5lib import Library


def random_dataset(rng, h5):
    data = random_datasets.random_dataset(rng, h5)
    while data["dims"] is None or (data["dims"] and math.prod(data["dims"]) > 20_000):
        data = random_datasets.random_dataset(rng, h5)
    data["type"], data["memory type"] = c.random_pair(rng)
    data["pipeline"] = []
    if data["layout"] == "chunked" and rng.random() < 0.4:
        data["pipeline"] = rng.choice([[p.deflate()], [p.shuffle(), p.deflate()], [p.shuffle(), p.fletcher32()]])
    data["storage"] = "filtered" if data["pipeline"] else data["layout"]
    data["short addresses"] = False
    return data


def make_dataset(rng, h5, file, name, data, folder):
    made = c.build(h5, data["type"])
    size = data["size"] = h5.H5Tget_size(made)
    assert size == c.size_of(data["type"]), data["type"]
    dcpl = h5.plist("DATASET_CREATE")
    try:
        if data["layout"] == "external":
            random_datasets.write_external(rng, h5, data, size, dcpl, folder, name)
        if data["layout"] == "chunked":
            h5.H5Pset_chunk.must(dcpl, len(data["chunk"]), data["chunk"])
        add_filters(h5, dcpl, data["pipeline"])
        dset = random_datasets.create_dataset(h5, file, name, made, data, dcpl, lambda: c.element(rng, data["type"]))
        for action, what in data["history"] if data["layout"] != "external" else []:
            if action == "extent":
                h5.H5Dset_extent.must(dset, what)
                data["dims"] = what
                continue
            dims = data["dims"]
            whole = what == "whole" or 0 in dims or not dims
            slab = None if whole else random_selections.random_slab(rng, dims)
            space = random_selections.build_space(h5, dims, {"kind": "ALL"} if whole else {"kind": "slabs", "slabs": [("SET", slab)]})
            number = math.prod(dims) if whole else h5.H5Sget_select_npoints(space)
            h5.H5Dwrite.must(dset, made, h5.ALL if whole else h5.BLOCK, space, 0, c.content(rng, data["type"], max(number, 1)))
            space and h5.H5Sclose(space)
        h5.H5Dclose.must(dset)
    finally:
        h5.H5Pclose(dcpl)
        h5.H5Tclose(made)


def random_read(rng, h5, data):
    """A read; `type` is what to convert to."""
    read = random_reads.random_read(rng, h5, data | {"type": ("none",)})
    read["type"] = data["memory type"] if rng.random() < 0.9 else data["type"]
    if rng.random() < 0.1:
        # Conversions in pieces of a few elements.
        read["buffer"] = rng.choice([100, 1000])
    return read


def do_read(h5, dset, data, read):
    """One H5Dread: its result and the whole buffer with the guards."""
    hid = c.build(h5, read["type"])
    size = h5.H5Tget_size(hid)
    dxpl = 0
    if "buffer" in read:
        dxpl = h5.plist("DATASET_XFER")
        h5.H5Pset_buffer.must(dxpl, ctypes.c_size_t(max(read["buffer"], size, data["size"])), None, None)
    return random_reads.read_guarded(h5, dset, data, read, hid, dxpl)


def is_all_there(data):
    """Whether no storage is missing."""
    if data["layout"] != "chunked":
        return data["layout"] == "external" or data["allocated"]
    return data["history"][-1:] == [("write", "whole")]


def expectation(data, read, native):
    """What the connector should count for the read: None is a bypassed one, EITHER one that may be."""
    if native[0] < 0 and read["type"] != data["type"]:
        # HDF5 may refuse the conversion, or the selection: which is seen first is nobody's business.
        return random_reads.EITHER
    if "buffer" in read or not (read["type"] == data["type"] or c.is_ours(data["type"], read["type"], data["old"])):
        return random_reads.EITHER
    if c.has_record(read["type"]) and not is_all_there(data):
        # HDF5 fills what is missing in a way of its own, which leaves nothing as it was.
        return random_reads.EITHER
    if data["layout"] == "chunked" and c.changes_zeros(read["type"]) and not is_all_there(data):
        # Zeros in place of what is missing are converted by some versions of HDF5, if there is a chunk elsewhere.
        return random_reads.EITHER
    return random_reads.expectation(data, read | {"type": None}, data["allocated"])


def read_multi(h5, file, chosen, folder):
    """Reads of several datasets in one call, each with a conversion of its own."""
    return random_reads.read_multi(h5, file, chosen, folder, lambda data, read: c.build(h5, read["type"]))


def same_failure(native, got):
    """Whether both failed, and what native said about the conversion is there in ours."""
    if native[0] >= 0 or got[0] >= 0:
        return native[:2] == got[:2]
    wanted = [text for text in native[2] if "conver" in text or "datatype" in text]
    return not wanted or any(text in got[2] for text in wanted)


def one_seed(h5, seed, report, which):
    rng = random.Random(seed)
    folder = Path.cwd().resolve()
    path = folder / "converted.h5"
    fapl = h5.fapl()
    latest = next(bound for bound in (6, 5, 4) if h5.H5Pset_libver_bounds(fapl, bound, bound) >= 0)
    h5.H5Pset_libver_bounds.must(fapl, rng.choice([0, latest]), latest)
    file = h5.create(path, fapl)
    h5.H5Pclose(fapl)

    def make(name):
        data = random_dataset(rng, h5) | {"old": not h5.has("H5Tcomplex_create")}
        return data, lambda: make_dataset(rng, h5, file, name, data, folder)

    datasets = random_datasets.make_datasets(h5, file, make, report)
    h5.H5Fclose.must(file)
    plan = [(name, data, [random_read(rng, h5, data) for _ in range(8)]) for name, data in datasets]

    native = {}
    file = h5.open(path, h5.native)
    for name, data, reads in plan:
        dset = random_datasets.open_dataset(h5, file, name, data, folder)
        status = ctypes.c_int(-1)
        h5.H5Dget_space_status.must(dset, ctypes.byref(status))
        data["allocated"] = data["layout"] == "contiguous" and status.value == 2
        for number, read in enumerate(reads):
            native[name, number] = do_read(h5, dset, data, read)
            if read["type"] != data["type"] and native[name, number][0] >= 0 and read["number"]:
                report.coverage[f"{data['type'][0]} to {read['type'][0]}"] += 1
                report.coverage[data["storage"]] += 1
        h5.H5Dclose.must(dset)
    chosen = random_reads.choose_for_multi(rng, plan, native, lambda read: "buffer" not in read)
    native_multi = read_multi(h5, file, chosen, folder) if chosen else None
    h5.H5Fclose.must(file)

    ours = h5.open(path, h5.bypass)
    for name, data, reads in plan:
        dset = random_datasets.open_dataset(h5, ours, name, data, folder)
        for number, read in enumerate(reads):
            wanted = native[name, number]
            expected = expectation(data, read, wanted)
            if (expected == random_reads.EITHER) != (which == "open"):
                continue
            got = do_read(h5, dset, data, read)
            report.reads += 1
            report.failed += got[0] < 0
            report.expected[expected] += 1
            if not same_failure(wanted, got):
                before = len(report.differences)
                reads_random.compare(h5, report, seed, f"{name}.{number}", data, read, wanted, got)
                if len(report.differences) == before:
                    found = {"seed": seed, "read": f"{name}.{number}", "dataset": data}
                    report.differences.append(found | {"native": wanted[2], "ours": got[2]})
        h5.H5Dclose.must(dset)
    expected = [expectation(data, read, (0,)) if native_multi[0] >= 0 else random_reads.EITHER for _, data, read in chosen]
    if chosen and (random_reads.EITHER in expected) == (which == "open"):
        got = read_multi(h5, ours, chosen, folder)
        report.multi += 1
        report.expected.update(expected)
        if got[:2] != native_multi[:2]:
            report.differences.append({"seed": seed, "multi": chosen, "native": native_multi[2], "ours": got[2]})
    h5.H5Fclose.must(ours)


def main():
    host, first, seeds, which = sys.argv[1:]
    h5 = Library(host)
    reads_random.run_seeds(h5, first, seeds, "converted.h5", lambda seed, report: one_seed(h5, seed, report, which))


if __name__ == "__main__":
    main()
