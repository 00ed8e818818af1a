"""Makes the files that the benchmark of filtered and converted reads reads: by stock h5py, natively, once.

The numbers are a random walk in steps of 1/64, which compresses as measured data does: to about a third by shuffle and
gzip. Beside a compressed file there is a list of where its chunks are, for the limit, which has no HDF5: a line with
the rows of a chunk, the bytes of a row and the bytes from one row to the next in memory, and then for every chunk
its place and size in the file and its place in memory, which is one of floats.
"""

import argparse
import os

import h5py
import numpy
from data import make, side_of
from limits import chunk_list

STEP, SPREAD = 1 / 64, 0.25
# Elements of a row of the datasets whose chunks are whole rows, and rows of a chunk: 1 MiB.
WIDTH, HEIGHT = 4096, 64
# Elements that are written at a time.
BAND = 1 << 22
# The dataset of the peak of memory, against the others.
PEAK = 4
# A compound of many members, 120 bytes, and the one that is read.
KINDS = ("<f8", "<f4", "<f8", "<i4")
FIELDS = [(f"field{number}", KINDS[number % len(KINDS)]) for number in range(20)]
RECORD, FIELD = numpy.dtype(FIELDS), "field9"


def path_of(folder, name, mebibytes):
    return os.path.join(folder, f"filters-{mebibytes}", f"{name}.h5")


def rows_of(mebibytes):
    return (mebibytes << 20) // (4 * WIDTH)


def doubles_of(mebibytes):
    """Numbers of the big-endian dataset: natively it takes so long that an eighth must do."""
    return (mebibytes << 20) // 8 // 8


def shorts_of(mebibytes):
    return (mebibytes << 20) // 4


def records_of(mebibytes):
    return (mebibytes << 20) // 2 // RECORD.itemsize


def walk():
    """The random walk, without end, in bands of doubles."""
    numbers, last = numpy.random.default_rng(1), 0.0
    while True:
        band = last + numpy.cumsum(numbers.standard_normal(BAND) * SPREAD)
        last = band[-1]
        yield band


def quantised(band):
    return numpy.round(band / STEP) * STEP


def write_floats(file, shape, chunks, **filters):
    """A matrix of the walk, row by row; the rows of a band are a multiple of the rows of a chunk."""
    matrix = file.create_dataset("data", shape, "<f4", chunks=chunks, **filters)
    rows = max(BAND // shape[1] // chunks[0], 1) * chunks[0]
    left = numpy.empty(0, "<f4")
    bands = walk()
    for row in range(0, shape[0], rows):
        count = min(rows, shape[0] - row)
        while left.size < count * shape[1]:
            left = numpy.concatenate([left, quantised(next(bands)).astype("<f4")])
        part, left = numpy.split(left, [count * shape[1]])
        matrix[row : row + count] = part.reshape(count, shape[1])


def list_chunks(file):
    """Where the chunks are; those of a matrix whose sides are multiples of the chunk's, or of a single row."""
    matrix, lines = file["data"], []
    (rows, columns), distance = (1, *matrix.chunks)[-2:], 4 * matrix.shape[-1]

    def add(chunk):
        if chunk.filter_mask != 0:
            raise SystemExit(f"{file.filename}: a chunk was stored without its filters")
        row, column = (0, *chunk.chunk_offset)[-2:]
        lines.append(f"{chunk.byte_offset} {chunk.size} {row * distance + column * 4}\n")

    matrix.id.chunk_iter(add)
    return "".join([f"{rows} {4 * columns} {distance}\n", *lines])


def make_chunked(path, write, *arguments, **options):
    """A file and the list of its chunks."""
    make(path, lambda file: write(file, *arguments, **options))
    if not os.path.exists(chunk_list(path)):
        with h5py.File(path) as file, open(f"{path}.part", "w") as output:
            output.write(list_chunks(file))
        os.rename(f"{path}.part", chunk_list(path))


def make_floats(path, shape, chunks, **filters):
    make_chunked(path, write_floats, shape, chunks, **filters)


def write_repeated(file, source):
    """The chunks of a file over and over, as they are: what is in them does not matter for the peak of memory."""
    with h5py.File(source) as original:
        matrix = original["data"]
        height = matrix.shape[0]
        copy = file.create_dataset_like("data", matrix, shape=(PEAK * height, matrix.shape[1]))
        for row in range(0, height, matrix.chunks[0]):
            mask, stored = matrix.id.read_direct_chunk((row, 0))
            for number in range(PEAK):
                copy.id.write_direct_chunk((row + number * height, 0), stored, mask)


def write_numbers(file, count, datatype, convert):
    """A contiguous dataset of the walk."""
    numbers, start = file.create_dataset("data", (count,), datatype), 0
    for band in walk():
        part = band[: count - start]
        numbers[start : start + len(part)] = convert(part).astype(datatype)
        start += len(part)
        if start == count:
            return


def write_records(file, count, **options):
    records = numpy.empty(count, RECORD)
    for (name, datatype), band in zip(FIELDS, walk()):
        records[name] = numpy.resize(quantised(band), count).astype(datatype)
    file.create_dataset("data", data=records, **options)


def zstd():
    # Imported where it is used, so that the other files can be made without it.
    import hdf5plugin

    return hdf5plugin.Zstd(clevel=3)


def makers(size, source):
    """For every name of a file the function that makes it, given its path. `source`: the path of 'gzip'."""
    side = side_of(size)
    square, rows, bands = (side, side), (rows_of(size), WIDTH), (HEIGHT, WIDTH)
    gzip = {"compression": "gzip", "compression_opts": 4}
    packed = {"chunks": (8192,), "shuffle": True, **gzip}

    return {
        "gzip": lambda to: make_floats(to, rows, bands, shuffle=True, **gzip),
        "square": lambda to: make_floats(to, square, (512, 512), shuffle=True, **gzip),
        "tiles": lambda to: make_floats(to, square, (128, 128), shuffle=True, **gzip),
        "small-chunks": lambda to: make_floats(to, square, (64, 64), shuffle=True, **gzip),
        "plain": lambda to: make_floats(to, rows, bands, **gzip),
        "lzf": lambda to: make_floats(to, rows, bands, shuffle=True, compression="lzf"),
        "zstd": lambda to: make_floats(to, rows, bands, shuffle=True, compression=zstd()),
        "fletcher32": lambda to: make_floats(to, rows, bands, fletcher32=True),
        "doubles": lambda to: make(to, write_numbers, doubles_of(size), ">f8", lambda band: band),
        "shorts": lambda to: make(to, write_numbers, shorts_of(size), "<i2", lambda band: band / STEP % 60000 - 30000),
        "records": lambda to: make(to, write_records, records_of(size)),
        "records-gzip": lambda to: make_chunked(to, write_records, records_of(size), **packed),
        "peak": lambda to: make(to, write_repeated, source),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", required=True)
    parser.add_argument("--size", type=int, required=True, help="MiB of most datasets")
    parser.add_argument("--names", nargs="+", required=True, help="of the files")
    args = parser.parse_args()
    source = path_of(args.folder, "gzip", args.size)
    os.makedirs(os.path.dirname(source), exist_ok=True)
    known = makers(args.size, source)
    for name in args.names:
        if name == "peak":
            known["gzip"](source)
        known[name](path_of(args.folder, name, args.size))


if __name__ == "__main__":
    main()
