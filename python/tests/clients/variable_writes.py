"""Writes of variable-length data, natively and through the connector: what native HDF5 finds in the file afterwards.

    variable_writes.py HOST [CASE ...]

What a case is: cases.py; here the counts are those of reads and of writes. Types and values: variable_types.py.
"""

import ctypes
import hashlib
import random
import re

from cases import Cases
from variable_types import ASCII, BIG, DOUBLE, FLOAT, INT, PADDED, PLAIN, TEXT, WIDE, Writer, build, random_value, read_values

CASES = Cases()
LAYOUTS = ("contiguous", "chunked", "filtered")
# The first write of a contiguous dataset of fewer elements is native HDF5's.
DIMS = (70, 60)
COUNT = 4200


def case(reads, writes, reasons=None):
    return CASES.case([reads, writes], reasons)


def elements_of(spec, seed, count=COUNT, writer=None):
    source, writer = random.Random(seed), writer or Writer()
    elements = b"".join(writer.element(spec, random_value(source, spec, 4)) for _ in range(count))
    elements_of.kept = writer
    return elements


def create(h5, file, spec, layout, dims=DIMS, name=b"d", fill=None):
    dcpl, made = h5.plist("DATASET_CREATE"), build(h5, spec)
    h5.H5Pset_obj_track_times.must(dcpl, 0)
    if layout != "contiguous":
        h5.H5Pset_chunk.must(dcpl, len(dims), [17, 13][: len(dims)])
    if layout == "filtered":
        h5.H5Pset_deflate.must(dcpl, 3)
    if fill is not None:
        h5.H5Pset_fill_value.must(dcpl, made, Writer().element(spec, fill) if fill else fill)
    space = h5.space(dims, None if layout == "contiguous" else [h5.UNLIMITED] * len(dims))
    return h5.H5Dcreate2.must(file, name, made, space, 0, dcpl, 0)


def file_without_times(h5, fapl, path="a.h5"):
    fcpl = h5.plist("FILE_CREATE")
    h5.H5Pset_obj_track_times.must(fcpl, 0)
    return h5.create(path, fapl, fcpl)


def hash_in(h5, dset, spec, count=COUNT):
    found = read_values(h5, dset, spec, count)
    return None if found is None else hashlib.sha1(repr(found).encode()).hexdigest()


def found_natively(h5, spec, path="a.h5", count=COUNT, name=b"d"):
    file = h5.open(path, h5.native)
    dset = h5.H5Dopen2.must(file, name, 0)
    found = hash_in(h5, dset, spec, count)
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return found


def written_one_after_another(h5, fapl, spec, layout, writes, **how):
    """What is returned by writes of elements, each of a type and with a seed, and what is found in the end."""
    file = file_without_times(h5, fapl)
    dset = create(h5, file, spec, layout, **how)
    found = [h5.H5Dwrite(dset, build(h5, given), 0, 0, 0, elements_of(given, seed)) for given, seed in writes]
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return [*found, found_natively(h5, spec)]


def written(h5, fapl, spec, given=None, layouts=LAYOUTS, seeds=(1,), **how):
    """What is found of values that were written to each layout, as one type and from another."""
    found, given = [], given or spec
    for layout in layouts:
        found += written_one_after_another(h5, fapl, spec, layout, [(given, seed) for seed in seeds], **how)
    return found


# ---- types -------------------------------------------------------------------------------------------------------------------


@case(0, 6)
def texts(h5, fapl):
    """Null pointers and empty ones are among them."""
    return written(h5, fapl, TEXT) + written(h5, fapl, ("text", ASCII))


@case(0, 0, {"conversion": 2, "no-storage": 1})
def texts_of_another_character_set(h5, fapl):
    """HDF5 refuses that."""
    return written(h5, fapl, TEXT, ("text", ASCII))


@case(0, 12)
def sequences(h5, fapl):
    found = written(h5, fapl, ("list", INT))
    for stored, given in ((INT, WIDE), (BIG, INT), (FLOAT, DOUBLE)):
        found += written(h5, fapl, ("list", stored), ("list", given))
    return found


@case(0, 12)
def nested(h5, fapl):
    found = written(h5, fapl, ("list", ("list", INT)), ("list", ("list", WIDE)))
    found += written(h5, fapl, ("list", TEXT)) + written(h5, fapl, ("list", PLAIN))
    return found + written(h5, fapl, ("array", TEXT, 3))


@case(0, 6)
def records(h5, fapl):
    return written(h5, fapl, PLAIN) + written(h5, fapl, PADDED, PLAIN)


@case(0, 12)
def some_members(h5, fapl):
    """Others stay as they were, with their values."""
    found = []
    for parts in ((("values", ("list", DOUBLE)), ("n", WIDE)), (("name", TEXT),)):
        for layout in ("chunked", "filtered", "contiguous"):
            found += written_one_after_another(h5, fapl, PLAIN, layout, [(PLAIN, 1), (("record", parts, 4), 2)])
    return found


# ---- what was there before -----------------------------------------------------------------------------------------------------


@case(0, 18)
def overwritten(h5, fapl):
    """What is overwritten is deleted, also inside of sequences."""
    found = []
    for spec in (TEXT, ("list", FLOAT), ("list", ("list", INT))):
        found += written(h5, fapl, spec, layouts=("chunked", "filtered"), seeds=(1, 2, 3))
    return found


@case(0, 15)
def the_same_bytes(h5, fapl):
    """A contiguous dataset: values are stored in the order in which HDF5 does that."""
    found = []
    for spec in (TEXT, ("list", FLOAT), ("list", ("list", INT)), ("list", TEXT), PLAIN):
        written(h5, fapl, spec, layouts=("contiguous",), seeds=(1, 2, 3))
        with open("a.h5", "rb") as file:
            found.append(hashlib.sha1(file.read()).hexdigest())
    return found


@case(0, 6)
def sizes(h5, fapl):
    """Files have the size of native ones, but for some per cent."""
    sizes = []
    for way in (h5.native, fapl):
        for layout in ("chunked", "filtered"):
            written(h5, way, TEXT, layouts=(layout,), seeds=(1, 2, 3))
            with open("a.h5", "rb") as file:
                sizes.append(len(file.read()))
    return [0.9 < ours / native < 1.1 for native, ours in zip(sizes[:2], sizes[2:], strict=True)]


@case(0, 0, {"variable-length": 2, "no-storage": 1})
def fill_values(h5, fapl):
    """Each element that is not written gets a value of its own."""
    return written(h5, fapl, TEXT, fill=b"nothing yet")


@case(4, 10)
def parts_of_it(h5, fapl):
    found = []
    for layout in ("chunked", "filtered"):
        file = file_without_times(h5, fapl)
        dset, made = create(h5, file, TEXT, layout), build(h5, TEXT)
        for seed, (start, count, step) in enumerate(([(3, 5), (40, 30), (1, 1)], [(0, 1), (35, 20), (2, 3)], [(20, 20), (9, 7), (1, 1)])):
            space = h5.slab(DIMS, start, count, step)
            h5.H5Dwrite.must(dset, made, h5.BLOCK, space, 0, elements_of(TEXT, seed, count[0] * count[1]))
        found.append(hash_in(h5, dset, TEXT))
        points = [7, 7, 1, 2, 7, 7, 60, 50, 1, 2]
        space = h5.space(DIMS)
        h5.H5Sselect_elements.must(space, h5.SET, 5, points)
        h5.H5Dwrite.must(dset, made, h5.BLOCK, space, 0, elements_of(TEXT, 9, 5))
        h5.H5Dset_extent.must(dset, [30, 25])
        h5.H5Dset_extent.must(dset, DIMS)
        h5.H5Dwrite.must(dset, made, h5.BLOCK, h5.slab(DIMS, [25, 20], [10, 10]), 0, elements_of(TEXT, 10, 100))
        found.append(hash_in(h5, dset, TEXT))
        h5.H5Dclose.must(dset)
        h5.H5Fclose.must(file)
        found.append(found_natively(h5, TEXT))
    return found


@case(0, 2)
def several_at_once(h5, fapl):
    file, made = file_without_times(h5, fapl), build(h5, TEXT)
    dsets = [create(h5, file, TEXT, layout, name=layout.encode()) for layout in ("chunked", "filtered")]
    first, second = Writer(), Writer()
    buffers = [elements_of(TEXT, 1, writer=first), elements_of(TEXT, 2, writer=second)]
    pointers = (ctypes.c_char_p * 2)(*buffers)
    h5.H5Dwrite_multi.must(2, dsets, [made, made], [0, 0], [0, 0], 0, pointers)
    for dset in dsets:
        h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return [found_natively(h5, TEXT, name=layout) for layout in (b"chunked", b"filtered")]


@case(0, 2)
def only_the_dataset_is_open(h5, fapl):
    file = file_without_times(h5, fapl)
    dset = create(h5, file, TEXT, "filtered")
    h5.H5Dwrite.must(dset, build(h5, TEXT), 0, 0, 0, elements_of(TEXT, 1))
    h5.H5Fclose.must(file)
    h5.H5Dwrite.must(dset, build(h5, TEXT), 0, 0, 0, elements_of(TEXT, 2))
    h5.H5Dclose.must(dset)
    return found_natively(h5, TEXT)


@case(0, 1)
def user_block(h5, fapl):
    fcpl = h5.plist("FILE_CREATE")
    h5.H5Pset_userblock.must(fcpl, 1024)
    file = h5.create("a.h5", fapl, fcpl)
    dset = create(h5, file, TEXT, "filtered")
    h5.H5Dwrite.must(dset, build(h5, TEXT), 0, 0, 0, elements_of(TEXT, 1))
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return found_natively(h5, TEXT)


@CASES.case([0, None])
def damaged_before(h5, fapl):
    """Values that cannot be deleted: the write fails."""
    found = []
    for layout in LAYOUTS:
        written(h5, h5.native, TEXT, layouts=(layout,))
        with open("a.h5", "r+b") as file:
            data = bytearray(file.read())
            for place in [match.start() for match in re.finditer(b"GCOL\x01", data)][::2]:
                data[place] = 0x58
            file.seek(0)
            file.write(data)
        file = h5.open("a.h5", fapl, h5.RDWR)
        dset = h5.H5Dopen2.must(file, b"d", 0)
        found.append(h5.H5Dwrite(dset, build(h5, TEXT), 0, 0, 0, elements_of(TEXT, 2)))
        h5.H5Dclose(dset)
        h5.H5Fclose(file)
    return found


if __name__ == "__main__":
    CASES.main(filters=False)
