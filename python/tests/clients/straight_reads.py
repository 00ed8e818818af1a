"""Reads of one piece of a file that is only copied: longer than a short run, shorter than what is divided among threads.

    straight_reads.py HOST [CASE ...]

What a case is: cases.py. Lengths are below and above each limit.
"""

import hashlib
import os

from access_paths import ints, opened_dataset
from cases import Cases

CASES = Cases()
case = CASES.case
COUNT = 1 << 20
LENGTHS = (2047, 2048, 2049, 12_000, 16_384, 262_143, 262_144, 262_145, 800_000)
CHUNK = 20_000


def made(h5, **more):
    file = h5.create("a.h5", fcpl=more.pop("fcpl", 0))
    h5.make(file, "d", [COUNT], ints(COUNT, 5), **more)
    h5.H5Fclose.must(file)


def digest(data):
    return data and hashlib.sha256(data).hexdigest()


def part(h5, dset, start, count, **more):
    return digest(h5.read(dset, count, memory=h5.space([count]), file=h5.slab([COUNT], [start], [count]), **more))


def parts(h5, fapl, starts=(0, 1, 77_777), lengths=LENGTHS):
    """Each length from each start, after a read that lets the dataset be known."""
    with opened_dataset(h5, fapl) as (_, dset):
        return [part(h5, dset, 0, 3), *[part(h5, dset, start, count) for count in lengths for start in starts]]


@case(1 + 3 * len(LENGTHS))
def contiguous(h5, fapl):
    made(h5)
    return parts(h5, fapl)


@case(1 + 3 * len(LENGTHS))
def user_block(h5, fapl):
    fcpl = h5.plist("FILE_CREATE")
    h5.H5Pset_userblock.must(fcpl, 512)
    made(h5, fcpl=fcpl)
    return parts(h5, fapl)


@case(1 + 3 * len(LENGTHS))
def chunked(h5, fapl):
    """In one chunk, and in several."""
    made(h5, chunk=[CHUNK])
    return parts(h5, fapl)


@case(1 + 12)
def chunks_one_by_one(h5, fapl):
    """Whole ones, and the last one, of which a part is outside."""
    made(h5, chunk=[CHUNK])
    with opened_dataset(h5, fapl) as (_, dset):
        starts = [*range(0, 11 * CHUNK, CHUNK), COUNT - COUNT % CHUNK]
        return [part(h5, dset, 0, 3), *[part(h5, dset, start, min(CHUNK, COUNT - start)) for start in starts]]


@case(1 + 3)
def missing_chunks(h5, fapl):
    """Fill values; one chunk is there."""
    made(h5, chunk=[CHUNK])
    file = h5.create("a.h5")
    dcpl = h5.plist("DATASET_CREATE")
    h5.H5Pset_chunk.must(dcpl, 1, [CHUNK])
    dset = h5.H5Dcreate2.must(file, b"d", h5.type("STD_I32LE"), h5.space([COUNT]), 0, dcpl, 0)
    h5.H5Dwrite.must(dset, h5.type("STD_I32LE"), h5.BLOCK, h5.slab([COUNT], [CHUNK], [CHUNK]), 0, ints(CHUNK, 9))
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    with opened_dataset(h5, fapl) as (_, dset):
        return [part(h5, dset, 0, 3), *[part(h5, dset, start, CHUNK) for start in (0, CHUNK, 2 * CHUNK)]]


@case(1 + 5)
def places_in_memory(h5, fapl):
    """The piece lies in the middle of a larger buffer, whose other bytes stay; and one that is no single piece there."""
    made(h5)
    with opened_dataset(h5, fapl) as (_, dset):
        some = h5.slab([COUNT], [1000], [30_000])
        return [
            part(h5, dset, 0, 3),
            digest(h5.read(dset, 90_000, memory=h5.slab([90_000], [40_000], [30_000]), file=some)),
            digest(h5.read(dset, 90_000, memory=h5.slab([300, 300], [100, 0], [100, 300]), file=some)),
            digest(h5.read(dset, 90_000, memory=h5.slab([300, 300], [0, 50], [300, 100]), file=some)),
            digest(h5.read(dset, 30_000, memory=h5.BLOCK, file=some)),
            digest(h5.read(dset, COUNT, file=some)),
        ]


@case(1 + 4)
def converted(h5, fapl):
    """Other numbers in memory, and the same ones in another order of bytes."""
    made(h5)
    with opened_dataset(h5, fapl) as (_, dset):
        kinds = (("STD_I64LE", 8), ("STD_I32BE", 4), ("STD_I16LE", 2), ("IEEE_F64LE", 8))
        return [part(h5, dset, 0, 3), *[part(h5, dset, 500, 30_000, type=kind, size=size) for kind, size in kinds]]


@case(None)
def cut_off(h5, fapl):
    """The end of the file is missing: what is there is read, the rest is a failure."""
    made(h5)
    size = os.path.getsize("a.h5")
    with opened_dataset(h5, fapl) as (_, dset):
        got = [part(h5, dset, 0, 3)]
        os.truncate("a.h5", size - 400_000)
        got += [part(h5, dset, start, 20_000) is None for start in (0, COUNT - 20_000)]
        os.truncate("a.h5", size)
        return [*got, part(h5, dset, 0, 20_000)]


if __name__ == "__main__":
    CASES.main()
