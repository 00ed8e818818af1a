"""Proof of who serves a client's files: asks the client's own libhdf5, found in the process's memory map, by ctypes."""

import ctypes
import re
from pathlib import Path

# The folder beside the package that holds its shared libraries.
FOLDERS = {"h5py": "h5py.libs", "netCDF4": "netcdf4.libs", "tables": "tables.libs"}


def library(package):
    """The libhdf5 that came with the package; the package must have been imported."""
    paths = set(re.findall(r"/\S*/libhdf5-[^/\s]*\.so\S*", Path("/proc/self/maps").read_text()))
    mine = [path for path in paths if Path(path).parent.name.lower() == FOLDERS[package]]
    assert len(mine) == 1, f"{package}: {sorted(paths)}"
    hdf5 = ctypes.CDLL(mine[0])
    hdf5.H5Fopen.restype = ctypes.c_int64
    hdf5.H5Fopen.argtypes = [ctypes.c_char_p, ctypes.c_uint, ctypes.c_int64]
    hdf5.H5Fclose.argtypes = [ctypes.c_int64]
    hdf5.H5VLget_connector_name.restype = ctypes.c_ssize_t
    hdf5.H5VLget_connector_name.argtypes = [ctypes.c_int64, ctypes.c_char_p, ctypes.c_size_t]
    return hdf5


def connector_of_id(package, identifier):
    """The connector behind an open id of the package's libhdf5."""
    name = ctypes.create_string_buffer(64)
    assert library(package).H5VLget_connector_name(identifier, name, len(name)) > 0
    return name.value.decode()


def connector(package, path):
    """The connector that serves `path` when the package opens it with default settings."""
    hdf5 = library(package)
    file = hdf5.H5Fopen(str(path).encode(), 0, 0)
    assert file >= 0, f"{package} cannot open {path}"
    name = connector_of_id(package, file)
    assert hdf5.H5Fclose(file) >= 0
    assert name == "native" or hdf5.H5VLis_connector_registered_by_name(name.encode()) > 0
    return name
