"""Arrays of every type, codec, chunk shape and shard, as metadata documents with data."""

import itertools
import random

import ml_dtypes
import numpy as np

POINT = np.dtype([("a", "<i4"), ("b", "<f8"), ("c", "u1")])
NESTED = np.dtype([("x", "<u2"), ("p", [("re", "<f4"), ("im", "<f4")])])

# Names in metadata, and numpy's types. Of those without a fixed size only the name.
TYPES = {
    "bool": np.dtype("bool"),
    **{f"{kind}{bits}": np.dtype(f"{kind}{bits}") for kind in ("int", "uint") for bits in (8, 16, 32, 64)},
    **{name: np.dtype(name) for name in ("float16", "float32", "float64", "complex64", "complex128")},
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "structured": POINT,
    "struct": POINT,
    "nested": NESTED,
    "fixed_length_utf32": np.dtype("<U5"),
    "null_terminated_bytes": np.dtype("S6"),
    "raw_bytes": np.dtype("V3"),
    "r24": np.dtype("V3"),
    "numpy.datetime64": np.dtype("<M8[ms]"),
    "string": "string",
    "variable_length_bytes": "bytes",
}

SHAPES = [((), ()), ((7,), (3,)), ((10,), (10,)), ((13, 11), (4, 11)), ((9, 16), (4, 4)), ((5, 6, 7), (2, 6, 3))]

GZIP = {"name": "gzip", "configuration": {"level": 4}}
ZSTD = {"name": "zstd", "configuration": {"level": 3, "checksum": False}}
CRC = {"name": "crc32c"}
INDEX_CODECS = [{"name": "bytes", "configuration": {"endian": "little"}}, CRC]


def blosc(compressor, shuffle, size):
    configuration = {"cname": compressor, "clevel": 5, "shuffle": shuffle, "typesize": size, "blocksize": 0}
    return {"name": "blosc", "configuration": configuration}


def compressors(size):
    """Chains from bytes to bytes, with what they are called."""
    chains = {"none": [], "gzip": [GZIP], "zstd": [ZSTD], "crc32c": [CRC], "gzip+crc32c": [GZIP, CRC], "crc32c+zstd": [CRC, ZSTD]}
    for compressor, shuffle in itertools.product(("blosclz", "lz4", "lz4hc", "zlib", "zstd"), ("noshuffle", "shuffle", "bitshuffle")):
        chains[f"blosc {compressor} {shuffle}"] = [blosc(compressor, shuffle, min(size, 255))]
    shuffle = {"name": "numcodecs.shuffle", "configuration": {"elementsize": size}}
    chains["numcodecs.shuffle+gzip"] = [shuffle, GZIP]
    chains["numcodecs.zlib"] = [{"name": "numcodecs.zlib", "configuration": {"level": 2}}]
    chains["numcodecs.shuffle+numcodecs.zlib"] = [shuffle, {"name": "numcodecs.zlib", "configuration": {"level": 9}}]
    chains["numcodecs.bz2"] = [{"name": "numcodecs.bz2", "configuration": {"level": 1}}]
    chains["numcodecs.lz4"] = [{"name": "numcodecs.lz4", "configuration": {"acceleration": 1}}]
    return chains


def data_type(name):
    """The type in metadata, and its fill value."""
    pairs = [["a", "int32"], ["b", "float64"], ["c", "uint8"]]
    objects = [{"name": field, "data_type": of} for field, of in pairs]
    match name:
        case "structured":
            return {"name": name, "configuration": {"fields": pairs}}, "AAAAAAAAAAAAAAAAAA=="
        case "struct":
            return {"name": name, "configuration": {"fields": objects}}, {"a": 0, "b": 0.0, "c": 0}
        case "nested":
            inner = {"name": "structured", "configuration": {"fields": [["re", "float32"], ["im", "float32"]]}}
            return {"name": "structured", "configuration": {"fields": [["x", "uint16"], ["p", inner]]}}, "AAAAAAAAAAAAAA=="
        case "fixed_length_utf32":
            return {"name": name, "configuration": {"length_bytes": 20}}, ""
        case "null_terminated_bytes":
            return {"name": name, "configuration": {"length_bytes": 6}}, ""
        case "raw_bytes":
            return {"name": name, "configuration": {"length_bytes": 3}}, "AAAA"
        case "r24":
            return name, [0, 0, 0]
        case "numpy.datetime64":
            return {"name": name, "configuration": {"unit": "ms", "scale_factor": 1}}, 0
        case "bool":
            return name, False
        case "string":
            return name, "?"
        case "variable_length_bytes":
            return name, "Pw=="
        case _ if name.startswith("complex"):
            return name, [1.5, "NaN"]
        case _ if "float" in name:
            return name, 2.5
        case _:
            return name, 7


def elements(name, shape, seed):
    """Data, of which a part repeats and a part is the fill value."""
    chance = np.random.default_rng(seed)
    count = int(np.prod(shape))
    dtype = TYPES[name]
    if isinstance(dtype, str):
        words = ["", "a", "héllo", "zarr" * 20, "日本"]
        made = np.empty(count, object)
        made[:] = [words[at] if dtype == "string" else words[at].encode() for at in chance.integers(0, len(words), count)]
        return made.reshape(shape)
    if name == "bool":
        return chance.integers(0, 2, shape).astype(bool)
    if name == "bfloat16":
        return np.asarray(chance.integers(-100, 100, shape), np.float32).astype(dtype)
    if dtype.kind == "U":
        return np.asarray(chance.choice(["", "ab", "é日x", "abcde"], shape), dtype)
    if dtype.kind in "SV" and dtype.names is None:
        raw = chance.integers(1, 255, (count, dtype.itemsize), np.uint8)
        return np.frombuffer(raw.tobytes(), dtype).reshape(shape).copy()
    if dtype.kind in "fc":
        made = np.asarray(chance.integers(-50, 50, shape) / 4)
        return np.asarray(made if dtype.kind == "f" else made * (1 - 2j)).astype(dtype)
    raw = (np.arange(count * dtype.itemsize) // 5 % 251).astype(np.uint8)
    return np.frombuffer(raw.tobytes(), dtype).reshape(shape).copy()


def document(name, shape, chunk, codecs, keys=("default", "/")):
    of, fill = data_type(name)
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(shape),
        "data_type": of,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(chunk)}},
        "chunk_key_encoding": {"name": keys[0], "configuration": {"separator": keys[1]}},
        "fill_value": fill,
        "codecs": codecs,
        "attributes": {},
    }


def to_bytes(name, endian):
    if name == "string":
        return {"name": "vlen-utf8"}
    if name == "variable_length_bytes":
        return {"name": "vlen-bytes"}
    return {"name": "bytes", "configuration": {"endian": endian}}


def sharded(shard, inner, inner_codecs, location):
    configuration = {"chunk_shape": list(inner), "codecs": inner_codecs, "index_codecs": INDEX_CODECS, "index_location": location}
    return [{"name": "sharding_indexed", "configuration": configuration}]


def cases(group):
    """Name, name of the type, and document of each case of a group."""
    chance = random.Random(5)
    if group == "types":
        for name, endian, (shape, chunk) in itertools.product(TYPES, ("little", "big"), SHAPES):
            if endian == "big" and (isinstance(TYPES[name], str) or name in ("bool", "int8", "uint8", "raw_bytes", "r24", "null_terminated_bytes")):
                continue
            yield f"{name} {endian} {shape}", name, document(name, shape, chunk, [to_bytes(name, endian), *chance.choice([[], [GZIP], [ZSTD]])])
    elif group == "codecs":
        for name, (shape, chunk) in itertools.product(("int16", "float64", "structured", "uint8"), SHAPES[2:]):
            for chain, codecs in compressors(TYPES[name].itemsize).items():
                keys = chance.choice([("default", "/"), ("default", "."), ("v2", "."), ("v2", "/")])
                yield f"{name} {shape} {chain} {keys}", name, document(name, shape, chunk, [to_bytes(name, "little"), *codecs], keys)
    elif group == "transposed":
        for name, (shape, chunk) in itertools.product(("int16", "complex128", "structured", "string"), SHAPES[3:]):
            for order in itertools.permutations(range(len(shape))):
                before = [{"name": "transpose", "configuration": {"order": list(order)}}]
                for after in ([], [ZSTD]):
                    yield f"{name} {shape} {order} {len(after)}", name, document(name, shape, chunk, [*before, to_bytes(name, "little"), *after])
    elif group == "shards":
        for name, (shape, chunk) in itertools.product(("int16", "float64", "structured", "string", "uint8"), SHAPES[1:]):
            size = 1 if isinstance(TYPES[name], str) else TYPES[name].itemsize
            for location, after in itertools.product(("start", "end"), ([], [GZIP], [ZSTD, CRC], [blosc("lz4", "shuffle", size)])):
                shard = [length * chance.randint(1, 3) for length in chunk]
                inner = [to_bytes(name, chance.choice(["little", "big"])), *after]
                yield f"{name} {shape} {shard} {chunk} {location} {len(after)}", name, document(name, shape, shard, sharded(shard, chunk, inner, location))
        for name in ("int32", "float64"):
            inner = [{"name": "transpose", "configuration": {"order": [1, 0]}}, to_bytes(name, "little"), GZIP]
            yield f"{name} transposed inside", name, document(name, (9, 16), (8, 8), sharded((8, 8), (4, 2), inner, "end"))
            outer = [{"name": "transpose", "configuration": {"order": [1, 0]}}, *sharded((8, 8), (4, 2), [to_bytes(name, "little")], "end")]
            yield f"{name} transposed outside", name, document(name, (9, 16), (8, 8), outer)
            after = [*sharded((8, 8), (4, 2), [to_bytes(name, "little")], "end"), GZIP]
            yield f"{name} compressed outside", name, document(name, (9, 16), (8, 8), after)
