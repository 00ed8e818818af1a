"""Programs over mirrored files.

    mirror_program.py all FILE                 makes a file with a bit of everything, changes it, opens it again
    mirror_program.py simple FILE [MODE]       makes or changes a small file; tells what failed
    mirror_program.py read FILE                reads it
    mirror_program.py kill FILE                dies while it is open
    mirror_program.py tables|netcdf FILE       the same with another client

The last line of output is JSON: what failed, if anything, or what was read.
"""

import json
import os
import signal
import sys

import numpy as np


def everything(name):
    import h5py

    with h5py.File(name, "w") as f:
        g = f.create_group("g", track_order=True)
        g.attrs["x"] = [1, 2, 3]
        d = f.create_dataset("g/d", data=np.arange(1000).reshape(10, 100), chunks=(5, 50), maxshape=(None, 100),
                             compression="gzip")
        d.resize((20, 100))
        d[10:] = 7
        f["soft"] = h5py.SoftLink("/g/d")
        f["hard"] = d
        f["outside"] = h5py.ExternalLink("other.h5", "/z")
        strings = f.create_dataset("s", (3,), dtype=h5py.string_dtype())
        strings[:] = ["a", "bc", "def"]
        f["t"] = np.dtype("i4,f8")
        f.create_dataset("e", (2,), dtype=f["t"])[...] = (3, 4.5)
        # Regions are stored by H5Rcreate in the first side only, so that addresses differ from here on.
        regions = f.create_dataset("regions", (2,), dtype=h5py.regionref_dtype)
        for _ in range(300):
            region = d.regionref[2:4, 5:7]
        regions[0] = region
        refs = f.create_dataset("refs", (3, 2), dtype=h5py.ref_dtype)
        late = f.create_group("late")
        refs[0, 0], refs[2, 1] = g.ref, late.ref
        pair = np.dtype([("n", "i4"), ("r", h5py.ref_dtype)])
        pairs = f.create_dataset("pairs", (4,), dtype=pair)
        pairs[1:3] = np.array([(1, late.ref), (2, d.ref)], dtype=pair)
        f.attrs["ref"] = late.ref
        f.copy("g", "copied")
        f.move("copied", "moved")
        del f["soft"]
        scale = f.create_dataset("scale", data=np.arange(20))
        scale.make_scale("rows")
        d.dims[0].attach_scale(scale)
        f["late"].attrs.create("gone", 1)
        del f["late"].attrs["gone"]
        f["late"].attrs.modify("kept", 2.5)
    with h5py.File(name, "r+") as f:
        f["g/d"][0] = 11
        f["g/d"].id.write_direct_chunk((0, 0), f["g/d"].id.read_direct_chunk((5, 0))[1])
        f.create_group("deep/deeper")["x"] = np.float32(1.5)
        f.flush()
    # A file that is only read has no other side, but can be copied from.
    with h5py.File("source.h5", "w") as f:
        f["data"] = np.arange(5)
    with h5py.File("source.h5", "r") as source, h5py.File(name, "r+") as f:
        source.copy("data", f, "from source")
    with h5py.File("other.h5", "w") as f:
        f["z/inner"] = [1, 2]
    with h5py.File(name, "r+") as f:
        f["outside"].attrs["seen"] = 1
        f["outside"].create_dataset("new", data=[3])
        del f["outside/inner"]


def simple(name, mode="w"):
    import h5py

    f = h5py.File(name, mode)
    f[f"d{len(f)}"] = np.arange(5000)
    f.attrs[f"a{len(f.attrs)}"] = "text"
    f.flush()
    f.close()


def kill(name):
    import h5py

    f = h5py.File(name, "w")
    f["d"] = np.arange(10)
    f.flush()
    f["e"] = np.arange(10)
    os.kill(os.getpid(), signal.SIGKILL)


def read(name):
    import h5py

    with h5py.File(name, "r") as f:
        return [int(f["d0"][...].sum()), f.attrs["a0"]]


def tables(name):
    import tables as client

    class Row(client.IsDescription):
        number = client.Int32Col()
        text = client.StringCol(16)

    with client.open_file(name, "w") as f:
        table = f.create_table("/", "table", Row, filters=client.Filters(5, "zlib"))
        table.append([(n, f"row {n}".encode()) for n in range(1000)])
        f.create_earray("/", "array", client.Float64Atom(), (0, 3)).append(np.ones((10, 3)))
        f.create_vlarray("/", "ragged", client.Int16Atom()).append([1, 2, 3])
    with client.open_file(name, "a") as f:
        f.root.table.remove_rows(10, 20)
        f.root.table.attrs.note = {"any": "object"}


def netcdf(name):
    import netCDF4

    with netCDF4.Dataset(name, "w") as f:
        f.createDimension("time", None)
        f.createDimension("x", 5)
        v = f.createVariable("v", "f4", ("time", "x"), zlib=True)
        v[:] = np.arange(50).reshape(10, 5)
        v.units = "m"
        f.createVariable("time", "f8", ("time",))[:] = np.arange(10)
        f.createGroup("g").createVariable("s", str, ("time",))[0] = "text"
    with netCDF4.Dataset(name, "a") as f:
        f["v"][10:12] = 3
        f.renameVariable("v", "w")


def main():
    what, arguments = sys.argv[1], sys.argv[2:]
    program = {"all": everything, "simple": simple, "read": read, "kill": kill, "tables": tables, "netcdf": netcdf}[what]
    try:
        answer = {"result": program(*arguments)}
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer))


main()
