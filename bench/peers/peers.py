"""The programs that are set side by side, and how each of them opens, reads and writes, as its own manual says.

A peer lives in a process of its own. Its packages are imported where they are used: not all need be there, and the
command itself needs none of them.
"""

import contextlib
import dataclasses
import importlib.metadata
import importlib.util

from cases import WIDTH
from formats import NAME, Cannot, write_h5, write_zarr, zarr_compressors

CONNECTOR = "bypass under_vol=0;under_info={}"
# The array is given to dask in so many blocks, whole rows of tiles each.
BLOCKS, BLOCK_STEP = 16, 128


@dataclasses.dataclass(frozen=True)
class Peer:
    """A program, and whether it works through the connector."""

    name: str
    what: str
    # Importable names.
    packages: tuple
    # End of the names of the files it reads.
    form: str = "h5"
    # Through the connector: the name of the same program without it.
    instead_of: str | None = None
    # It takes part only where the data is stored by this codec, or where there is much to read or write.
    only_codec: str | None = None
    only_large: bool = False

    def missing(self):
        """The packages that are not installed."""
        return [package for package in self.packages if importlib.util.find_spec(package) is None]

    def versions(self):
        """What is installed, by the name of the distribution."""
        owners = importlib.metadata.packages_distributions()
        names = {owner for package in self.packages for owner in owners.get(package, [])}
        return {name: importlib.metadata.version(name) for name in sorted(names)}

    def describe(self):
        """As it goes into the JSON: what it lacks is not there."""
        limits = {"instead_of": self.instead_of, "only": self.only()}
        present = {key: value for key, value in limits.items() if value is not None}
        return {"name": self.name, "what": self.what, "versions": self.versions(), **present}

    @property
    def is_bypass(self):
        return self.instead_of is not None

    def only(self):
        """Where it takes part, if that is not everywhere."""
        if self.only_codec:
            return f"only with data compressed by {self.only_codec.capitalize()}"
        return "only where much is read or written" if self.only_large else None

    def environment(self, plugins, statistics):
        """The variables that its process has beside those of everyone."""
        if not self.is_bypass:
            return {}
        return {"HDF5_PLUGIN_PATH": plugins, "HDF5_VOL_CONNECTOR": CONNECTOR, "BYPASS_VOL_STATS": statistics}

    def takes_part(self, case):
        return self.only_codec in (None, case.dataset.codec) and not (self.only_large and case.small)

    def prepare(self, case):
        """Imports what the case needs; Cannot if it knows already that it cannot do it."""

    def open(self, path):
        """A context in which the array is open: a function that reads a part of it."""
        raise NotImplementedError

    def write(self, path, array, dataset):
        raise Cannot("it only reads")


class H5py(Peer):
    """h5py; with the connector in the environment, h5py through bypass."""

    def prepare(self, case):
        import h5py  # noqa: F401

        if case.dataset.codec in ("zstd", "blosc2"):
            import hdf5plugin  # noqa: F401

    @contextlib.contextmanager
    def open(self, path):
        import h5py

        with h5py.File(path) as file:
            yield file[NAME].__getitem__

    def write(self, path, array, dataset):
        write_h5(path, array, dataset)


class Xarray(H5py):
    """xarray with h5netcdf, which stands on h5py, and the threads of dask."""

    def prepare(self, case):
        super().prepare(case)
        import dask
        import xarray  # noqa: F401

        dask.config.set(scheduler="threads")

    @contextlib.contextmanager
    def open(self, path):
        import xarray

        with xarray.open_dataset(path, engine="h5netcdf", phony_dims="sort") as file:
            rows, columns = file[NAME].dims
            array = file[NAME].chunk({rows: block_of(file.sizes[rows]), columns: WIDTH})
            yield lambda box: array[box].values

    def write(self, path, array, dataset):
        import xarray

        encoding = {"chunksizes": dataset.chunks, "zlib": True, "complevel": dataset.level, "shuffle": True}
        variable = xarray.Variable(("row", "column"), array).chunk({"row": block_of(len(array)), "column": WIDTH})
        xarray.Dataset({NAME: variable}).to_netcdf(path, engine="h5netcdf", encoding={NAME: encoding})


def block_of(rows):
    """Rows of a block of dask."""
    return max(rows // BLOCKS // BLOCK_STEP, 1) * BLOCK_STEP


class Hidefix(Peer):
    """An index of the chunks, and threads that read and decode them."""

    def prepare(self, case):
        import hidefix  # noqa: F401

    @contextlib.contextmanager
    def open(self, path):
        import hidefix

        yield hidefix.Index(path).dataset(NAME).__getitem__


class Pyfive(Peer):
    """HDF5 read by Python alone."""

    def prepare(self, case):
        import pyfive  # noqa: F401

    @contextlib.contextmanager
    def open(self, path):
        import pyfive

        with pyfive.File(path) as file:
            yield file[NAME].__getitem__

    def write(self, path, array, dataset):
        import pyfive

        pyfive.File(path, "w")


class B2h5py(H5py):
    """h5py whose reads of Blosc2 chunks go past HDF5."""

    @contextlib.contextmanager
    def open(self, path):
        import b2h5py
        import h5py
        from b2h5py.blosc2 import opt_slice_check

        with h5py.File(path) as file:
            array = b2h5py.B2Dataset(file[NAME])
            # Otherwise it would silently be h5py that reads.
            opt_slice_check(array, ())
            yield array.__getitem__

    def write(self, path, array, dataset):
        raise Cannot("it only reads")


class Zarr(Peer):
    """zarr-python as it comes."""

    def prepare(self, case):
        zarr_compressors(case.dataset)

    @contextlib.contextmanager
    def open(self, path):
        import zarr

        yield zarr.open_array(path, mode="r").__getitem__

    def write(self, path, array, dataset):
        write_zarr(path, array, dataset)


class Zarrs(Zarr):
    """zarr-python with the pipeline of codecs written in Rust."""

    def prepare(self, case):
        import zarr
        import zarrs  # noqa: F401

        # Strict: what it cannot do it must not silently leave to zarr-python.
        zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline", "codec_pipeline.strict": True})
        super().prepare(case)


class Blosc2(Peer):
    """An array in a file of Blosc2's own."""

    def prepare(self, case):
        import blosc2  # noqa: F401

    @contextlib.contextmanager
    def open(self, path):
        import blosc2

        yield blosc2.open(path, mode="r").__getitem__


# What all others are compared with, and we.
NATIVE, BYPASS = "h5py", "bypass"
H5PY = ("h5py", "hdf5plugin")
XARRAY = ("xarray", "h5netcdf", "dask", *H5PY)

PEERS = {
    peer.name: peer
    for peer in (
        H5py(NATIVE, "h5py, native HDF5", H5PY),
        H5py(BYPASS, "h5py through bypass", H5PY, instead_of=NATIVE),
        Xarray("xarray", "xarray + dask threads", XARRAY, only_large=True),
        Xarray("xarray-bypass", "xarray + dask through bypass", XARRAY, instead_of="xarray", only_large=True),
        Hidefix("hidefix", "hidefix", ("hidefix",)),
        Pyfive("pyfive", "pyfive", ("pyfive",)),
        B2h5py("b2h5py", "b2h5py", ("b2h5py",), only_codec="blosc2"),
        Zarr("zarr", "zarr-python (Zarr)", ("zarr", "numcodecs"), "zarr"),
        Zarrs("zarrs", "zarrs (Zarr)", ("zarr", "zarrs", "numcodecs"), "zarr"),
        Blosc2("blosc2", "blosc2 (b2nd)", ("blosc2",), "b2nd", only_codec="blosc2"),
    )
}
