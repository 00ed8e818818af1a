"""The packages of the clients, each imported when it is first used.

The command lists cases without loading a libhdf5, and a process that measures loads only those of its case.
"""

import importlib


class Package:
    """Stands for a package until something of it is wanted."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, attribute):
        value = getattr(importlib.import_module(self._name), attribute)
        # The next access finds it here: a loop that is measured must not go through this function.
        setattr(self, attribute, value)
        return value


dask = Package("dask")
h5py = Package("h5py")
netCDF4 = Package("netCDF4")
numpy = Package("numpy")
pandas = Package("pandas")
tables = Package("tables")
xarray = Package("xarray")

# All that is needed, for the command to say what is missing and which versions there are.
NAMES = ("dask", "h5netcdf", "h5py", "netCDF4", "numpy", "pandas", "tables", "xarray")
