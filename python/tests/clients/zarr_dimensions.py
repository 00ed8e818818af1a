"""Names of dimensions: what xarray writes with Zarr is read by h5netcdf through the Zarr connector, with coordinates, and the reverse.
Fails if anything is lost, or if documents change that nobody has changed.
"""

from __future__ import annotations

import hashlib
import json
import pathlib
import warnings

import h5netcdf
import h5py
import numpy as np
import xarray as xr

warnings.simplefilter("ignore")


def make():
    """Coordinates of several types, variables with and without them, a scalar."""
    time = np.datetime64("2020-01-01", "ns") + np.arange(3) * np.timedelta64(1, "D")
    variables = {
        "t": (("time", "x"), np.linspace(0, 1, 12).reshape(3, 4), {"units": "K"}),
        "n": (("x",), np.arange(4, dtype="i2"), {"_FillValue": np.int16(-1)}),
        "word": (("x",), np.array(["a", "bb", "ß", ""], dtype=object)),
        "s": ((), 1.5),
    }
    return xr.Dataset(variables, {"time": time, "x": [1.0, 2, 3, 4], "lon": (("x",), np.arange(4.0))}, {"title": "hi"})


def digests(folder):
    return {str(file): hashlib.sha1(file.read_bytes()).hexdigest() for file in pathlib.Path(folder).rglob("*") if file.is_file()}


def document(path):
    return json.loads(pathlib.Path(path, "zarr.json").read_text())


def from_zarr(version):
    """xarray writes Zarr, h5py, h5netcdf and xarray's engine read it."""
    folder, data = f"from{version}.zarr", make()
    data.to_zarr(folder, zarr_format=version, consolidated=False)
    before = digests(folder)
    with h5py.File(folder, "r") as file:
        scale, variable = file["x"], file["t"]
        assert scale.is_scale and h5py.h5ds.get_scale_name(scale.id) == b"x" and scale.attrs["CLASS"] == b"DIMENSION_SCALE"
        assert [list(dim.keys()) for dim in variable.dims] == [["time"], ["x"]] and variable.dims[1][0] == scale
        users = {(file[user].name, number) for user, number in scale.attrs["REFERENCE_LIST"]}
        assert users == {("/t", 1), ("/n", 0), ("/word", 0), ("/lon", 0)}, users
        assert h5py.h5ds.is_attached(variable.id, scale.id, 1) and not h5py.h5ds.is_attached(variable.id, scale.id, 0)
    with h5netcdf.File(folder, "r") as file:
        assert set(file.dimensions) == {"time", "x"} and file["t"].dimensions == ("time", "x")
    with xr.open_dataset(folder, engine="h5netcdf") as found:
        with xr.open_zarr(folder, consolidated=False) as expected:
            if version == 3:
                xr.testing.assert_identical(found.load(), expected.load())
            else:
                # Version 2 has no other place for names of dimensions than attributes.
                xr.testing.assert_equal(found["t"].load(), expected["t"].load())
    assert digests(folder) == before, "reading has changed something"


def changed():
    """What nobody has changed is not written; what somebody has changed is."""
    folder, data = "changed.zarr", make()
    data.to_zarr(folder, zarr_format=3, consolidated=False)
    before = digests(folder)
    with h5py.File(folder, "r+") as file:
        file["t"].attrs["new"] = 1
        file["x"][0] = 7
    after = digests(folder)
    different = {name for name in after if after[name] != before.get(name)}
    assert different == {"changed.zarr/t/zarr.json", "changed.zarr/x/c/0"}, different
    found = document("changed.zarr/t")
    assert found["dimension_names"] == ["time", "x"] and set(found["attributes"]) == {"units", "_FillValue", "coordinates", "new"}
    with h5py.File(folder, "r+") as file:
        file["added"] = np.zeros((4, 2))
        file["added"].dims[0].attach_scale(file["x"])
        file["n"].dims[0].detach_scale(file["x"])
    with h5py.File(folder, "r") as file:
        assert file["added"].dims[0][0] == file["x"] and len(file["n"].dims[0]) == 0 and file["t"].dims[1][0] == file["x"]
    assert document("changed.zarr/added")["dimension_names"] == ["x", None] and "dimension_names" not in document("changed.zarr/n")
    assert document("changed.zarr/t")["dimension_names"] == ["time", "x"]


def labels():
    """A dimension without an array of its own has a label, and so have the others of its array: h5netcdf takes no mixture."""
    xr.Dataset({"v": (("x", "y"), np.zeros((2, 3))), "x": [1, 2]}).to_zarr("labels.zarr", zarr_format=3, consolidated=False)
    with h5py.File("labels.zarr") as file:
        assert [dim.label for dim in file["v"].dims] == ["x", "y"] and file["x"].is_scale
    with xr.open_dataset("labels.zarr", engine="h5netcdf") as found:
        assert found["v"].shape == (2, 3) and list(found["x"]) == [1, 2]


def groups():
    """Scales of a group around are found, too."""
    tree = xr.DataTree.from_dict({"/": xr.Dataset(coords={"x": [1.0, 2.0]}), "/in": xr.Dataset({"v": (("x",), [3, 4])})})
    tree.to_zarr("tree.zarr", zarr_format=3, consolidated=False)
    with h5py.File("tree.zarr") as file:
        assert file["in/v"].dims[0][0] == file["x"]
    found = xr.open_datatree("tree.zarr", engine="h5netcdf")
    assert list(found["in"]["v"].values) == [3, 4] and list(found["in"]["x"].values) == [1, 2]


def to_zarr():
    """h5netcdf writes through the connector, xarray reads Zarr, and h5netcdf what it has written."""
    data = make()
    data.to_netcdf("to.zarr", engine="h5netcdf")
    with xr.open_zarr("to.zarr", consolidated=False) as found:
        with xr.open_dataset("to.zarr", engine="h5netcdf") as again:
            xr.testing.assert_equal(found.load(), again.load())
        xr.testing.assert_equal(found["t"], data["t"])
        assert found["t"].attrs["units"] == "K" and np.isnan(found["t"].encoding["_FillValue"])


def wrong():
    """Attributes that only have the names of those of scales do no harm."""
    xr.Dataset({"v": (("x",), [1, 2]), "x": [1, 2]}).to_zarr("wrong.zarr", zarr_format=3, consolidated=False)
    for name in ("DIMENSION_LIST", "DIMENSION_LABELS", "REFERENCE_LIST"):
        for value in ("x", 5, ["a", "b"], [1, 2]):
            changed = document("wrong.zarr/v")
            changed["attributes"] = {name: value}
            pathlib.Path("wrong.zarr/v/zarr.json").write_text(json.dumps(changed))
            with h5py.File("wrong.zarr") as file:
                dim = file["v"].dims[0]
                assert list(dim.keys()) == [] and dim.label == "" and list(file["v"]) == [1, 2]


if __name__ == "__main__":
    from_zarr(3)
    from_zarr(2)
    changed()
    labels()
    groups()
    to_zarr()
    wrong()
    print(json.dumps("done"))
