"""The crate `zarr` against zarr-python, zarrs and tensorstore, both ways.

    zarr_check.py PROGRAM GROUP

For each case of zarr_corpus.py: PROGRAM makes the array. Then each implementation writes it in turn, and all others read what it
wrote: PROGRAM chunk by chunk, through the engine, and in part. The last line of output is JSON: the problems found, how many
arrays each pair has exchanged, and what an implementation said not to support.
"""

import collections
import json
import os
import re
import shutil
import sys
import warnings

import numpy as np
import tensorstore
import zarr
import zarr_corpus
from zarr_program import Failed, Program

warnings.simplefilter("ignore")

PIPELINES = {"zarr-python": "zarr.core.codec_pipeline.BatchedCodecPipeline", "zarrs": "zarrs.ZarrsCodecPipeline"}


class ZarrPython:
    """zarr-python, with its own codecs or with those of zarrs."""

    def __init__(self, name):
        self.name = name

    def open(self, path):
        zarr.config.set({"codec_pipeline.path": PIPELINES[self.name], "codec_pipeline.strict": True})
        return zarr.open_array(path, mode="r+")

    def read(self, path, dtype):
        return np.asarray(self.open(path)[...])

    def write(self, path, data):
        self.open(path)[...] = data


class TensorStore:
    """tensorstore, which opens structures field by field."""

    name = "tensorstore"

    def open(self, path, field=None):
        spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": path + "/"}}
        if field is not None:
            spec["field"] = field
        return tensorstore.open(spec, open=True).result()

    def read(self, path, dtype):
        if isinstance(dtype, str) or dtype.names is None:
            return np.asarray(self.open(path).read().result())
        fields = {name: np.asarray(self.open(path, name).read().result()) for name in dtype.names}
        made = np.empty(next(iter(fields.values())).shape, dtype)
        for name, values in fields.items():
            made[name] = values
        return made

    def write(self, path, data):
        if data.dtype.names is None:
            self.open(path).write(data).result()
            return
        for name in data.dtype.names:
            self.open(path, name).write(np.asarray(data[name])).result()


PEERS = [ZarrPython("zarr-python"), ZarrPython("zarrs"), TensorStore()]


def same(found, expected):
    """Whether two arrays have the same elements, bit for bit."""
    if expected.dtype == object:
        return found.shape == expected.shape and all(plain(one) == plain(other) for one, other in zip(found.reshape(-1), expected.reshape(-1)))
    if found.shape != expected.shape:
        return False
    if found.dtype.itemsize != expected.dtype.itemsize and expected.dtype.kind != "U":
        return False
    return np.ascontiguousarray(found.astype(expected.dtype)).tobytes() == np.ascontiguousarray(expected).tobytes()


def plain(value):
    return value.encode() if isinstance(value, str) else bytes(value)


# What implementations say of what they do not have.
UNSUPPORTED = {
    "zarr-python": r"No Zarr data type found that matches|unhashable type: .*void",
    "zarrs": r"No Zarr data type found that matches|unhashable type: .*void|UnsupportedMetadataError|UnsupportedDataTypeError",
    "tensorstore": r'parsing object member \"(data_type|codecs|fill_value)|Sharding codec .* is not compatible|parsing field|must be followed by',
}


def is_wrong(peer, name, document, writes):
    """What an implementation does wrong, so that nothing follows from it: checked without us."""
    codecs = json.dumps(document["codecs"])
    if peer == "tensorstore":
        # It takes the bytes for a dimension.
        return name == "raw_bytes"
    # It takes structures to be in memory's byte order, whatever the codec says.
    if name in ("structured", "nested") and "big" in codecs:
        return True
    # zarrs swaps the two parts of complex numbers in chunks that it reads in part.
    if peer == "zarrs" and name.startswith("complex") and "big" in codecs:
        return True
    # It writes transposed text in the order of memory, and then reads something else than it wrote.
    return writes and name == "string" and "transpose" in codecs


def main(path, group):
    program = Program(path)
    problems, exchanged, unsupported = [], collections.Counter(), collections.Counter()

    def refused(case, peer, what, error):
        """Counts what an implementation does not have; everything else is a problem."""
        text = f"{type(error).__name__}: {error}"
        if re.search(UNSUPPORTED[peer], text):
            unsupported[peer] += 1
        else:
            problems.append(f"{case}: {peer} cannot {what}: {text[:400]}")

    def ours(case, writer, place, name, data):
        """Reads what somebody wrote in all ways we have."""
        dtype = zarr_corpus.TYPES[name]
        ways = ["values"] if isinstance(dtype, str) else ["chunks", "engine"]
        for way in ways:
            try:
                found, answer = program.read(place, "a", way, dtype)
                if not same(found, data):
                    problems.append(f"{case}: by {writer}, read by {way}: {found!r} instead of {data!r}"[:600])
                    continue
                if data.ndim:
                    start = [length // 3 for length in data.shape]
                    count = [max(1, length // 2) for length in data.shape]
                    part, _ = program.read(place, "a", way, dtype, start=start, count=count)
                    if not same(part, data[tuple(slice(at, at + many) for at, many in zip(start, count))]):
                        problems.append(f"{case}: by {writer}, a part read by {way} differs")
                exchanged[f"{writer} -> {way}"] += 1
            except Failed as failure:
                if "the engine cannot read" in str(failure) and "outside" in case:
                    unsupported["engine"] += 1
                    continue
                problems.append(f"{case}: by {writer}, read by {way}: {failure}")

    for number, (case, name, document) in enumerate(zarr_corpus.cases(group)):
        place = os.path.abspath(f"{number}.zarr")
        data = zarr_corpus.elements(name, document["shape"], number)
        try:
            program("create", container=place, array="a", metadata=document)
        except Failed as failure:
            problems.append(f"{case}: cannot be made: {failure}")
            continue
        array = os.path.join(place, "a")
        chunks = lambda: [entry for entry in os.listdir(array) if entry != "zarr.json"]  # noqa: E731
        for peer in PEERS:
            try:
                peer.write(array, data)
            except Exception as error:  # noqa: BLE001
                if not is_wrong(peer.name, name, document, writes=True):
                    refused(case, peer.name, "write", error)
            else:
                if not is_wrong(peer.name, name, document, writes=True):
                    ours(case, peer.name, place, name, data)
            for entry in chunks():
                entry = os.path.join(array, entry)
                shutil.rmtree(entry) if os.path.isdir(entry) else os.remove(entry)
        ways = ["values"] if isinstance(zarr_corpus.TYPES[name], str) else ["chunks", "engine"]
        for way in ways:
            order = "little"
            if way != "values":
                order = program.read(place, "a", "chunks", zarr_corpus.TYPES[name])[1]["order"]
            try:
                program.write(place, "a", way, data, order)
            except Failed as failure:
                if way == "engine" and "the engine cannot write" in str(failure):
                    unsupported["engine"] += 1
                else:
                    problems.append(f"{case}: {way} cannot write: {failure}")
                continue
            ours(case, "us", place, name, data)
            for peer in PEERS:
                try:
                    found = peer.read(array, zarr_corpus.TYPES[name])
                except Exception as error:  # noqa: BLE001
                    refused(case, peer.name, f"read what we wrote by {way}", error)
                    continue
                if is_wrong(peer.name, name, document, writes=False):
                    continue
                if not same(found, data):
                    problems.append(f"{case}: {peer.name} read what we wrote by {way} as {found!r} instead of {data!r}"[:600])
                else:
                    exchanged[f"{way} -> {peer.name}"] += 1
        shutil.rmtree(place)
    print(json.dumps({"problems": problems, "exchanged": exchanged, "unsupported": unsupported}))


if __name__ == "__main__":
    main(*sys.argv[1:])
