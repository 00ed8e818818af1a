"""h5py: large reads."""

from concurrent.futures import ThreadPoolExecutor

from case import Group
from files import BAND, CHUNKED, CONTIGUOUS, GZIP, GZIP_GUESSED, GZIP_LARGE, MIB
from packages import h5py, numpy

GROUP = Group("h5py: large reads", "h5py")


def medium(sizes):
    return sizes.medium * MIB


def whole(place, source):
    with h5py.File(place.input(source)) as file:
        return file["data"][...]


@GROUP.case(
    "read-gzip",
    "all of {large} MiB, gzip + shuffle, 1 MiB chunks",
    files=(GZIP_LARGE,),
    asked=4.5,
    size=lambda sizes: sizes.large * MIB,
)
def read_gzip(place):
    return whole(place, GZIP_LARGE)


@GROUP.case(
    "read-gzip-guessed",
    "all of {medium} MiB, gzip, chunks as h5py chooses them",
    files=(GZIP_GUESSED,),
    size=medium,
)
def read_gzip_guessed(place):
    return whole(place, GZIP_GUESSED)


@GROUP.case(
    "read-gzip-threads",
    "{medium} MiB, gzip + shuffle, 1 MiB at a time in 4 Python threads",
    files=(GZIP,),
    size=medium,
    threads=4,
)
def read_gzip_threads(place):
    with h5py.File(place.input(GZIP)) as file, ThreadPoolExecutor(4) as pool:
        data = file["data"]
        return list(pool.map(lambda start: data[start : start + BAND], range(0, len(data), BAND)))


@GROUP.case(
    "read-gzip-bands",
    "{medium} MiB, gzip + shuffle, 100 rows at a time",
    files=(GZIP,),
    size=medium,
)
def read_gzip_bands(place):
    with h5py.File(place.input(GZIP)) as file:
        data = file["data"]
        return [data[start : start + 100] for start in range(0, len(data), 100)]


@GROUP.case(
    "read-gzip-computing",
    "{medium} MiB, gzip + shuffle, 1 MiB at a time, computing in between",
    files=(GZIP,),
    size=medium,
)
def read_gzip_computing(place):
    with h5py.File(place.input(GZIP)) as file:
        data = file["data"]
        starts = range(0, len(data), BAND)
        return [numpy.sqrt(numpy.abs(numpy.sin(data[start : start + BAND]))).sum() for start in starts]


@GROUP.case("read-gzip-column", "one column of gzip chunks: d[:, 5]", files=(GZIP,))
def read_gzip_column(place):
    with h5py.File(place.input(GZIP)) as file:
        return file["data"][:, 5]


@GROUP.case("read-gzip-strided", "every 10th row of gzip chunks: d[::10]", files=(GZIP,))
def read_gzip_strided(place):
    with h5py.File(place.input(GZIP)) as file:
        return file["data"][::10]


@GROUP.case("read-contiguous", "all of {medium} MiB, contiguous", files=(CONTIGUOUS,), size=medium)
def read_contiguous(place):
    return whole(place, CONTIGUOUS)


@GROUP.case(
    "tiles-chunked",
    "overlapping tiles of 48 x 256 elements, uncompressed chunks of 64 rows",
    files=(CHUNKED,),
)
def tiles_chunked(place):
    with h5py.File(place.input(CHUNKED)) as file:
        data = file["data"]
        starts = [(row, column) for row in range(0, 1024, 24) for column in range(0, 768, 128)]
        return [data[row : row + 48, column : column + 256] for row, column in starts if row + 48 <= len(data)]


@GROUP.case("columns", "20 columns d[:, i] of a contiguous matrix", files=(CONTIGUOUS,))
def columns(place):
    with h5py.File(place.input(CONTIGUOUS)) as file:
        data = file["data"]
        return [data[:, column] for column in range(20)]


@GROUP.case("read-chunked", "all of {medium} MiB, uncompressed chunks of 256 KiB", files=(CHUNKED,), size=medium)
def read_chunked(place):
    return whole(place, CHUNKED)


@GROUP.case(
    "read-converted",
    '{medium} MiB of float32 as float64: d.astype("f8")[...]',
    files=(CONTIGUOUS,),
    size=medium,
)
def read_converted(place):
    with h5py.File(place.input(CONTIGUOUS)) as file:
        return file["data"].astype("f8")[...]
