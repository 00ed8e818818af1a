"""h5py: virtual datasets."""

import os

from case import Group
from files import MIB, VIRTUAL
from packages import h5py

GROUP = Group("h5py: virtual datasets", "h5py")


def opened(place, name):
    return h5py.File(os.path.join(place.input(VIRTUAL), name))


@GROUP.case(
    "virtual-gzip",
    "all of {medium} MiB in 16 gzip files",
    files=(VIRTUAL,),
    size=lambda sizes: sizes.medium * MIB,
)
def virtual_gzip(place):
    with opened(place, "large.h5") as file:
        return file["data"][...]


@GROUP.case("virtual-small", "all of {files} files of 4 KiB", files=(VIRTUAL,))
def virtual_small(place):
    with opened(place, "small.h5") as file:
        return file["data"][...]


@GROUP.case("virtual-row", "{files} rows, each in a file of 4 KiB: for row in d", files=(VIRTUAL,), calls="files")
def virtual_row(place):
    with opened(place, "small.h5") as file:
        return list(file["data"])


@GROUP.case("virtual-open", "open a virtual dataset of {files} files, read a row, close", files=(VIRTUAL,))
def virtual_open(place):
    with opened(place, "small.h5") as file:
        return file["data"][3]
