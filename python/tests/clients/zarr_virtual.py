"""Random virtual datasets whose extent depends on their sources, in files of native HDF5 and in Zarr directories: same extents, same bytes.

    zarr_virtual.py HOST FIRST_SEED SEEDS

The mappings are those of virtual_growing.py. The dataset is opened with a view, its dataspace is asked for, it is read by selections or
whole; meanwhile numbered sources appear. Then others have grown, and it is opened again. The last line of output is JSON: how many reads there were, what occurred, and
the differences found.
"""

import math
import os
import random
import shutil
from pathlib import Path

import virtual_growing as growing
from seeds import run_seeds


def grow(h5, plan, rng):
    """Appends rows to a source that a mapping follows."""
    following = [mapping for mapping in plan["mappings"] if mapping["kind"] == "following" and not mapping["same file"]]
    following = [mapping for mapping in following if not mapping.get("absent")]
    if not following:
        return
    mapping = rng.choice(following)
    file = h5.open(mapping["name"] + growing.SUFFIX, h5.native, h5.RDWR)
    dset = h5.H5Dopen2.must(file, mapping["name"].encode(), 0)
    before, more, width = mapping["rows"], rng.randint(1, 4), mapping["width"]
    mapping["rows"] = before + more
    h5.H5Dset_extent.must(dset, [before + more, width])
    target, memory = h5.space([before + more, width]), h5.space([more, width])
    h5.H5Sselect_hyperslab.must(target, h5.SET, [before, 0], None, [more, width], None)
    values = bytes((200 + number) % 251 for number in range(more * width))
    h5.H5Dwrite.must(dset, h5.type("STD_U8LE"), memory, target, 0, values)
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)


def appear(h5, plan, rng):
    """Another source with a number."""
    numbered = [mapping for mapping in plan["mappings"] if mapping["kind"] == "files"]
    if numbered:
        mapping, number = rng.choice(numbered), rng.randrange(7)
        Path(growing.block_file(mapping, number)).exists() or growing.make_block(h5, mapping, number)


def read(h5, dset, rng, dims, whole):
    """Reads; nothing if nothing is selected, which native HDF5 fails at with some mappings."""
    state = rng.getstate()
    answer = growing.read(h5, dset, rng, dims, whole)
    rng.setstate(state)
    start = [rng.randrange(max(size, 1)) for size in dims]
    count = [rng.randint(0, max(size - first, 0)) for size, first in zip(dims, start)]
    return answer if math.prod(dims if whole else count) else None


def run(h5, plan):
    """Runs the program: what it sees."""
    rng, got = random.Random(plan["seed"]), []
    growing.prepare(h5, plan)
    dapl = h5.plist("DATASET_ACCESS")
    h5.H5Pset_virtual_view.must(dapl, plan["view"])
    plan["gap"] and h5.H5Pset_virtual_printf_gap.must(dapl, plan["gap"])
    for _ in range(3):
        file = h5.open("v" + growing.SUFFIX, h5.native)
        dset = h5.H5Dopen2.must(file, b"v", dapl)
        dims = growing.dims_of(h5, dset)
        got.append(dims)
        for _ in range(rng.randint(1, 4)):
            match rng.choice(["read", "read", "all", "appear"]):
                case "appear":
                    appear(h5, plan, rng)
                    # Until it is asked again, the extent is what it was.
                    got.append(read(h5, dset, rng, dims, True))
                    dims = growing.dims_of(h5, dset)
                    got.append(dims)
                case kind:
                    got.append(read(h5, dset, rng, dims, kind == "all"))
        h5.H5Dclose.must(dset)
        h5.H5Fclose.must(file)
        grow(h5, plan, rng)
        appear(h5, plan, rng)
    h5.H5Pclose(dapl)
    return got


def one_seed(h5, seed, report):
    answers = []
    for suffix in (".h5", ".zarr"):
        plan = growing.random_plan(random.Random(seed), h5)
        growing.SUFFIX = suffix
        folder = Path("files" + suffix)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        os.chdir(folder)
        # HDF5 1.14 divides by zero with some of them.
        answers.append(growing.in_child(lambda: run(h5, plan)) if suffix == ".h5" else run(h5, plan))
        os.chdir("..")
        if answers[-1] is None:
            report.coverage["native crashes"] += 1
            return
    for mapping in plan["mappings"]:
        report.coverage[mapping["kind"]] += 1
    report.coverage[f"view {plan['view']}"] += 1
    for number, (native, ours) in enumerate(zip(*answers, strict=True)):
        if isinstance(native, list) and len(native) == 3:
            report.reads += 1
            report.failed += native[0] < 0
        if native != ours:
            report.differences.append({"seed": seed, "number": number, "native": native, "ours": ours, "plan": plan})


if __name__ == "__main__":
    run_seeds(one_seed)
