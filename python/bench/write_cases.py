"""What the benchmark of writes writes: each case with what is required of it.

A pass writes a new file (or, where it says so, opens one that is there), from its creation until it is closed: what is
kept back until then is measured, too. Nothing waits for the disk.
"""

import dataclasses
import functools
import statistics

import numpy
from counters import judge_writes
from data import side_of
from filter_cases import LZF_FILTER, ZSTD_FILTER
from hdf5 import Failed
from limits import GZIP, ZSTD
from measure import Case, note_on
from write_data import chunk_of_rows, extent_of_rows
from write_limits import Encode, Pwrite
from write_workloads import Appends, Files, InThreads, Multi, Overwrites, Recipe, Writes

# The numbers by which HDF5 knows filters.
DEFLATE, SHUFFLE, BLOSC_FILTER = 1, 2, 32001
LEVEL, ZSTD_LEVEL = 4, 3
# Level, bytes shuffled, LZ4; the first four are the filter's own to fill in.
BLOSC_OPTIONS = (0, 0, 0, 0, 5, 1, 1)
# Rows of an append, side of a tile, elements of a small write and of how many.
APPENDED, TILE, SMALL, SMALL_WRITES = 8, 100, 16, 4096
SMALL_FILES, SMALL_FILE = 50, 1024
MULTI, MULTI_ELEMENTS = 256, 1024
MULTI_GZIP = 8
# Mebibytes of the files whose sizes are compared, at most; natively the highest level takes long.
SIZES_MEBIBYTES, SIZES_LEVELS, SIZES_KINDS = 32, (1, 4, 6, 9), ("<f8", "<i4")


@dataclasses.dataclass
class WriteCase(Case):
    """A case that writes files."""

    # The filter that native HDF5 must have.
    needs: int | None = None

    def judge(self, stderr):
        return judge_writes(stderr)

    def do_once(self, workload):
        workload.run(1)

    def compare(self, native, bypass):
        """Writes both ways and compares what native HDF5 reads from the files."""
        native.run(1)
        bypass.run(1)
        for number, (expected, found) in enumerate(zip(native.contents(), bypass.contents(), strict=True)):
            if not numpy.array_equal(expected, found):
                differ = numpy.count_nonzero(expected != found)
                raise Failed(f"wrong data: {differ} bytes of dataset {number} differ")

    def check_limit(self, _native, limit):
        limit.run(1)
        limit.check()

    def more(self, workloads):
        """How long beginning, writing and ending took, and how large the files are."""
        parts = {way: workload.parts for way, workload in workloads.items() if workload.parts}
        names = ("begin", "write", "end")
        medians = {way: dict(zip(names, map(statistics.median, zip(*own)))) for way, own in parts.items()}
        return {
            "parts": medians,
            "file_bytes": {way: workloads[way].file_bytes() for way in ("native", "bypass")},
        }

    def note(self, row):
        note = f"  ({row['proof']})" if self.may_pass_on and row["proof"] != "bypassed" else note_on(row["proof"])
        parts = row["parts"]
        if parts:
            shares = (parts[way]["end"] / sum(parts[way].values()) for way in ("native", "bypass"))
            note = "  of it closing {:.0%}, {:.0%}{}".format(*shares, note)
        return note


def filtered(*filters):
    return ((SHUFFLE, ()), *filters)


def gzip_at(level):
    return filtered((DEFLATE, (level,)))


GZIP_FILTERS = gzip_at(LEVEL)


def rows(bench, kind="<f4", **options):
    """A dataset in chunks of whole rows."""
    return Recipe(kind, extent_of_rows(kind, bench.mebibytes), chunks=chunk_of_rows(kind), **options)


def square(bench, chunk=None, **options):
    """A dataset in square chunks, or contiguous."""
    return Recipe("<f4", (side_of(bench.mebibytes),) * 2, chunks=chunk and (chunk, chunk), **options)


def whole(recipe, workload=Writes, **options):
    """`recipe`: `rows` or `square`, with their `options`."""

    def make(bench, way, _phase):
        return workload(bench, way, recipe(bench, **options))

    return make


def bands(extent, height, grows=False):
    """Writes of so many rows each; to a dataset that ends with them, if it grows."""
    count = (height, *extent[1:])
    for row in range(0, extent[0], height):
        now = (row + height, *extent[1:]) if grows else extent
        yield count, {"extent": now, "start": (row, 0), "count": count}


def appends(bench, way, _phase):
    recipe = rows(bench, filters=GZIP_FILTERS, grows=True)
    return Appends(bench, way, recipe, list(bands(recipe.extent, APPENDED, grows=True)))


def tiles(bench, way, _phase):
    recipe, count = square(bench, 128, filters=GZIP_FILTERS), (TILE, TILE)
    places = range(0, recipe.extent[0] // TILE * TILE, TILE)
    starts = [(row, column) for row in places for column in places]
    parts = [(count, {"extent": recipe.extent, "start": start, "count": count}) for start in starts]
    return Writes(bench, way, recipe, parts)


def converted(bench, way, _phase):
    """An eighth of the bytes: natively it takes so long."""
    extent = extent_of_rows("<f8", max(bench.mebibytes // 8, 1))
    return Writes(bench, way, Recipe("<f8", extent, stored=">f4", chunks=chunk_of_rows("<f8")))


def small_writes(**options):
    def make(bench, way, _phase):
        extent = (SMALL * SMALL_WRITES,)
        starts = range(0, extent[0], SMALL)
        parts = [((SMALL,), {"extent": extent, "start": (start,), "count": (SMALL,)}) for start in starts]
        return Writes(bench, way, Recipe("<f4", extent, **options), parts)

    return make


def multi(bench, way, _phase):
    return Multi(bench, way, Recipe("<f4", (MULTI_ELEMENTS,)), MULTI)


def multi_gzip(bench, way, _phase):
    extent = extent_of_rows("<f4", max(bench.mebibytes // MULTI_GZIP, 1))
    return Multi(bench, way, Recipe("<f4", extent, chunks=chunk_of_rows("<f4"), filters=GZIP_FILTERS), MULTI_GZIP)


def files(bench, way, _phase):
    return Files(bench, way, Recipe("<f4", (SMALL_FILE,)), SMALL_FILES)


def threads(bench, way, _phase):
    bench = bench.thread_safe()
    recipe = rows(bench, filters=GZIP_FILTERS)
    return InThreads(bench, way, recipe, list(bands(recipe.extent, recipe.chunks[0])))


def size_case(kind, level):
    def make(bench, way, _phase):
        extent = extent_of_rows(kind, min(bench.mebibytes, SIZES_MEBIBYTES))
        return Writes(bench, way, Recipe(kind, extent, chunks=chunk_of_rows(kind), filters=gzip_at(level)))

    name = kind.strip("<")
    return WriteCase(f"size-{name}-{level}", f"file of {name}, gzip {level} + shuffle", None, make)


encode_gzip = functools.partial(Encode, packing=GZIP, level=LEVEL)
encode_zstd = functools.partial(Encode, packing=ZSTD, level=ZSTD_LEVEL)
case = WriteCase

CASES = [
    case("gzip-f8", "f8, gzip 4 + shuffle", 5, whole(rows, kind="<f8", filters=GZIP_FILTERS), limit=encode_gzip),
    case("gzip-i4", "i4, gzip 4 + shuffle", 5, whole(rows, kind="<i4", filters=GZIP_FILTERS), limit=encode_gzip),
    case("lzf", "f4, lzf + shuffle", 3, whole(rows, filters=filtered((LZF_FILTER, ()))), needs=LZF_FILTER),
    case("append", "8 rows at a time, growing, gzip", 2, appends, limit=encode_gzip),
    case("chunks-1MiB", "all in chunks of 1 MiB", 1.2, whole(square, chunk=512), limit=Encode),
    case("chunks-64KiB", "all in chunks of 64 KiB", 1.2, whole(square, chunk=128), limit=Encode),
    case("contiguous", "all, contiguous", 1, whole(square), limit=Pwrite, may_pass_on=True),
    # For information.
    case(
        "zstd",
        "f4, zstd 3 + shuffle",
        None,
        whole(rows, filters=filtered((ZSTD_FILTER, (ZSTD_LEVEL,)))),
        limit=encode_zstd,
        needs=ZSTD_FILTER,
    ),
    case("blosc", "f4, blosc lz4", None, whole(rows, filters=((BLOSC_FILTER, BLOSC_OPTIONS),)), needs=BLOSC_FILTER),
    case("over-chunks", "over 1 MiB chunks that are there", None, whole(square, Overwrites, chunk=512), limit=Encode),
    case("over-contiguous", "over contiguous data that is there", None, whole(square, Overwrites), limit=Pwrite),
    case("tiles", "100 x 100 tiles to 128 x 128 gzip", None, tiles),
    case("converted", "f8 to big-endian f4, 1 MiB chunks", None, converted),
    case("64-bytes", "64 bytes at a time, contiguous", None, small_writes(), small=True),
    case("64-bytes-chunks", "the same, 16 KiB chunks", None, small_writes(chunks=(SMALL * 256,)), small=True),
    case(
        "64-bytes-gzip",
        "the same, gzip",
        None,
        small_writes(chunks=(SMALL * 256,), filters=GZIP_FILTERS),
        small=True,
    ),
    case("multi-small", "H5Dwrite_multi of 256 x 4 KiB", None, multi, small=True),
    case("multi-gzip", "H5Dwrite_multi of 8, gzip", None, multi_gzip),
    case("files", "create, write 4 KiB, close", None, files, small=True),
    case("threads", "4 threads, gzip chunks (tables)", None, threads, limit=encode_gzip),
]
SIZES = [size_case(kind, level) for kind in SIZES_KINDS for level in SIZES_LEVELS]
