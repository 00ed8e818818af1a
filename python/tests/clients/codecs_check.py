"""Chunks of the real filters against our codecs, both ways.

    codecs_check.py PROGRAM GROUP

Writes chunks natively through h5py (with hdf5plugin's filters), takes them as stored, and has PROGRAM decode them; has PROGRAM
encode the same elements, stores that as a chunk, and reads it natively. The last line of output is JSON: the problems found, how
many chunks there were, what was said not to be supported, and per configuration the bytes stored by us and by the real filter where
the data can be compressed.
"""

import collections
import ctypes
import itertools
import json
import os
import sys

import h5py
import hdf5plugin  # noqa: F401  registers its filters
import numpy as np
import pipelines as p
from filter_program import Failed, Program, Unsupported
from h5py import h5d, h5p, h5s, h5t

COMPRESSIBLE = ("zeros", "ramp", "few", "smooth")


# ---- elements ----------------------------------------------------------------------------------------------------------------


def numpy_type(text):
    dtype = np.dtype(text)
    return h5t.py_create(dtype), dtype


def odd_type(size):
    """Opaque, of any size: what filters that look only at the size get."""
    return h5t.create(h5t.OPAQUE, size), np.dtype((np.void, size))


def integer(text, precision, offset):
    """An integer with padding bits."""
    made = h5t.py_create(np.dtype(text)).copy()
    made.set_precision(precision)
    made.set_offset(offset)
    return made


def small_float(order):
    """20 bits in 4 bytes: the example of HDF5's manual."""
    made = (h5t.IEEE_F32LE if order == "<" else h5t.IEEE_F32BE).copy()
    made.set_fields(26, 20, 6, 7, 13)
    made.set_offset(7)
    made.set_precision(20)
    made.set_ebias(31)
    return made


def compound(*members, size=0):
    """Members one after another, with a gap of two bytes before each."""
    total = sum(2 + member.get_size() for member in members)
    made = h5t.create(h5t.COMPOUND, max(size, total))
    offset = 0
    for number, member in enumerate(members):
        made.insert(b"m%d" % number, offset + 2, member)
        offset += 2 + member.get_size()
    return made


def elements(kind, dtype, count, rng):
    """Bytes of `count` elements."""
    if kind == "zeros":
        return bytes(count * dtype.itemsize)
    if kind == "random":
        return rng.bytes(count * dtype.itemsize)
    if dtype.kind == "V":
        if kind == "few":
            values = np.frombuffer(rng.bytes(3 * dtype.itemsize), dtype=dtype)
            return values[rng.integers(0, 3, count)].tobytes()
        step = 1 if kind == "ramp" else 7
        return (np.arange(count * dtype.itemsize) // (dtype.itemsize * step) % 251).astype("u1").tobytes()
    if kind == "ramp":
        return (np.arange(count) % 30000).astype(dtype, casting="unsafe").tobytes()
    if kind == "few":
        return np.array([0, 5, 117], dtype)[rng.integers(0, 3, count)].tobytes()
    walk = np.cumsum(rng.integers(-4, 5, count))
    return ((walk / 8) if dtype.kind == "f" else walk).astype(dtype, casting="unsafe").tobytes()


def without_padding(data, hdf5_type, dtype):
    """The same without bits outside an integer's precision: szip makes of these what nothing can read, sometimes not even szip."""
    if dtype.kind not in "iu" or hdf5_type.get_precision() == 8 * dtype.itemsize:
        return data
    bits = np.array((1 << hdf5_type.get_precision()) - 1, dtype)
    return (np.frombuffer(data, dtype) & bits).tobytes()


# ---- configurations ----------------------------------------------------------------------------------------------------------

SIZES = [(1,), (2,), (7,), (64,), (1000,), (8191,), (5, 17), (40, 50)]
LARGE = [(60_000,), (300, 301)]
KINDS = ("zeros", "ramp", "few", "smooth", "random")
BLOSC_TYPES = [numpy_type("u1"), odd_type(17), numpy_type("<i4"), numpy_type(">f8")]
PLAIN = [numpy_type(text) for text in ("u1", "<i2", ">u4", "<f4", "<f8")] + [odd_type(3), odd_type(17)]


def cases(pipelines, types=PLAIN, shapes=SIZES, kinds=KINDS, large=True, fills=(None,)):
    """Everything with everything, and the large chunks with one type and two kinds of data only."""
    yield from itertools.product(pipelines, types, shapes, kinds, fills)
    if large:
        yield from itertools.product(pipelines, types[2:4], LARGE, ("smooth", "random"), fills[:1])


def group_deflate():
    yield from cases({f"deflate {level}": [p.deflate(level)] for level in (0, 1, 4, 9)}.items())


def group_shuffle():
    yield from cases({"shuffle": [p.shuffle()]}.items())


def group_fletcher32():
    yield from cases({"fletcher32": [p.fletcher32()]}.items())


def group_szip():
    made = {
        f"szip {'NN' if coding == p.SZIP_NEIGHBOUR else 'EC'} {pixels}": [p.szip(coding, pixels)]
        for coding in (p.SZIP_NEIGHBOUR, p.SZIP_ENTROPY)
        for pixels in (2, 8, 16, 32)
    }
    types = [numpy_type(text) for text in ("u1", ">i2", "<u4", ">f4", "<f8", "<i8")]
    types.append((integer("<i4", 17, 0), np.dtype("<i4")))
    yield from cases(made.items(), types, [(1,), (33,), (64,), (1000,), (8191,), (5, 33), (40, 50), (3, 4096)])


def group_nbit():
    inner = compound(integer(">i2", 11, 2), h5t.IEEE_F32LE)
    types = [numpy_type(text) for text in ("u1", ">i2", "<u4", "<f8")]
    for text, precision, offset in [("<i4", 17, 3), (">i4", 17, 3), ("<u2", 9, 7), (">i8", 33, 30), ("u1", 3, 0), ("<i8", 1, 63)]:
        types.append((integer(text, precision, offset), np.dtype(text)))
    for made in (
        small_float("<"),
        small_float(">"),
        compound(integer("<i4", 20, 4), h5t.STD_U8LE),
        compound(inner, integer("<u2", 12, 0), h5t.array_create(integer(">i4", 7, 25), (2, 3))),
        compound(h5t.array_create(inner, (3,)), h5t.C_S1.copy(), size=60),
        h5t.array_create(integer("<i2", 5, 6), (4,)),
        odd_type(5)[0],
    ):
        types.append((made, np.dtype((np.void, made.get_size()))))
    yield from cases({"nbit": [p.nbit()]}.items(), types)


def group_scaleoffset():
    whole = [numpy_type(text) for text in ("u1", "i1", "<i2", ">u2", "<i4", ">u4", "<i8", ">u8")]
    made = {f"scaleoffset int {bits}": [p.scaleoffset(p.INT_BITS, bits)] for bits in (0, 5, 31)}
    yield from cases(made.items(), whole, SIZES, KINDS, fills=(None, 5, "undefined"))
    # Values that the scaling can hold: random bits would be a matter of what the machine makes of too large numbers.
    made = {f"scaleoffset float {digits}": [p.scaleoffset(p.FLOAT_DIGITS, digits)] for digits in (0, 2, 4)}
    floats = [numpy_type(text) for text in ("<f4", ">f4", "<f8", ">f8")]
    yield from cases(made.items(), floats, SIZES, COMPRESSIBLE, large=False, fills=(None, 5, "undefined"))


def group_lzf():
    yield from cases({"lzf": [p.lzf()]}.items())


def group_zstd():
    yield from cases({f"zstd {level}": [p.zstd(level)] for level in (1, 3, 12)}.items())


def group_lz4():
    yield from cases({f"lz4 {block}": [p.lz4(block)] for block in (0, 64, 4000)}.items())


def group_bzip2():
    yield from cases({f"bzip2 {block}": [p.bzip2(block)] for block in (1, 9)}.items())


def group_blosc():
    made = {}
    for inner in p.INNER:
        for level, shuffling in ((5, 0), (5, 1), (9, 2), (1, 1), (0, 1)):
            made[f"blosc {inner} {level} {shuffling}"] = [p.blosc(inner, level, shuffling)]
    yield from cases(made.items(), BLOSC_TYPES, [(1,), (1000,), (19_000,), (40, 50)], large=False)


def group_blosc2():
    made = {}
    for inner in p.INNER.keys() - {"snappy"}:
        for level, shuffling in ((5, 0), (5, 1), (9, 2), (5, 3), (0, 1)):
            made[f"blosc2 {inner} {level} {shuffling}"] = [p.blosc2(inner, level, shuffling)]
    yield from cases(made.items(), BLOSC_TYPES, [(1,), (1000,), (19_000,), (40, 50), (7, 8, 9)], large=False)


def group_bitshuffle():
    made = {
        f"bitshuffle {inner} {block}": [p.bitshuffle(inner, block)] for inner in (None, "lz4", "zstd") for block in (0, 64)
    }
    yield from cases(made.items())


def group_several():
    made = {
        "shuffle deflate fletcher32": [p.shuffle(), p.deflate(6), p.fletcher32()],
        "fletcher32 shuffle deflate": [p.fletcher32(), p.shuffle(), p.deflate(6)],
        "deflate shuffle": [p.deflate(6), p.shuffle()],
        "deflate zstd": [p.deflate(1), p.zstd()],
        "shuffle lzf": [p.shuffle(), p.lzf()],
        "nbit deflate": [p.nbit(), p.deflate()],
        "scaleoffset shuffle bzip2": [p.scaleoffset(), p.shuffle(), p.bzip2()],
        "bitshuffle fletcher32": [p.bitshuffle("lz4"), p.fletcher32()],
        "lz4 blosc fletcher32": [p.lz4(), p.blosc("zstd"), p.fletcher32()],
    }
    types = [numpy_type(text) for text in ("u1", "<i2", ">u4", "<i8")]
    yield from cases(made.items(), types, [(1,), (7,), (1000,), (40, 50)])


# ---- one chunk ---------------------------------------------------------------------------------------------------------------


def create(file, name, filters, hdf5_type, shape, fill):
    """A dataset of one chunk."""
    dcpl = h5p.create(h5p.DATASET_CREATE)
    dcpl.set_chunk(shape)
    for number, flags, parameters in filters:
        dcpl.set_filter(number, flags, tuple(parameters))
    if fill == "undefined":
        # h5py has no way to say it.
        ctypes.CDLL(h5p.__file__).H5Pset_fill_value(ctypes.c_int64(dcpl.id), ctypes.c_int64(hdf5_type.id), None)
    elif fill is not None:
        dcpl.set_fill_value(np.array(fill, hdf5_type.dtype))
    return h5d.create(file.id, name.encode(), hdf5_type, h5s.create_simple(shape), dcpl)


def stored_filters(dset):
    """The pipeline as it is stored with a dataset."""
    dcpl = dset.get_create_plist()
    return [(number, flags, list(values)) for number, flags, values, _ in map(dcpl.get_filter, range(dcpl.get_nfilters()))]


def read_natively(file, name, hdf5_type, length):
    dset = h5d.open(file.id, name.encode())
    buffer = np.full(length, 0xA5, "u1")
    dset.read(h5s.ALL, h5s.ALL, buffer, mtype=hdf5_type)
    return buffer.tobytes()


class Check:
    def __init__(self, program):
        self.program = program
        self.problems, self.chunks, self.left_out = [], 0, 0
        self.unsupported = collections.Counter()
        self.sizes = collections.defaultdict(lambda: [0, 0])

    def one(self, file, case, rng):
        (label, filters), (hdf5_type, dtype), shape, kind, fill = case
        where = f"{label}, {describe(hdf5_type)}, {shape}, {kind}, fill {fill}"
        data = elements(kind, dtype, int(np.prod(shape)), rng)
        if filters[0][0] == p.SZIP:
            data = without_padding(data, hdf5_type, dtype)
        try:
            dset = create(file, "real", filters, hdf5_type, shape, fill)
        except (ValueError, OSError):
            # A combination that the real filter does not allow (szip of blocks larger than the chunk).
            self.left_out += 1
            return
        dset.write(h5s.ALL, h5s.ALL, np.frombuffer(data, "u1"), mtype=hdf5_type)
        del dset
        dset = h5d.open(file.id, b"real")
        kept = stored_filters(dset)
        mask, stored = dset.read_direct_chunk((0,) * len(shape))
        del dset
        wanted = read_natively(file, "real", hdf5_type, len(data))
        self.chunks += 1
        try:
            got = self.program.decode(kept, stored, len(data), mask)
            if got != wanted:
                self.problem(where, kept, f"decoded: {first_difference(wanted, got)}; {len(stored)} bytes stored, mask {mask}")
        except Unsupported as reason:
            self.unsupported[str(reason)] += 1
            return
        except Failed as error:
            self.problem(where, kept, f"decoding: {error}; {len(stored)} bytes stored, mask {mask}")
        try:
            our_mask, encoded = self.program.encode(kept, data)
        except (Failed, Unsupported) as error:
            self.problem(where, kept, f"encoding: {error}")
            return
        dset = create(file, "ours", filters, hdf5_type, shape, fill)
        dset.write_direct_chunk((0,) * len(shape), encoded, our_mask)
        del dset
        try:
            got = read_natively(file, "ours", hdf5_type, len(data))
            # Where the real filter loses something, leaving it out is as good.
            if got != wanted and not (our_mask and got == data):
                self.problem(where, kept, f"encoded by us: {first_difference(wanted, got)}; {len(encoded)} bytes, mask {our_mask}")
        except OSError as error:
            self.problem(where, kept, f"encoded by us: natively {error}; {len(encoded)} bytes, mask {our_mask}")
        if kind in COMPRESSIBLE and len(data) >= 1000:
            self.sizes[label][0] += len(encoded)
            self.sizes[label][1] += len(stored)

    def problem(self, where, kept, text):
        self.problems.append(f"{where}; stored pipeline {kept}: {text}")


def describe(hdf5_type):
    size = hdf5_type.get_size()
    if hdf5_type.get_class() in (h5t.INTEGER, h5t.FLOAT):
        return f"{hdf5_type.dtype} precision {hdf5_type.get_precision()} offset {hdf5_type.get_offset()}"
    return f"{type(hdf5_type).__name__} of {size} bytes"


def first_difference(wanted, got):
    wrong = [place for place, (a, b) in enumerate(zip(wanted, got)) if a != b]
    place = wrong[0] if wrong else min(len(wanted), len(got))
    return f"{len(wrong)} of {len(wanted)} bytes differ, first at {place}: {wanted[place:][:8].hex()} became {got[place:][:8].hex()}"


def written_by_pytables(check):
    """PyTables writes Blosc2 chunks in a way of its own, and has its own copies of the filters."""
    import tables

    numbers = np.arange(40 * 300, dtype="<i4").reshape(40, 300) // 7
    with tables.open_file("pytables.h5", "w") as file:
        for number, library in enumerate(("zlib", "bzip2", "blosc:lz4", "blosc:zstd", "blosc2:lz4", "blosc2:zstd", "blosc2")):
            filters = tables.Filters(complevel=5, complib=library, shuffle=number % 2 == 0, fletcher32=number == 3)
            array = file.create_carray("/", f"a{number}", obj=numbers, filters=filters, chunkshape=(16, 100))
            array.flush()
            records = np.rec.fromarrays([numbers[0], numbers[0] / 3], names="x,y")
            table = file.create_table("/", f"t{number}", obj=records, filters=filters, chunkshape=100)
            table.flush()
    with h5py.File("pytables.h5") as file:
        for name, dset in file.items():
            kept, shape = stored_filters(dset.id), dset.chunks
            length = int(np.prod(shape)) * dset.dtype.itemsize
            for number in range(dset.id.get_num_chunks()):
                info = dset.id.get_chunk_info(number)
                mask, stored = dset.id.read_direct_chunk(info.chunk_offset)
                place = tuple(slice(at, at + size) for at, size in zip(info.chunk_offset, shape))
                wanted = np.zeros(shape, dset.dtype)
                part = dset[place]
                wanted[tuple(slice(0, size) for size in part.shape)] = part
                check.chunks += 1
                try:
                    got = np.frombuffer(check.program.decode(kept, stored, length, mask), dset.dtype).reshape(shape)
                except (Failed, Unsupported) as error:
                    check.problem(f"PyTables {name} chunk {number}", kept, str(error))
                    continue
                if not np.array_equal(got[tuple(slice(0, size) for size in part.shape)], part):
                    check.problem(f"PyTables {name} chunk {number}", kept, "other values")


GROUPS = {name[len("group_") :]: function for name, function in list(globals().items()) if name.startswith("group_")}


def main():
    program, group = sys.argv[1:]
    check = Check(Program(program))
    rng = np.random.default_rng(1)
    seen = collections.Counter()
    if group == "pytables":
        written_by_pytables(check)
    else:
        file = h5py.File("codecs.h5", "w", driver="core", backing_store=False)
        for case in GROUPS[group]():
            seen[case[0][0]] += 1
            check.one(file, case, rng)
            for name in list(file):
                del file[name]
            if len(check.problems) > int(os.environ.get("MOST_PROBLEMS", 20)):
                break
    check.program.close()
    answer = {"problems": check.problems, "chunks": check.chunks, "left out": check.left_out, "unsupported": check.unsupported}
    print(json.dumps(answer | {"sizes": check.sizes, "configurations": seen}))


if __name__ == "__main__":
    main()
