"""Real data: the netCDF-4 files of the package iris-sample-data, which `cargo xtask bench clients` fetches."""

import glob
import os

from case import Group
from packages import h5py, netCDF4

GROUP = Group("Real data (iris-sample-data)", "netCDF4", prefix="real")
# Names the folder that the package is in.
VARIABLE = "H5BYPASS_REAL_DATA"
SIGNATURE = b"\x89HDF"


def paths():
    """The files of the package that are HDF5."""
    folder = os.environ.get(VARIABLE, "")
    found = sorted(glob.glob(os.path.join(glob.escape(folder), "**", "*.nc"), recursive=True)) if folder else []
    return [path for path in found if open(path, "rb").read(4) == SIGNATURE]


def skip():
    return None if paths() else "the package iris-sample-data could not be fetched"


def is_number(dtype):
    return getattr(dtype, "kind", "O") in "iuf"


@GROUP.case("netCDF4", "every variable of its netCDF-4 files", skip=skip)
def through_netcdf4(_place):
    found = []
    for path in paths():
        with netCDF4.Dataset(path) as file:
            file.set_auto_maskandscale(False)
            found += [variable[...] for variable in file.variables.values()]
    return found


@GROUP.case("h5py", "every variable of its netCDF-4 files, by h5py", "h5py", skip=skip)
def through_h5py(_place):
    found = []
    for path in paths():
        with h5py.File(path) as file:
            found += [item[()] for item in file.values() if isinstance(item, h5py.Dataset)]
    return found


def largest(file):
    return max((item for item in file.values() if isinstance(item, h5py.Dataset)), key=lambda item: item.nbytes)


@GROUP.case("rewrite-gzip", "the largest variable of each file, written with gzip", "h5py", writes=True, skip=skip)
def rewrite_gzip(place):
    with h5py.File(place.output(), "w") as target:
        for number, path in enumerate(paths()):
            with h5py.File(path) as file:
                values = largest(file)[...].ravel()
            if is_number(values.dtype):
                chunk = min(len(values), 2**18 // values.itemsize)
                target.create_dataset(str(number), data=values, chunks=(chunk,), compression="gzip", shuffle=True)
