"""Containers, documents and version 2: the crate `zarr` against zarr-python.

    zarr_containers.py PROGRAM WHAT

The last line of output is JSON: the problems found, and how much was compared.
"""

import itertools
import json
import os
import shutil
import sys
import time
import warnings

import numcodecs
import numpy as np
import tensorstore
import zarr
from zarr_check import same
from zarr_program import Failed, Program

warnings.simplefilter("ignore")

TYPES_2 = ["|b1", "<i2", ">i4", "<u8", "<f2", ">f4", "<f8", "<c8", ">c16", "|S5", "<U4", ">U3", "<M8[ns]", "<m8[10s]", "|V3"]
STRUCTURED = np.dtype([("a", "<i4"), ("b", "<f8"), ("c", "u1")])
COMPRESSORS_2 = {
    "none": None,
    "zlib": numcodecs.Zlib(3),
    "gzip": numcodecs.GZip(2),
    "zstd": numcodecs.Zstd(1),
    "bz2": numcodecs.BZ2(1),
    "lz4": numcodecs.LZ4(),
    "blosc": numcodecs.Blosc("lz4", 5, numcodecs.Blosc.SHUFFLE),
    "blosc bits": numcodecs.Blosc("zstd", 3, numcodecs.Blosc.BITSHUFFLE),
    "blosc auto": numcodecs.Blosc("blosclz", 9, numcodecs.Blosc.AUTOSHUFFLE),
}


def made(dtype, shape, seed):
    chance = np.random.default_rng(seed)
    if dtype.kind == "U":
        return np.asarray(chance.choice(["", "ab", "é日x"], shape), dtype)
    raw = chance.integers(1, 100, (int(np.prod(shape)), dtype.itemsize), np.uint8)
    if dtype.kind == "b":
        raw %= 2
    return np.frombuffer(raw.tobytes(), dtype).reshape(shape).copy()


def version_2(program):
    """Arrays of version 2 as zarr-python writes them, with and without .zmetadata."""
    problems, compared = [], 0
    place = os.path.abspath("two.zarr")
    group = zarr.open_group(place, mode="w", zarr_format=2)
    group.attrs["not a number"] = float("nan")
    expected = {}
    cases = [(dtype, "C", ".", "blosc") for dtype in TYPES_2]
    cases += [(dtype, "F", "/", compressor) for dtype, compressor in itertools.product(("<i4", ">f8"), COMPRESSORS_2)]
    cases += [("structured", order, ".", compressor) for order in "CF" for compressor in ("none", "zlib")]
    for number, (text, order, separator, compressor) in enumerate(cases):
        dtype = STRUCTURED if text == "structured" else np.dtype(text)
        name = f"a{number}"
        shape = [(7, 10), (13,), (4, 5, 6)][number % 3]
        chunks = [(3, 10), (5,), (2, 5, 4)][number % 3]
        keys = {"name": "v2", "separator": separator}
        filters = [numcodecs.Shuffle(dtype.itemsize)] if compressor in ("zlib", "lz4") else None
        # Fill values of structures are not what zarr-python can write in version 2.
        fill = {"fill_value": None} if text == "structured" else {}
        array = group.create_array(
            name, shape=shape, chunks=chunks, dtype=dtype, order=order, chunk_key_encoding=keys,
            compressors=COMPRESSORS_2[compressor], filters=filters, **fill,
        )
        data = made(dtype, shape, number)
        array[...] = data
        array.attrs["case"] = [text, order, compressor]
        expected[name] = data
    words = np.empty(12, object)
    words[:] = ["x", "", "héllo"] * 4
    group.create_array("text", shape=(12,), chunks=(5,), dtype=str)[...] = words
    expected["text"] = words
    # zarr-python 3 reads these, but cannot make them.
    raw = np.empty(4, object)
    raw[:] = [b"x", b"", b"abc", b"\xff"]
    os.mkdir(os.path.join(place, "raw"))
    zarray = {"zarr_format": 2, "shape": [4], "chunks": [4], "dtype": "|O", "order": "C", "fill_value": None,
              "compressor": {"id": "zlib", "level": 1}, "filters": [{"id": "vlen-bytes"}]}
    with open(os.path.join(place, "raw", ".zarray"), "w") as file:
        json.dump(zarray, file)
    with open(os.path.join(place, "raw", "0"), "wb") as file:
        file.write(numcodecs.Zlib(1).encode(numcodecs.VLenBytes().encode(raw)))
    assert same(np.asarray(group["raw"][...]), raw)
    expected["raw"] = raw
    for consolidated in (False, True):
        if consolidated:
            zarr.consolidate_metadata(place, zarr_format=2)
            assert os.path.exists(os.path.join(place, ".zmetadata"))
        nodes = program("list", container=place)[0]["nodes"]
        if set(nodes) != {"", *expected}:
            problems.append(f"listed {sorted(nodes)}")
        for name, data in expected.items():
            document = nodes[name]
            if "error" in document:
                problems.append(f"{name}: {document['error']}")
                continue
            ways = ["values"] if data.dtype == object else ["chunks", "engine"]
            for way in ways:
                try:
                    found, _ = program.read(place, name, way, {"text": "string", "raw": "bytes"}.get(name, data.dtype))
                except Failed as failure:
                    problems.append(f"{document['attributes']}: {failure}")
                    continue
                compared += 1
                if not same(found, data):
                    problems.append(f"{document['attributes']} by {way}: {found!r} instead of {data!r}"[:500])
    try:
        program("attribute", container=place, node="a0", name="x", value=1)
        problems.append("version 2 was written")
    except Failed as failure:
        if "only be read" not in str(failure):
            problems.append(str(failure))
    return problems, compared


def documents(program):
    """What zarr-python writes stays as it is where nothing was changed, and what is changed it reads."""
    problems, compared = [], 0
    place = os.path.abspath("documents.zarr")
    group = zarr.open_group(place, mode="w")
    attributes = {"z": 1, "a": [1.5, None, {"y": 2, "b": [True]}], "ü": "日本", "f": 0.1 + 0.2, "big": 2**63}
    group.attrs.put(attributes)
    for name in ("one", "deep/er/two"):
        array = group.create_array(name, shape=(4, 6), chunks=(2, 3), dtype="f4", fill_value=np.nan, dimension_names=["x", None])
        array.attrs.put(attributes)
        array[...] = 3
    zarr.consolidate_metadata(place)
    read = lambda name: json.load(open(os.path.join(place, name, "zarr.json")))  # noqa: E731
    before = {name: read(name) for name in ("", "one", "deep", "deep/er", "deep/er/two")}
    listed = program("list", container=place)[0]["nodes"]
    for name, document in before.items():
        compared += 1
        expected = {key: value for key, value in document.items() if key != "consolidated_metadata"}
        if listed[name] != expected:
            problems.append(f"{name} was read as {listed[name]} instead of {expected}")
    program("attribute", container=place, node="deep/er/two", name="new", value=[1, 2])
    after = read("deep/er/two")
    before["deep/er/two"]["attributes"]["new"] = [1, 2]
    if list(after.items()) != list(before["deep/er/two"].items()) or list(after["attributes"]) != [*attributes, "new"]:
        problems.append(f"changed to {after}")
    # Consolidated metadata is true again.
    opened = zarr.open_consolidated(place, mode="r")
    compared += 1
    if dict(opened["deep/er/two"].attrs) != attributes | {"new": [1, 2]}:
        problems.append(f"consolidated metadata has {dict(opened['deep/er/two'].attrs)}")
    program("remove", container=place, node="deep/er")
    opened = zarr.open_consolidated(place, mode="r")
    names = sorted(name for name, _ in opened.members(max_depth=None))
    compared += 1
    if names != ["deep", "one"]:
        problems.append(f"after removing: {names}")
    # Without consolidated metadata there is none afterwards either.
    plain = os.path.abspath("plain.zarr")
    zarr.open_group(plain, mode="w").create_array("a", shape=(3,), dtype="i4")
    program("attribute", container=plain, node="a", name="new", value=1)
    compared += 1
    if json.load(open(os.path.join(plain, "zarr.json"))).get("consolidated_metadata") is not None:
        problems.append("consolidated metadata appeared")
    program("consolidate", container=plain)
    if sorted(name for name, _ in zarr.open_consolidated(plain).members()) != ["a"]:
        problems.append("what we consolidated is not read")
    return problems, compared


def resizing(program):
    """Arrays that we make shorter, and longer again: zarr-python sees the fill value where something was cut off."""
    problems, compared = [], 0
    for number, (dtype, shards) in enumerate(itertools.product(("i4", "f8", "string"), (None, (8, 6)))):
        place = os.path.abspath(f"resized{number}.zarr")
        group = zarr.open_group(place, mode="w")
        kind = str if dtype == "string" else dtype
        array = group.create_array("a", shape=(19, 14), chunks=(4, 3), shards=shards, dtype=kind, fill_value="?" if kind is str else 7)
        data = np.arange(19 * 14).reshape(19, 14)
        data = data.astype(object) if kind is str else data.astype(kind)
        if kind is str:
            data[...] = [[f"n{value}" for value in row] for row in data]
        array[...] = data
        count = lambda: sum(len(files) for _, _, files in os.walk(os.path.join(place, "a")))  # noqa: E731
        files = count()
        program("resize", container=place, array="a", shape=[10, 5])
        if count() >= files:
            problems.append(f"{dtype} {shards}: no file was removed")
        program("resize", container=place, array="a", shape=[19, 14])
        expected = np.full((19, 14), "?" if kind is str else 7, data.dtype)
        expected[:10, :5] = data[:10, :5]
        compared += 1
        if not same(np.asarray(zarr.open_array(os.path.join(place, "a"), mode="r")[...]), expected):
            problems.append(f"{dtype} {shards}: something came back")
    return problems, compared


def many(program):
    """Ten thousand arrays are listed quickly."""
    place = os.path.abspath("many.zarr")
    program("create", container=place, array="a0", metadata=simple())
    text = open(os.path.join(place, "a0", "zarr.json")).read()
    for number in range(1, 10_000):
        os.mkdir(os.path.join(place, f"a{number}"))
        with open(os.path.join(place, f"a{number}", "zarr.json"), "w") as file:
            file.write(text)
    times = {}
    problems = []
    for name in ("folders", "consolidated"):
        started = time.perf_counter()
        answer = program("list", container=place)[0]
        nodes = answer["nodes"]
        times[name] = answer["seconds"]
        times[f"{name}, with documents printed"] = time.perf_counter() - started
        if len(nodes) != 10_001:
            problems.append(f"{len(nodes)} nodes in {name}")
        if name == "folders":
            program("consolidate", container=place)
    started = time.perf_counter()
    program("read", container=place, array="a77", by="chunks")
    times["open and read one"] = time.perf_counter() - started
    started = time.perf_counter()
    zarr_python = sum(1 for _ in zarr.open_consolidated(place, mode="r").members())
    times["zarr-python, consolidated"] = time.perf_counter() - started
    if zarr_python != 10_000:
        problems.append(f"zarr-python finds {zarr_python}")
    shutil.rmtree(place)
    return problems, times


def own_documents(program):
    """Arrays whose documents the others have written themselves, with their defaults and in shards."""
    problems, compared = [], 0
    place = os.path.abspath("own.zarr")
    zarr.open_group(place, mode="w")
    expected = {}

    def spec(name, dtype, metadata):
        store = {"driver": "file", "path": os.path.join(place, name) + "/"}
        metadata = {"shape": [20, 30], "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [8, 12]}}} | metadata
        return {"driver": "zarr3", "kvstore": store, "metadata": metadata | {"data_type": dtype}}

    gzip = [{"name": "gzip", "configuration": {"level": 6}}]
    inner = {"name": "sharding_indexed", "configuration": {"chunk_shape": [4, 6], "codecs": gzip, "index_location": "start"}}
    metadata = {
        "default": {},
        "gzip": {"codecs": gzip, "dimension_names": ["x", None]},
        "shards": {"codecs": [inner]},
        "nan": {"fill_value": "NaN", "codecs": [{"name": "zstd"}, {"name": "crc32c"}]},
        "order": {"codecs": [{"name": "transpose", "configuration": {"order": [1, 0]}}, {"name": "blosc"}]},
    }
    for (name, more), dtype in itertools.product(metadata.items(), ("uint8", "int64", "float32", "complex128", "bfloat16", "bool")):
        if name == "nan" and dtype not in ("float32", "bfloat16"):
            continue
        store = tensorstore.open(spec(f"ts-{name}-{dtype}", dtype, more), create=True, delete_existing=True).result()
        data = made(np.dtype(bool) if dtype == "bool" else store.dtype.numpy_dtype, (20, 30), len(expected))
        # The last rows are never written.
        store[:16].write(data[:16]).result()
        data[16:] = np.asarray(store.read().result())[16:]
        expected[f"ts-{name}-{dtype}"] = data
    options = {
        "default": {},
        "shards": {"shards": (16, 24)},
        "plain": {"compressors": None},
        "blosc": {"compressors": zarr.codecs.BloscCodec(cname="blosclz", shuffle="bitshuffle")},
        "order": {"filters": zarr.codecs.TransposeCodec(order=(1, 0))},
        "keys": {"chunk_key_encoding": {"name": "v2", "separator": "/"}},
    }
    for (name, more), dtype in itertools.product(options.items(), ("u1", "<i8", "<f4", "<c16", "<U3", "S4", STRUCTURED)):
        if name == "shards" and dtype is STRUCTURED:
            continue
        path = f"zp-{name}-{dtype if isinstance(dtype, str) else 'structured'}"
        array = zarr.create_array(os.path.join(place, path), shape=(20, 30), chunks=(8, 12), dtype=dtype, **more)
        data = made(np.dtype(dtype), (20, 30), len(expected))
        array[:16] = data[:16]
        data[16:] = np.asarray(array[16:])
        expected[path] = data
    nodes = program("list", container=place)[0]["nodes"]
    for name, data in expected.items():
        if nodes.get(name) != json.load(open(os.path.join(place, name, "zarr.json"))):
            problems.append(f"{name} was read as {nodes.get(name)}")
        for way in ("chunks", "engine"):
            try:
                found, _ = program.read(place, name, way, data.dtype)
            except Failed as failure:
                problems.append(f"{name} by {way}: {failure}")
                continue
            compared += 1
            if not same(found, data):
                problems.append(f"{name} by {way}: {found!r} instead of {data!r}"[:500])
    return problems, compared


def full_disk(_program):
    """Files that cannot become longer, as on a full disk: an error names the file, and what was there before stays."""
    place = os.path.abspath("full.zarr")
    program = Program(sys.argv[1])
    program("create", container=place, array="a", metadata=simple() | {"shape": [4000], "chunk_grid": chunked(2000)})
    data = np.arange(4000, dtype="i2")
    program.write(place, "a", "chunks", data)
    limited = Program(sys.argv[1], most_bytes=3000)
    problems = []
    for what in (lambda: limited.write(place, "a", "chunks", data + 1), lambda: limited("attribute", container=place, node="a", name="x", value="y" * 4000)):
        try:
            what()
            problems.append("nothing failed")
        except Failed as failure:
            if "cannot write" not in str(failure) or "full.zarr/a/" not in str(failure):
                problems.append(str(failure))
    if not same(program.read(place, "a", "engine", data.dtype)[0], data):
        problems.append("the chunks have changed")
    left = [name for _, _, files in os.walk(place) for name in files if name.endswith("~")]
    return problems + left, 2


def chunked(length):
    return {"name": "regular", "configuration": {"chunk_shape": [length]}}


def simple():
    import zarr_corpus

    return zarr_corpus.document("int16", (4,), (2,), [zarr_corpus.to_bytes("int16", "little")])


if __name__ == "__main__":
    found, counted = {"version_2": version_2, "documents": documents, "resizing": resizing, "own_documents": own_documents, "full_disk": full_disk, "many": many}[sys.argv[2]](Program(sys.argv[1]))
    print(json.dumps({"problems": found, "compared": counted}))
