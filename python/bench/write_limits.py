"""What this machine can do without HDF5, by liblimit: writing the numbers of a workload to a new file."""

import ctypes
import os

from hdf5 import Failed, Shape
from limits import PIECE
from write_data import size_of
from write_workloads import Overwrites, Timed, remove

# No packing, and no shuffling either.
PLAIN = -1


class WriteLimit(Timed):
    """The memory of a workload, and a function of liblimit that writes it; to a new file, if the workload does."""

    def __init__(self, bench, workload, threads):
        super().__init__(bench.path("limit"))
        self.threads, self.recipe = threads, workload.recipe
        self.bytes, self.address = workload.bytes, workload.buffer.address
        self.limit, self.keeps = bench.library.limit, isinstance(workload, Overwrites)
        remove(self.path)

    def prepare(self):
        if not self.keeps:
            super().prepare()

    def begin(self):
        self.file = os.open(self.path, os.O_WRONLY | os.O_CREAT, 0o644)

    def write(self):
        if self.put() != 0:
            raise Failed("the limit of writing failed")

    def put(self):
        """0, or -1 when it fails."""
        raise NotImplementedError

    def end(self):
        os.close(self.file)

    def check(self):
        """The file must have what was to be written."""
        raise NotImplementedError


class Pwrite(WriteLimit):
    """Parallel pwrite."""

    def put(self):
        return self.limit.limit_pwrite(self.file, 0, self.bytes, self.address, self.threads, PIECE)

    def check(self):
        with open(self.path, "rb") as written:
            if written.read() != ctypes.string_at(self.address, self.bytes):
                raise Failed("the limit wrote something else")


class Encode(WriteLimit):
    """Parallel gathering, shuffling, packing and writing of chunks, whose sides divide those of the dataset."""

    def __init__(self, bench, workload, threads, packing=PLAIN, level=0):
        super().__init__(bench, workload, threads)
        element, (rows, columns) = size_of(self.recipe.kind), self.recipe.chunks
        self.shape = Shape(rows, columns * element, self.recipe.extent[1] * element)
        self.kind = (packing, level, element)

    def put(self):
        shape = ctypes.byref(self.shape)
        return self.limit.limit_encode(self.file, *self.kind, shape, self.address, self.bytes, self.threads)

    def check(self):
        """What is packed is shorter; what it unpacks to, liblimit's own tests see to."""
        length = os.path.getsize(self.path)
        if not 0 < length <= self.bytes or (self.kind[0] == PLAIN and length < self.bytes):
            raise Failed(f"the limit wrote {length} bytes of {self.bytes}")
