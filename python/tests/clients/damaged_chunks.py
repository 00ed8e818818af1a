"""Damaged chunks of filtered datasets, natively and through the connector, each mutant read in watched children.

    damaged_chunks.py HOST FIRST_SEED ROUNDS

Each round damages one chunk of a dataset per pipeline. The last line of output is JSON: mutants whose reading crashed or hung through
the connector, took memory that no chunk explains, failed without saying where, or gave something else than native; and how often which
combination of outcomes was seen.

Two differences are allowed, and counted:

* where native reads but its answer is not determined by the file (a filter gave fewer bytes than a chunk has, and native goes on with
  what was in its memory: two runs that fill fresh memory differently disagree), ours may be an error or anything;
* where native reads and ours is an error that says that a checksum or a length inside the stored chunk is wrong: native's filter did
  not look.
"""

import collections
import ctypes
import hashlib
import itertools
import json
import os
import random
import re
import resource
import shutil
import struct
import sys

import pipelines as p
from children import run_child
from counted import summaries
from filters import add_filters, available, settle
from hdf5lib import Library

MEMORY = 3 << 30
# Of a reading child, with the interpreter, in KiB. A chunk has 3200 bytes.
RESIDENT = 400 << 10
DIMS, CHUNK = [50, 70], [20, 40]
M_PERTURB = -6
# The real bzip2 filter never comes back from a chunk that is too short.
ALONE = {"bzip2": ["bzip2"]}

PIPELINES = {
    "deflate": [p.deflate()],
    "shuffle deflate": [p.shuffle(), p.deflate(9)],
    "fletcher32": [p.fletcher32()],
    "deflate fletcher32": [p.deflate(), p.fletcher32()],
    "fletcher32 deflate": [p.fletcher32(), p.deflate()],
    "szip": [p.szip()],
    "nbit": [p.nbit()],
    "scaleoffset": [p.scaleoffset()],
    "lzf": [p.lzf()],
    "zstd": [p.zstd()],
    "lz4": [p.lz4(1000)],
    "bzip2": [p.bzip2()],
    "blosc blosclz": [p.blosc("blosclz")],
    "blosc lz4": [p.blosc("lz4", shuffling=2)],
    "blosc zlib": [p.blosc("zlib")],
    "blosc zstd": [p.blosc("zstd", shuffling=0)],
    "blosc2": [p.blosc2("lz4")],
    "blosc2 zstd": [p.blosc2("zstd", shuffling=2)],
    "bitshuffle": [p.bitshuffle()],
    "bitshuffle lz4": [p.bitshuffle("lz4")],
    "bitshuffle zstd": [p.bitshuffle("zstd")],
}


def base_file(h5):
    """A file with a dataset per pipeline, and their chunks as stored: {label: [(place, mask, bytes)]}."""
    numbers = struct.pack(f"<{DIMS[0] * DIMS[1]}i", *(place // 3 % 500 for place in range(DIMS[0] * DIMS[1])))
    file, places = h5.create("base.h5"), {}
    for label, pipeline in PIPELINES.items():
        if not available(h5, pipeline):
            continue
        dcpl = h5.plist("DATASET_CREATE")
        add_filters(h5, dcpl, pipeline)
        h5.make(file, label, DIMS, numbers, chunk=CHUNK, dcpl=dcpl)
        h5.H5Pclose(dcpl)
        dset = h5.H5Dopen2.must(file, label.encode(), 0)
        places[label] = []
        for number in range(6):
            address, size, mask, place = ctypes.c_uint64(), ctypes.c_uint64(), ctypes.c_uint(), (ctypes.c_uint64 * 2)()
            h5.H5Dget_chunk_info.must(dset, 0, number, place, ctypes.byref(mask), ctypes.byref(address), ctypes.byref(size))
            places[label].append((list(place), mask.value, address.value, size.value))
        h5.H5Dclose(dset)
    h5.H5Fclose.must(file)
    with open("base.h5", "rb") as source:
        content = source.read()
    return {
        label: [(place, mask, content[address : address + size]) for place, mask, address, size in chunks]
        for label, chunks in places.items()
    }


def mutate(rng, chunks):
    """Place, mask and bytes of a damaged chunk, and what was done to it."""
    place, mask, stored = rng.choice(chunks)
    data = bytearray(stored)
    way = rng.choice(["flip"] * 3 + ["head", "short", "mask"] * 2 + ["absurd", "tail", "long", "garbage", "zeros", "other"])
    if way == "flip":
        for _ in range(rng.choice([1, 1, 3, 20])):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif way == "head":
        at = rng.randrange(min(24, len(data)))
        data[at] = rng.choice([0, 1, 127, 128, 255, rng.randrange(256)])
    elif way == "absurd":
        # A length where headers have theirs, in either byte order.
        at, size = rng.choice([0, 4, 8, 12, 16, 24]), rng.choice([4, 8])
        number = rng.choice([0, 1, 3199, 3201, 1 << 20, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 40, (1 << 63) - 1, (1 << 64) - 1])
        data[at : at + size] = (number % (1 << (8 * size))).to_bytes(size, rng.choice(["little", "big"]))
    elif way == "tail":
        data[-rng.randint(1, min(8, len(data))) :] = rng.randbytes(rng.randint(1, 8))
    elif way == "short":
        del data[rng.choice([1, 2, 4, 8, 16, rng.randrange(1, len(data)), len(data) - 1]) :]
    elif way == "long":
        data += rng.randbytes(rng.choice([1, 4, 1000])) if rng.random() < 0.5 else bytes(rng.choice([1, 8, 5000]))
    elif way == "garbage":
        data = bytearray(rng.randbytes(rng.choice([1, 5, len(data), 5000])))
    elif way == "zeros":
        data = bytearray(rng.choice([len(data), 3200]))
    elif way == "other":
        data = bytearray(rng.choice(chunks)[2])
    else:
        mask ^= rng.choice([1, 2, 3, 0x80000000])
    return place, mask, bytes(data or b"\0"), way


def read_all(h5, fapl, labels, perturb=0, path="mutant.h5"):
    """What the datasets read as, whole and by windows: hashes, or None for a failure with its texts."""
    ctypes.CDLL(None).mallopt(M_PERTURB, perturb)
    h5.H5set_free_list_limits.must(0, 0, 0, 0, 0, 0)
    file = h5.open(path, fapl)
    answers = {}
    for label in labels:
        found, texts = [], {}
        for window in (None, ([0, 0], CHUNK), ([20, 30], CHUNK), ([45, 3], [5, 60]), ([15, 35], [10, 10])):
            # A handle for each: native keeps a chunk that it could decode, whatever is wrong with it.
            dset = h5.H5Dopen2.must(file, label.encode(), 0)
            space = 0 if window is None else h5.slab(DIMS, *window)
            number = DIMS[0] * DIMS[1] if window is None else window[1][0] * window[1][1]
            buffer = ctypes.create_string_buffer(b"\x3c" * number * 4, number * 4)
            result = h5.H5Dread(dset, h5.type("STD_I32LE"), h5.BLOCK if window else 0, space, 0, buffer)
            if result < 0:
                texts[str(window)] = h5.errors()
            found.append([str(window), hashlib.sha1(buffer.raw).hexdigest() if result >= 0 else None])
            h5.H5Dclose(dset)
        answers[label] = {"found": found, "errors": texts}
    h5.H5Fclose(file)
    return {"answers": answers, "resident": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}


def read_in_children(h5, labels, counted):
    """Natively twice and through the connector; dataset by dataset if one of the three does not end well."""
    runs = []
    for fapl, perturb, seconds in ((h5.native, 0x11, 1), (h5.native, 0x77, 1), (h5.bypass, 0x33, 10)):
        if runs and runs[0]["ended"] != 0 and fapl == h5.native:
            runs.append(runs[0])
            continue
        runs.append(run_child(lambda: read_all(h5, fapl, labels, perturb), seconds=seconds, memory=MEMORY))
        if runs[-1]["ended"] != 0 and len(labels) > 1:
            for label in labels:
                yield from read_in_children(h5, [label], counted)
            return
    counted["bypassed"] += sum(told["reads"]["bypassed"] for told in summaries(runs[2]["stderr"]))
    for label in labels:
        yield label, [Outcome(run, label) for run in runs]


class Outcome:
    """How a child ended, and what it found about a dataset."""

    def __init__(self, run, label):
        self.ended, self.stderr = run["ended"], run["stderr"]
        if self.ended == 0:
            self.resident = run["answer"]["resident"]
            self.found, self.errors = (run["answer"]["answers"][label][key] for key in ("found", "errors"))


def main():
    host, first, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    h5 = Library(host)
    settle(host, lzf=True)
    h5.H5Eset_auto2.must(0, None, None)
    base = base_file(h5)
    undamaged = read_all(h5, h5.native, list(base), path="base.h5")["answers"]
    # Loaded once and not in every child.
    assert h5.bypass > 0
    seen, differences, counted = collections.Counter(), [], collections.Counter()
    for seed in range(first, first + rounds):
        rng = random.Random(seed)
        mutants = {label: mutate(rng, chunks) for label, chunks in base.items()}
        shutil.copy("base.h5", "mutant.h5")
        file = h5.open("mutant.h5", h5.native, h5.RDWR)
        for label, (place, mask, stored, _) in mutants.items():
            dset = h5.H5Dopen2.must(file, label.encode(), 0)
            h5.H5Dwrite_chunk.must(dset, 0, mask, place, len(stored), stored)
            h5.H5Dclose.must(dset)
        h5.H5Fclose.must(file)
        together = [label for label in mutants if label not in ALONE]
        for label, outcomes in itertools.chain(*(read_in_children(h5, labels, counted) for labels in (together, *ALONE.values()))):
            place, mask, stored, way = mutants[label]
            problems = judge(*outcomes, dict(undamaged[label]["found"]), place, label, way, seen)
            if problems:
                kept = os.path.abspath(f"mutant{seed}.h5")
                shutil.copy("mutant.h5", kept)
                what = f"'{label}', chunk at {place}: {way}, {len(stored)} bytes, mask {mask}"
                differences.append({"seed": seed, "what": what, "problems": problems, "kept": kept})
    answer = {"mutants": rounds * len(base), "seen": seen, "labels": list(base), "bypassed": counted["bypassed"]}
    print(json.dumps(answer | {"differences": differences}))


def names_all(text, place, label):
    """Whether an error of ours says which file, dataset, chunk and filter."""
    coordinates = re.search(r"chunk at \D*(\d+)\D+(\d+)", text)
    right_place = coordinates and [int(number) for number in coordinates.groups()] == place
    filters = [number for number, _, _ in PIPELINES[label]]
    return "mutant.h5" in text and f"'/{label}'" in text and right_place and any(f"({number})" in text for number in filters)


def judge(native, again, ours, undamaged, place, label, way, seen):
    """What is wrong with our outcome, given native's."""
    if ours.ended != 0:
        return [f"ended by {ours.ended} (natively {native.ended}): {ours.stderr[-1500:]}"]
    if ours.resident > RESIDENT:
        return [f"took {ours.resident} KiB of memory"]
    problems, own = [], {}
    for window, texts in ours.errors.items():
        own[window] = next((text for text in texts if text.startswith("cannot read dataset")), None)
        if own[window] is None or not names_all(own[window], place, label):
            problems.append(f"{window}: the error does not name file, dataset, chunk {place} and filter: {texts}")
    if native.ended != 0 or again.ended != 0:
        # Native's own filter crashes or hangs on this chunk; ours must not, and may say or read what it likes.
        seen["native does not survive"] += 1
        return problems
    for (window, a), (_, a2), (_, b) in zip(native.found, again.found, ours.found):
        if a != a2:
            seen["native undetermined"] += 1
        elif a == b:
            seen["same" if a else "both fail"] += 1
        elif a is None:
            # Damage that we do not look at, such as a frame's trailer, has done no harm if the data is what was stored.
            if b == undamaged[window]:
                seen["native fails, ours reads what was stored"] += 1
            else:
                problems.append(f"{window}: native fails ({native.errors.get(window)}), ours reads something else")
        elif b is None:
            seen["native reads, ours finds it damaged"] += 1
            seen[f"native reads, ours finds it damaged: {label}"] += 1
            # Natively some decoders overlook a wrong version or a failed frame; to say so is right, if it is said where.
            if "chunk at [" not in (own[window] or "") or "filter " not in own[window]:
                problems.append(f"{window}: native reads, ours does not, and does not say where: {ours.errors[window]}")
        else:
            problems.append(f"{window}: other data than native's")
    return problems


if __name__ == "__main__":
    main()
