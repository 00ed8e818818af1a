"""Imports h5py, netCDF4 and tables in the order given, each writes a file, all read all three. Prints sums and proofs.

Each brings its own libhdf5: three hosts in one process, and one image of our plugin for the three of them.
"""

import importlib
import json
import sys
import warnings

import numpy as np
import proof

warnings.simplefilter("ignore")
modules = {name: importlib.import_module(name) for name in sys.argv[1:]}
h5py, netCDF4, tables = (modules[name] for name in ("h5py", "netCDF4", "tables"))
numbers = np.arange(6000, dtype="f8").reshape(60, 100)


def write_h5py(path):
    with h5py.File(path, "w") as file:
        data = file.create_dataset("values", data=numbers, chunks=(7, 11), compression="gzip", shuffle=True)
        data.attrs["units"] = "m"
        file["text"] = ["a", "bc", ""]
        file.create_group("group").create_dataset("ints", data=np.arange(10))
        data[3] += 1


def write_netcdf(path):
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", 60)
        file.createDimension("y", None)
        values = file.createVariable("values", "f8", ("x", "y"), zlib=True)
        values.units = "m"
        values[:, :100] = numbers
        values[3, :] += 1
        file.createGroup("group").createVariable("ints", "i4", ("x",))[:] = np.arange(60)


def write_tables(path):
    with tables.open_file(path, "w") as file:
        filters = tables.Filters(complevel=3, complib="zlib", shuffle=True)
        values = file.create_earray("/", "values", obj=numbers[:30], filters=filters)
        values.append(numbers[30:])
        values[3] += 1
        values.attrs.units = "m"
        table = file.create_table("/", "table", {"a": tables.Int32Col(), "b": tables.Float64Col()})
        table.append([(i, i / 2) for i in range(100)])
        table.flush()


def read_h5py(path):
    with h5py.File(path, "r") as file:
        data = file["values"]
        return [float(data[()].sum()), float(data[5:50:7, ::3].sum()), sorted(file)]


def read_netcdf(path):
    with netCDF4.Dataset(path, "r") as file:
        data = file["values"]
        return [float(data[:].sum()), float(data[5:50:7, ::3].sum()), sorted(file.variables)]


def read_tables(path):
    with tables.open_file(path, "r") as file:
        data = file.root.values
        return [float(data[:].sum()), float(data[5:50:7, ::3].sum()), sorted(file.root._v_children)]


write = {"h5py": write_h5py, "netCDF4": write_netcdf, "tables": write_tables}
read = {"h5py": read_h5py, "netCDF4": read_netcdf, "tables": read_tables}
answer = {"connectors": {}, "read": {}}
for writer in sys.argv[1:]:
    write[writer](f"{writer}.h5")
for reader in sys.argv[1:]:
    for writer in sys.argv[1:]:
        answer["read"][f"{reader} reads {writer}"] = read[reader](f"{writer}.h5")
# Interleaved: a file open in each at the same time.
with h5py.File("h5py.h5", "a") as a, netCDF4.Dataset("netCDF4.h5", "a") as b, tables.open_file("tables.h5", "a") as c:
    a["values"][0, 0] = b["values"][0, 1] + c.root.values[0, 2]
    b["values"][0, 0] = a["values"][0, 1] + c.root.values[0, 2]
    c.root.values[0, 0] = a["values"][0, 1] + b["values"][0, 2]
    answer["interleaved"] = [float(a["values"][0, 0]), float(b["values"][0, 0]), float(c.root.values[0, 0])]
for package in sys.argv[1:]:
    answer["connectors"][package] = sorted({proof.connector(package, f"{writer}.h5") for writer in sys.argv[1:]})
print(json.dumps(answer, sort_keys=True))
