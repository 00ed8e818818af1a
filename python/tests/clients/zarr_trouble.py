"""What a program does that a Zarr directory cannot take as it is: `zarr_trouble.py WHAT SUFFIX`.

The last line of output is JSON: what the program saw, while it wrote and after the file was opened again.
"""

import ctypes
import json
import os
import resource
import shutil
import sys
import tempfile

import h5py
import numpy as np

NAMES = ["...", "..", "zarr.json", ".zgroup", "__h5_x", "x" * 300, "c", "%41", "a\\b", "a\nb", "ü", "*?", "~", "'\""]


def tried(action):
    """What it gives, or the kind of its failure and what it says."""
    try:
        return action()
    except Exception as error:
        return [type(error).__name__, str(error)]


def everything(group):
    """All there is below a group, by path."""
    found = {}

    def look(path, item):
        found[path] = item[()].tolist() if isinstance(item, h5py.Dataset) else type(item).__name__

    group.visititems(look)
    return found


def names(path):
    """Names that no folder can have, or should: objects of each kind, links, moves, deletes."""
    with h5py.File(path, "w") as file:
        for number, name in enumerate(NAMES):
            file[name] = np.arange(3) + number
        inside = file.create_group("g/...")
        inside["zarr.json"] = 5
        inside[".."] = np.dtype("i2")
        file["second"] = file["..."]
    told = []
    with h5py.File(path, "r+") as file:
        told.append(everything(file))
        file["..."][0] = 99
        file.move("zarr.json", "plain")
        file.move("c", "....")
        del file[".zgroup"]
        del file["second"]
        file["g/..."].attrs["a"] = 1
        file["g/..."].create_dataset(".zarray", data=[1.5])
    for _ in range(2):
        with h5py.File(path, "r+") as file:
            told.append(everything(file))
            told.append([int(file["g/..."].attrs["a"]), str(file["g/.../.."].dtype), sorted(file["g/..."])])
    return told


def not_text(path):
    """Names that are not UTF-8."""
    with h5py.File(path, "w") as file:
        file["before"] = 1
        low = [
            tried(lambda: file.create_dataset(b"\xff", data=1) and None),
            tried(lambda: h5py.h5g.create(file.id, b"a\xfe") and None),
            tried(lambda: file.id.links.create_soft(b"\xfd", b"before")),
            tried(lambda: h5py.h5a.create(file.id, b"\xfc", h5py.h5t.NATIVE_INT8, h5py.h5s.create(h5py.h5s.SCALAR)) and None),
        ]
        file["after"] = 2
    with h5py.File(path, "r") as file:
        return [low, everything(file)]


def reserved(path):
    """Attributes that the connector needs itself."""
    with h5py.File(path, "w") as file:
        file["d"] = [1, 2]
        file["d"].attrs["other"] = 3
        low = [tried(lambda name=name: file["d"].attrs.create(name, 1)) for name in ("_h5", "_LINKS")]
        low.append(tried(lambda: file["d"].attrs.rename("other", "_h5") if hasattr(file["d"].attrs, "rename") else h5py.h5a.rename(file["d"].id, b"other", b"_h5")))
        file["e"] = 4
    with h5py.File(path, "r") as file:
        return [low, everything(file), dict((name, int(value)) for name, value in file["d"].attrs.items())]


def full(path):
    """Files cannot become longer for a while: nothing is lost that is flushed when they can again."""
    file = h5py.File(path, "w")
    file["kept"] = np.arange(10)
    file["gone"] = 1
    file.flush()
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40, hard))
    file.attrs["title"] = "a title that is not short"
    file["group/data"] = np.arange(1000.0)
    file["group/text"] = ["some", "words"]
    file["kept"].attrs["units"] = "m"
    file["kept"][3] = 77
    del file["gone"]
    told = [tried(file.flush), tried(file.flush)]
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    file.flush()
    with_file = everything(file)
    file.close()
    with h5py.File(path, "r") as file:
        assert everything(file) == with_file
        texts = [text.decode() for text in with_file["group/text"]]
        return [told, sorted(with_file), with_file["kept"], sum(with_file["group/data"]), texts, file.attrs["title"], file["kept"].attrs["units"]]


def last(path):
    """A dataset is the last that is open of a file, and cannot be stored when it is closed. Native HDF5 crashes soon after it."""
    data = h5py.File(path, "w").create_dataset("d", (1000,), chunks=(500,), dtype="f8")
    data[:10] = 1
    data[600:700] = 2
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40, hard))
    del data
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    # The next file that is opened lets the container go, and it is tried again.
    for i in range(3):
        with h5py.File(f"{i}-{path}", "w", driver="core", backing_store=False) as file:
            file["x"] = range(10)
            file.flush()
    with h5py.File(path, "r") as file:
        return float(file["d"][:].sum())


def close_later(path):
    """A file that cannot be stored when it is closed stays open, and is closed later."""
    file = h5py.File(path, "w")
    file["d"] = np.arange(1000.0)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40, hard))
    told = tried(file.close)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    within = float(file["d"][:].sum())
    file.close()
    with h5py.File(path, "r") as again:
        return [told, within, bool(file), float(again["d"][:].sum())]


def deleted(path):
    """What was deleted while it was open is not full of zeros."""
    with h5py.File(path, "w") as file:
        file.create_dataset("d", data=[1, 2, 3, 4], chunks=(1,))
        file.create_dataset("sparse", (4,), chunks=(1,), fillvalue=7)
    with h5py.File(path, "r") as file:
        data, sparse = file["d"], file["sparse"]
        before = [data[0].tolist(), sparse[:].tolist()]
        shutil.rmtree(path)
        return [before, tried(lambda: data[:].tolist()), tried(lambda: data[2:3].tolist())]


def removed(path):
    """A directory that is removed while it is open, and left open when the program ends: HDF5 closes what is left."""
    file = h5py.File(path, "w")
    file["d"] = [1, 2]
    group, data = file.create_group("g"), file["d"]
    file.flush()
    group.attrs["a"] = 1
    file["e"] = 3
    shutil.rmtree(path)
    for kept in (file.id, group.id, data.id):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))
    return "ended"


def unwritable(path):
    """A directory, or a plain file, that this program may not write to."""
    # Where others than the owner come to: not in the test's own folder.
    folder = tempfile.mkdtemp(dir="/tmp")
    os.chmod(folder, 0o755)
    os.chdir(folder)
    with h5py.File(path, "w") as file:
        file["d"] = [1, 2]
    os.chmod(path, 0o555 if os.path.isdir(path) else 0o444)
    os.geteuid() or os.seteuid(65534)

    def opened(mode):
        with h5py.File(path, mode) as file:
            return file["d"][:].tolist()

    told = {mode: tried(lambda mode=mode: opened(mode)) for mode in ("r", "r+", "a")}
    os.getuid() or os.seteuid(0)
    os.chmod(path, 0o755)
    os.chdir("/")
    shutil.rmtree(folder, onerror=lambda *_: None)
    return told


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]]("x" + sys.argv[2]), default=lambda text: text.decode()))
