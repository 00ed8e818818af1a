"""Who reads and writes Zarr. A process uses one of them only."""

import json
import os
import shutil

from cases import CHUNK, CODECS, ROWS

NAME = "data"


def spec_of(codec):
    return [{"name": "bytes", "configuration": {"endian": "little"}}, CODECS[codec].zarr]


def remove(path):
    shutil.rmtree(path, ignore_errors=True)


class Connector:
    """h5py through the connector."""

    what = "h5py with the connector zarr"
    packages = ("h5py",)
    variables = {"HDF5_VOL_CONNECTOR": "zarr"}

    def prepare(self):
        import h5py
        import hdf5plugin  # noqa: F401

        self.h5py = h5py

    def read(self, path):
        with self.h5py.File(path, "r") as file:
            return file[NAME][...]

    def rows(self, path):
        with self.h5py.File(path, "r") as file:
            data = file[NAME]
            return [data[row] for row in range(ROWS)]

    def write(self, path, array, codec):
        with self.h5py.File(path, "w") as file:
            file.create_dataset(NAME, data=array, chunks=CHUNK, **CODECS[codec].h5py())

    def one(self, path, group, name):
        with self.h5py.File(path, "r") as file:
            return file[f"{group}/{name}"][...].tolist()

    def all(self, path):
        found = []

        def note(name, item):
            if isinstance(item, self.h5py.Dataset):
                found.append([name, list(item.shape), item.dtype.str])

        with self.h5py.File(path, "r") as file:
            file.visititems(note)
        return sorted(found)


class ZarrPython:
    """zarr-python as it comes."""

    what = "zarr-python"
    packages = ("zarr", "numcodecs")
    variables = {}

    def prepare(self):
        import zarr

        self.zarr = zarr

    def read(self, path):
        return self.zarr.open_array(path, path=NAME, mode="r")[...]

    def rows(self, path):
        data = self.zarr.open_array(path, path=NAME, mode="r")
        # zarrs does not read what has fewer dimensions than the array.
        return [data[row : row + 1][0] for row in range(ROWS)]

    def write(self, path, array, codec):
        group = self.zarr.create_group(path)
        codec = CODECS[codec].zarr
        data = group.create_array(NAME, shape=array.shape, dtype=array.dtype, chunks=CHUNK, compressors=[codec])
        data[...] = array

    def one(self, path, group, name):
        return self.zarr.open_group(path, mode="r")[group][name][...].tolist()

    def all(self, path):
        group = self.zarr.open_group(path, mode="r", use_consolidated=True)
        members = group.members(max_depth=None)
        return sorted([name, list(item.shape), item.dtype.str] for name, item in members if hasattr(item, "shape"))


class Zarrs(ZarrPython):
    """zarr-python with the pipeline of codecs that is written in Rust."""

    what = "zarrs, as zarr-python's pipeline"
    packages = ("zarr", "zarrs")

    def prepare(self):
        super().prepare()
        import zarrs  # noqa: F401

        # Strict: what it cannot do it must not silently leave to zarr-python.
        self.zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline", "codec_pipeline.strict": True})


class TensorStore:
    """tensorstore, without a cache of its own, which is how it comes."""

    what = "tensorstore"
    packages = ("tensorstore",)
    variables = {}

    def prepare(self):
        import tensorstore

        self.tensorstore = tensorstore

    def open(self, path, **more):
        spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": os.path.join(path, NAME) + "/"}}
        return self.tensorstore.open({**spec, **more}).result()

    def read(self, path):
        return self.open(path).read().result()

    def rows(self, path):
        data = self.open(path)
        return [data[row].read().result() for row in range(ROWS)]

    def write(self, path, array, codec):
        os.makedirs(path)
        with open(os.path.join(path, "zarr.json"), "w") as file:
            json.dump({"zarr_format": 3, "node_type": "group", "attributes": {}}, file)
        grid = {"name": "regular", "configuration": {"chunk_shape": CHUNK}}
        metadata = {"shape": array.shape, "data_type": "float32", "chunk_grid": grid, "codecs": spec_of(codec)}
        self.open(path, create=True, metadata=metadata).write(array).result()


OURS = "connector"
PEERS = {"connector": Connector(), "zarr-python": ZarrPython(), "zarrs": Zarrs(), "tensorstore": TensorStore()}
