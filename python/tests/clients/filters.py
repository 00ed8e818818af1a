"""Filters for a libhdf5 used by ctypes: those of hdf5plugin, made to work with that library, and h5py's own."""

import ctypes
import glob
import os
import random

import pipelines as p

# The parameters that these filters add to the application's, without which they were not made for the dataset.
FULL = {p.SZIP: 4, p.NBIT: 5, p.SCALEOFFSET: 20}

# Those that may be there twice. The others get their parameters from HDF5, which gives them to the first of a kind only; Blosc
# divides by zero without.
TWICE = {p.DEFLATE, p.FLETCHER32, p.ZSTD, p.LZ4, p.BZIP2}


def settle(host, lzf=False):
    """Lets the filters of HDF5_PLUGIN_PATH call this libhdf5: they do not look for it themselves."""
    if lzf and "h5py.libs" in host:
        # LZF is part of h5py, which registers it with its own libhdf5.
        import h5py  # noqa: F401
    for folder in os.environ["HDF5_PLUGIN_PATH"].split(os.pathsep)[1:]:
        for path in sorted(glob.glob(f"{folder}/*.so")):
            plugin = ctypes.CDLL(path)
            if hasattr(plugin, "init_filter"):
                plugin.init_filter(host.encode())


def available(h5, pipeline):
    """Whether the library has all filters."""
    return all(h5.H5Zfilter_avail(number) > 0 for number, _, _ in pipeline)


def add_filters(h5, dcpl, pipeline):
    for number, flags, parameters in pipeline:
        h5.H5Pset_filter.must(dcpl, number, flags, len(parameters), (ctypes.c_uint * max(len(parameters), 1))(*parameters))


def stored_filters(h5, dset):
    """The pipeline as stored with a dataset, with the filters' names: [(id, flags, parameters, name)]."""
    dcpl = h5.H5Dget_create_plist.must(dset)
    found = []
    for number in range(h5.H5Pget_nfilters.must(dcpl)):
        flags, config, count = ctypes.c_uint(), ctypes.c_uint(), ctypes.c_size_t(128)
        values, name = (ctypes.c_uint * 128)(), ctypes.create_string_buffer(128)
        ids = [ctypes.byref(flags), ctypes.byref(count), values, ctypes.c_size_t(128), name, ctypes.byref(config)]
        filter_id = h5.H5Pget_filter2.must(dcpl, number, *ids)
        found.append((filter_id, flags.value, list(values[: count.value]), name.value.decode()))
    h5.H5Pclose(dcpl)
    return found


def foreign(stored):
    """Ids of filters for which there is no codec: zfp, and Blosc with Snappy in it."""
    return [number for number, _, values, _ in stored if number == p.ZFP or (number == p.BLOSC and values[6:7] == [p.INNER["snappy"]])]


def unfit(stored):
    """Whether a filter is there that was not made for the dataset, because it cannot be applied to its datatype."""
    return any(len(parameters) < FULL.get(number, 0) for number, _, parameters, _ in stored)


def random_pipeline(rng, kind, bits):
    """Filters in any order. `kind`: int, float or other. The first may look at the elements, the others see bytes only."""
    flags = rng.choice([p.OPTIONAL, p.MANDATORY])
    first = [p.shuffle(flags), p.bitshuffle(rng.choice([None, "lz4", "zstd"])), p.nbit(flags), None, None, None]
    first += [p.blosc(rng.choice(list(p.INNER)), rng.randint(0, 9), rng.randint(0, 2)), p.lzf(), p.deflate(rng.randint(0, 9))]
    first += [p.blosc2(rng.choice(["blosclz", "lz4", "lz4hc", "zlib", "zstd"]), rng.randint(0, 9), rng.randint(0, 2))]
    if kind == "int":
        first.append(p.scaleoffset(p.INT_BITS, rng.choice([0, 0, bits // 2])))
        first.append(p.szip(rng.choice([p.SZIP_NEIGHBOUR, p.SZIP_ENTROPY]), rng.choice([4, 16])))
    if kind == "float":
        first += [p.scaleoffset(p.FLOAT_DIGITS, rng.randint(0, 3)), p.szip(p.SZIP_NEIGHBOUR, 8)]
    if kind != "other" and bits >= 32 and rng.random() < 0.5:
        first.append(p.zfp())
    if kind == "other" and rng.random() < 0.1:
        first.append(rng.choice([p.scaleoffset(), p.szip()]))
    chosen = rng.choice(first)
    if chosen and rng.random() < 0.4:
        return [chosen]
    later = [p.deflate(rng.randint(0, 9)), p.deflate(), p.fletcher32(), p.fletcher32(), p.shuffle()]
    later += [p.zstd(rng.randint(1, 6)), p.lz4(rng.choice([0, 100])), p.bzip2(1), p.lzf(), p.blosc("zstd")]
    made = [chosen] if chosen else []
    for one in rng.choices(later, k=rng.choice([1, 1, 2, 3])):
        if one[0] in TWICE or one[0] not in [number for number, _, _ in made]:
            made.append(one)
    return made


def content(rng, size, count):
    """Bytes of so many elements: some that compress well and some that do not at all."""
    kind = rng.choice(["random", "few", "few", "ramp", "zeros", "half"])
    if kind == "random":
        return rng.randbytes(size * count)
    if kind == "zeros":
        return bytes(size * count)
    if kind == "ramp":
        return b"".join((place // 3 % 97).to_bytes(1, "little") * size for place in range(count))
    values = [rng.randbytes(size) for _ in range(3)]
    few = b"".join(random.Random(rng.random()).choices(values, k=count))
    if kind == "half":
        middle = len(few) // 2
        return rng.randbytes(middle) + few[middle:]
    return few
