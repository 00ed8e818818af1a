"""Makes the seeds of the corpus: small chunks as HDF5, h5py's lzf and the filters of hdf5plugin store them.

    target/xtask/venv/bin/python fuzz/make_seeds.py

The bytes before each chunk are described in src/codec.rs, src/pipeline.rs, src/conversion.rs, src/heap.rs, src/headers.rs and
src/zarr_chunks.rs.
"""

from __future__ import annotations

import gzip
import json
import struct
import tempfile
import zlib
from pathlib import Path

import h5py
import hdf5plugin
import numpy as np

CORPUS = Path(__file__).parent / "corpus"

# In the order of src/filters.rs.
NUMBERS = [1, 2, 3, 4, 5, 6, 307, 32000, 32001, 32004, 32008, 32015, 32026]

THERE_AND_BACK, MADE_UP = 1, 8

RAMP = np.arange(0, 600, 3, dtype="<i4")
WAVE = np.round(np.sin(np.arange(150) / 9) * 50, 1)
RANDOM = np.frombuffer(np.random.default_rng(1).bytes(160), "<f8")
TABLE = (np.arange(16 * 12).reshape(16, 12) // 5).astype("<u2")


def write(target: str, name: str, *parts: bytes) -> None:
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"seed-{name}").write_bytes(b"".join(parts))


def numbers(parameters) -> bytes:
    return struct.pack(f"<B{len(parameters)}I", len(parameters), *parameters)


def stored(data: np.ndarray, set_filters) -> tuple[list[tuple[int, tuple[int, ...]]], int, bytes]:
    """The filters as the dataset has them, the mask of those left out, and the only chunk."""
    with h5py.File("seeds", "w", driver="core", backing_store=False) as file:
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_chunk(data.shape)
        set_filters(properties)
        datatype = getattr(set_filters, "datatype", None) or h5py.h5t.py_create(data.dtype)
        space = h5py.h5s.create_simple(data.shape)
        dataset = h5py.h5d.create(file.id, b"d", datatype, space, properties)
        dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, data, datatype)
        properties = dataset.get_create_plist()
        filters = [properties.get_filter(at) for at in range(properties.get_nfilters())]
        mask, chunk = dataset.read_direct_chunk((0,) * data.ndim)
        return [(number, parameters) for number, _, parameters, _ in filters], mask, chunk


def codec(target: str, name: str, data: np.ndarray, set_filter) -> None:
    filters, mask, chunk = stored(data, set_filter)
    assert len(filters) == 1 and mask == 0, (target, name, filters, mask)
    assert data.nbytes < 4096
    write(target, name, b"\0", numbers(filters[0][1]), struct.pack("<H", data.nbytes), chunk)


def plugin(compression):
    return lambda properties: properties.set_filter(
        compression.filter_id, h5py.h5z.FLAG_MANDATORY, tuple(compression.filter_options)
    )


def pipeline(name: str, data: np.ndarray, set_filters) -> None:
    filters, mask, chunk = stored(data, set_filters)
    described = b"".join(bytes([NUMBERS.index(number), 2]) + numbers(given) for number, given in filters)
    head = struct.pack("<BIB", 0, mask, len(filters))
    write("pipeline", name, head, described, struct.pack("<H", data.nbytes), chunk)


def of_type(datatype, set_filter):
    def set_filters(properties):
        set_filter(properties)

    set_filters.datatype = datatype
    return set_filters


def narrow(base, precision: int, offset: int):
    datatype = base.copy()
    datatype.set_precision(precision)
    datatype.set_offset(offset)
    return datatype


def codecs() -> None:
    for level in 0, 1, 9:
        codec("deflate", f"level-{level}", RAMP, lambda properties: properties.set_deflate(level))
    for data in RAMP, WAVE, TABLE.view("V3"):
        codec("shuffle", f"size-{data.itemsize}", data, lambda properties: properties.set_shuffle())
    codec("fletcher32", "even", RAMP, lambda properties: properties.set_fletcher32())
    codec("fletcher32", "odd", RAMP.view("u1")[:33], lambda properties: properties.set_fletcher32())
    for coding, name in (h5py.h5z.SZIP_NN_OPTION_MASK, "nn"), (h5py.h5z.SZIP_EC_OPTION_MASK, "ec"):
        for data in RAMP, RAMP.astype("<i8"), TABLE, TABLE.view("u1"):
            size = data.itemsize
            codec("szip", f"{name}-{size}", data, lambda properties: properties.set_szip(coding, 8))
    nbit = lambda properties: properties.set_filter(5, h5py.h5z.FLAG_OPTIONAL, ())  # noqa: E731
    codec("nbit", "integer", RAMP, of_type(narrow(h5py.h5t.STD_I32LE, 25, 3), nbit))
    codec("nbit", "big-endian", TABLE, of_type(narrow(h5py.h5t.STD_U16BE, 11, 0), nbit))
    array = h5py.h5t.array_create(narrow(h5py.h5t.STD_U16LE, 11, 1), (4,))
    codec("nbit", "array", TABLE.reshape(-1).view("V8"), of_type(array, nbit))
    compound = h5py.h5t.create(h5py.h5t.COMPOUND, 12)
    compound.insert(b"a", 0, narrow(h5py.h5t.STD_U16LE, 11, 1))
    compound.insert(b"b", 3, h5py.h5t.array_create(narrow(h5py.h5t.STD_I32BE, 27, 2), (2,)))
    codec("nbit", "compound", TABLE.reshape(-1).view("V12"), of_type(compound, nbit))
    scale = lambda kind, factor: lambda properties: properties.set_scaleoffset(kind, factor)  # noqa: E731
    codec("scaleoffset", "integers", RAMP, scale(h5py.h5z.SO_INT, 0))
    codec("scaleoffset", "integers-big-endian", TABLE.astype(">i2"), scale(h5py.h5z.SO_INT, 9))
    codec("scaleoffset", "floats", WAVE, scale(h5py.h5z.SO_FLOAT_DSCALE, 1))
    codec("scaleoffset", "singles", WAVE.astype("<f4"), scale(h5py.h5z.SO_FLOAT_DSCALE, 2))
    codec("bzip2", "small", RAMP, plugin(hdf5plugin.BZip2(blocksize=1)))
    codec("bzip2", "zeroes", np.zeros(4000, "u1"), plugin(hdf5plugin.BZip2(blocksize=9)))
    codec("lzf", "ramp", TABLE, lambda properties: properties.set_filter(32000, h5py.h5z.FLAG_OPTIONAL, ()))
    codec("lzf", "zeroes", np.zeros(900, "u1"), lambda properties: properties.set_filter(32000, 1, ()))
    codec("lz4", "one-block", TABLE, plugin(hdf5plugin.LZ4()))
    codec("lz4", "blocks", TABLE, plugin(hdf5plugin.LZ4(nbytes=100)))
    codec("zstd", "ramp", RAMP, plugin(hdf5plugin.Zstd(clevel=3)))
    codec("zstd", "fast", TABLE, plugin(hdf5plugin.Zstd(clevel=-5)))
    codec("zstd", "zeroes", np.zeros(4000, "u1"), plugin(hdf5plugin.Zstd(clevel=19)))
    for name in "none", "lz4", "zstd":
        codec("bitshuffle", name, RAMP, plugin(hdf5plugin.Bitshuffle(cname=name)))
        codec("bitshuffle", f"{name}-blocks", TABLE, plugin(hdf5plugin.Bitshuffle(nelems=64, cname=name)))
    for name in "blosclz", "lz4", "lz4hc", "zlib", "zstd":
        for shuffle in 0, 1, 2:
            kept = {"cname": name, "clevel": 9, "shuffle": shuffle}
            codec("blosc", f"{name}-{shuffle}", TABLE, plugin(hdf5plugin.Blosc(**kept)))
    codec("blosc", "zeroes", np.zeros(300, "<f8"), plugin(hdf5plugin.Blosc()))
    for name in "blosclz", "lz4", "lz4hc", "zlib", "zstd":
        for filters in 0, 1, 2, 3:
            data = (TABLE, RAMP)[filters % 2]
            kept = {"cname": name, "clevel": 9, "filters": filters}
            codec("blosc2", f"{name}-{filters}", data, plugin(hdf5plugin.Blosc2(**kept)))
    codec("blosc2", "zeroes", np.zeros((20, 20), "<f8"), plugin(hdf5plugin.Blosc2()))


def zlib_streams() -> None:
    """By zlib itself, with each of its settings: the filter has only one for the level."""
    text = b"".join(b"%d is followed by %d, " % (at * at, at + 1) for at in range(40))
    mixed = text[:300] + RANDOM.tobytes() + bytes(200) + RAMP.tobytes()[:500]

    def write_stream(name: str, data: bytes, *settings: int, flush: int = zlib.Z_NO_FLUSH) -> None:
        compressor = zlib.compressobj(*settings)
        parts = [compressor.compress(data[:400]), compressor.flush(flush)]
        parts += [compressor.compress(data[400:]), compressor.flush()]
        write("deflate", f"zlib-{name}", b"\0", numbers((6,)), struct.pack("<H", len(data)), *parts)

    strategies = ("filtered", zlib.Z_FILTERED), ("huffman", zlib.Z_HUFFMAN_ONLY), ("runs", zlib.Z_RLE), ("fixed", zlib.Z_FIXED)
    for name, strategy in strategies:
        write_stream(name, mixed, 9, zlib.DEFLATED, 15, 8, strategy)
    for memory in range(1, 10):
        write_stream(f"memory-{memory}", (mixed + text)[31 * memory :], 6, zlib.DEFLATED, 15, memory)
    for window in range(9, 16):
        write_stream(f"window-{window}", (text + mixed)[17 * window :], 6, zlib.DEFLATED, window, 8)
    flushes = ("partial", zlib.Z_PARTIAL_FLUSH), ("sync", zlib.Z_SYNC_FLUSH), ("full", zlib.Z_FULL_FLUSH), ("block", zlib.Z_BLOCK)
    for name, flush in flushes:
        write_stream(f"flush-{name}", mixed, flush=flush)


def pipelines() -> None:
    def shuffled(properties):
        properties.set_shuffle()
        properties.set_deflate(6)

    def checked(properties):
        shuffled(properties)
        properties.set_fletcher32()

    def four(properties):
        properties.set_fletcher32()
        properties.set_filter(32000, h5py.h5z.FLAG_OPTIONAL, ())
        plugin(hdf5plugin.Zstd(clevel=1))(properties)
        plugin(hdf5plugin.LZ4())(properties)

    def scaled(properties):
        properties.set_scaleoffset(h5py.h5z.SO_INT, 0)
        properties.set_deflate(1)

    pipeline("none", RAMP[:20], lambda properties: None)
    pipeline("shuffle-deflate", RAMP, shuffled)
    pipeline("shuffle-deflate-fletcher32", WAVE, checked)
    pipeline("four", TABLE, four)
    pipeline("scaleoffset-deflate", RAMP, scaled)
    pipeline("left-out", RANDOM, four)


def there_and_back() -> None:
    """Parameters that the target makes up of these bytes, and some elements."""
    for target in sorted(path.name for path in CORPUS.iterdir()):
        if target != "pipeline":
            elements = (RAMP[:60] // 100).astype("u1")
            write(target, "there-and-back", bytes([THERE_AND_BACK | MADE_UP]), bytes([8] * 10), elements.tobytes())
    shuffle_and_deflate = bytes([2, 1, 0, 2, 0, 0, 6])
    write("pipeline", "there-and-back", struct.pack("<BI", THERE_AND_BACK, 0), shuffle_and_deflate,
          struct.pack("<H", 1000), RAMP[:60].tobytes())


def conversions() -> None:
    """Types in the words of src/datatypes.rs; the last byte of each is the one that could change its size."""
    integer = bytes([0, 2, 0, 0, 0, 0])
    double = bytes([3, 4, 0, 0])
    text = bytes([6, 9, 0, 0, 0])
    members = b"".join(bytes([name]) + member for name, member in enumerate((integer, double, text)))
    compound = bytes([13, 2]) + members + bytes([1, 0, 3, 0, 1, 0])
    to_double, to_integer, to_text = bytes([1, 4, 4, 1]), bytes([1, 0, 3, 1, 1, 0]), bytes([1, 5, 1, 0])
    elements = bytes([20]) + RAMP[:40].tobytes() + WAVE[:20].tobytes()
    write("convert", "integer-to-double", b"\0", integer, to_double, elements)
    write("convert", "double-to-integer", b"\0", double, to_integer, bytes([20]), WAVE[:20].tobytes())
    write("convert", "text", b"\0", text, to_text, bytes([9]), b"some text\0of nine bytes  or not   ")
    fields = bytes([1, 1]) + to_double + bytes([1]) + to_integer + bytes([1]) + to_text + bytes([1, 1, 0, 1, 0, 2])
    write("convert", "fields", b"\0", compound, fields, elements)
    write("convert", "same", b"\1", compound, elements)
    write("convert", "unrelated", b"\2", double, double, elements)


def collections() -> None:
    """Whole files with strings of variable length; first the places of their collections."""
    for name, words in (("short", ["a", "", "some words", "b" * 50] * 20), ("long", ["c" * 5000, "d" * 9000])):
        with h5py.File("seeds", "w", driver="core", backing_store=False) as file:
            file.create_dataset("d", data=words, dtype=h5py.string_dtype())
            file.flush()
            image = file.id.get_file_image()
        places = [place for place in range(0, len(image), 8) if image[place : place + 4] == b"GCOL"]
        assert 0 < len(places) < 256
        write("heap", name, bytes([len(places)]), struct.pack(f"<{len(places)}H", *(place // 8 for place in places)), image)


def plain_datasets() -> None:
    """Whole files with a contiguous dataset in a group: of the old form, with a tree of several levels, and of the new one."""
    for name, libver, others in (("old", "earliest", 2), ("tree", "earliest", 40), ("new", "latest", 2)):
        with tempfile.NamedTemporaryFile() as place:
            with h5py.File(place.name, "w", libver=libver) as file:
                group = file.create_group("group")
                group["d"] = RAMP[:40]
                for number in range(others):
                    group.create_group(f"other{number:02}")
            write("headers", name, Path(place.name).read_bytes())


def zarr_documents() -> None:
    """Documents as zarr-python and others write them, and one with everything that is read."""
    bytes_codec = {"name": "bytes", "configuration": {"endian": "big"}}
    crc = {"name": "crc32c"}
    gzip_codec = {"name": "gzip", "configuration": {"level": 5}}
    shards = {"name": "sharding_indexed", "configuration": {"chunk_shape": [2, 3], "codecs": [bytes_codec, gzip_codec],
              "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, crc], "index_location": "start"}}
    blosc = {"name": "blosc", "configuration": {"cname": "zstd", "clevel": 3, "shuffle": "bitshuffle", "typesize": 4, "blocksize": 0}}

    def array(data_type, fill_value, codecs):
        return {"zarr_format": 3, "node_type": "array", "shape": [6, 7], "data_type": data_type,
                "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4, 3]}},
                "chunk_key_encoding": {"name": "v2", "configuration": {"separator": "/"}}, "fill_value": fill_value,
                "codecs": codecs, "attributes": {"a": [1, None]}, "dimension_names": ["x", None], "storage_transformers": []}

    point = {"name": "struct", "configuration": {"fields": [{"name": "a", "data_type": "int16"}, {"name": "b", "data_type": "float32"}]}}
    pairs = {"name": "structured", "configuration": {"fields": [["a", "int16"], ["b", "complex64"]]}}
    arrays = {
        "shards": array("float32", "NaN", [shards]),
        "blosc": array("uint32", 7, [{"name": "transpose", "configuration": {"order": [1, 0]}}, bytes_codec, blosc, crc]),
        "struct": array(point, {"a": 1, "b": "-Infinity"}, [bytes_codec, {"name": "zstd", "configuration": {"level": 1}}]),
        "structured": array(pairs, "AAAAAAAAAAAAAA==", [bytes_codec, {"name": "numcodecs.shuffle", "configuration": {"elementsize": 2}}]),
        "string": array("string", "?", [{"name": "vlen-utf8"}, gzip_codec]),
        "half": array("float16", "0x7e01", [bytes_codec]),
        "text": array({"name": "fixed_length_utf32", "configuration": {"length_bytes": 8}}, "ab", [bytes_codec]),
    }
    for name, document in arrays.items():
        write("zarr-metadata", name, json.dumps(document).encode())
    group = {"zarr_format": 3, "node_type": "group", "attributes": {"x": float("nan")}, "h5": {"must_understand": False},
             "consolidated_metadata": {"kind": "inline", "must_understand": False, "metadata": {"a": arrays["half"]}}}
    write("zarr-metadata", "group", json.dumps(group).encode())
    old = {"zarr_format": 2, "shape": [6, 7], "chunks": [4, 3], "dtype": "<i4", "order": "F", "fill_value": 0, "filters": [{"id": "shuffle"}],
           "dimension_separator": "/", "compressor": {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": -1}}
    write("zarr-version-2", "numbers", json.dumps(old).encode(), b"\0", b'{"_ARRAY_DIMENSIONS": ["x", "y"]}')
    fields = [["a", "<M8[10ms]"], ["b", [["c", "<U3"], ["d", "|S2"]]]]
    write("zarr-version-2", "structure", json.dumps(old | {"dtype": fields, "fill_value": None, "compressor": {"id": "zlib"}}).encode())
    write("zarr-version-2", "text", json.dumps(old | {"dtype": "|O", "fill_value": "", "filters": [{"id": "vlen-utf8"}]}).encode())


def zarr_chunks() -> None:
    """Chunks of the arrays in src/zarr_chunks.rs."""
    elements = TABLE.reshape(-1)[:96].tobytes()
    inner = [TABLE.reshape(-1)[:96].reshape(8, 12)[row : row + 4, column : column + 6].tobytes() for row in (0, 4) for column in (0, 6)]
    write("zarr-chunk", "bytes", b"\0", elements)
    write("zarr-chunk", "gzip", b"\1", gzip.compress(elements, 6, mtime=0))
    write("zarr-chunk", "transposed", b"\3", elements)
    index = b"".join(struct.pack("<QQ", 48 * number, 48) for number in range(3)) + b"\xff" * 16
    write("zarr-chunk", "shard", b"\6", *inner[:3], index)
    packed = [gzip.compress(chunk, 6, mtime=0) for chunk in inner]
    at, index = 64, b""
    for chunk in packed:
        index += struct.pack("<QQ", at, len(chunk))
        at += len(chunk)
    write("zarr-chunk", "shard-gzip", b"\7", index, *packed)

    def values(words):
        return struct.pack("<I", len(words)) + b"".join(struct.pack("<I", len(word)) + word for word in words)

    words = [b"a", b"", "é".encode(), b"abc"] * 24
    write("zarr-values", "text", b"\0", values(words))
    write("zarr-values", "transposed", b"\5", values(words))
    shard = values(words[:24])
    write("zarr-values", "shard", b"\6", shard, struct.pack("<QQ", 0, len(shard)), b"\xff" * 48)


if __name__ == "__main__":
    codecs()
    zlib_streams()
    pipelines()
    there_and_back()
    conversions()
    collections()
    plain_datasets()
    zarr_documents()
    zarr_chunks()
