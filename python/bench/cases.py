"""What the read benchmark reads: each case with the ratio native time / bypass time that is required of it."""

import random

import data
from limits import Pread
from measure import Case
from workloads import FLOAT, FirstMulti, FirstReads, Multi, OpenReadClose, Reads


def whole(name):
    def make(bench, way, phase):
        return Reads(bench, way, bench.matrix(name), "matrix", [((bench.side,) * 2, None)], phase)

    return make


def of_matrix(name, selections):
    """`selections(side)` gives (start, count, stride) of every read."""

    def make(bench, way, phase):
        extent = (bench.side,) * 2
        reads = [
            (count, {"extent": extent, "start": start, "count": count, "stride": stride})
            for start, count, stride in selections(bench.side)
        ]
        return Reads(bench, way, bench.matrix(name), "matrix", reads, phase)

    return make


def tiles(side):
    places = range(0, side // 1000 * 1000, 1000)
    return [((row, column), (1000, 1000), None) for row in places for column in places]


def small_tiles(side):
    places = random.Random(1)
    return [(tuple(places.randrange(side - 16) for _ in "yx"), (16, 16), None) for _ in range(1000)]


def slabs(side):
    return [((row, 0), (min(100, side - row), side), None) for row in range(0, side, 100)]


def second_rows(side):
    """Of the first quarter: natively this takes so long."""
    return [((0, 0), (side // 8, side), (2, 1))]


def second_columns(side):
    return [((0, 0), (side, side // 2), (1, 2))]


def columns(side):
    return [((0, column), (side, 1), None) for column in range(5, side, side // 16)]


def multi(kind, count, length, workload=Multi):
    def make(bench, way, phase):
        names = [f"{kind}{number}" for number in range(count)]
        return workload(bench, way, bench.path("multi.h5"), names, length, phase)

    return make


def small_reads(bench, way, phase):
    extent = (data.SMALL_BYTES // FLOAT,)
    places = range(0, extent[0], 16)
    reads = [((16,), {"extent": extent, "start": (place,), "count": (16,)}) for place in places]
    return Reads(bench, way, bench.path("small.h5"), "small", reads, phase)


def open_read_close(bench, way, _phase):
    return OpenReadClose(bench, way, bench.path("small.h5"), "small")


def many_chunks(kind, name, count):
    def make(bench, way, _phase):
        places, extent = random.Random(2), (data.MANY_CHUNKS * data.MANY_CHUNK,)
        starts = [places.randrange(extent[0] // 1024) * 1024 for _ in range(count)]
        reads = [((1024,), {"extent": extent, "start": (start,), "count": (1024,)}) for start in starts]
        return kind(bench, way, bench.path(name), "many", reads)

    return make


CASES = [
    Case("contiguous", "all of a contiguous matrix", 1.3, whole("contiguous"), phases=(0, 16), limit=Pread, share=0.9),
    Case("tiles", "1000 x 1000 tiles of it", 4, of_matrix("contiguous", tiles)),
    Case("small-tiles", "16 x 16 tiles at random places", 3, of_matrix("contiguous", small_tiles), small=True),
    Case("chunks-1MiB", "all of it in chunks of 1 MiB", 1.6, whole("chunks-1MiB")),
    Case("chunks-64KiB", "all of it in chunks of 64 KiB", 2, whole("chunks-64KiB")),
    Case("chunks-16KiB", "all of it in chunks of 16 KiB", 3, whole("chunks-16KiB")),
    Case("slabs", "100 rows at a time, 1 MiB chunks", 3, of_matrix("chunks-1MiB", slabs)),
    Case("second-rows", "every 2nd row, 1 MiB chunks", 10, of_matrix("chunks-1MiB", second_rows)),
    Case("second-columns", "every 2nd column, contiguous", 4, of_matrix("contiguous", second_columns)),
    Case("column", "one column, contiguous", 1.5, of_matrix("contiguous", columns), small=True),
    Case(
        "multi-large",
        "H5Dread_multi of 8 x 16 MiB",
        1.3,
        multi("large", data.MULTI_LARGE, data.MULTI_LARGE_BYTES),
        phases=(0, 16),
    ),
    Case(
        "multi-small",
        "H5Dread_multi of 256 x 4 KiB",
        2,
        multi("small", data.MULTI_SMALL, data.MULTI_SMALL_BYTES),
        small=True,
    ),
    Case(
        "multi-small-first",
        "the same, each just opened",
        2,
        multi("small", data.MULTI_SMALL, data.MULTI_SMALL_BYTES, FirstMulti),
        small=True,
    ),
    Case("64-bytes", "64 bytes at a time, in order", 0.9, small_reads, small=True),
    Case("open-read-close", "open, read 64 bytes, close", 0.9, open_read_close, small=True),
    Case(
        "many-first",
        "first 4 KiB of a million chunks",
        0.9,
        many_chunks(FirstReads, "many.h5", 20),
        may_pass_on=True,
        small=True,
    ),
    Case(
        "many-later",
        "later 4 KiB of a million chunks",
        0.9,
        many_chunks(Reads, "many.h5", 200),
        may_pass_on=True,
        small=True,
    ),
    Case(
        "many-latest-first",
        "the same with libver=latest, first",
        0.9,
        many_chunks(FirstReads, "many-latest.h5", 20),
        may_pass_on=True,
        small=True,
    ),
    Case(
        "many-latest-later",
        "the same with libver=latest, later",
        0.9,
        many_chunks(Reads, "many-latest.h5", 200),
        may_pass_on=True,
        small=True,
    ),
]
