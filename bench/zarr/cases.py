"""What is measured: one array with different codecs, and a container of many arrays.

The numbers are a random walk with noise, in steps of 1/64 as an instrument gives them.
"""

import dataclasses

import numpy

CHUNK = (512, 512)  # 1 MiB of 32-bit floats
SMALL, LARGE = 16, 256  # MiB of the array
ROWS = 64
GROUPS, ARRAYS = 100, 100


@dataclasses.dataclass(frozen=True)
class Codec:
    """A codec of Zarr, and what h5py is told for the same."""

    name: str
    what: str
    zarr: dict

    def h5py(self):
        import hdf5plugin

        settings = self.zarr["configuration"]
        match self.zarr["name"]:
            case "gzip":
                return {"compression": "gzip", "compression_opts": settings["level"]}
            case "zstd":
                return dict(hdf5plugin.Zstd(clevel=settings["level"]))
            case _:
                shuffle = hdf5plugin.Blosc.SHUFFLE
                return dict(hdf5plugin.Blosc(cname=settings["cname"], clevel=settings["clevel"], shuffle=shuffle))


def blosc(cname, level):
    settings = {"cname": cname, "clevel": level, "shuffle": "shuffle", "typesize": 4, "blocksize": 0}
    return {"name": "blosc", "configuration": settings}


CODECS = {
    codec.name: codec
    for codec in (
        Codec("gzip", "gzip, level 4", {"name": "gzip", "configuration": {"level": 4}}),
        Codec("zstd", "zstd, level 3", {"name": "zstd", "configuration": {"level": 3, "checksum": False}}),
        Codec("blosc-lz4", "blosc with lz4 and shuffle, level 5", blosc("lz4", 5)),
        Codec("blosc-zstd", "blosc with zstd and shuffle, level 3", blosc("zstd", 3)),
    )
}

# What is done, and the codecs and sizes it is done with.
TASKS = {
    "read": ("read all", tuple(CODECS), (SMALL, LARGE)),
    "write": ("write all", tuple(CODECS), (SMALL, LARGE)),
    "rows": (f"read {ROWS} rows, one at a time", ("gzip",), (SMALL,)),
}


def walk(mebibytes):
    """The array: as many rows as columns."""
    numbers = numpy.random.default_rng(1)
    side = int((mebibytes << 18) ** 0.5)
    array = numpy.empty((side, side), "<f4")
    last = 0.0
    for start in range(0, side, 256):
        part = array[start : start + 256]
        band = last + numpy.cumsum(numbers.standard_normal(part.size) * 0.05)
        last = band[-1]
        band += numbers.standard_normal(part.size) * 0.25
        part[...] = (numpy.round(band * 64) / 64).reshape(part.shape)
    return array
