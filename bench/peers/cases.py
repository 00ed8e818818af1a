"""What is read and written: one array of floats, stored in several ways, and the reads and writes of it.

Every case is what a short script does: open the file, read or write, close it. All of that is measured, since the
programs do different parts of the work at different times: some find out where the chunks are when they open a file,
others with the first read.
"""

import dataclasses
import random
from collections.abc import Callable

# Elements of a row; the rows follow from the size.
WIDTH = 4096
ROWS_IN_MEBIBYTE = (1 << 20) // (4 * WIDTH)
BANDS, TILES = (64, WIDTH), (128, 128)
# Sizes are multiples of so many mebibytes, so that tiles fill the array.
SIZE_STEP = 2
COLUMNS = slice(1000, 1200)
SMALL, SMALL_SIDE = 100, 32


@dataclasses.dataclass(frozen=True)
class Dataset:
    """A way of storing the array."""

    name: str
    # None: in one piece.
    chunks: tuple | None = None
    codec: str | None = None
    level: int = 0


DATASETS = {
    dataset.name: dataset
    for dataset in (
        Dataset("gzip-rows", BANDS, "gzip", 4),
        Dataset("gzip-tiles", TILES, "gzip", 4),
        Dataset("contiguous"),
        Dataset("chunked", BANDS),
        Dataset("zstd-rows", BANDS, "zstd", 3),
        Dataset("blosc2-rows", BANDS, "blosc2", 5),
    )
}


def whole(rows):
    return [(slice(0, rows), slice(0, WIDTH))]


def columns(rows):
    return [(slice(0, rows), COLUMNS)]


def one_value(rows):
    return [(slice(rows // 2, rows // 2 + 1), slice(WIDTH // 2, WIDTH // 2 + 1))]


def small_tiles(rows):
    """The same ones for everybody."""
    chance = random.Random(1)
    corners = [(chance.randint(0, rows - SMALL_SIDE), chance.randint(0, WIDTH - SMALL_SIDE)) for _ in range(SMALL)]
    return [tuple(slice(start, start + SMALL_SIDE) for start in corner) for corner in corners]


@dataclasses.dataclass(frozen=True)
class Case:
    """One block of the table."""

    name: str
    what: str
    dataset: Dataset
    # The parts that are read one after the other, from the rows of the array.
    boxes: Callable = whole
    writes: bool = False
    # So small that the connector may leave it to HDF5, and shown as a time, not as a rate.
    small: bool = False

    def bytes(self, size):
        """What one pass puts into the application's memory, or takes from it."""
        return sum(4 * (y.stop - y.start) * (x.stop - x.start) for y, x in self.boxes(rows_of(size)))


CASES = {
    case.name: case
    for case in (
        Case("gzip-rows", "whole read, gzip + shuffle, 1 MiB chunks of rows", DATASETS["gzip-rows"]),
        Case("gzip-tiles", "whole read, gzip + shuffle, 128x128 tiles", DATASETS["gzip-tiles"]),
        Case("columns", "200 columns of 128x128 gzip tiles", DATASETS["gzip-tiles"], columns),
        Case(
            "small",
            f"{SMALL} random {SMALL_SIDE}x{SMALL_SIDE} parts of 128x128 gzip tiles",
            DATASETS["gzip-tiles"],
            small_tiles,
            small=True,
        ),
        Case("contiguous", "whole read, uncompressed, in one piece", DATASETS["contiguous"]),
        Case("chunked", "whole read, uncompressed, 1 MiB chunks of rows", DATASETS["chunked"]),
        Case("zstd", "whole read, zstd + shuffle, 1 MiB chunks of rows", DATASETS["zstd-rows"]),
        Case("blosc2-rows", "whole read, Blosc2 (zstd + shuffle), 1 MiB chunks of rows", DATASETS["blosc2-rows"]),
        Case(
            "blosc2-small",
            f"{SMALL} random {SMALL_SIDE}x{SMALL_SIDE} parts of 1 MiB Blosc2 chunks",
            DATASETS["blosc2-rows"],
            small_tiles,
            small=True,
        ),
        Case("open", "opening the file of tiles and reading one value", DATASETS["gzip-tiles"], one_value, small=True),
        Case("write-gzip", "whole write, gzip + shuffle, 1 MiB chunks of rows", DATASETS["gzip-rows"], writes=True),
    )
}


def rows_of(size):
    """Rows of an array of so many mebibytes."""
    return size * ROWS_IN_MEBIBYTE
