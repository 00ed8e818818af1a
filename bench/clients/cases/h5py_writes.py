"""h5py: writes, large and small."""

from case import Group
from files import BAND, CONTIGUOUS, MIB, WIDTH, rows, walk
from packages import h5py, numpy

GROUP = Group("h5py: writes", "h5py")
# Elements of a row of 64 bytes.
ROW = 16


def written(place):
    """The array that is written."""
    return place.made(walk, rows(place.sizes.written), WIDTH)


def size(sizes):
    return sizes.written * MIB


def write(place, **options):
    with h5py.File(place.output(), "w") as file:
        file.create_dataset("data", data=written(place), **options)


@GROUP.case("write-gzip", "{written} MiB, gzip + shuffle, 1 MiB chunks", writes=True, asked=5.0, size=size)
def write_gzip(place):
    write(place, chunks=(BAND, WIDTH), compression="gzip", shuffle=True)


@GROUP.case("write-gzip-8-rows", "{written} MiB, gzip + shuffle, 8 rows at a time", writes=True, asked=2.5, size=size)
def write_gzip_8_rows(place):
    array = written(place)
    options = {"chunks": (BAND, WIDTH), "compression": "gzip", "shuffle": True}
    with h5py.File(place.output(), "w") as file:
        data = file.create_dataset("data", array.shape, array.dtype, **options)
        for start in range(0, len(array), 8):
            data[start : start + 8] = array[start : start + 8]


@GROUP.case(
    "write-gzip-computing",
    "{written} MiB, gzip + shuffle, 1 MiB at a time, computing in between",
    writes=True,
    size=size,
)
def write_gzip_computing(place):
    array = written(place)
    options = {"chunks": (BAND, WIDTH), "compression": "gzip", "shuffle": True}
    with h5py.File(place.output(), "w") as file:
        data = file.create_dataset("data", array.shape, array.dtype, **options)
        for start in range(0, len(array), BAND):
            part = array[start : start + BAND]
            numpy.sqrt(numpy.abs(numpy.sin(part)))
            data[start : start + BAND] = part


@GROUP.case("write-contiguous", "{written} MiB, contiguous", writes=True, size=size)
def write_contiguous(place):
    write(place)


@GROUP.case("write-chunked", "{written} MiB, uncompressed 1 MiB chunks", writes=True, size=size)
def write_chunked(place):
    write(place, chunks=(BAND, WIDTH))


@GROUP.case(
    "write-rows-64B",
    "{writes} writes of a row of 64 bytes, contiguous",
    writes=True,
    asked=1.0,
    calls="writes",
)
def write_rows(place):
    values = place.made(walk, place.sizes.writes, ROW)
    with h5py.File(place.output(), "w") as file:
        data = file.create_dataset("data", values.shape, values.dtype)
        for number, row in enumerate(values):
            data[number] = row


@GROUP.case(
    "write-rows-chunked",
    "{appends} writes of a row of 64 bytes, uncompressed chunks",
    writes=True,
    calls="appends",
)
def write_rows_chunked(place):
    values = place.made(walk, place.sizes.appends, ROW)
    with h5py.File(place.output(), "w") as file:
        data = file.create_dataset("data", values.shape, values.dtype, chunks=(min(1024, len(values)), ROW))
        for number, row in enumerate(values):
            data[number] = row


@GROUP.case("write-elements", "{lookups} writes of one element d[i] = x, contiguous", writes=True, calls="lookups")
def write_elements(place):
    with h5py.File(place.output(), "w") as file:
        data = file.create_dataset("data", (place.sizes.lookups,), "f8")
        for number in range(place.sizes.lookups):
            data[number] = number * 0.1


@GROUP.case(
    "change-rows",
    "{lookups} reads and writes d[i, 0:16] += 1 of a file",
    template=CONTIGUOUS,
    writes=True,
    calls="lookups",
)
def change_rows(place):
    with h5py.File(place.output(), "r+") as file:
        data = file["data"]
        for number in range(place.sizes.lookups):
            data[number, 0:ROW] += 1


@GROUP.case("change-columns", "20 columns d[:, i] = x of a contiguous matrix", template=CONTIGUOUS, writes=True)
def change_columns(place):
    with h5py.File(place.output(), "r+") as file:
        data = file["data"]
        for column in range(20):
            data[:, column] = column


def append(place, **options):
    values = place.made(walk, place.sizes.appends, ROW)
    with h5py.File(place.output(), "w") as file:
        data = file.create_dataset("data", (0, ROW), "f4", maxshape=(None, ROW), chunks=(1024, ROW), **options)
        for number, row in enumerate(values):
            data.resize(number + 1, axis=0)
            data[number] = row


@GROUP.case(
    "append-rows",
    "resize by one row of 64 bytes and write it, {appends} times",
    writes=True,
    asked=1.0,
    calls="appends",
)
def append_rows(place):
    append(place)


@GROUP.case("append-rows-gzip", "resize by one row of 64 bytes and write it, gzip", writes=True, calls="appends")
def append_rows_gzip(place):
    append(place, compression="gzip")


@GROUP.case(
    "write-listed-rows",
    "{listed_rows} rows of a file as a list: d[[...]] = x",
    template=CONTIGUOUS,
    writes=True,
)
def write_listed_rows(place):
    with h5py.File(place.output(), "r+") as file:
        data = file["data"]
        chosen = numpy.arange(place.sizes.listed_rows) * (len(data) // place.sizes.listed_rows)
        data[chosen] = place.made(walk, len(chosen), WIDTH)
