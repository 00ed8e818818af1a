"""Conversions that the connector leaves to HDF5's own H5Tconvert, natively and through the connector.

    host_conversions.py HOST [CASE ...]

What a case is: cases.py. Datasets and reads are those of converted_access_paths.py where nothing else is said.
"""

import ctypes
import hashlib
import random
import struct

import conversions as c
import pipelines as p
from cases import Cases
from converted_access_paths import read_at_once, read_each, write
from filters import add_filters

CASES = Cases()
case = CASES.case
NATIVE_ONLY = "conversion"
NAMES = ("contiguous", "chunked", "filtered", "missing")
COLOURS = ("names", "STD_I16LE", (("RED", 1), ("GREEN", 5), ("BLUE", 9)))
# Neither has the other's names: HDF5 pairs them in alphabetical order.
OTHERS = ("names", "STD_I32BE", (("VIOLET", 100), ("BLACK", 101), ("GREY", -1), ("OCHRE", 0)))
SOME = struct.pack("<6h", 1, 5, 9, 5, 77, -1)
# A long double's last bytes are not part of it, and what HDF5 leaves there is chance.
LONG_DOUBLE, USED = 16, 10


def is_old(h5):
    return not h5.has("H5Tcomplex_create")


def read_some(h5, fapl, hid, name="d", path="a.h5", memory=0, file=0, elements=600, dxpl=0, pads=()):
    """What is in a buffer full of a pattern after a read, without these bytes of each element; None if it fails."""
    opened = h5.open(path, fapl)
    dset = h5.H5Dopen2.must(opened, name.encode(), 0)
    size = h5.H5Tget_size(hid)
    buffer = ctypes.create_string_buffer(b"\x5a" * (elements * size), elements * size)
    result = h5.H5Dread(dset, hid, memory, file, dxpl, buffer)
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(opened)
    got = bytearray(buffer.raw)
    for first, last in pads:
        for place in range(first, last):
            got[place::size] = bytes(len(got[place::size]))
    return hashlib.sha1(got).hexdigest() if result >= 0 else None


def read_all(h5, fapl, hid, pads=(), names=NAMES):
    return [read_some(h5, fapl, hid, name, pads=pads) for name in names]


def integers(name, count=600):
    return b"".join(c.whole_number(name, (place - 300) * 12345) for place in range(count))


# ---- enumerations --------------------------------------------------------------------------------------------------------------


@case(4)
def other_names(h5, fapl):
    write(h5, SOME * 100, COLOURS)
    return read_each(h5, fapl, OTHERS)


@case(0, {NATIVE_ONLY: 4})
def fewer_names(h5, fapl):
    """HDF5 reads behind the last one then: whatever comes of that is its own."""
    write(h5, SOME * 100, COLOURS)
    read_each(h5, fapl, ("names", "STD_I32LE", (("RED", 1), ("BLUE", 2))))


@case(4)
def arrays_of_names(h5, fapl):
    write(h5, SOME * 100, ("array", COLOURS, (2, 3)), dims=(10, 10), chunk=(3, 4))
    return read_each(h5, fapl, ("array", OTHERS, (2, 3)), count=100)


def partly_missing(h5, fill, fill_time=2, chunk=(7, 9)):
    """A file with a dataset of which only a part was ever written."""
    file, made = h5.create("a.h5"), c.build(h5, COLOURS)
    dcpl = h5.plist("DATASET_CREATE")
    h5.H5Pset_chunk.must(dcpl, 2, list(chunk))
    if fill is not None:
        h5.H5Pset_fill_value.must(dcpl, made, fill)
    h5.H5Pset_fill_time.must(dcpl, fill_time)
    dset = h5.H5Dcreate2.must(file, b"d", made, h5.space([20, 30]), 0, dcpl, 0)
    h5.H5Dwrite.must(dset, made, h5.BLOCK, h5.slab([20, 30], [3, 5], [8, 12]), 0, SOME * 16)
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)


WITH_BACKGROUND = ("record", (("a", 1, OTHERS), ("own", 0, ("std", "STD_I8LE"))), 2)


@case(6)
def missing_chunks(h5, fapl):
    """What was never written becomes what native HDF5 makes of it."""
    got, hid = [], c.build(h5, OTHERS)
    for fill in (None, struct.pack("<h", 5), struct.pack("<h", 1234)):
        partly_missing(h5, fill)
        got.append(read_some(h5, fapl, hid))
        got.append(read_some(h5, fapl, hid, file=h5.slab([20, 30], [0, 0], [4, 6], [5, 5], [2, 2]), memory=h5.BLOCK, elements=96))
    return got


@case(0, {NATIVE_ONLY: 1})
def never_filled(h5, fapl):
    partly_missing(h5, None, fill_time=1)
    return read_some(h5, fapl, c.build(h5, OTHERS))


@case(2)
def missing_records(h5, fapl):
    """Of the records in a chunk that was never written, nothing of the application's is left, except by old libraries."""
    file, spec = h5.create("a.h5"), ("record", (("a", 0, COLOURS), ("b", 0, ("std", "STD_I32LE"))), 0)
    made = c.build(h5, spec)
    for name, fill in (("zeros", None), ("set", struct.pack("<hi", 9, 7))):
        dcpl = h5.plist("DATASET_CREATE")
        h5.H5Pset_chunk.must(dcpl, 2, [7, 9])
        if fill:
            h5.H5Pset_fill_value.must(dcpl, made, fill)
        dset = h5.H5Dcreate2.must(file, name.encode(), made, h5.space([20, 30]), 0, dcpl, 0)
        h5.H5Dwrite.must(dset, made, h5.BLOCK, h5.slab([20, 30], [3, 5], [8, 12]), 0, struct.pack("<hi", 5, -1) * 96)
        h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    hid = c.build(h5, WITH_BACKGROUND)
    return [read_some(h5, fapl, hid, name) for name in ("zeros", "set")]


@case(2)
def texts_in_missing_chunks(h5, fapl):
    """No fill value is zeros, which old libraries convert with the rest: text that is filled up with spaces."""
    got = []
    for chunk in ((7, 9), (20, 30)):
        file, made = h5.create("a.h5"), c.build(h5, ("text", 4, 1, 0))
        dcpl = h5.plist("DATASET_CREATE")
        h5.H5Pset_chunk.must(dcpl, 2, list(chunk))
        dset = h5.H5Dcreate2.must(file, b"d", made, h5.space([20, 30]), 0, dcpl, 0)
        h5.H5Dwrite.must(dset, made, h5.BLOCK, h5.slab([20, 30], [3, 5], [8, 12]), 0, b"abc\0" * 96)
        h5.H5Dclose.must(dset)
        h5.H5Fclose.must(file)
        got.append(read_some(h5, fapl, c.build(h5, ("text", 6, 2, 0))))
    return got


# ---- numbers -------------------------------------------------------------------------------------------------------------------


@case(24)
def to_long_double(h5, fapl):
    got = []
    for name in ("STD_I8LE", "STD_U16LE", "STD_I32LE", "STD_U64LE", "IEEE_F32LE", "IEEE_F64LE"):
        values = integers(name) if name.startswith("STD") else random.Random(name).randbytes(600 * int(name[6:8]) // 8)
        write(h5, values, ("std", name), path="a.h5")
        got.append(read_all(h5, fapl, h5.type("NATIVE_LDOUBLE"), pads=[(USED, LONG_DOUBLE)]))
    return got


def long_doubles(count=600):
    rng = random.Random(8)
    values = [rng.choice(c.EDGES) * rng.choice([1, -1]) for _ in range(count)]
    return b"".join(bytes(ctypes.c_longdouble(value)) for value in values)


def write_long_doubles(h5):
    file = h5.create("a.h5")
    for name in NAMES[:3]:
        dcpl = h5.plist("DATASET_CREATE")
        if name == "filtered":
            add_filters(h5, dcpl, [p.shuffle(), p.deflate()])
        chunk = None if name == "contiguous" else [7, 9]
        h5.make(file, name, [20, 30], long_doubles(), h5.type("NATIVE_LDOUBLE"), chunk, dcpl)
    h5.H5Fclose.must(file)


@case(21)
def from_long_double(h5, fapl):
    write_long_doubles(h5)
    types = ["IEEE_F32LE", "IEEE_F64LE", "STD_I8LE", "STD_U8LE", "STD_I32LE", "STD_U32LE", "STD_I64LE"]
    return [read_all(h5, fapl, h5.type(name), names=NAMES[:3]) for name in types]


@case(12)
def to_vax(h5, fapl):
    got = []
    for name, target in (("STD_I16LE", "VAX_F32"), ("STD_I32BE", "VAX_F64"), ("IEEE_F32BE", "VAX_F64")):
        values = integers(name) if name.startswith("STD") else random.Random(2).randbytes(2400)
        write(h5, values, ("std", name))
        got.append(read_all(h5, fapl, h5.type(target)))
    return got


@case(None)
def to_narrower_vax(h5, fapl):
    """Rounded: in old libraries the result depends on what was converted before, and is left to them."""
    write(h5, random.Random(3).randbytes(4800))
    return read_all(h5, fapl, h5.type("VAX_F32"))


def complex_type(h5, exponent, mantissa, size, order="LE"):
    """Complex numbers with parts of this format."""
    part = h5.H5Tcopy.must(h5.type(f"IEEE_F32{order}" if size <= 4 else f"IEEE_F64{order}"))
    h5.H5Tset_fields.must(part, exponent + mantissa, mantissa, exponent, 0, mantissa)
    h5.H5Tset_precision.must(part, 8 * size)
    h5.H5Tset_size.must(part, size)
    h5.H5Tset_ebias.must(part, (1 << (exponent - 1)) - 1)
    return h5.H5Tcomplex_create.must(part)


def write_complex(h5, hid, values):
    file = h5.create("a.h5")
    h5.make(file, "contiguous", [600], values, hid)
    h5.make(file, "chunked", [600], values, hid, [70])
    h5.H5Fclose.must(file)


@case(None)
def complex_numbers(h5, fapl):
    """Parts in another format of the same size, among them numbers of which one part is not one. How many: test_host_conversions.py."""
    if is_old(h5):
        return None
    rng = random.Random(4)
    parts = [0x0000, 0x8000, 0x7F80, 0xFF80, 0x7FC0, 0x3F80, 0x4049, 0x0001, 0x7F7F]
    values = struct.pack("<1200H", *(rng.choice(parts) for _ in range(1200)))
    write_complex(h5, complex_type(h5, 8, 7, 2), values)
    return read_all(h5, fapl, complex_type(h5, 5, 10, 2), names=NAMES[:2])


@case(None)
def wider_complex_numbers(h5, fapl):
    """A part may stay as it was in HDF5's buffer: left to native."""
    if is_old(h5):
        return None
    write_complex(h5, complex_type(h5, 8, 23, 4, "BE"), struct.pack(">1200f", *range(1200)))
    return read_all(h5, fapl, complex_type(h5, 11, 52, 8), names=NAMES[:2])


# ---- records -------------------------------------------------------------------------------------------------------------------


# Old libraries fill a dataset without any chunk in one way and one with some chunks in another; which it is stays open.
@case(6, either=2)
def records(h5, fapl):
    """Members that only the application has stay as they are, and so do the gaps."""
    source = ("record", (("x", 0, ("std", "IEEE_F64LE")), ("colour", 2, COLOURS), ("n", 0, ("std", "STD_U8LE"))), 1)
    one = b"".join(struct.pack("<dxxhBx", place / 3, (1, 5, 9, 77)[place % 4], place % 256) for place in range(600))
    write(h5, one, source)
    targets = [
        ("record", (("own", 0, ("std", "STD_I32LE")), ("colour", 1, OTHERS), ("x", 3, ("std", "IEEE_F64BE"))), 2),
        ("record", (("in", 0, ("array", ("std", "STD_I8LE"), (3,))), ("colour", 0, OTHERS), ("n", 5, ("std", "STD_I64BE"))), 0),
    ]
    return [read_each(h5, fapl, target) for target in targets]


@case(3, either=1)
def arrays_of_records_in_records(h5, fapl):
    inner = ("record", (("colour", 0, COLOURS), ("n", 0, ("std", "STD_U8LE"))), 0)
    source = ("record", (("many", 0, ("array", inner, (3,))), ("x", 0, ("std", "STD_I16LE"))), 0)
    one = struct.pack("<hB", 5, 1) + struct.pack("<hB", 77, 2) + struct.pack("<hB", 9, 3) + struct.pack("<h", -4)
    write(h5, one * 600, source)
    other = ("record", (("own", 1, ("std", "STD_I16LE")), ("colour", 1, OTHERS)), 1)
    return read_each(h5, fapl, ("record", (("x", 2, ("std", "STD_I32LE")), ("many", 1, ("array", other, (3,)))), 0))


@case(3)
def records_with_long_doubles(h5, fapl):
    made = h5.H5Tcreate.must(6, 20)
    h5.H5Tinsert.must(made, b"l", 0, h5.type("NATIVE_LDOUBLE"))
    h5.H5Tinsert.must(made, b"n", 16, h5.type("STD_I32LE"))
    values = long_doubles()
    rows = b"".join(values[16 * place : 16 * place + 16] + struct.pack("<i", place) for place in range(600))
    file = h5.create("a.h5")
    for name in NAMES[:3]:
        dcpl = h5.plist("DATASET_CREATE")
        if name == "filtered":
            add_filters(h5, dcpl, [p.deflate()])
        h5.make(file, name, [20, 30], rows, made, None if name == "contiguous" else [7, 9], dcpl)
    h5.H5Fclose.must(file)
    target = ("record", (("own", 0, ("std", "STD_I16LE")), ("n", 1, ("std", "STD_I64LE")), ("l", 1, ("std", "IEEE_F64LE"))), 3)
    return read_all(h5, fapl, c.build(h5, target), names=NAMES[:3])


# ---- calls ---------------------------------------------------------------------------------------------------------------------


@case(9)
def selections(h5, fapl):
    """From anywhere to anywhere."""
    write(h5, SOME * 100, COLOURS)
    got, hid = [], c.build(h5, OTHERS)
    points = h5.space([20, 30])
    h5.H5Sselect_elements.must(points, 0, 5, [19, 29, 0, 0, 3, 4, 3, 3, 19, 28])
    for name in NAMES[:3]:
        file = h5.slab([20, 30], [1, 2], [4, 5], [5, 6], [3, 2])
        got.append(read_some(h5, fapl, hid, name, file=file, memory=h5.slab([11, 31], [1, 0], [5, 6], [2, 5], [1, 4]), elements=11 * 31))
        got.append(read_some(h5, fapl, hid, name, file=points, memory=h5.slab([50], [3], [5], [9]), elements=50))
        got.append(read_some(h5, fapl, hid, name, file=points, memory=points))
    return got


@case(3)
def several_at_once(h5, fapl):
    """One dataset that HDF5 converts, one that the connector does, and one that needs nothing."""
    write(h5, SOME * 100, COLOURS)
    same = ("names", "STD_I32LE", tuple((name, 2 * number) for name, number in COLOURS[2]))
    return read_at_once(h5, fapl, [c.build(h5, spec) for spec in (OTHERS, same, COLOURS)], 2400)


BYTES = ("names", "STD_I8LE", (("A", 0), ("B", 1), ("C", 2)))
WIDE = ("names", "STD_I64LE", (("U", 1000), ("V", 2000), ("W", 3000), ("X", 4000)))
MANY = (1000,)


def write_large(h5, rows, columns):
    """1 kB an element in the file, 8 kB in memory."""
    values = bytes(random.Random(5).choices(range(5), k=columns * MANY[0])) * rows
    file, made = h5.create("a.h5"), c.build(h5, ("array", BYTES, MANY))
    h5.make(file, "contiguous", [rows, columns], values, made)
    dcpl = h5.plist("DATASET_CREATE")
    add_filters(h5, dcpl, [p.deflate()])
    h5.make(file, "filtered", [rows, columns], values, made, [13, 17], dcpl)
    dcpl = h5.plist("DATASET_CREATE")
    h5.H5Pset_chunk.must(dcpl, 2, [10, 10])
    dset = h5.H5Dcreate2.must(file, b"holes", made, h5.space([rows, columns]), 0, dcpl, 0)
    # Every part has chunks that are there and others that are not.
    h5.H5Dwrite.must(dset, made, h5.BLOCK, h5.slab([rows, columns], [0, 5], [rows, 10]), 0, values[: rows * 10 * MANY[0]])
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)


@case(9, {NATIVE_ONLY: 1})
def more_than_a_buffer(h5, fapl):
    """80 MB in memory go through in parts, unless the selection is irregular."""
    dims = rows, columns = [100, 100]
    write_large(h5, rows, columns)
    hid = c.build(h5, ("array", WIDE, MANY))

    def read(name, file=0, memory=h5.BLOCK, elements=rows * columns):
        return read_some(h5, fapl, hid, name, file=file, memory=memory, elements=elements)

    got = [read(name, memory=0) for name in ("contiguous", "filtered", "holes")]
    strided = h5.slab(dims, [0, 0], [50, 1], [2, 100], [2, 95])
    got += [read(name, strided) for name in ("contiguous", "filtered")]
    shifted = h5.slab(dims, [0, 0], [rows - 1, columns])
    h5.H5Soffset_simple.must(shifted, (ctypes.c_int64 * 2)(1, 0))
    got.append(read("filtered", shifted))
    behind = h5.slab([2, rows, columns], [1, 0, 0], [1, rows, columns])
    got.append(read("filtered", memory=behind, elements=2 * rows * columns))
    irregular = h5.slab(dims, [0, 0], [rows, columns - 1])
    h5.H5Sselect_hyperslab.must(irregular, h5.OR, [0, 0], None, [1, columns], None)
    got.append(read("contiguous", irregular))
    points = h5.space(dims)
    places = [number for place in range(9000) for number in (place % 97, place * 7 % 100)]
    h5.H5Sselect_elements.must(points, 0, 9000, places)
    return got + [read(name, points, elements=9000) for name in ("contiguous", "holes")]


# herr_t (*)(hid_t, hid_t, H5T_cdata_t *, size_t, size_t, size_t, void *, void *, hid_t)
CONVERSION = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.c_int64,
    ctypes.c_int64,
    ctypes.POINTER(ctypes.c_int),
    *[ctypes.c_size_t] * 3,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_int64,
)


def register(h5, source, target, answer):
    """Registers a function of the application's that sets all to 3 and gives this answer."""

    def convert(_source, _target, state, count, stride, _background, buffer, _memory, _dxpl):
        if state[0] == 0:
            state[1] = 0
        if state[0] == 1:
            for place in range(count):
                ctypes.memset(buffer + place * (stride or 4), 3, 4)
            return answer
        return 0

    function = CONVERSION(convert)
    h5.H5Tregister.must(1, b"ours", source, target, function)
    return function


def read_registered(h5, fapl, answer):
    write(h5, SOME * 100, COLOURS)
    source, target = c.build(h5, COLOURS), c.build(h5, OTHERS)
    function = register(h5, source, target, answer)
    got = read_each(h5, fapl, OTHERS)
    h5.H5Tunregister.must(1, b"ours", source, target, function)
    return got


@case(4)
def of_the_application(h5, fapl):
    return read_registered(h5, fapl, 0)


@case(None)
def that_fails(h5, fapl):
    return read_registered(h5, fapl, -1)


@case(1, {NATIVE_ONLY: 1})
def in_a_file_open_for_writing(h5, fapl):
    """In one piece it is ours; in several, somebody could write between them."""
    file, made = h5.create("a.h5"), c.build(h5, BYTES)
    h5.make(file, "small", [600], bytes(place % 4 for place in range(600)), made)
    h5.make(file, "large", [9_000_000], bytes(9_000_000), made)
    h5.H5Fclose.must(file)
    file, hid, got = h5.open("a.h5", fapl, h5.RDWR), c.build(h5, WIDE), []
    for name, count in (("small", 600), ("large", 9_000_000)):
        dset = h5.H5Dopen2.must(file, name.encode(), 0)
        buffer = ctypes.create_string_buffer(count * 8)
        h5.H5Dread.must(dset, hid, 0, 0, 0, buffer)
        got.append(hashlib.sha1(buffer).hexdigest())
        h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return got


if __name__ == "__main__":
    CASES.main()
