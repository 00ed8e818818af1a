"""The sides of zarrs and tensorstore in tests of the Zarr connector: no HDF5 here. As clients/zarr_peer.py, but with another
implementation behind it.

    read FOLDER zarrs|tensorstore     prints the arrays of a container, and the types that the implementation does not have
    write FOLDER zarrs|tensorstore    makes one, and prints its arrays
"""

from __future__ import annotations

import json
import pathlib
import shutil
import sys
import warnings

import numpy as np
import tensorstore
import zarr
import zarr_peer

warnings.simplefilter("ignore")

CODECS = {
    "none": [],
    "gzip": [{"name": "gzip", "configuration": {"level": 5}}],
    "zstd": [{"name": "zstd", "configuration": {"level": 3, "checksum": False}}],
    "blosc": [{"name": "blosc", "configuration": {"cname": "lz4", "clevel": 5, "shuffle": "shuffle"}}],
    "checked": [{"name": "gzip", "configuration": {"level": 5}}, {"name": "crc32c"}],
}


def open_tensorstore(path):
    return tensorstore.open({"driver": "zarr3", "kvstore": {"driver": "file", "path": path + "/"}}, open=True).result()


def read(folder, implementation):
    arrays, refused = {}, []
    for file in sorted(pathlib.Path(folder).rglob("zarr.json")):
        document = json.loads(file.read_text())
        if document["node_type"] != "array":
            continue
        name = str(file.parent.relative_to(folder))
        try:
            if implementation == "zarrs":
                values = zarr.open_array(str(file.parent), mode="r")[()]
            else:
                values = open_tensorstore(str(file.parent)).read().result()
        except Exception as error:  # noqa: BLE001
            refused.append([name, document["data_type"], f"{type(error).__name__}: {error}"[:300]])
            continue
        arrays[name] = zarr_peer.told(values)
    return {"arrays": arrays, "refused": refused}


def write(folder, implementation):
    group = zarr.open_group(folder, mode="w")
    chance = np.random.default_rng(2)
    arrays = {}
    for dtype in zarr_peer.TYPES[:-1]:
        data = (chance.random((13, 7)) * 100).astype(dtype)
        for codec, chain in CODECS.items():
            for endian in ("little", "big"):
                name = f"{dtype} {codec} {endian}"
                codecs = [{"name": "bytes", "configuration": {"endian": endian}}, *chain]
                document = {"zarr_format": 3, "node_type": "array", "shape": [13, 7], "data_type": dtype, "codecs": codecs, "fill_value": 0,
                            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [5, 4]}}}
                document["chunk_key_encoding"] = {"name": "default", "configuration": {"separator": "/"}}
                if dtype == "bool":
                    document["fill_value"] = False
                if dtype.startswith("complex"):
                    document["fill_value"] = [0, 0]
                if codec == "blosc":
                    chain[0]["configuration"] |= {"typesize": data.itemsize, "blocksize": 0}
                place = pathlib.Path(folder, name)
                place.mkdir()
                (place / "zarr.json").write_text(json.dumps(document))
                if implementation == "zarrs":
                    if endian == "big" and dtype.startswith("complex"):
                        # It swaps the two parts (see clients/zarr_check.py).
                        shutil.rmtree(place)
                        continue
                    group[name][...] = data
                else:
                    open_tensorstore(str(place)).write(data).result()
                arrays[name] = zarr_peer.told(data)
    return {"arrays": arrays}


if __name__ == "__main__":
    what, place, who = sys.argv[1:]
    if who == "zarrs":
        zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline", "codec_pipeline.strict": True})
    print(json.dumps({"read": read, "write": write}[what](place, who)))
