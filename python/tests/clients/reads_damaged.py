"""Damaged files, natively and through the connector, each mutant read in two watched children.

    reads_damaged.py HOST FIRST_SEED MUTANTS

The last line of output is JSON: mutants whose reading crashed or hung through the connector, or gave something else than native did;
and how often which combination of outcomes was seen. A mutant is described by what was changed in which file.

One difference is allowed, and counted: where native does not find a chunk because a key of its index is damaged, and so fails or
gives fill values, the connector may give what was stored before the damage. It sees only what H5Dchunk_iter tells of an index.
"""

import collections
import ctypes
import hashlib
import json
import os
import random
import re
import shutil
import struct
import sys

from children import run_child
from counted import summaries
from hdf5lib import Library

MEMORY = 3 << 30
WHOLE = 16 << 20


def base_files(h5):
    """Small files in the old format without checksums and in the newest, with every layout and chunk index."""
    made = {}
    for version in ("old", "new"):
        for block in (0, 512):
            path = f"{version}{block}.h5"
            fapl, fcpl = h5.fapl(), h5.plist("FILE_CREATE")
            if version == "new":
                bound = next(bound for bound in (6, 5, 4) if h5.H5Pset_libver_bounds(fapl, bound, bound) >= 0)
                h5.H5Pset_libver_bounds.must(fapl, bound, bound)
            h5.H5Pset_userblock.must(fcpl, block)
            file = h5.create(path, fapl, fcpl)
            numbers = struct.pack("<240i", *range(1, 241))
            h5.make(file, "contiguous", [12, 20], numbers)
            h5.make(file, "fixed", [12, 20], numbers, chunk=[5, 6])
            h5.make(file, "single", [12, 20], numbers, chunk=[12, 20])
            h5.make(file, "growing", [12, 20], numbers, chunk=[5, 6], maxdims=[h5.UNLIMITED, 20])
            h5.make(file, "free", [12, 20], numbers, chunk=[5, 6], maxdims=[h5.UNLIMITED] * 2)
            early = h5.plist("DATASET_CREATE")
            h5.H5Pset_alloc_time.must(early, 1)
            h5.make(file, "implicit", [12, 20], numbers, chunk=[4, 5], dcpl=early)
            h5.make(file, "floats", [120], numbers[:480], type="IEEE_F32BE")
            addresses = []
            for name in (b"contiguous", b"fixed", b"growing", b"free", b"single", b"implicit"):
                dset = h5.H5Dopen2.must(file, name, 0)
                if name == b"contiguous":
                    addresses.append(h5.H5Dget_offset(dset))
                else:
                    count = ctypes.c_uint64()
                    h5.H5Dget_num_chunks.must(dset, 0, ctypes.byref(count))
                    for number in range(count.value):
                        address, size, mask = ctypes.c_uint64(), ctypes.c_uint64(), ctypes.c_uint()
                        h5.H5Dget_chunk_info.must(dset, 0, number, [0, 0], ctypes.byref(mask), ctypes.byref(address), ctypes.byref(size))
                        addresses.append(address.value)
                h5.H5Dclose(dset)
            h5.H5Fclose.must(file)
            with open(path, "rb") as source:
                content = source.read()
            made[path] = (content, [address - block for address in addresses], raw_parts(content, numbers))
    return made


def raw_parts(content, numbers):
    """Which bytes hold raw data: those that repeat the numbers written."""
    raw = bytearray(len(content))
    words = {numbers[place : place + 4] for place in range(0, len(numbers), 4)}
    for place in range(0, len(content) - 8, 4):
        if content[place : place + 4] in words and content[place + 4 : place + 8] in words:
            raw[place : place + 8] = b"\1" * 8
    return raw


def mutate(rng, path, content, addresses, raw):
    """A damaged copy, and what was done to it."""
    data = bytearray(content)
    way = rng.choice(["flip", "flip", "flip", "address", "address", "address", "dims", "word", "truncate", "fields"])
    metadata = [place for place in range(len(data)) if not raw[place]]
    if way == "flip":
        for _ in range(rng.choice([1, 1, 2, 8])):
            place = rng.choice(metadata)
            data[place] ^= 1 << rng.randrange(8)
            way += f" {place}"
    elif way == "address":
        wanted = struct.pack("<Q", rng.choice(addresses))
        new = rng.choice([len(data), len(data) - 8, 2**63, 2**64 - 2, 2**64 - 1, 0, 8, rng.randrange(len(data)), 2**40])
        places = [found.start() for found in re.finditer(re.escape(wanted), bytes(data))]
        for place in places[:2]:
            data[place : place + 8] = struct.pack("<Q", new)
        way += f" {wanted.hex()} at {places[:2]} becomes {new}"
    elif way == "dims":
        old = rng.choice([12, 20, 5, 6])
        size = rng.choice(["<Q", "<I"])
        places = [p for p in range(len(data) - 8) if not raw[p] and data[p : p + struct.calcsize(size)] == struct.pack(size, old)]
        if places:
            place, new = rng.choice(places), rng.choice([0, 1, old + 1, old - 1, 1000, 2**31, 2**32 - 1, 2**62, 2**63])
            data[place : place + struct.calcsize(size)] = struct.pack(size, new % 2 ** (8 * struct.calcsize(size)))
            way += f" {old} at {place} ({size}) becomes {new}"
    elif way == "word":
        place = rng.choice(metadata)
        data[place : place + 4] = rng.randbytes(4)
        way += f" at {place}"
    elif way == "fields":
        # Some bytes around the object headers' small fields: versions, classes, flags, sizes.
        for _ in range(4):
            place = rng.choice(metadata)
            data[place] = rng.choice([0, 1, 2, 3, 255, 128])
            way += f" {place}={data[place]}"
    else:
        # The superblock of the old format tells the end of the file without a checksum: make it agree.
        length = rng.randrange(len(data) // 4, len(data))
        start = data.find(b"\x89HDF")
        if data[start + 8] == 0 and rng.random() < 0.8:
            data[start + 40 : start + 48] = struct.pack("<Q", length - start)
            way += ", end of file adjusted"
        del data[length:]
        way += f" to {length}"
    return bytes(data), f"{path}: {way}"


def read_all(h5, fapl, path):
    """What every dataset of a file reads as: a list of [name, what]; what is a hash, or None for a failure."""
    file = h5.H5Fopen(path.encode(), 0, fapl)
    if file < 0:
        return {"opened": False}
    found, texts = [], []
    for name in ("contiguous", "fixed", "single", "growing", "free", "implicit", "floats"):
        dset = h5.H5Dopen2(file, name.encode(), 0)
        if dset < 0:
            found.append([name, "not opened"])
            continue
        kind, space = h5.H5Dget_type(dset), h5.H5Dget_space(dset)
        size, rank = h5.H5Tget_size(kind), h5.H5Sget_simple_extent_ndims(space)
        points = h5.H5Sget_simple_extent_npoints(space)
        if kind < 0 or space < 0 or rank < 0 or size <= 0 or size > WHOLE or h5.H5Tdetect_class(kind, 9) or h5.H5Tis_variable_str(kind):
            found.append([name, "odd"])
        else:
            dims = (ctypes.c_uint64 * 33)()
            h5.H5Sget_simple_extent_dims(space, dims, None)
            dims = list(dims[:rank])
            windows = [None] if 0 <= points * size <= WHOLE and points < 2**40 else []
            if rank and all(dims):
                count = [min(extent, 3) for extent in dims]
                windows += [([0] * rank, count), ([extent - part for extent, part in zip(dims, count)], count)]
            for window in windows:
                file_space = 0 if window is None else h5.space(dims)
                number = points
                if window:
                    h5.H5Sselect_hyperslab.must(file_space, 0, window[0], None, window[1], None)
                    number = h5.H5Sget_select_npoints(file_space)
                if number * size > WHOLE:
                    continue
                buffer = ctypes.create_string_buffer(b"\x3c" * max(1, number * size), max(1, number * size))
                result = h5.H5Dread(dset, kind, h5.BLOCK if window else 0, file_space, 0, buffer)
                label = f"{name} {'whole' if window is None else window}"
                if result < 0:
                    texts.append([label, h5.errors()])
                found.append([label, hashlib.sha1(buffer.raw).hexdigest() if result >= 0 else None])
                file_space and h5.H5Sclose(file_space)
        h5.H5Dclose(dset)
    h5.H5Fclose(file)
    return {"opened": True, "found": found, "errors": texts}


def main():
    host, first, mutants = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    h5 = Library(host)
    bases = base_files(h5)
    undamaged = {path: dict(read_all(h5, h5.native, path)["found"]) for path in bases}
    seen, differences, bypassed = collections.Counter(), [], 0
    for seed in range(first, first + mutants):
        rng = random.Random(seed)
        # The old format has no checksums: damage gets through to the reading.
        path = rng.choice(["old0.h5", "old0.h5", "old512.h5", "new0.h5", "new512.h5"])
        content, what = mutate(rng, path, *bases[path])
        with open("mutant.h5", "wb") as file:
            file.write(content)
        native = run_child(lambda: read_all(h5, h5.native, "mutant.h5"), seconds=10, memory=MEMORY)
        ours = run_child(lambda: read_all(h5, h5.bypass, "mutant.h5"), seconds=10, memory=MEMORY)
        problems = judge(native, ours, undamaged[path], seen)
        bypassed += sum(told["reads"]["bypassed"] for told in summaries(ours["stderr"]))
        if problems:
            shutil.copy("mutant.h5", f"mutant{seed}.h5")
            differences.append({"seed": seed, "what": what, "problems": problems, "kept": os.path.abspath(f"mutant{seed}.h5")})
    print(json.dumps({"seen": seen, "bypassed": bypassed, "differences": differences}))


def judge(native, ours, undamaged, seen):
    """What is wrong with our outcome, given native's."""
    if native["ended"] != 0:
        # Native itself crashes or hangs on this file: nothing can be asked of us, who call it for the metadata.
        seen[f"native ended by {native['ended']}"] += 1
        return []
    if ours["ended"] != 0:
        return [f"ended by {ours['ended']}, native did not: {ours['stderr'][-1500:]}", str(native["answer"])[:600]]
    wanted, got = native["answer"], ours["answer"]
    if wanted["opened"] != got["opened"]:
        return [f"opened: native {wanted['opened']}, ours {got['opened']}"]
    if not wanted["opened"]:
        seen["not opened"] += 1
        return []
    problems = []
    errors = dict(got["errors"])
    if [label for label, _ in wanted["found"]] != [label for label, _ in got["found"]]:
        return [f"other reads: native {wanted['found']}, ours {got['found']}"]
    for (label, a), (_, b) in zip(wanted["found"], got["found"]):
        if a != b and b is not None and b == undamaged.get(label):
            seen["ours reads what was stored, native does not"] += 1
        elif a == b:
            seen["same" if a else "both fail"] += 1
            ours_texts = [text for text in errors.get(label, ()) if text.startswith("cannot read dataset")]
            if a is None and ours_texts:
                seen["both fail, our text"] += 1
                if f"'/{label.split()[0]}'" not in ours_texts[0] or "mutant.h5" not in ours_texts[0]:
                    problems.append(f"{label}: the error does not name file and dataset: {ours_texts}")
                if label.split()[0] not in ("contiguous", "floats") and "outside" in ours_texts[0] and "chunk at" not in ours_texts[0]:
                    problems.append(f"{label}: the error does not name the chunk: {ours_texts}")
        elif a is None:
            problems.append(f"{label}: native fails ({dict(wanted['errors']).get(label)}), ours reads")
        elif b is None:
            problems.append(f"{label}: native reads, ours fails: {errors.get(label)}")
        else:
            problems.append(f"{label}: other data than native's")
    return problems


if __name__ == "__main__":
    main()
