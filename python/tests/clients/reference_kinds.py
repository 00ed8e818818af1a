"""Datasets of references of each kind, written and read.

    reference_kinds.py HOST [CASE ...]

What a case is: cases.py; how many reads and writes must have been bypassed are two numbers.
"""

import ctypes
import struct

from access_paths import ints
from cases import Cases

CASES = Cases()
case = CASES.case
COUNT = 60
# The first writes to the datasets that are referred to.
NEW = {"no-storage": 5}


def targets(h5, file):
    """Datasets to refer to, and references to one after another, of the kinds of HDF5 1.8. The last one refers to nothing."""
    objects, regions = [], []
    for number in range(5):
        h5.make(file, f"d{number}", [100], ints(100, 1000 * number))
    for number in range(COUNT - 1):
        name, reference, region = f"d{number % 5}".encode(), ctypes.create_string_buffer(8), ctypes.create_string_buffer(12)
        h5.H5Rcreate.must(reference, file, name, 0, -1)
        h5.H5Rcreate.must(region, file, name, 1, h5.slab([100], [number], [7]))
        objects.append(reference.raw)
        regions.append(region.raw)
    return b"".join([*objects, bytes(8)]), b"".join([*regions, bytes(12)])


def chunked(h5, level=1, chunk=16):
    dcpl = h5.plist("DATASET_CREATE")
    h5.H5Pset_chunk.must(dcpl, 1, [chunk])
    level and h5.H5Pset_deflate.must(dcpl, level)
    return dcpl


def name_of(h5, hid):
    name = ctypes.create_string_buffer(64)
    h5.H5Iget_name(hid, name, 64)
    return name.value.decode()


def referred(h5, file, kind, stored):
    """What references lead to."""
    size, found = 12 if kind else 8, []
    for number in range(0, COUNT, 7):
        reference = ctypes.create_string_buffer(stored[size * number : size * (number + 1)], size)
        target = h5.H5Rdereference2(file, 0, kind, reference)
        found.append(name_of(h5, target) if target >= 0 else None)
        if kind and target >= 0:
            space, low, high = h5.H5Rget_region.must(file, kind, reference), (ctypes.c_uint64 * 1)(), (ctypes.c_uint64 * 1)()
            h5.H5Sget_select_bounds.must(space, low, high)
            found.append((low[0], high[0]))
        target >= 0 and h5.H5Dclose.must(target)
    return found


@case([4, 4], NEW)
def objects_and_regions(h5, fapl):
    file, found = h5.create("a.h5", fapl), []
    given = targets(h5, file)
    for kind, name, size in ((0, "STD_REF_OBJ", 8), (1, "STD_REF_DSETREG", 12)):
        for how in (chunked(h5), chunked(h5, 0)):
            dset = h5.H5Dcreate_anon.must(file, h5.type(name), h5.space([COUNT]), how, 0)
            found.append(h5.H5Dwrite(dset, h5.type(name), 0, 0, 0, given[kind]))
            back = h5.read(dset, COUNT, type=name, size=size)
            found += [back == given[kind], referred(h5, file, kind, back)]
            h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return found


@case([2, 2], NEW)
def parts_of_them(h5, fapl):
    """What is not written refers to nothing."""
    file, found = h5.create("a.h5", fapl), []
    given = targets(h5, file)
    for kind, name, size in ((0, "STD_REF_OBJ", 8), (1, "STD_REF_DSETREG", 12)):
        dset = h5.H5Dcreate_anon.must(file, h5.type(name), h5.space([COUNT]), chunked(h5), 0)
        part = h5.slab([COUNT], [5], [20])
        found.append(h5.H5Dwrite(dset, h5.type(name), h5.BLOCK, part, 0, given[kind][: 20 * size]))
        back = h5.read(dset, COUNT, type=name, size=size)
        found += [back.hex(), referred(h5, file, kind, back)]
        h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return found


@case([2, 2], NEW)
def in_compounds_and_arrays(h5, fapl):
    """Native HDF5 leaves gaps alone if there are references: so must we."""
    file, found = h5.create("a.h5", fapl), []
    objects, _ = targets(h5, file)
    kind = h5.type("STD_REF_OBJ")
    record = h5.H5Tcreate.must(6, 24)
    h5.H5Tinsert.must(record, b"number", 0, h5.type("STD_I32LE"))
    h5.H5Tinsert.must(record, b"target", 8, kind)
    three = h5.H5Tarray_create2.must(kind, 1, [3])
    records = b"".join(ints(1, number) + b"gaps" + objects[8 * number : 8 * number + 8] + b"end gaps" for number in range(COUNT))
    for datatype, size, given in ((record, 24, records), (three, 24, objects * 3)):
        dset = h5.H5Dcreate_anon.must(file, datatype, h5.space([COUNT]), chunked(h5), 0)
        found.append(h5.H5Dwrite(dset, datatype, 0, 0, 0, given))
        found.append(h5.read(dset, COUNT, type=datatype, size=size).hex())
        h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return found


@case([0, 0], {"reference": 2, "no-storage": 1})
def the_later_kind(h5, fapl):
    """Objects, regions and attributes: HDF5 makes and frees them, on the calling thread."""
    file = h5.create("a.h5", fapl)
    h5.make(file, "d", [100], ints(100, 500))
    dset = h5.H5Dopen2.must(file, b"d", 0)
    note = h5.H5Acreate2.must(dset, b"note", h5.type("STD_I32LE"), h5.space([1]), 0, 0)
    h5.H5Awrite.must(note, h5.type("STD_I32LE"), ints(1, 77))
    h5.H5Aclose.must(note)
    h5.H5Dclose.must(dset)
    room = ctypes.c_ubyte * 64
    given, back, kind = (room * 3)(), (room * 3)(), h5.type("STD_REF")
    h5.H5Rcreate_object.must(file, b"d", 0, given[0])
    h5.H5Rcreate_region.must(file, b"d", h5.slab([100], [3], [5]), 0, given[1])
    h5.H5Rcreate_attr.must(file, b"d", b"note", 0, given[2])
    stored = h5.H5Dcreate_anon.must(file, kind, h5.space([3]), chunked(h5, chunk=2), 0)
    found = [h5.H5Dwrite(stored, kind, 0, 0, 0, given), h5.H5Dread(stored, kind, 0, 0, 0, back)]
    target = h5.H5Ropen_object.must(back[0], 0, 0)
    found.append(name_of(h5, target))
    h5.H5Dclose.must(target)
    space, low, high = h5.H5Ropen_region.must(back[1], 0, 0), (ctypes.c_uint64 * 1)(), (ctypes.c_uint64 * 1)()
    h5.H5Sget_select_bounds.must(space, low, high)
    found.append((low[0], high[0]))
    for reference in [*given, *back]:
        found.append((h5.H5Rget_type(reference), h5.H5Rdestroy(reference)))
    h5.H5Dclose.must(stored)
    h5.H5Fclose.must(file)
    return found


def later_records(h5, file):
    """A type with references of the later kind at several depths around numbers and a text, and records of it in memory."""
    std_ref, number = h5.type("STD_REF"), h5.type("STD_I32LE")
    text = h5.H5Tcopy.must(h5.type("C_S1"))
    h5.H5Tset_size.must(text, -1)
    inner = h5.H5Tcreate.must(6, 80)
    h5.H5Tinsert.must(inner, b"to", 0, std_ref)
    h5.H5Tinsert.must(inner, b"deep", 72, number)
    record = h5.H5Tcreate.must(6, 304)
    h5.H5Tinsert.must(record, b"first", 0, number)
    h5.H5Tinsert.must(record, b"to", 8, std_ref)
    h5.H5Tinsert.must(record, b"second", 72, number)
    h5.H5Tinsert.must(record, b"pair", 80, h5.H5Tarray_create2.must(std_ref, 1, [2]))
    h5.H5Tinsert.must(record, b"inner", 208, inner)
    h5.H5Tinsert.must(record, b"text", 288, text)
    h5.H5Tinsert.must(record, b"third", 296, h5.type("IEEE_F64LE"))
    h5.H5Rcreate_object.must(file, b"d0", 0, reference := ctypes.create_string_buffer(64))
    h5.H5Rcreate_region.must(file, b"d1", h5.slab([100], [3], [5]), 0, region := ctypes.create_string_buffer(64))
    texts = [ctypes.create_string_buffer(b"text %d" % place) for place in range(COUNT)]
    given = ctypes.create_string_buffer(304 * COUNT)
    for place in range(COUNT):
        parts = [ints(2, place), region.raw if place % 3 else reference.raw, ints(2, 100 + place)]
        parts += [reference.raw * 2, bytes(64) + ints(4, 200 + place)]
        parts += [ctypes.addressof(texts[place]).to_bytes(8, "little"), struct.pack("<d", place / 8)]
        given[304 * place : 304 * (place + 1)] = b"".join(parts)
    return record, inner, given, [texts, reference, region]


def compound(h5, members, gap):
    """A compound of (name, type, bytes), with so many bytes between members, and its size."""
    size = sum(bytes_ + gap for _, _, bytes_ in members)
    made, place = h5.H5Tcreate.must(6, size), 0
    for name, kind, bytes_ in members:
        h5.H5Tinsert.must(made, name, place, kind)
        place += bytes_ + gap
    return made, size


def other_members(h5, gap):
    """Types in memory without references, of records and of what is inside them: type, bytes, and whether it has texts."""
    number, text = h5.type("STD_I32LE"), h5.H5Tcopy.must(h5.type("C_S1"))
    h5.H5Tset_size.must(text, -1)
    deep, _ = compound(h5, [(b"deep", number, 4)], 0)
    numbers = [(b"second", number, 4), (b"third", h5.type("IEEE_F64LE"), 8), (b"inner", deep, 4), (b"first", number, 4)]
    wider = [(b"third", h5.type("IEEE_F64BE"), 8), (b"first", h5.type("STD_I64LE"), 8)]
    texts = [(b"text", text, 8), (b"second", number, 4)]
    return [(*compound(h5, members, gap), members is texts) for members in (numbers, wider, texts)]


def as_told(raw, size, has_texts):
    """Elements as they can be compared: texts in the place of pointers."""
    elements = [raw[size * place : size * (place + 1)] for place in range(len(raw) // size)]
    if not has_texts:
        return [element.hex() for element in elements]
    pointers = [int.from_bytes(element[:8], "little") for element in elements]
    return [(ctypes.string_at(pointer).decode() if pointer else None, element[8:].hex()) for pointer, element in zip(pointers, elements)]


def read_others(h5, dset, gap):
    """What is read of records besides their references."""
    found = []
    for kind, size, has_texts in other_members(h5, gap):
        back = h5.read(dset, COUNT, type=kind, size=size)
        found.append(as_told(back, size, has_texts))
        part = ctypes.create_string_buffer(b"\xaa" * (size * 64), size * 64)
        two = h5.slab([COUNT], [0], [30], [2])
        found.append(h5.H5Dread(dset, kind, h5.H5Screate_simple.must(1, [30], None), two, 0, part))
        found.append(as_told(part.raw[: 30 * size], size, has_texts))
    return found


@case([18, 0], {"reference": 5, "no-storage": 6})
def other_members_beside_the_later_kind(h5, fapl):
    """Members beside references are the connector's; references are made and stored by HDF5."""
    file, found = h5.create("a.h5", fapl), []
    targets(h5, file)
    record, inner, given, kept = later_records(h5, file)
    for how in (chunked(h5), chunked(h5, 0), 0):
        dset = h5.H5Dcreate_anon.must(file, record, h5.space([COUNT]), how, 0)
        found.append(h5.H5Dwrite(dset, record, 0, 0, 0, given))
        found += read_others(h5, dset, 3)
        only = h5.H5Tcreate.must(6, 64)
        h5.H5Tinsert.must(only, b"to", 0, h5.type("STD_REF"))
        back = ctypes.create_string_buffer(64 * COUNT)
        found.append(h5.H5Dread(dset, only, 0, 0, 0, back))
        for place in range(COUNT):
            reference = (ctypes.c_ubyte * 64).from_buffer(back, 64 * place)
            found.append((h5.H5Rget_type(reference), h5.H5Rdestroy(reference)))
        h5.H5Dclose.must(dset)
    found += [h5.H5Rdestroy(reference) for reference in kept[1:]]
    h5.H5Fclose.must(file)
    return found


@case([18, 0])
def other_members_read_only(h5, fapl):
    """The same in a file that is open read-only; chunks that were never written, too."""
    file, found = h5.create("a.h5", h5.native), []
    targets(h5, file)
    record, inner, given, kept = later_records(h5, file)
    part, rest = h5.slab([COUNT], [5], [30]), h5.slab([COUNT], [0], [30])
    for name, how in ((b"gzip", chunked(h5)), (b"plain", chunked(h5, 0)), (b"one piece", 0)):
        dset = h5.H5Dcreate2.must(file, name, record, h5.space([COUNT]), 0, how, 0)
        h5.H5Dwrite.must(dset, record, rest, part, 0, given)
        h5.H5Dclose.must(dset)
    [h5.H5Rdestroy.must(reference) for reference in kept[1:]]
    h5.H5Fclose.must(file)
    file = h5.H5Fopen.must(b"a.h5", h5.RDONLY, fapl)
    for name in (b"gzip", b"plain", b"one piece"):
        dset = h5.H5Dopen2.must(file, name, 0)
        found += read_others(h5, dset, 0)
        h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return found


if __name__ == "__main__":
    CASES.main()
