"""Zarr directories with mutated documents and chunks, opened, walked, read and changed with h5py through the Zarr connector.

    zarr_mutated.py FIRST COUNT

Every seed is printed before it is used, so that whoever finds the process dead knows it. The last line is JSON: how often opening and
reading failed and succeeded, and what was wrong: elements that are not those written although their chunk has a checksum.
"""

from __future__ import annotations

import collections
import json
import pathlib
import random
import resource
import shutil
import sys

import h5py
import numpy as np

# More than any of these containers needs. Who takes memory before he checks a size runs into it.
MOST_MEMORY = 6 << 30
GRID = np.arange(60, dtype="i4").reshape(6, 10)
NUMBERS = [0, 1, -1, 2, 3, 7, 8, 255, 256, 1 << 16, 1 << 31, (1 << 31) - 1, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 1 << 64,
           1e300, 0.5, -1e-300]
WORDS = ["", ".", "/", "..", "/..", "__h5_1", "a" * 300, "\0", "int32", "string", "struct", "virtual", "null", "scalar", "NaN", "é", "00",
         "ff" * 40, "compound", "text", "sequence", "other", "zstd", "transpose", "sharding_indexed"]
CHECKED = ("gzip", "checked")
BASES = ("shared.zarr", "lazy.zarr")


def make(folder, is_shared):
    """A container that has some of everything. With several links to one object it is read as a whole when it is opened."""
    with h5py.File("other.zarr", "w") as file:
        file["source"] = GRID
    with h5py.File(folder, "w", track_order=True) as file:
        file.attrs.update({"title": "x", "n": 3, "list": [1, 2, 3], "texts": ["a", "b"], "table": np.zeros(2, [("a", "i4"), ("b", "f8")])})
        file.create_dataset("gzip", data=GRID, chunks=(4, 4), compression="gzip", shuffle=False)
        file.create_dataset("shuffled", data=GRID, chunks=(4, 4), compression="gzip", shuffle=True)
        file.create_dataset("checked", data=GRID, chunks=(4, 4), fletcher32=True)
        file.create_dataset("scaled", data=GRID, chunks=(4, 4), scaleoffset=0)
        file["plain"] = GRID.astype(">f8")
        file["scalar"] = 5
        file["table"] = np.zeros(3, [("x", "i4"), ("y", "f8"), ("z", "S5"), ("w", "i2", (2, 2))])
        file["kinds"] = np.array([0, 1], dtype=h5py.enum_dtype({"A": 0, "B": 1}, "i2"))
        file["raw"] = np.zeros(2, "V7")
        file["texts"] = ["x", "yy", "ß"]
        file["null"] = h5py.Empty("f4")
        sequences = file.create_dataset("sequences", (2,), h5py.vlen_dtype("i4"))
        sequences[0], sequences[1] = [1, 2, 3], [4]
        pairs = np.dtype([("t", h5py.string_dtype()), ("r", h5py.ref_dtype)])
        file.create_dataset("pairs", (1,), pairs)[0] = ("x", file["gzip"].ref)
        file["references"] = np.array([file["gzip"].ref, file.ref], dtype=h5py.ref_dtype)
        regions = file.create_dataset("regions", (2,), h5py.regionref_dtype)
        regions[0], regions[1] = file["gzip"].regionref[1:3, 2:5], file["plain"].regionref[GRID % 7 == 0]
        file["type"] = np.dtype([("x", "i4")])
        file.create_dataset("of type", (3,), file["type"], chunks=(2,), maxshape=(None,))
        group = file.create_group("a/b/c", track_order=True)
        group["deep"] = np.arange(3)
        group.attrs["to"] = file["gzip"].ref
        group["soft"], group["out"] = h5py.SoftLink("/plain"), h5py.ExternalLink("other.zarr", "/source")
        if is_shared:
            group["hard"] = file["gzip"]
        layout = h5py.VirtualLayout((2, 6, 10), "i4")
        layout[0], layout[1] = h5py.VirtualSource("other.zarr", "source", (6, 10)), h5py.VirtualSource(file["gzip"])
        file.create_virtual_dataset("virtual", layout, fillvalue=-1)
        file.create_dataset("external", (4,), "i4", external=[("raw.bin", 0, 16)])[...] = range(4)
        file["x"] = np.arange(10.0)
        file["x"].make_scale("x")
        file["gzip"].dims[1].attach_scale(file["x"])
        file["gzip"].dims[0].label = "rows"
        half = h5py.h5t.IEEE_F32LE.copy()
        half.set_fields(15, 10, 5, 0, 10)
        half.set_size(2)
        half.set_ebias(15)
        h5py.h5d.create(file.id, b"bits", half, h5py.h5s.create_simple((3,)))


def places(value, path=()):
    """Ways to all values in a document."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list):
        for key in range(len(value)):
            yield from places(value[key], (*path, key))


def at(document, path):
    for key in path:
        document = document[key]
    return document


def mutate_value(chance, document):
    """Another document, which is JSON again."""
    ways = [path for path in places(document) if path]
    path = chance.choice(ways)
    parent, key, old = at(document, path[:-1]), path[-1], at(document, path)
    match chance.randrange(9):
        case 0:
            del parent[key]
        case 1:
            parent[key] = chance.choice(NUMBERS)
        case 2:
            parent[key] = chance.choice(WORDS)
        case 3:
            parent[key] = json.loads(json.dumps(at(document, chance.choice(ways))))
        case 4:
            parent[key] = chance.choice([None, True, False, [], {}, [[]], [None], {"": None}, [0] * 40, [1 << 40] * 33])
        case 5 if isinstance(old, str) and old:
            place = chance.randrange(len(old))
            parent[key] = old[:place] + chance.choice("0123456789abcdefz/") + old[place + 1 :]
        case 6 if isinstance(old, str):
            parent[key] = old[: chance.randrange(len(old) + 1)]
        case 7 if isinstance(old, int):
            parent[key] = old + chance.choice([-1, 1, 2, 100])
        case 8 if isinstance(old, list):
            parent[key] = old * chance.randrange(4)
        case _:
            parent[key] = [old]


def mutate_bytes(chance, file):
    data = bytearray(file.read_bytes())
    for _ in range(chance.randint(1, 3)):
        match chance.randrange(4):
            case 0 if data:
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            case 1 if data:
                del data[chance.randrange(len(data)) :]
            case 2:
                place = chance.randrange(len(data) + 1)
                data[place:place] = chance.randbytes(chance.randint(1, 9))
            case _ if data:
                data[chance.randrange(len(data))] = chance.randrange(256)
    file.write_bytes(data)


def mutate(chance, folder):
    """Changes one file, or a few. Returns them, the arrays whose chunks have changed, and whether documents have."""
    touched, chunks, is_changed = [], set(), False
    for _ in range(chance.choice([1, 1, 1, 2, 5])):
        files = sorted(file for file in folder.rglob("*") if file.is_file())
        file = chance.choice(files if chance.random() < 0.5 else [file for file in files if file.name == "zarr.json"])
        touched.append(file.relative_to(folder))
        if file.name != "zarr.json":
            chunks.add(file.relative_to(folder).parts[0])
            mutate_bytes(chance, file)
            continue
        is_changed = True
        if chance.random() < 0.15:
            mutate_bytes(chance, file)
            continue
        try:
            document = json.loads(file.read_text())
        except ValueError:
            continue
        for _ in range(chance.choice([1, 1, 2, 4])):
            if isinstance(document, dict) and document:
                mutate_value(chance, document)
        file.write_text(json.dumps(document))
    return touched, chunks, is_changed


def try_all(counts, *actions):
    for action in actions:
        try:
            action()
        except (Exception, RecursionError) as error:  # noqa: BLE001
            assert not isinstance(error, MemoryError), error
            counts["failed"] += 1
        else:
            counts["done"] += 1


def look(counts, file):
    """Does with everything in a file what clients do."""
    names = []
    try_all(counts, lambda: file.visit(lambda name: names.append(name) if len(names) < 200 else 1), lambda: names.extend(file))
    for name in ["/", *names]:
        thing = None
        try:
            thing = file[name]
        except Exception:  # noqa: BLE001
            counts["failed"] += 1
            continue
        try_all(counts, lambda: dict(thing.attrs), lambda: list(thing.attrs), lambda: thing.ref, lambda: repr(thing))
        if isinstance(thing, h5py.Group):
            try_all(counts, lambda: [thing.get(one, getlink=True) for one in thing], lambda: list(thing.values()))
        elif isinstance(thing, h5py.Dataset):
            try_all(counts, lambda: thing.id.get_create_plist(), lambda: thing.fillvalue, lambda: [dim.label for dim in thing.dims],
                    lambda: [dim.keys() for dim in thing.dims], lambda: thing.id.get_storage_size())
            # Reading much is for another test.
            if thing.shape is None or thing.size * max(thing.dtype.itemsize, 1) < 1 << 22:
                def follow(thing=thing):
                    for value in np.ravel(thing[()])[:10]:
                        if isinstance(value, h5py.RegionReference) and value:
                            file[value][value]
                        elif isinstance(value, h5py.Reference) and value:
                            file[value].name
                try_all(counts, lambda: thing[()], follow)


def change(counts, file):
    """Changes some of it, so that documents are written again."""
    names = []
    try_all(counts, lambda: names.extend(file))
    for name in names[:40]:
        try_all(counts, lambda: file[name].attrs.__setitem__("new", 5))
    try_all(counts, lambda: file.__setitem__("new", GRID), lambda: file["gzip"].__setitem__(0, 1), lambda: file["gzip"].resize(3, 0),
            lambda: file["texts"].__setitem__(0, "new"), lambda: file.move("plain", "moved"), lambda: file.__delitem__("a"),
            lambda: file.copy("table", "copy"), file.flush)


def main(first, count):
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for base in BASES:
        make(base, base == "shared.zarr")
        with h5py.File(base) as file:
            whole = collections.Counter()
            look(whole, file)
        assert whole["failed"] == 0, whole
    counts, wrong = collections.Counter(), []
    for base in BASES:
        shutil.copytree(base, f"mutated {base}")
    for seed in range(first, first + count):
        print("seed", seed, flush=True)
        chance = random.Random(seed)
        base = pathlib.Path(BASES[seed % 3 > 0])
        folder = pathlib.Path(f"mutated {base}")
        touched, chunks, is_changed = mutate(chance, folder)
        try:
            with h5py.File(folder, "r") as file:
                look(counts, file)
                for name in CHECKED if not is_changed else ():
                    try:
                        found = file[name][...]
                    except OSError:
                        counts["chunks refused"] += 1
                    else:
                        counts["chunks read"] += name in chunks
                        if not (found == GRID).all():
                            wrong.append(f"seed {seed}: {name} is not what was written")
        except OSError:
            counts["not opened"] += 1
        else:
            counts["opened"] += 1
        if chance.random() < 0.15:
            try_all(counts, lambda: change_and_close(counts, folder))
            counts["changed"] += 1
            shutil.rmtree(folder)
            shutil.copytree(base, folder)
        for file in touched:
            shutil.copyfile(base / file, folder / file)
    print(json.dumps({"counts": counts, "wrong": wrong}))


def change_and_close(counts, folder):
    with h5py.File(folder, "r+") as file:
        change(counts, file)
    with h5py.File(folder, "r") as file:
        look(counts, file)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
