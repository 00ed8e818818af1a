"""How the array is stored as HDF5, as Zarr, and as a file of Blosc2's own: with the same chunks and the same codec.

The packages are imported where they are used: not all need be there.
"""

import os
import warnings

# Name of the dataset in an HDF5 file.
NAME = "data"
FLOAT = 4


class Cannot(Exception):
    """Something that a peer has no means for."""


def path_of(folder, name, form):
    return os.path.join(folder, f"{name}.{form}")


def h5_filters(dataset):
    """The arguments of h5py's create_dataset."""
    if dataset.codec is None:
        return {}
    if dataset.codec == "gzip":
        return {"compression": "gzip", "compression_opts": dataset.level, "shuffle": True}
    import hdf5plugin

    if dataset.codec == "zstd":
        return {"compression": hdf5plugin.Zstd(clevel=dataset.level), "shuffle": True}
    shuffle = hdf5plugin.Blosc2.SHUFFLE
    return {"compression": hdf5plugin.Blosc2(cname="zstd", clevel=dataset.level, filters=shuffle)}


def write_h5(path, array, dataset):
    import h5py

    with h5py.File(path, "w") as file:
        file.create_dataset(NAME, data=array, chunks=dataset.chunks, **h5_filters(dataset))


def zarr_compressors(dataset):
    """The codecs of Zarr that do what HDF5's filters do."""
    from zarr.codecs.numcodecs import Shuffle
    from zarr.registry import get_codec_class

    if dataset.codec is None:
        return None
    try:
        codec = get_codec_class(dataset.codec)
    except KeyError as unknown:
        raise Cannot(f"zarr's registry of codecs has no {unknown}") from None
    with warnings.catch_warnings():
        # That the shuffle is not in the specification of Zarr 3, which reading one's own array does not mind.
        warnings.simplefilter("ignore")
        return [Shuffle(elementsize=FLOAT), codec(level=dataset.level)]


def write_zarr(path, array, dataset):
    import zarr

    # What HDF5 keeps in one piece can only be one chunk.
    chunks = dataset.chunks or array.shape
    compressors = zarr_compressors(dataset)
    store = zarr.create_array(path, shape=array.shape, dtype=array.dtype, chunks=chunks, compressors=compressors)
    store[...] = array


def write_b2nd(path, array, dataset):
    import blosc2

    parameters = {"codec": blosc2.Codec.ZSTD, "clevel": dataset.level, "filters": [blosc2.Filter.SHUFFLE]}
    blosc2.asarray(array, chunks=dataset.chunks, urlpath=path, mode="w", cparams=parameters)


# By the end of the file's name.
WRITERS = {"h5": write_h5, "zarr": write_zarr, "b2nd": write_b2nd}
