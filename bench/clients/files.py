"""The files that cases read, made natively, once.

Numbers are a random walk as it comes: the low bytes are noise, as in measured data.
"""

import os

from case import file
from packages import h5py, netCDF4, numpy, pandas, tables

WIDTH = 1024
BAND = 256
MIB = 1 << 20
# Latitudes and longitudes of a netCDF variable; a chunk is one step in time.
GRID = (256, 512)


def walk(*shape, dtype="f4", seed=1):
    """A random walk along the last dimensions."""
    steps = numpy.random.default_rng(seed).standard_normal(numpy.prod(shape), dtype="f4")
    return numpy.cumsum(steps, dtype="f8").reshape(shape).astype(dtype)


def rows(mebibytes):
    """Rows of a matrix of float32."""
    return mebibytes * MIB // (4 * WIDTH)


def save(path, array, **options):
    with h5py.File(path, "w") as target:
        target.create_dataset("data", data=array, **options)


@file("contiguous.h5")
def CONTIGUOUS(path, sizes):
    save(path, walk(max(rows(sizes.medium), sizes.reads), WIDTH))


@file("chunked.h5")
def CHUNKED(path, sizes):
    save(path, walk(rows(sizes.medium), WIDTH), chunks=(BAND // 4, WIDTH))


@file("gzip.h5")
def GZIP(path, sizes):
    save(path, walk(rows(sizes.medium), WIDTH), chunks=(BAND, WIDTH), compression="gzip", shuffle=True)


@file("gzip-large.h5")
def GZIP_LARGE(path, sizes):
    save(path, walk(rows(sizes.large), WIDTH), chunks=(BAND, WIDTH), compression="gzip", shuffle=True)


@file("gzip-guessed.h5")
def GZIP_GUESSED(path, sizes):
    """As most people write it: h5py chooses the chunks, and there is no shuffle."""
    save(path, walk(rows(sizes.medium), WIDTH), compression="gzip")


@file("vectors.h5")
def VECTORS(path, sizes):
    """A long column of float64, contiguous and compressed."""
    array = walk(sizes.medium * MIB // 8, dtype="f8")
    with h5py.File(path, "w") as target:
        target["plain"] = array
        target.create_dataset("gzip", data=array, chunks=(1 << 16,), compression="gzip", shuffle=True)


@file("datasets.h5")
def DATASETS(path, sizes):
    """Small datasets with attributes, and scalars."""
    with h5py.File(path, "w") as target:
        for number in range(sizes.datasets):
            dataset = target.create_dataset(f"small/d{number:04}", data=walk(128, dtype="f8", seed=number))
            dataset.attrs["units"] = "m s-1"
            dataset.attrs["scale"] = 0.5 * number
            dataset.attrs["range"] = numpy.array([0, number])
            target[f"scalars/s{number:04}"] = float(number)


@file("attributes.h5")
def ATTRIBUTES(path, sizes):
    with h5py.File(path, "w") as target:
        for number in range(sizes.attributes):
            target.attrs[f"text{number:04}" if number % 2 else f"number{number:04}"] = (
                f"value {number}" if number % 2 else float(number)
            )


@file("small-files")
def SMALL_FILES(path, sizes):
    """A folder of files of two small datasets and an attribute."""
    os.mkdir(path)
    for number in range(sizes.files):
        write_small_file(os.path.join(path, f"f{number:04}.h5"), number)


def write_small_file(path, number):
    values = numpy.arange(number, number + 1024, dtype="f4")
    with h5py.File(path, "w") as target:
        target["x"] = values
        target["y"] = values * 2
        target.attrs["number"] = number


@file("strings.h5")
def STRINGS(path, sizes):
    words = [f"station {number * 7919 % 100003} of {number % 97}" for number in range(sizes.strings)]
    with h5py.File(path, "w") as target:
        target.create_dataset("variable", data=words, dtype=h5py.string_dtype())
        target.create_dataset("variable-gzip", data=words, dtype=h5py.string_dtype(), compression="gzip", chunks=(min(8192, len(words)),))
        sequences = target.create_dataset("sequences", (len(words) // 4,), h5py.vlen_dtype("f4"))
        sequences[...] = numpy.fromiter((numpy.arange(number % 60, dtype="f4") for number in range(len(words) // 4)), object)
        target.create_dataset("fixed", data=numpy.array(words, "S32"))
        target.create_dataset("fixed-gzip", data=numpy.array(words, "S32"), compression="gzip")


def write_virtual(path, shape, dtype, sources):
    """A virtual dataset of one source after the other, whose files are beside it."""
    layout = h5py.VirtualLayout((len(sources), *shape), dtype)
    for number, source in enumerate(sources):
        layout[number] = h5py.VirtualSource(source, "data", shape)
    with h5py.File(path, "w", libver="latest") as target:
        target.create_virtual_dataset("data", layout)


@file("virtual")
def VIRTUAL(path, sizes):
    """A folder: a virtual dataset of 16 gzip files, and one of many small files."""
    os.mkdir(path)
    height = rows(sizes.medium) // 16
    large, small = [f"large{number:02}.h5" for number in range(16)], [f"small{number:04}.h5" for number in range(sizes.files)]
    for number, name in enumerate(large):
        with h5py.File(os.path.join(path, name), "w") as target:
            values = walk(height, WIDTH, seed=number)
            target.create_dataset("data", data=values, chunks=(max(height // 4, 1), WIDTH), compression="gzip", shuffle=True)
    for number, name in enumerate(small):
        with h5py.File(os.path.join(path, name), "w") as target:
            target["data"] = numpy.arange(number, number + 1024, dtype="f4")
    write_virtual(os.path.join(path, "large.h5"), (height, WIDTH), "f4", large)
    write_virtual(os.path.join(path, "small.h5"), (1024,), "f4", small)


def records(count, seed=1):
    """Rows of a table: a number, measured values, and a name."""
    table = numpy.zeros(count, [("id", "i8"), ("x", "f8"), ("y", "f4"), ("n", "i4"), ("name", "S16")])
    table["id"] = numpy.arange(count)
    table["x"] = walk(count, dtype="f8", seed=seed)
    table["y"] = numpy.random.default_rng(seed).random(count, dtype="f4")
    table["n"] = numpy.random.default_rng(seed).integers(0, 1000, count)
    table["name"] = numpy.char.add(b"sensor", (table["n"] % 50).astype("S3"))
    return table


@file("table.h5")
def TABLE(path, sizes):
    filters = tables.Filters(complevel=5, complib="zlib", shuffle=True)
    with tables.open_file(path, "w") as target:
        target.create_table("/", "table", obj=records(sizes.table_rows), filters=filters)


def frame(sizes):
    """A data frame as measurements give it: times, numbers, and a column of words."""
    count = sizes.table_rows // 2
    table = records(count)
    index = pandas.date_range("2020-01-01", periods=count, freq="s")
    columns = {name: table[name] for name in ("id", "x", "y", "n")}
    return pandas.DataFrame(columns, index=index)


@file("frames.h5")
def FRAMES(path, sizes):
    frame(sizes).to_hdf(path, key="fixed", format="fixed")
    options = {"complib": "zlib", "complevel": 5}
    frame(sizes).to_hdf(path, key="table", format="table", data_columns=["n"], mode="a", **options)


@file("climate.nc")
def CLIMATE(path, sizes):
    with netCDF4.Dataset(path, "w") as target:
        write_climate(target, walk(sizes.steps, *GRID))


@file("climate-plain.nc")
def CLIMATE_PLAIN(path, sizes):
    """The same without compression."""
    with netCDF4.Dataset(path, "w") as target:
        write_climate(target, walk(sizes.steps, *GRID), zlib=False)


@file("stations.nc")
def STATIONS(path, sizes):
    """Many small variables with attributes."""
    with netCDF4.Dataset(path, "w") as target:
        target.createDimension("time", sizes.steps)
        for number in range(sizes.variables):
            variable = target.createVariable(f"station{number}", "f4", ("time",))
            variable.units, variable.long_name = "K", f"temperature at station {number}"
            variable[:] = walk(sizes.steps, seed=number)


def write_climate(target, values, zlib=True):
    """Dimensions, coordinates and one variable in chunks, one step after the other."""
    for name, count in zip(("time", "lat", "lon"), (None, *GRID), strict=True):
        target.createDimension(name, count)
        target.createVariable(name, "f8", (name,))
    target["lat"][:] = numpy.linspace(-90, 90, GRID[0])
    target["lon"][:] = numpy.linspace(0, 360, GRID[1], endpoint=False)
    variable = target.createVariable("t", "f4", ("time", "lat", "lon"), zlib=zlib, chunksizes=(1, *GRID))
    variable.units = "K"
    for step, field in enumerate(values):
        target["time"][step] = step
        variable[step] = field
