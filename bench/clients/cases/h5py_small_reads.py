"""h5py: loops of small reads."""

import random

from case import Group
from files import CHUNKED, CONTIGUOUS, GZIP, GZIP_LARGE, VECTORS, WIDTH
from packages import h5py, numpy

GROUP = Group("h5py: small reads", "h5py")


def places(count, end, seed=1):
    """Random places, the same ones in every process."""
    return random.Random(seed).choices(range(end), k=count)


def random_pairs(count, end):
    return list(zip(places(count, end), places(count, WIDTH, 2), strict=True))


@GROUP.case(
    "rows-64B",
    "{reads} reads d[i, 0:16] of a contiguous matrix",
    files=(CONTIGUOUS,),
    asked=1.1,
    calls="reads",
)
def rows(place):
    with h5py.File(place.input(CONTIGUOUS)) as file:
        data = file["data"]
        return [data[i, 0:16] for i in range(place.sizes.reads)]


@GROUP.case("rows-backwards", "{reads} reads d[i, 0:16] of it, the last row first", files=(CONTIGUOUS,), calls="reads")
def rows_backwards(place):
    with h5py.File(place.input(CONTIGUOUS)) as file:
        data = file["data"]
        return [data[i, 0:16] for i in reversed(range(place.sizes.reads))]


@GROUP.case(
    "whole-rows",
    "{reads} rows of 4 KiB of a contiguous matrix: for row in d",
    files=(CONTIGUOUS,),
    calls="reads",
)
def whole_rows(place):
    with h5py.File(place.input(CONTIGUOUS)) as file:
        return [row for row, _ in zip(file["data"], range(place.sizes.reads), strict=False)]


@GROUP.case("frames", "{medium} MiB of a contiguous matrix, 48 KiB at a time: d[i:i+12]", files=(CONTIGUOUS,))
def frames(place):
    with h5py.File(place.input(CONTIGUOUS)) as file:
        data = file["data"]
        return [data[i : i + 12] for i in range(0, len(data), 12)]


@GROUP.case("frames-chunked", "{medium} MiB of uncompressed chunks, one chunk of 256 KiB at a time", files=(CHUNKED,))
def frames_chunked(place):
    with h5py.File(place.input(CHUNKED)) as file:
        data = file["data"]
        return [data[i : i + data.chunks[0]] for i in range(0, len(data), data.chunks[0])]


@GROUP.case("elements", "{reads} random elements d[i, j] of a contiguous matrix", files=(CONTIGUOUS,), calls="reads")
def elements(place):
    with h5py.File(place.input(CONTIGUOUS)) as file:
        data, count = file["data"], place.sizes.reads
        return [data[i, j] for i, j in place.made(random_pairs, count, len(data))]


@GROUP.case("lookups", '{lookups} reads f["x"][i] of a vector', files=(VECTORS,), calls="lookups")
def lookups(place):
    with h5py.File(place.input(VECTORS)) as file:
        return [file["plain"][i] for i in range(place.sizes.lookups)]


@GROUP.case("lookups-gzip", '{slow_lookups} reads f["x"][i] of a gzip vector', files=(VECTORS,), calls="slow_lookups")
def lookups_gzip(place):
    with h5py.File(place.input(VECTORS)) as file:
        return [file["gzip"][i] for i in range(place.sizes.slow_lookups)]


@GROUP.case("rows-chunked", "{reads} random rows d[i, 0:16] of uncompressed chunks", files=(CHUNKED,), calls="reads")
def rows_chunked(place):
    with h5py.File(place.input(CHUNKED)) as file:
        data = file["data"]
        return [data[i, 0:16] for i in place.made(places, place.sizes.reads, len(data))]


@GROUP.case(
    "rows-gzip",
    "all rows of a gzip matrix, one by one: for row in d",
    files=(GZIP,),
    calls=lambda sizes: sizes.medium * 256,
)
def rows_gzip(place):
    with h5py.File(place.input(GZIP)) as file:
        return list(file["data"])


@GROUP.case(
    "random-rows-gzip",
    "{random_rows} random rows of 1 MiB gzip chunks, one by one",
    files=(GZIP_LARGE,),
    asked=3.0,
    calls="random_rows",
)
def random_rows_gzip(place):
    with h5py.File(place.input(GZIP_LARGE)) as file:
        data = file["data"]
        return [data[i] for i in place.made(places, place.sizes.random_rows, len(data))]


@GROUP.case(
    "listed-rows-gzip",
    "{listed_rows} random rows of 1 MiB gzip chunks as a list: d[[...]]",
    files=(GZIP_LARGE,),
    asked=7.0,
)
def listed_rows_gzip(place):
    with h5py.File(place.input(GZIP_LARGE)) as file:
        data = file["data"]
        return data[sorted(set(places(place.sizes.listed_rows, len(data))))]


@GROUP.case("listed-rows", "{listed_rows} random rows of a contiguous matrix as a list", files=(CONTIGUOUS,))
def listed_rows(place):
    with h5py.File(place.input(CONTIGUOUS)) as file:
        data = file["data"]
        return data[sorted(set(places(place.sizes.listed_rows, len(data))))]


def one_in_100(count):
    """A mask that is true for about one element in 100."""
    return numpy.random.default_rng(1).integers(0, 100, count) == 0


@GROUP.case("mask", "a boolean mask of one element in 100 of a vector: d[mask]", files=(VECTORS,))
def mask(place):
    with h5py.File(place.input(VECTORS)) as file:
        data = file["plain"]
        return data[place.made(one_in_100, len(data))]


@GROUP.case("mask-gzip", "a boolean mask of one element in 100 of a gzip vector", files=(VECTORS,))
def mask_gzip(place):
    with h5py.File(place.input(VECTORS)) as file:
        data = file["gzip"]
        return data[place.made(one_in_100, len(data))]


@GROUP.case("corner-chunked", "open, read a corner of a chunked dataset, close", files=(CHUNKED,))
def corner_chunked(place):
    with h5py.File(place.input(CHUNKED)) as file:
        return file["data"][0:4, 0:4]


@GROUP.case("corner-gzip", "open, read a corner of a gzip dataset, close", files=(GZIP,))
def corner_gzip(place):
    with h5py.File(place.input(GZIP)) as file:
        return file["data"][0:4, 0:4]


@GROUP.case("corner-contiguous", "open, read a corner of a contiguous dataset, close", files=(CONTIGUOUS,))
def corner_contiguous(place):
    with h5py.File(place.input(CONTIGUOUS)) as file:
        return file["data"][0:4, 0:4]
