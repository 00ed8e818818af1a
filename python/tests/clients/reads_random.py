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
from random_datasets import make_dataset, make_datasets, open_dataset, random_dataset
from random_reads import EITHER, choose_for_multi, do_read, expectation, random_read, read_multi

INDEXES = ["v1 B-tree", "single chunk", "implicit", "fixed array", "extensible array", "v2 B-tree"]


class Report:
    def __init__(self):
        self.reads = self.failed = self.multi = 0
        self.expected = collections.Counter()
        self.coverage = collections.Counter()
        self.differences = []


def note_coverage(h5, dset, data, report):
    report.coverage[data["layout"]] += 1
    report.coverage["rank " + ("null" if data["dims"] is None else str(len(data["dims"])))] += 1
    report.coverage["type " + data["type"][0]] += 1
    if data["layout"] == "chunked" and h5.has("H5Dget_chunk_index_type"):
        index = ctypes.c_int(-1)
        h5.H5Dget_chunk_index_type(dset, ctypes.byref(index))
        report.coverage[f"index {INDEXES[index.value]}"] += 1


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
