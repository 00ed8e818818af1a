"""Reads of variable-length data, natively and through the connector.

    variable_length.py HOST [CASE ...]

What a case is: cases.py. Types and values: variable_types.py.
"""

import ctypes
import hashlib
import random
import re
import struct

from cases import Cases
from variable_types import (
    ASCII,
    BIG,
    DOUBLE,
    FLOAT,
    INT,
    PADDED,
    PLAIN,
    TEXT,
    WIDE,
    Writer,
    build,
    random_value,
    read_values,
    size,
    values_in,
)

CASES = Cases()
case = CASES.case
COUNT = 600
LAYOUTS = ("contiguous", "chunked", "filtered")


def values_of(spec, count=COUNT, seed=1):
    source = random.Random(seed)
    return [random_value(source, spec) for _ in range(count)]


def creation(h5, layout, chunk=(7, 9)):
    dcpl = h5.plist("DATASET_CREATE")
    if layout != "contiguous":
        h5.H5Pset_chunk.must(dcpl, len(chunk), list(chunk))
    if layout == "filtered":
        h5.H5Pset_shuffle.must(dcpl)
        h5.H5Pset_deflate.must(dcpl, 3)
    return dcpl


def write(h5, spec, values=None, dims=(20, 30), path="a.h5", layouts=LAYOUTS, fcpl=0):
    """A file with a dataset of each layout."""
    file, made, writer = h5.create(path, fcpl=fcpl), build(h5, spec), Writer()
    values = values_of(spec) if values is None else values
    elements = b"".join(writer.element(spec, value) for value in values)
    for layout in layouts:
        dcpl = creation(h5, layout, [7, 9][: len(dims)])
        dset = h5.H5Dcreate2.must(file, layout.encode(), made, h5.space(dims), 0, dcpl, 0)
        h5.H5Dwrite.must(dset, made, 0, 0, 0, elements)
        h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)


def reclaim(h5, made, space, buffer, dxpl=0):
    """Frees what the library has allocated: with another allocator than its own this would end the process."""
    h5.H5Treclaim.must(made, space, dxpl, buffer)


def read(h5, fapl, spec, name="d", path="a.h5", file=0, elements=COUNT, dxpl=0, memory=None, flags=0):
    """The values of a read, whose memory is given back; None if it fails."""
    opened = h5.open(path, fapl, flags)
    dset, made = h5.H5Dopen2.must(opened, name.encode(), 0), build(h5, spec)
    buffer = ctypes.create_string_buffer(b"\0" * (elements * size(spec)), elements * size(spec))
    space = h5.space([elements])
    outcome = h5.H5Dread(dset, made, (h5.BLOCK if file else 0) if memory is None else memory, file, dxpl, buffer)
    found = None
    # Before the next call clears them.
    read.errors = h5.errors() if outcome < 0 else []
    if outcome >= 0:
        found = values_in(spec, buffer)
        reclaim(h5, made, space, buffer, dxpl)
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(opened)
    return found


def read_each(h5, fapl, spec, **how):
    return [read(h5, fapl, spec, name, **how) for name in LAYOUTS]


# ---- types -------------------------------------------------------------------------------------------------------------------


@case(3)
def texts(h5, fapl):
    write(h5, TEXT)
    return read_each(h5, fapl, TEXT)


@case(3)
def texts_in_ascii(h5, fapl):
    write(h5, ("text", ASCII))
    return read_each(h5, fapl, ("text", ASCII))


@case(0, {"conversion": 3})
def texts_of_another_character_set(h5, fapl):
    """HDF5 refuses that."""
    write(h5, TEXT)
    return read_each(h5, fapl, ("text", ASCII))


@case(3)
def sequences(h5, fapl):
    write(h5, ("list", INT))
    return read_each(h5, fapl, ("list", INT))


@case(9)
def converted_sequences(h5, fapl):
    found = []
    for stored, wanted in ((INT, WIDE), (BIG, INT), (FLOAT, DOUBLE)):
        write(h5, ("list", stored))
        found.append(read_each(h5, fapl, ("list", wanted)))
    return found


@case(3)
def sequences_of_sequences(h5, fapl):
    write(h5, ("list", ("list", INT)))
    return read_each(h5, fapl, ("list", ("list", WIDE)))


@case(3)
def sequences_of_texts(h5, fapl):
    write(h5, ("list", TEXT))
    return read_each(h5, fapl, ("list", TEXT))


@case(3)
def sequences_of_records(h5, fapl):
    write(h5, ("list", PLAIN))
    return read_each(h5, fapl, ("list", PLAIN))


@case(0, {"conversion": 3})
def sequences_of_records_with_gaps(h5, fapl):
    """What is in the gaps is HDF5's business."""
    write(h5, ("list", PADDED))
    return read_each(h5, fapl, ("list", PADDED))


@case(6)
def records(h5, fapl):
    write(h5, PADDED)
    return [read_each(h5, fapl, PADDED), read_each(h5, fapl, PLAIN)]


@case(9)
def members_of_records(h5, fapl):
    """Some of them, in another order and of other types; also without any variable-length one."""
    write(h5, PLAIN)
    some = ("record", (("values", ("list", DOUBLE)), ("n", WIDE)), 0)
    return [read_each(h5, fapl, ("record", parts, 0)) for parts in (some[1], (("name", TEXT),), (("n", INT),))]


@case(3)
def arrays_of_texts(h5, fapl):
    write(h5, ("array", TEXT, 3))
    return read_each(h5, fapl, ("array", TEXT, 3))


@case(3)
def records_with_arrays(h5, fapl):
    inner = ("record", (("a", ("number", "STD_I8LE", "<b")), ("t", ("array", ("array", TEXT, 2), 3)), ("b", INT)), 0)
    spec = ("record", (("x", ("array", inner, 2)), ("l", ("list", INT)), ("y", DOUBLE)), 0)
    values = values_of(("record", (("x", ("array", inner, 2)), ("l", ("list", INT)), ("y", DOUBLE)), 0))
    for value in values:
        for part in value["x"]:
            part["a"] %= 100
    write(h5, spec, values)
    return read_each(h5, fapl, spec)


def random_spec(source, depth=3):
    """A type that has a variable-length part somewhere."""
    if depth == 0 or source.random() < 0.2:
        return source.choice((TEXT, ("text", ASCII), ("list", INT)))
    kind = source.choice(("list", "record", "array"))
    if kind == "record":
        parts = [source.choice((INT, DOUBLE, WIDE, ("number", "STD_I16BE", ">h"))) for _ in range(source.randrange(4))]
        parts.insert(source.randrange(len(parts) + 1), random_spec(source, depth - 1))
        return ("record", tuple((f"m{number}", part) for number, part in enumerate(parts)), 0)
    inner = random_spec(source, depth - 1)
    return ("list", inner) if kind == "list" else ("array", inner, source.randrange(1, 4))


def wider(source, spec):
    """A type that this one can be read as: some members in another order, and wider numbers."""
    kind, *rest = spec
    if kind == "record":
        parts = [(name, wider(source, part)) for name, part in rest[0] if source.random() < 0.8] or [rest[0][0]]
        source.shuffle(parts)
        return ("record", tuple(parts), 0)
    if kind in ("list", "array"):
        return (kind, wider(source, rest[0]), *rest[1:])
    return source.choice((spec, WIDE)) if spec == INT else spec


@case(100)
def at_random(h5, fapl):
    source, found = random.Random(11), []
    for seed in range(50):
        spec = random_spec(source)
        write(h5, spec, values_of(spec, 100, seed), dims=(10, 10))
        start, count = [source.randrange(6), source.randrange(6)], [source.randrange(1, 5), source.randrange(1, 5)]
        some = h5.slab([10, 10], start, count)
        found.append(read(h5, fapl, spec, source.choice(LAYOUTS), elements=100))
        found.append(read(h5, fapl, wider(source, spec), source.choice(LAYOUTS), file=some, elements=count[0] * count[1]))
    return [hash_of(part) for part in found]


# ---- selections and memory -----------------------------------------------------------------------------------------------------


@case(6)
def selections(h5, fapl):
    write(h5, PLAIN)
    slab = h5.slab([20, 30], [1, 2], [9, 9], [2, 3], [1, 2])
    points = h5.space([20, 30])
    places = random.Random(3).sample(range(600), 200)
    h5.H5Sselect_elements.must(points, h5.SET, 200, [part for place in places for part in divmod(place, 30)])
    return [read_each(h5, fapl, PLAIN, file=slab, elements=162), read_each(h5, fapl, PLAIN, file=points, elements=200)]


@case(3)
def scattered_memory(h5, fapl):
    """Elements between others, which stay as they are."""
    write(h5, TEXT)
    memory = h5.slab([1800], [2], [600], [3])
    return read_each(h5, fapl, TEXT, memory=memory, elements=1800)


@case(3)
def few(h5, fapl):
    write(h5, TEXT)
    return read_each(h5, fapl, TEXT, file=h5.slab([20, 30], [3, 3], [5, 5]), elements=25)


@case(2)
def several_at_once(h5, fapl):
    """One call for two datasets."""
    write(h5, TEXT)
    file, made = h5.open("a.h5", fapl), build(h5, TEXT)
    dsets = [h5.H5Dopen2.must(file, name, 0) for name in (b"filtered", b"contiguous")]
    buffers = [ctypes.create_string_buffer(COUNT * 8) for _ in dsets]
    pointers = (ctypes.c_void_p * 2)(*[ctypes.addressof(buffer) for buffer in buffers])
    h5.H5Dread_multi.must(2, dsets, [made, made], [0, 0], [0, 0], 0, pointers)
    found = []
    for buffer in buffers:
        found.append(values_in(TEXT, buffer))
        reclaim(h5, made, h5.space([COUNT]), buffer)
    for dset in dsets:
        h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return found


ALLOCATE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
FREE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


def with_own_memory(h5, most=None):
    """A transfer list whose memory comes from here: what was taken, what was freed, and the list."""
    libc = ctypes.CDLL(None)
    libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    libc.free.argtypes = [ctypes.c_void_p]
    taken, freed = [], []

    def allocate(bytes, _data):
        if most is not None and len(taken) >= most:
            return None
        pointer = libc.malloc(bytes + 16)
        taken.append(bytes)
        return pointer + 16

    def free(pointer, _data):
        if not pointer:
            return
        freed.append(pointer)
        libc.free(pointer - 16)

    functions = ALLOCATE(allocate), FREE(free)
    dxpl = h5.plist("DATASET_XFER")
    h5.H5Pset_vlen_mem_manager.must(dxpl, functions[0], None, functions[1], None)
    return taken, freed, (dxpl, functions)


@case(3)
def memory_of_the_application(h5, fapl):
    write(h5, PLAIN)
    taken, freed, (dxpl, _functions) = with_own_memory(h5)
    found = read_each(h5, fapl, PLAIN, dxpl=dxpl)
    return [found, sorted(taken), len(freed) == len(taken)]


@case(None)
def memory_that_runs_out(h5, fapl):
    """The read fails. (Native HDF5 does not give back what was taken before.)"""
    write(h5, TEXT)
    taken, freed, (dxpl, _functions) = with_own_memory(h5, most=300)
    found = read(h5, fapl, TEXT, "chunked", dxpl=dxpl)
    assert fapl == h5.native or len(taken) == len(freed), (len(taken), len(freed))
    return found


# ---- files ---------------------------------------------------------------------------------------------------------------------


@case(3)
def user_block(h5, fapl):
    fcpl = h5.plist("FILE_CREATE")
    h5.H5Pset_userblock.must(fcpl, 1024)
    write(h5, PLAIN, fcpl=fcpl)
    return read_each(h5, fapl, PLAIN)


@case(0, {"variable-length": 3})
def short_addresses(h5, fapl):
    fcpl = h5.plist("FILE_CREATE")
    h5.H5Pset_sizes.must(fcpl, 4, 4)
    write(h5, PLAIN, fcpl=fcpl)
    return read_each(h5, fapl, PLAIN)


@case(3)
def file_that_can_be_written(h5, fapl):
    write(h5, PLAIN)
    return read_each(h5, fapl, PLAIN, flags=h5.RDWR)


@case(0, {"value-memory": 3})
def memory_of_the_application_in_a_file_that_can_be_written(h5, fapl):
    write(h5, PLAIN)
    taken, freed, (dxpl, _functions) = with_own_memory(h5)
    found = read_each(h5, fapl, PLAIN, dxpl=dxpl, flags=h5.RDWR)
    return [found, sorted(taken), len(freed) == len(taken)]


def write_open(h5, dset, spec, seed, count=COUNT):
    writer = Writer()
    elements = b"".join(writer.element(spec, value) for value in values_of(spec, count, seed))
    h5.H5Dwrite.must(dset, build(h5, spec), 0, 0, 0, elements)


@case(12)
def read_after_it_was_written(h5, fapl):
    """Natively the values are in HDF5's metadata cache, and not in the file. Inner values are, too."""
    found = []
    for spec in (TEXT, ("list", ("list", INT)), PLAIN):
        file = h5.create("b.h5", fapl)
        dset = h5.H5Dcreate2.must(file, b"d", build(h5, spec), h5.space([20, 30]), 0, creation(h5, "filtered"), 0)
        for seed in (1, 2, 3):
            write_open(h5, dset, spec, seed)
            found.append(read_values(h5, dset, spec, COUNT))
            if seed == 2:
                h5.H5Fflush.must(file, 1)
                found.append(read_values(h5, dset, spec, COUNT))
        h5.H5Dclose.must(dset)
        h5.H5Fclose.must(file)
    return found


@case(24)
def places_that_are_used_again(h5, fapl):
    """Values of the same length, so that older ones in the file could be taken for newer ones."""
    file, made, found = h5.create("b.h5", fapl), build(h5, TEXT), []
    dset = h5.H5Dcreate2.must(file, b"d", made, h5.space([20, 30]), 0, creation(h5, "filtered"), 0)
    for turn in range(24):
        writer = Writer()
        elements = b"".join(writer.element(TEXT, b"%03d of %02d" % (place, turn)) for place in range(COUNT))
        # Without values the collections are given free.
        for each in (bytes(8 * COUNT), elements):
            h5.H5Dwrite.must(dset, made, 0, 0, 0, each)
        found.append(hash_of(read_values(h5, dset, TEXT, COUNT)))
        if turn % 4 < 2:
            h5.H5Fflush.must(file, 1)
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return found


@case(2)
def read_while_only_the_dataset_is_open(h5, fapl):
    file = h5.create("b.h5", fapl)
    dset = h5.H5Dcreate2.must(file, b"d", build(h5, TEXT), h5.space([20, 30]), 0, creation(h5, "filtered"), 0)
    write_open(h5, dset, TEXT, 1)
    found = [read_values(h5, dset, TEXT, COUNT)]
    h5.H5Fclose.must(file)
    write_open(h5, dset, TEXT, 2)
    found.append(read_values(h5, dset, TEXT, COUNT))
    h5.H5Dclose.must(dset)
    return found


@case(None)
def values_that_were_deleted(h5, fapl):
    """Two datasets with the same references: whoever overwrites one deletes the values of the other, which cannot be read then."""
    write(h5, TEXT, layouts=("chunked",), dims=(7, 9))
    file = h5.open("a.h5", fapl, h5.RDWR)
    dset, made = h5.H5Dopen2.must(file, b"chunked", 0), build(h5, TEXT)
    other = h5.H5Dcreate2.must(file, b"other", made, h5.space([7, 9]), 0, creation(h5, "chunked"), 0)
    chunk, mask = ctypes.create_string_buffer(63 * 16), ctypes.c_uint32()
    read_chunk = h5.H5Dread_chunk1 if h5.has("H5Dread_chunk1") else h5.H5Dread_chunk
    read_chunk.must(dset, 0, [0, 0], ctypes.byref(mask), chunk)
    h5.H5Dwrite_chunk.must(other, 0, 0, [0, 0], len(chunk), chunk)
    found = [read_values(h5, other, TEXT, 63)]
    for seed in (2, 3):
        write_open(h5, dset, TEXT, seed, 63)
        found += [read_values(h5, dset, TEXT, 63), read_values(h5, other, TEXT, 63)]
    h5.H5Fflush.must(file, 1)
    found.append(read_values(h5, other, TEXT, 63))
    for each in (dset, other):
        h5.H5Dclose.must(each)
    h5.H5Fclose.must(file)
    return found


class ImageConfig(ctypes.Structure):
    """H5AC_cache_image_config_t"""

    _fields_ = [("version", ctypes.c_int), ("generate", ctypes.c_bool), ("save", ctypes.c_bool), ("age", ctypes.c_int)]


@case(0, {"variable-length": 0}, either=1)
def image_of_the_metadata_cache(h5, fapl):
    """The heap is in the image, and what is in its own place is old, or nothing at all."""
    write(h5, TEXT, layouts=("chunked",))
    access = h5.H5Pcopy.must(h5.native)
    h5.H5Pset_libver_bounds.must(access, 2, 2)
    config = ImageConfig(1, True, False, -1)
    h5.H5Pset_mdc_image_config.must(access, ctypes.byref(config))
    opened, made, writer = h5.open("a.h5", access, h5.RDWR), build(h5, TEXT), Writer()
    dset = h5.H5Dopen2.must(opened, b"chunked", 0)
    h5.H5Dwrite.must(dset, made, 0, 0, 0, b"".join(writer.element(TEXT, value) for value in values_of(TEXT, seed=9)))
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(opened)
    return read(h5, fapl, TEXT, "chunked")


@case(6, {"large-index": 2})
def many(h5, fapl):
    """Collections in several groups of neighbours, and values of every length."""
    source = random.Random(5)
    values = [bytes([97 + place % 26]) * source.choice((0, 1, 7, 30, 200, 5000)) for place in range(20_000)]
    write(h5, TEXT, values, dims=(20_000,))
    parts = [h5.slab([20_000], [1], [4000], [5]), h5.slab([20_000], [3], [100], [150])]
    found = [read(h5, fapl, TEXT, name, elements=20_000) for name in ("chunked", "filtered")]
    found += [read(h5, fapl, TEXT, name, file=part, elements=n) for name in LAYOUTS for part, n in zip(parts, (4000, 100), strict=True)]
    return [hash_of(part) for part in found]


def hash_of(values):
    return hashlib.sha1(repr(values).encode()).hexdigest()


# ---- missing storage -----------------------------------------------------------------------------------------------------------


def partly_missing(h5, spec, fill=None, fill_time=2):
    file, made, writer = h5.create("a.h5"), build(h5, spec), Writer()
    values = b"".join(writer.element(spec, value) for value in values_of(spec, 96))
    for layout in ("chunked", "filtered"):
        dcpl = creation(h5, layout)
        if fill is not None:
            h5.H5Pset_fill_value.must(dcpl, made, writer.element(spec, fill))
        h5.H5Pset_fill_time.must(dcpl, fill_time)
        dset = h5.H5Dcreate2.must(file, layout.encode(), made, h5.space([20, 30]), 0, dcpl, 0)
        h5.H5Dwrite.must(dset, made, h5.BLOCK, h5.slab([20, 30], [3, 5], [8, 12]), 0, values)
        h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)


@case(4)
def missing_chunks(h5, fapl):
    found = []
    for spec in (TEXT, PLAIN):
        partly_missing(h5, spec)
        found += [read(h5, fapl, spec, name) for name in ("chunked", "filtered")]
    return found


@case(0, {"conversion": 2})
def missing_chunks_with_a_value(h5, fapl):
    partly_missing(h5, TEXT, b"nothing yet")
    return [read(h5, fapl, TEXT, name) for name in ("chunked", "filtered")]


@case(None)
def nothing_was_written(h5, fapl):
    file, made = h5.create("a.h5"), build(h5, TEXT)
    for layout in LAYOUTS:
        h5.H5Dclose.must(h5.H5Dcreate2.must(file, layout.encode(), made, h5.space([20, 30]), 0, creation(h5, layout), 0))
    h5.H5Fclose.must(file)
    return read_each(h5, fapl, TEXT)


# ---- damage --------------------------------------------------------------------------------------------------------------------


def damage(change):
    """Changes the file's bytes, which `change` gets with the places of its heap collections."""
    with open("a.h5", "r+b") as file:
        data = bytearray(file.read())
        places = [found.start() for found in re.finditer(b"GCOL\x01", data)]
        change(data, places)
        file.seek(0)
        file.write(data)


def told(h5, fapl, spec=TEXT):
    """What is read, and whether a failure names dataset, element and address."""
    found = read(h5, fapl, spec, "chunked")
    ours = [text for text in read.errors if "cannot read dataset '/chunked'" in text]
    named = [text for text in ours if "the value of element" in text and "address" in text]
    return found, fapl == h5.native or found is not None or bool(named)


@case(None)
def damaged_collections(h5, fapl):
    found = []
    for change in (
        lambda data, places: data.__setitem__(places[0], 0x58),
        lambda data, places: data.__setitem__(places[-1] + 4, 7),
        lambda data, places: data.__setitem__(slice(places[0] + 8, places[0] + 16), struct.pack("<Q", 1 << 40)),
        lambda data, places: data.__setitem__(slice(places[0] + 24, places[0] + 32), struct.pack("<Q", 1 << 20)),
        lambda data, places: data.__setitem__(slice(places[0] + 24, places[0] + 32), struct.pack("<Q", 3)),
        lambda data, places: data.__setitem__(slice(places[0] + 16, places[0] + 18), struct.pack("<H", 999)),
    ):
        write(h5, TEXT, layouts=("chunked",))
        damage(change)
        found.append(told(h5, fapl))
    return found


def objects(data, start):
    """Where the objects of a collection are, but for the free space."""
    place = start + 16
    while place + 16 < start + 4096:
        index, size = struct.unpack_from("<H6xQ", data, place)
        if index == 0:
            return
        yield place
        place += 16 + (size + 7) // 8 * 8


@case(None)
def damaged_anywhere(h5, fapl):
    """Indexes, values and references changed at random: what native HDF5 says, or its values. (Sizes make it hang.)"""
    source, found = random.Random(8), []

    def change(data, places):
        at = source.choice(list(objects(data, source.choice(places))))
        if source.random() < 0.3:
            struct.pack_into("<H", data, at, source.randrange(1, 700))
        elif source.random() < 0.5:
            data[at + 16 + source.randrange(8)] = source.randrange(1, 256)
        else:
            reference = data.find(struct.pack("<Q", source.choice(places)))
            data[reference + source.randrange(-4, 12)] = source.randrange(256)

    for _ in range(60):
        write(h5, TEXT, layouts=("chunked",))
        damage(change)
        found.append(read(h5, fapl, TEXT, "chunked"))
    return [None if part is None else hash_of(part) for part in found]


if __name__ == "__main__":
    CASES.main(filters=False)
