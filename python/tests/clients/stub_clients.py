"""pandas, PyTables and netCDF4 on regular files: `stub_clients.py`. Prints what they read back, as JSON."""

from __future__ import annotations

import json
import warnings

import netCDF4
import numpy as np
import pandas as pd
import tables

warnings.simplefilter("ignore")


def pandas_stores():
    """HDFStore: fixed and table, append, select, remove."""
    frame = pd.DataFrame(
        {"number": np.arange(100), "value": np.linspace(0, 1, 100), "name": [f"name {i % 7}" for i in range(100)]},
        index=pd.date_range("2026-01-01", periods=100, freq="h"),
    )
    with pd.HDFStore("store.h5", "w", complevel=5, complib="zlib") as store:
        store.put("fixed", frame[["number", "value"]])
        store.put("table", frame, format="table", data_columns=True)
        store.append("growing", frame[:50], data_columns=["number"], min_itemsize={"name": 20})
        store.put("gone", frame["number"])
    with pd.HDFStore("store.h5", "a") as store:
        store.append("growing", frame[50:])
        store.remove("gone")
        told = {
            "keys": store.keys(),
            "fixed": store["fixed"].equals(frame[["number", "value"]]) or store["fixed"].to_json(),
            "growing": store["growing"].to_json(),
            "selected": store.select("table", "number > 90 & name = 'name 3'").to_json(),
            "columns": store.select("growing", "number < 5", columns=["value"]).to_json(),
            "rows": store.get_storer("growing").nrows,
        }
    return told | {"read": pd.read_hdf("store.h5", "table", start=10, stop=13).to_json()}


def pytables():
    """A table with an index, arrays that grow, and a copy of the file."""

    class Row(tables.IsDescription):
        number = tables.Int32Col()
        value = tables.Float64Col()
        when = tables.Time64Col()
        name = tables.StringCol(8)

    with tables.open_file("table.h5", "w", title="A title") as file:
        table = file.create_table("/group", "table", Row, createparents=True, filters=tables.Filters(5, "zlib"))
        for i in range(500):
            row = table.row
            row["number"], row["value"], row["when"], row["name"] = i % 50, i / 7, 1e9 + i, f"row {i % 9}"
            row.append()
        table.flush()
        table.cols.number.create_index()
        grows = file.create_earray("/", "grows", tables.Int16Atom(), (0, 4))
        grows.append(np.arange(40, dtype="i2").reshape(10, 4))
        ragged = file.create_vlarray("/", "ragged", tables.Int64Atom())
        for length in (3, 0, 5):
            ragged.append(np.arange(length))
        file.create_vlarray("/", "objects", tables.ObjectAtom()).append({"any": ["thing", 1]})
        file.root.grows.attrs.note = {"pickled": (1, 2)}
    with tables.open_file("table.h5", "a") as file:
        file.root.grows.append(np.full((2, 4), 9, dtype="i2"))
        file.root.group.table.remove_rows(0, 100)
        file.copy_file("copy.h5", overwrite=True)
    with tables.open_file("copy.h5", "r") as file:
        table = file.root.group.table
        return {
            # These are asked before anything is read.
            "sizes": [file.root.ragged.get_row_size(row) for row in range(3)],
            "chunk": [file.root.grows.chunk_info((1, 0)).size, file.root.grows.read_chunk((0, 0))[:16].hex()],
            "title": file.title,
            "nodes": sorted(node._v_pathname for node in file.walk_nodes()),
            "indexed": table.will_query_use_indexing("number == 7") != frozenset(),
            "where": [row["value"] for row in table.where("(number == 7) & (value > 30)")],
            "when": float(table.cols.when[0]),
            "grows": file.root.grows[:].tolist(),
            "ragged": [row.tolist() for row in file.root.ragged],
            "objects": file.root.objects[0],
            "note": file.root.grows.attrs.note["pickled"],
            "is_hdf5": [bool(tables.is_hdf5_file("copy.h5")), bool(tables.is_pytables_file("copy.h5"))],
        }


def netcdf():
    """Unlimited dimensions, groups, strings, compression, types, attributes; appended to by a second opening."""
    with netCDF4.Dataset("weather.nc", "w") as data:
        data.title = "A title"
        data.numbers = np.arange(3, dtype="i2")
        data.createDimension("time", None)
        data.createDimension("station", 4)
        time = data.createVariable("time", "f8", ("time",))
        time.units = "hours since 2026-01-01"
        temperature = data.createVariable("temperature", "f4", ("time", "station"), zlib=True, complevel=4, shuffle=True,
                                          fill_value=-999, chunksizes=(5, 4))
        temperature.setncatts({"units": "K", "valid_range": np.array([200, 350], dtype="f4")})
        name = data.createVariable("name", str, ("station",))
        name[:] = np.array(["Ä", "bee", "", "a longer name"], dtype=object)
        time[:] = np.arange(10)
        temperature[:] = 280 + np.arange(40).reshape(10, 4) / 4
        group = data.createGroup("model/run")
        group.note = "in a group"
        group.createDimension("step", None)
        group.createVariable("count", "i8", ("step", "station"), compression="zlib")[0:3] = 7
        kind = data.createEnumType("u1", "kind", {"a": 0, "b": 1})
        data.createVariable("kinds", kind, ("station",))[:] = np.array([0, 1, 1, 0], dtype="u1")
    with netCDF4.Dataset("weather.nc", "a") as data:
        data["time"][10:12] = [10, 11]
        data["temperature"][10, :] = 300
        data["model/run/count"][5] = 9
        data.createVariable("late", "i4", ("time",))[:] = np.arange(12)
        data.title = "Another title"
        data.renameVariable("late", "later")
    with netCDF4.Dataset("weather.nc", "r") as data:
        return {
            "attributes": {key: np.asarray(data.getncattr(key)).tolist() for key in data.ncattrs()},
            "dimensions": {key: [len(value), value.isunlimited()] for key, value in data.dimensions.items()},
            "variables": list(data.variables),
            "temperature": [data["temperature"][9:12].filled(-1).tolist(), data["temperature"].filters(),
                            data["temperature"].chunking(), data["temperature"].ncattrs()],
            "names": data["name"][:].tolist(),
            "count": data["model/run/count"][:].filled(-1).tolist(),
            "group": [data["model/run"].note, list(data["model"].groups)],
            "kinds": data["kinds"][:].tolist(),
            "later": data["later"][:].tolist(),
            "model": [data.data_model, data.disk_format],
        }


def late_coordinates():
    """A dimension gets its variable after data was written: netCDF deletes what stood for it, and makes another dataset of that name."""
    for _ in range(10):
        with netCDF4.Dataset("late.nc", "w") as data:
            data.createDimension("y", 4)
            data.createDimension("x", 3)
            data.createVariable("a", "f8", ("y", "x"))[:] = np.arange(12).reshape(4, 3)
            for name, length in (("y", 4), ("x", 3)):
                data.createVariable(name, "i8", (name,))[:] = np.arange(length)
    with netCDF4.Dataset("late.nc", "r") as data:
        return {name: [variable.dimensions, variable[:].tolist()] for name, variable in data.variables.items()}


print(json.dumps({"pandas": pandas_stores(), "pytables": pytables(), "netcdf": netcdf(), "late_coordinates": late_coordinates()}, default=lambda number: number.item()))
