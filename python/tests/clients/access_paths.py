"""The table of access paths of reads, and what its cases share. What a case is: cases.py."""

import os
import struct
from contextlib import contextmanager

from cases import Cases

CASES = Cases()
access_path = CASES.case


def ints(count, first=0):
    return struct.pack(f"<{count}i", *range(first, first + count))


def values(data):
    return None if data is None else list(struct.unpack(f"<{len(data) // 4}i", data))


def simple(h5, path="a.h5", first=0, fcpl=0, names=("d",)):
    """A file with contiguous datasets of 100 ints, each counting up from another number."""
    file = h5.create(path, fcpl=fcpl)
    for number, name in enumerate(names):
        h5.make(file, name, [100], ints(100, first + 1000 * number))
    h5.H5Fclose.must(file)


def read_ints(h5, where, name, count=100):
    """Opens, reads, closes: the first and last numbers, or None."""
    dset = h5.H5Dopen2.must(where, name.encode(), 0)
    got = values(h5.read(dset, count))
    h5.H5Dclose.must(dset)
    return None if got is None else [*got[:3], got[-1]]


@contextmanager
def created(h5, path="a.h5"):
    """A new file, open natively until the end of the block."""
    file = h5.create(path)
    yield file
    h5.H5Fclose.must(file)


@contextmanager
def opened(h5, path, fapl):
    """The file, open until the end of the block: read-only, unless a test wants it otherwise."""
    file = h5.open(path, fapl, h5.RDWR if os.environ.get("H5BYPASS_TEST_WRITABLE") else h5.RDONLY)
    yield file
    h5.H5Fclose.must(file)


@contextmanager
def opened_dataset(h5, fapl, path="a.h5", name=b"d"):
    """A file and a dataset in it, open until the end of the block."""
    with opened(h5, path, fapl) as file:
        dset = h5.H5Dopen2.must(file, name, 0)
        yield file, dset
        h5.H5Dclose.must(dset)


def list_with(h5, cls, set_name, *arguments):
    made = h5.plist(cls)
    getattr(h5, set_name).must(made, *arguments)
    return made
