"""xarray: with and without dask, through both of its engines."""

import os

from case import NOT_SLOWER, Group
from files import CLIMATE, CLIMATE_PLAIN, GRID, walk
from packages import dask, numpy, xarray

GROUP = Group("xarray", "h5py", prefix="xarray")
# The client behind an engine.
ENGINES = {"h5netcdf": "h5py", "netcdf4": "netCDF4"}
THREADS = len(os.sched_getaffinity(0))


def written(steps):
    """The dataset that is written."""
    fields = walk(steps, *GRID)
    return xarray.Dataset({"t": (("time", "lat", "lon"), fields)}, {"time": numpy.arange(len(fields))})


def size(sizes):
    return 4 * sizes.steps * GRID[0] * GRID[1]


def mean(place, engine, file=CLIMATE, **options):
    with xarray.open_dataset(place.input(file), engine=engine, **options) as dataset:
        return dataset["t"].mean(("lat", "lon")).values


def mean_by_dask(place, engine, file, chunks):
    with dask.config.set(scheduler="threads", num_workers=THREADS):
        return mean(place, engine, file, chunks=chunks)


def add_engine(engine, client):
    """The cases of one engine."""

    @GROUP.case(
        f"mean-{engine}",
        f"mean of zlib data, {engine}, no dask",
        client,
        files=(CLIMATE,),
        asked=3.0,
        size=size,
    )
    def mean_whole(place):
        return mean(place, engine)

    def add_dask(name, what, file, chunks, asked):
        @GROUP.case(
            f"mean-dask-{name}{engine}",
            f"mean of {what}, {engine}, dask",
            client,
            files=(file,),
            asked=asked,
            size=size,
            threads=THREADS,
        )
        def mean_dask(place):
            return mean_by_dask(place, engine, file, chunks)

    add_dask("", "zlib data, a task for each chunk", CLIMATE, {}, 2.0)
    add_dask("auto-", 'zlib data, chunks="auto"', CLIMATE, "auto", 2.0)
    # The time that this takes natively is what no reader of compressed data can get below.
    add_dask("plain-", "uncompressed data, a task for each chunk", CLIMATE_PLAIN, {}, NOT_SLOWER)

    @GROUP.case(f"open-{engine}", f"open_dataset and nothing else, {engine}", client, files=(CLIMATE,))
    def open_only(place):
        with xarray.open_dataset(place.input(CLIMATE), engine=engine) as dataset:
            return sorted(dataset.variables)

    @GROUP.case(f"series-{engine}", f"one place over time: isel(...), {engine}", client, files=(CLIMATE,))
    def series(place):
        with xarray.open_dataset(place.input(CLIMATE), engine=engine) as dataset:
            return dataset["t"].isel(lat=10, lon=20).values

    @GROUP.case(
        f"write-{engine}",
        f"to_netcdf with zlib, {engine}",
        client,
        writes=True,
        size=lambda sizes: size(sizes) // 4,
    )
    def write(place):
        encoding = {"t": {"zlib": True, "complevel": 4, "chunksizes": (1, *GRID)}}
        dataset = place.made(written, place.sizes.steps // 4)
        dataset.to_netcdf(place.output("written.nc"), engine=engine, encoding=encoding)


for _engine, _client in ENGINES.items():
    add_engine(_engine, _client)
