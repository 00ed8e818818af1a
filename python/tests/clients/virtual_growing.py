"""Random virtual datasets whose extent depends on their sources, natively and through the connector: same extents, same bytes.

    virtual_growing.py HOST FIRST_SEED SEEDS

Each seed makes sources and a virtual dataset whose mappings follow sources that can grow, or number them (`%b`), side by side with
others; and a program: the dataset is opened with a view, its dataspace is asked for, it is read by selections or whole, sources
appear, vanish or are replaced, and time passes or not. The program runs natively and through the connector, each with files of its
own. The last line of output is JSON: how many reads there were, what occurred, and the differences found.
"""

import ctypes
import hashlib
import json
import math
import os
import random
import shutil
import time
from pathlib import Path

from seeds import run_seeds

WIDTH = 6
# Of the names of files: another format may go by it.
SUFFIX = ".h5"


def random_plan(rng, h5):
    """Mappings, each of some columns, and the program."""
    columns, mappings, left = [], [], 0
    while left < WIDTH:
        width = rng.randint(1, WIDTH - left)
        columns.append((left, width))
        left += width
    for number, (left, width) in enumerate(columns):
        kind = rng.choice(["following", "following", "files", "files", "datasets", "limited", "none"])
        block = rng.choice([1, 1, 2, 3])
        mapping = {"kind": kind, "left": left, "width": width, "start": rng.choice([0, 0, 0, 1, 2])}
        mapping |= {"block": block, "stride": block + rng.choice([0, 0, 1, 2]), "from": rng.choice([0, 0, 1]), "rows": rng.randint(1, 9)}
        mapping |= {"source stride": rng.choice([1, 1, 2]), "chunk": rng.choice([None, 2, 3]), "name": f"m{number}"}
        mapping |= {"there": sorted(rng.sample(range(7), rng.randint(0, 6)))} if rng.random() < 0.5 else {"there": list(range(rng.randint(0, 5)))}
        if rng.random() < 0.1:
            mapping["absent"] = True
        mapping["same file"] = rng.random() < 0.2
        mappings.append(mapping)
    if not any(mapping["kind"] in ("following", "files", "datasets") for mapping in mappings):
        mappings[0]["kind"] = "following"
    program = ["open"]
    for _ in range(rng.randint(4, 12)):
        program.append(rng.choice(["space", "space", "read", "read", "read", "all", "all", "appear", "vanish", "replace", "wait", "wait", "reopen"]))
    view = rng.choice([0, 1, 1])
    for mapping in mappings:
        # Native HDF5 divides by zero if such a source is missing, others have a fixed place, and the first missing one counts.
        view == 0 and mapping.pop("absent", None)
    return {"mappings": mappings, "program": program, "view": view, "gap": rng.choice([0, 0, 1, 3]), "rows": rng.randint(0, 4), "seed": rng.randrange(2**32)}


def make_source(h5, where, name, rows, width, first, chunk):
    values = bytes((first + number) % 251 for number in range(rows * width))
    grows = {"chunk": [chunk or 4, width], "maxdims": [h5.UNLIMITED, width]}
    h5.make(where, name, [rows, width], values or None, type="STD_U8LE", **grows)


def block_file(mapping, number):
    return f"{mapping['name']}-{number}{SUFFIX}"


def make_block(h5, mapping, number, first=None):
    """A source with a number: as many rows as a block has."""
    file = h5.create(block_file(mapping, number))
    make_source(h5, file, "d", mapping["block"], mapping["width"], 10 * number if first is None else first, mapping["chunk"])
    h5.H5Fclose.must(file)


def add_mapping(h5, dcpl, mapping, rows, own):
    """Makes the sources, and the mapping to them."""
    kind, width, name = mapping["kind"], mapping["width"], mapping["name"]
    endless, most = h5.UNLIMITED, [h5.UNLIMITED, WIDTH]
    virtual = h5.space([rows, WIDTH], most)
    if kind == "limited":
        if not rows:
            return
        h5.H5Sselect_hyperslab.must(virtual, h5.SET, [0, mapping["left"]], None, [rows, width], None)
        source, file = h5.space([rows, width]), name + SUFFIX
        made = h5.create(file)
        make_source(h5, made, "d", rows, width, 100, mapping["chunk"])
        h5.H5Fclose.must(made)
        dataset = "d"
    elif kind == "following":
        h5.H5Sselect_hyperslab.must(virtual, h5.SET, [mapping["start"], mapping["left"]], [mapping["stride"], 1], [endless, width], [mapping["block"], 1])
        source = h5.space([mapping["rows"], width], [endless, width])
        h5.H5Sselect_hyperslab.must(source, h5.SET, [mapping["from"], 0], [mapping["source stride"], 1], [endless, width], None)
        file, dataset = ("." if mapping["same file"] else name + SUFFIX), name
        if not mapping.get("absent"):
            made = own if mapping["same file"] else h5.create(file)
            make_source(h5, made, dataset, mapping["rows"], width, 50, mapping["chunk"])
            mapping["same file"] or h5.H5Fclose.must(made)
    else:
        h5.H5Sselect_hyperslab.must(virtual, h5.SET, [mapping["start"], mapping["left"]], [mapping["stride"], 1], [endless, 1], [mapping["block"], width])
        source = h5.space([mapping["block"], width])
        if kind == "files":
            file, dataset = name + "-%b" + SUFFIX, "d"
            for number in mapping["there"]:
                make_block(h5, mapping, number)
        else:
            file, dataset = name + SUFFIX, "d%b"
            made = h5.create(file)
            for number in mapping["there"]:
                make_source(h5, made, f"d{number}", mapping["block"], width, 20 * number, mapping["chunk"])
            h5.H5Fclose.must(made)
    h5.H5Pset_virtual.must(dcpl, virtual, file.encode(), dataset.encode(), source)


def prepare(h5, plan):
    dcpl, file = h5.plist("DATASET_CREATE"), h5.create("v" + SUFFIX)
    h5.H5Pset_fill_value.must(dcpl, h5.type("STD_U8LE"), (ctypes.c_ubyte * 1)(255))
    for mapping in plan["mappings"]:
        if mapping["kind"] != "none":
            add_mapping(h5, dcpl, mapping, plan["rows"], file)
    h5.make(file, "v", [plan["rows"], WIDTH], None, type="STD_U8LE", dcpl=dcpl, maxdims=[h5.UNLIMITED, WIDTH])
    h5.H5Fclose.must(file)


def dims_of(h5, dset):
    space, dims = h5.H5Dget_space(dset), (ctypes.c_uint64 * 2)()
    if space < 0:
        return h5.errors() and None
    h5.H5Sget_simple_extent_dims.must(space, dims, None)
    h5.H5Sclose(space)
    return list(dims)


def read(h5, dset, rng, dims, whole):
    """Reads by a selection of an extent, or all of it. Room for more than there is, which must stay as it is."""
    room = (ctypes.c_ubyte * 4000)(*[7] * 4000)
    if whole:
        memory = file = 0
    else:
        start = [rng.randrange(max(size, 1)) for size in dims]
        count = [rng.randint(0, max(size - first, 0)) for size, first in zip(dims, start)]
        if not math.prod(dims):
            start, count = [0, 0], [0, 0]
        file, memory = h5.space(dims), h5.space([math.prod(count)])
        (h5.H5Sselect_hyperslab.must(file, h5.SET, start, None, count, None) if math.prod(count) else h5.H5Sselect_none.must(file))
    status = h5.H5Dread(dset, h5.type("STD_U8LE"), memory, file, 0, room)
    h5.errors()
    for space in (memory, file):
        space > 1 and h5.H5Sclose(space)
    return [status, hashlib.sha1(bytes(room)).hexdigest() if status >= 0 else None, list(room[:24])]


def change(h5, plan, rng, step):
    """Sources appear, vanish or are replaced."""
    numbered = [mapping for mapping in plan["mappings"] if mapping["kind"] == "files"]
    following = [mapping for mapping in plan["mappings"] if mapping["kind"] == "following" and not mapping["same file"]]
    if step == "appear" and numbered and rng.random() < 0.7:
        mapping, number = rng.choice(numbered), rng.randrange(7)
        Path(block_file(mapping, number)).exists() or make_block(h5, mapping, number)
    elif step == "vanish" and numbered:
        Path(block_file(rng.choice(numbered), rng.randrange(7))).unlink(missing_ok=True)
    elif following:
        mapping = rng.choice(following)
        name = mapping["name"] + ".h5"
        if step == "replace" or not Path(name).exists():
            made = h5.create("new.h5")
            make_source(h5, made, mapping["name"], rng.randint(1, 12), mapping["width"], 150, mapping["chunk"])
            h5.H5Fclose.must(made)
            os.rename("new.h5", name)


def run(h5, plan, way):
    """Runs the program: what it sees."""
    rng, got = random.Random(plan["seed"]), []
    prepare(h5, plan)
    time.sleep(0.05)
    dapl = h5.plist("DATASET_ACCESS")
    h5.H5Pset_virtual_view.must(dapl, plan["view"])
    plan["gap"] and h5.H5Pset_virtual_printf_gap.must(dapl, plan["gap"])
    dims, file, dset = [plan["rows"], WIDTH], 0, 0
    for step in plan["program"]:
        if step in ("open", "reopen"):
            if file:
                h5.H5Dclose.must(dset)
                h5.H5Fclose.must(file)
            file = h5.open("v" + SUFFIX, way)
            dset = h5.H5Dopen2.must(file, b"v", dapl)
            # Read before the dataspace is asked for, or not: that is what native HDF5 has in mind.
            dims = dims_of(h5, dset) or dims if rng.random() < 0.7 else [plan["rows"], WIDTH]
            got.append(dims)
        elif step == "space":
            dims = dims_of(h5, dset) or dims
            got.append(dims)
        elif step in ("read", "all"):
            got.append(read(h5, dset, rng, dims, step == "all"))
        elif step == "wait":
            time.sleep(0.03)
        else:
            change(h5, plan, rng, step)
    got.append(dims_of(h5, dset))
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    h5.H5Pclose(dapl)
    return got


def in_child(work):
    """What a child returns that does the work; None if it crashes."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        with os.fdopen(send, "w") as pipe:
            json.dump(work(), pipe)
        os._exit(0)
    os.close(send)
    with os.fdopen(receive) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    return json.loads(text) if status == 0 else None


def one_seed(h5, seed, report):
    plan = random_plan(random.Random(seed), h5)
    answers = []
    for way in ("native", "bypass"):
        folder = Path(way)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        os.chdir(folder)
        work = lambda: run(h5, plan, getattr(h5, way))
        answers.append(in_child(work) if way == "native" else work())
        os.chdir("..")
        if answers[-1] is None:
            report.coverage["native crashes"] += 1
            return
    for mapping in plan["mappings"]:
        report.coverage[mapping["kind"]] += 1
    for step in plan["program"]:
        report.coverage[step] += 1
    report.coverage[f"view {plan['view']}"] += 1
    for number, (native, ours) in enumerate(zip(*answers)):
        if len(native or []) == 3:
            report.reads += 1
            report.failed += native[0] < 0
        if native != ours:
            report.differences.append({"seed": seed, "number": number, "native": native, "ours": ours, "plan": plan})


if __name__ == "__main__":
    run_seeds(one_seed)
