"""What the benchmark of filtered and converted reads reads: each case with what is required of it.

A pass is always the first since the file was opened: what is measured is decoding, not remembering what was decoded.
"""

import dataclasses
import functools
import random

import filter_data as data
from data import side_of
from hdf5 import Failed
from limits import BIG_DOUBLES, FIELD, FLETCHER32, GZIP, LZF, SHORTS, ZSTD, Convert, Decode, DecodeBands, DecodeOnce
from measure import Case
from workloads import Passes

# Columns of a band, of whole tiles; sides of a window, of parts of them.
BAND, WINDOW = 512, 100
# The numbers by which HDF5 knows filters that are not its own.
LZF_FILTER, ZSTD_FILTER = 32000, 32015


@dataclasses.dataclass
class FilterCase(Case):
    """A case that reads the dataset of one file."""

    # The name of the file.
    file: str = ""


def decode(packing, **options):
    return functools.partial(Decode, packing=packing, **options)


def convert(conversion, **options):
    return functools.partial(Convert, conversion=conversion, **options)


def make_passes(file, reads, needs=None, field=None):
    """`reads(bench)` gives the selections; native HDF5 must have the filter `needs`; `field` is one of a compound."""

    def make(bench, way, _phase):
        lib = bench.library
        if needs is not None and lib.call("H5Zfilter_avail", needs) == 0:
            raise Failed(f"this libhdf5 finds no filter {needs}")
        path = data.path_of(bench.folder, file, bench.mebibytes)
        datatype = lib.field(field) if field is not None else None
        return Passes(bench, way, path, "data", reads(bench), datatype=datatype)

    return make


def case(name, what, required, reads, file=None, limit=None, share=None, small=False, **options):
    file = file or name
    make = make_passes(file, reads, **options)
    return FilterCase(name, what, required, make, limit=limit, share=share, small=small, file=file)


def small_reads(name, what, required, reads, file):
    """A case of many reads of gzip chunks."""
    limit = functools.partial(DecodeOnce, packing=GZIP, reads=reads)
    return case(name, what, required, reads, file=file, limit=limit, small=True)


def extent_of_rows(bench):
    return (data.rows_of(bench.mebibytes), data.WIDTH)


def extent_of_square(bench):
    return (side_of(bench.mebibytes),) * 2


def all_of(extent):
    return lambda bench: [(extent(bench), None)]


def parts(extent, starts, count):
    """Reads of `count` elements each."""
    return [(count, {"extent": extent, "start": start, "count": count}) for start in starts]


def column_bands(bench):
    extent = side, _ = extent_of_square(bench)
    return parts(extent, [(0, column) for column in range(0, side, BAND)], (side, BAND))


def windows(bench):
    extent, places = extent_of_square(bench), random.Random(3)
    starts = [tuple(places.randrange(side - WINDOW) for side in extent) for _ in range(200)]
    return parts(extent, starts, (WINDOW, WINDOW))


def single_rows(bench):
    """Of the first half."""
    extent = rows, width = extent_of_rows(bench)
    return parts(extent, [(row, 0) for row in range(rows // 2)], (1, width))


def rows_across(bench):
    """A few: natively every one of them decodes all the chunks it crosses."""
    extent = _, width = extent_of_square(bench)
    return parts(extent, [(row, 0) for row in range(16)], (1, width))


def numbers(count):
    return lambda bench: [((count(bench.mebibytes),), None)]


decode_bands = functools.partial(DecodeBands, packing=GZIP, width=4 * BAND)
RECORD, PLACE = data.RECORD.itemsize, data.RECORD.fields[data.FIELD][1]
pick_field = convert(FIELD, record=RECORD, field=PLACE)
decode_field = decode(GZIP, element=RECORD, field=PLACE)
whole_rows, whole_square = all_of(extent_of_rows), all_of(extent_of_square)

CASES = [
    case("gzip", "all, gzip 4 + shuffle, 1 MiB of rows", 4.5, whole_rows, limit=decode(GZIP), share=0.8),
    case("square", "all, the same in 512 x 512 chunks", 4.5, whole_square, limit=decode(GZIP), share=0.8),
    case("lzf", "all, lzf + shuffle", 4, whole_rows, limit=decode(LZF), needs=LZF_FILTER),
    case("zstd", "all, zstd 3 + shuffle", 2, whole_rows, limit=decode(ZSTD), needs=ZSTD_FILTER),
    case("column-bands", "512 columns of 128 x 128 gzip tiles", 4, column_bands, file="tiles", limit=decode_bands),
    small_reads("rows", "row by row inside gzip chunks", 2, single_rows, file="gzip"),
    case("doubles", "big-endian f8 to f4", 30, numbers(data.doubles_of), limit=convert(BIG_DOUBLES)),
    case("shorts", "i2 to f4", 2.5, numbers(data.shorts_of), limit=convert(SHORTS)),
    case(
        "field-gzip",
        "one of 20 fields, gzip",
        5,
        numbers(data.records_of),
        file="records-gzip",
        field=data.FIELD,
        limit=decode_field,
    ),
    # For information. Uncompressed records are bound by memory: the limit itself is less than 3 times native.
    case("field", "one of 20 fields", None, numbers(data.records_of), file="records", field=data.FIELD, limit=pick_field),
    case("small-chunks", "all, gzip in 16 KiB chunks", None, whole_square, limit=decode(GZIP)),
    case("plain", "all, gzip without shuffle", None, whole_rows, limit=decode(GZIP, element=0)),
    case("fletcher32", "all, fletcher32 alone", None, whole_rows, limit=decode(FLETCHER32, element=0)),
    small_reads("windows", "100 x 100 windows of gzip tiles", None, windows, file="tiles"),
    small_reads("rows-across", "rows across 512 x 512 gzip chunks", None, rows_across, file="square"),
]
