"""xarray: each engine writes a dataset, both engines read both files, eagerly and with dask."""

import json
import warnings

import numpy as np
import proof
import xarray as xr

warnings.simplefilter("ignore")
PACKAGES = {"netcdf4": "netCDF4", "h5netcdf": "h5py"}
data = xr.Dataset(
    {
        "t": (("time", "x"), np.arange(2000.0).reshape(20, 100), {"units": "K"}),
        "flag": (("x",), np.arange(100, dtype="i2")),
        "name": (("time",), np.array([f"step {i}" for i in range(20)], dtype=object)),
    },
    coords={"time": np.arange(20), "x": np.linspace(0, 1, 100)},
    attrs={"title": "engines"},
)
answer = {"connectors": {}, "equal": {}}
for writer in PACKAGES:
    encoding = {"t": {"chunksizes": (3, 40), "zlib": True, "dtype": "f4"}}
    data.to_netcdf(f"{writer}.nc", engine=writer, encoding=encoding, unlimited_dims=["time"])
for reader, package in PACKAGES.items():
    for writer in PACKAGES:
        with xr.open_dataset(f"{writer}.nc", engine=reader) as got:
            eager = bool(got.load().equals(data)) and got.attrs == data.attrs
        with xr.open_dataset(f"{writer}.nc", engine=reader, chunks={"time": 5}) as got:
            lazy = float(got["t"].isel(x=slice(3, 90, 4)).sum().compute())
        answer["equal"][f"{reader} reads {writer}"] = [eager, lazy]
    answer["connectors"][package] = sorted({proof.connector(package, f"{writer}.nc") for writer in PACKAGES})
print(json.dumps(answer, sort_keys=True))
