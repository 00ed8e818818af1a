"""One h5py file driver or open mode, named in the first argument: writes, reads, prints what it saw and who served it."""

import io
import json
import sys

import h5py
import numpy as np
import proof

numbers = np.arange(3000, dtype="i4").reshape(30, 100)
CASES = {
    "sec2": {},
    "stdio": {"driver": "stdio"},
    "core": {"driver": "core"},
    "core_memory_only": {"driver": "core", "backing_store": False},
    "family": {"driver": "family", "memb_size": 4096},
    "split": {"driver": "split"},
    "userblock": {"userblock_size": 1024},
    "latest": {"libver": "latest"},
    "page": {"fs_strategy": "page", "fs_page_size": 4096},
    "track_order": {"track_order": True},
    "no_locking": {"locking": False},
    "no_chunk_cache": {"rdcc_nbytes": 0},
}
answer = {"connectors": []}


def fill(file):
    file.create_dataset("chunked", data=numbers, chunks=(7, 30), compression="gzip", maxshape=(None, 100))
    file.create_dataset("contiguous", data=numbers.astype(">f8"))
    file["chunked"].resize((40, 100))
    file["chunked"][35] = 9
    file["contiguous"].attrs["a"] = np.arange(5)


def look(file, label):
    answer["connectors"].append(proof.connector_of_id("h5py", file.id.id))
    answer[label] = {
        "driver": file.driver,
        "chunked": int(file["chunked"][()].sum()),
        "corner": file["chunked"][28:36:3, 90:].tolist(),
        "contiguous": float(file["contiguous"][3:20:2, ::7].sum()),
        "attribute": file["contiguous"].attrs["a"].tolist(),
    }


def plain(name):
    path = "family%d.h5" if name == "family" else f"{name}.h5"
    with h5py.File(path, "w", **CASES[name]) as file:
        fill(file)
        look(file, "written")
    if name != "core_memory_only":
        on_open = ("driver", "memb_size", "libver", "locking", "rdcc_nbytes")
        options = {key: value for key, value in CASES[name].items() if key in on_open}
        with h5py.File(path, "r", **options) as file:
            look(file, "read")
            answer["userblock"] = file.userblock_size


def fileobj():
    """The bytes are in a Python object: there is no descriptor at all."""
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as file:
        fill(file)
        look(file, "written")
    with h5py.File(buffer, "r") as file:
        look(file, "read")
    with open("fileobj.h5", "wb") as real:
        real.write(buffer.getvalue())
    with open("fileobj.h5", "rb") as real, h5py.File(real, "r") as file:
        look(file, "real")


def in_memory_image():
    with h5py.File("image.h5", "w") as file:
        fill(file)
        file.flush()
        image = file.id.get_file_image()
    fapl = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    fapl.set_fapl_core(backing_store=0)
    fapl.set_file_image(image)
    with h5py.File(h5py.h5f.open(b"nowhere.h5", fapl=fapl, flags=h5py.h5f.ACC_RDONLY)) as file:
        look(file, "read")


def swmr():
    writer = h5py.File("swmr.h5", "w", libver="latest")
    fill(writer)
    writer.swmr_mode = True
    writer["chunked"].flush()
    reader = h5py.File("swmr.h5", "r", libver="latest", swmr=True)
    look(reader, "read")
    writer["chunked"].resize((41, 100))
    writer["chunked"][40] = 1
    writer["chunked"].flush()
    reader["chunked"].refresh()
    answer["appended"] = [list(reader["chunked"].shape), int(reader["chunked"][40].sum()), reader.swmr_mode]
    reader.close()
    writer.close()


case = sys.argv[1]
special = {"fileobj": fileobj, "image": in_memory_image, "swmr": swmr}
special[case]() if case in special else plain(case)
print(json.dumps(answer, sort_keys=True))
