"""What this machine can do without HDF5, by liblimit: workloads that take their turn beside the connectors'.

Each fills the memory of the case's own workload, and must give the same bytes.
"""

import ctypes
import os

from hdf5 import Chunk, Failed, Piece, Shape
from workloads import FLOAT, Workload

PIECE = 1 << 20
# The numbers by which liblimit knows them.
GZIP, LZF, ZSTD, FLETCHER32 = range(4)
BIG_DOUBLES, SHORTS, FIELD = range(3)


def chunk_list(path):
    """The file beside an HDF5 file that says where its chunks are."""
    return os.path.splitext(path)[0] + ".chunks"


class Limit(Workload):
    """The file and the memory of a workload, and a function of liblimit that reads the one into the other."""

    def __init__(self, bench, workload, threads):
        self.bench, self.threads = bench, threads
        self.path, self.name = workload.path, workload.name
        self.bytes, self.address = workload.bytes, workload.buffer.address
        self.limit = bench.library.limit
        self.file = os.open(workload.path, os.O_RDONLY)

    def once(self):
        """0, or -1 when it fails."""
        raise NotImplementedError

    def run(self, passes):
        for _ in range(passes):
            if self.once() != 0:
                raise Failed(f"the limit of {self.path} failed")

    def close(self):
        os.close(self.file)


class Pread(Limit):
    """Parallel pread of the bytes of a contiguous dataset."""

    def __init__(self, bench, workload, threads):
        super().__init__(bench, workload, threads)
        self.offset = bench.offset_of(self.path, self.name)

    def once(self):
        return self.limit.limit_pread(self.file, self.offset, self.bytes, self.address, self.threads, PIECE)


class Convert(Limit):
    """Parallel pread and conversion of a contiguous dataset."""

    def __init__(self, bench, workload, threads, conversion, record=0, field=0):
        super().__init__(bench, workload, threads)
        self.kind = (bench.offset_of(self.path, self.name), conversion, record, field)

    def once(self):
        return self.limit.limit_convert(self.file, *self.kind, self.address, self.bytes, self.threads)


class Decode(Limit):
    """Parallel pread, unpacking and unshuffling of a chunked dataset."""

    def __init__(self, bench, workload, threads, packing, element=FLOAT, field=0):
        """`element`: bytes of what is shuffled, 0 if nothing is; `field`: where in it is the float that is read."""
        super().__init__(bench, workload, threads)
        with open(chunk_list(self.path)) as lines:
            shape, *chunks = (map(int, line.split()) for line in lines)
            self.shape, self.chunks = Shape(*shape), [Chunk(*chunk) for chunk in chunks]
        self.chunks = (Chunk * len(self.chunks))(*self.chunks)
        self.form = (packing, element, field)

    def decode(self, chunks, length):
        shape, output = ctypes.byref(self.shape), (self.address, length, self.threads)
        return self.limit.limit_decode(self.file, *self.form, chunks, len(chunks), shape, *output)

    def once(self):
        return self.decode(self.chunks, self.bytes)


class DecodeBands(Decode):
    """The same, band of columns by band of columns, each into the beginning of the same memory."""

    def __init__(self, bench, workload, threads, packing, width):
        """`width`: bytes of a row of a band, which is made of whole chunks."""
        super().__init__(bench, workload, threads, packing)
        whole, self.shape.distance = self.shape.distance, width
        bands = {}
        for chunk in self.chunks:
            row, column = divmod(chunk.target, whole)
            moved = Chunk(chunk.offset, chunk.stored, row * width + column % width)
            bands.setdefault(column // width, []).append(moved)
        self.bands = [(Chunk * len(chunks))(*chunks) for _, chunks in sorted(bands.items())]

    def once(self):
        length = self.bytes // len(self.bands)
        return min(self.decode(chunks, length) for chunks in self.bands)


def cuts(start, count, side):
    """What chunks of `side` make of a range: of each part the chunk, where in it, where in the range, how much."""
    place, end = start, start + count
    while place < end:
        length = min(side - place % side, end - place)
        yield place // side, place % side, place - start, length
        place += length


class DecodeOnce(Decode):
    """The same for many reads of one size into the beginning of the same memory, with a perfect cache.

    Each chunk that they touch is decoded once, in the order of the reads and ahead of them, by all threads; the reads
    are copied out of the chunks one after the other.
    """

    def __init__(self, bench, workload, threads, packing, reads):
        """`reads(bench)`: the selections of the workload."""
        super().__init__(bench, workload, threads, packing)
        rows, row, whole = self.shape.rows, self.shape.row, self.shape.distance
        places = {(chunk.target // whole // rows, chunk.target % whole // row): chunk for chunk in self.chunks}
        numbers, pieces = {}, []
        for (height, columns), selection in reads(bench):
            (top, left), width = selection["start"], FLOAT * columns
            for down, inner_row, outer_row, count in cuts(top, height, rows):
                for across, inner, outer, length in cuts(FLOAT * left, width, row):
                    number = numbers.setdefault((down, across), len(numbers))
                    pieces.append(Piece(number, inner_row * row + inner, outer_row * width + outer, count, length))
        self.shape.distance, self.length = width, height * width
        self.chunks = (Chunk * len(numbers))(*(places[place] for place in numbers))
        self.pieces = (Piece * len(pieces))(*pieces)

    def once(self):
        chunks, pieces = (self.chunks, len(self.chunks)), (self.pieces, len(self.pieces))
        output = (self.address, self.length, self.threads)
        return self.limit.limit_copy(self.file, *self.form, *chunks, ctypes.byref(self.shape), *pieces, *output)
