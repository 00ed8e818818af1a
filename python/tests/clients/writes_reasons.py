"""Every reason for which a write is passed on to native HDF5, as far as an application can give one.

    writes_reasons.py HOST [CASE ...]

A case makes its file natively or through the connector, writes, and returns what its calls returned and what is in the file, looked at
natively. Its decorator says how many writes the connector must have bypassed, and how many it must have passed on for which reason.
"""

import ctypes
import random
import struct

import pipelines as p
from cases import Cases
from filter_class import FILTER, FilterClass
from filters import add_filters

CASES = Cases()
case = CASES.case
NO_STORAGE = "no-storage"
SWMR_READER = "swmr-reader"
NOT_NATIVE = "not-native"
LINKED = "link-writable"
OPEN_NATIVELY = "open-natively"
ONLY_CHUNK = "only-chunk"
SEVERAL = "several-files"
REFERENCES = "reference"
TYPE = "type-unknown"
CONVERSION = "conversion"
TRANSFORM = "data-transform"
FILTER_FUNCTION = "filter-callback"
CONVERSION_FUNCTION = "conversion-callback"
SELECTION = "selection"
NOTHING = "nothing-selected"
TOO_LARGE = "too-large"
SIZE, CHUNK = 100, 10
# H5Z_cb_return_t (*)(H5Z_filter_t filter, void *buf, size_t buf_size, void *op_data)
ON_FAILURE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
# H5T_conv_ret_t (*)(H5T_conv_except_t, hid_t source, hid_t target, void *from, void *to, void *data)
ON_EXCEPTION = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64, *[ctypes.c_void_p] * 3)


def ints(count, first=0):
    return struct.pack(f"<{count}i", *range(first, first + count))


def create(h5, file, name="d", filters=None, chunk=CHUNK, type="STD_I32LE", size=SIZE, prepare=None):
    """A dataset; chunked if it has filters, though it be none."""
    dcpl = h5.plist("DATASET_CREATE")
    if filters is not None:
        h5.H5Pset_chunk.must(dcpl, 1, [chunk])
        add_filters(h5, dcpl, filters)
    if prepare:
        prepare(dcpl)
    kind = h5.type(type) if isinstance(type, str) else type
    return h5.H5Dcreate2.must(file, name.encode(), kind, h5.space([size]), 0, dcpl, 0)


def put(h5, dset, first, dxpl=0, space=0, count=SIZE, type="STD_I32LE"):
    """Writes numbers that count up."""
    memory = h5.BLOCK if space else h5.ALL
    return h5.H5Dwrite(dset, h5.type(type), memory, space, dxpl, ints(count, first))


def contents(h5, path, name="d", size=SIZE):
    """The first and last numbers of a dataset, natively."""
    file = h5.open(path, h5.native)
    dset = h5.H5Dopen2.must(file, name.encode(), 0)
    data = h5.read(dset, size)
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return data and [*struct.unpack(f"<{size}i", data)[:5], *struct.unpack(f"<{size}i", data)[-2:]]


def filled(h5, path, **how):
    """A file with one dataset of numbers, made natively."""
    file = h5.create(path)
    dset = create(h5, file, **how)
    h5.H5Dwrite.must(dset, h5.type("STD_I32LE"), 0, 0, 0, ints(SIZE))
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)


def change(h5, path, fapl, *transfers, flags=1):
    """Writes everything in a file of `filled`, with each of these transfer lists; what came of it."""
    file = h5.open(path, fapl, flags)
    dset = h5.H5Dopen2.must(file, b"d", 0)
    found = [put(h5, dset, 1000 * number, transfer) for number, transfer in enumerate(transfers, 1)]
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return [*found, contents(h5, path)]


# ---- files -------------------------------------------------------------------------------------------------------------------


@case(0, {"read-only": 2})
def read_only(h5, fapl):
    filled(h5, "a.h5")
    filled(h5, "b.h5", filters=[p.deflate()])
    return [change(h5, path, fapl, 0, flags=h5.RDONLY) for path in ("a.h5", "b.h5")]


@case(0, {SWMR_READER: 1})
def reader_of_what_another_writes(h5, fapl):
    access = []
    for one in (h5.native, fapl):
        access.append(h5.H5Pcopy.must(one))
        newest = next(bound for bound in (6, 5, 4) if h5.H5Pset_libver_bounds(access[-1], bound, bound) >= 0)
        h5.H5Pset_libver_bounds.must(access[-1], newest, newest)
    file = h5.create("a.h5", access[0])
    h5.make(file, "d", [SIZE], ints(SIZE), chunk=[CHUNK])
    h5.H5Fclose.must(file)
    return change(h5, "a.h5", access[1], 0, flags=h5.RDONLY | h5.SWMR_READ)


@case(0, {OPEN_NATIVELY: 2})
def open_natively_as_well(h5, fapl):
    filled(h5, "a.h5", filters=[p.deflate()])
    first = h5.open("a.h5", h5.native, h5.RDWR)
    found = change(h5, "a.h5", fapl, 0, 0)
    h5.H5Fclose.must(first)
    return found


@case(1, {LINKED: 2})
def reached_through_a_link(h5, fapl):
    """The file behind the link is open by way of the link only; then by its name, too."""
    filled(h5, "b.h5", filters=[p.deflate()])
    file = h5.create("a.h5", fapl)
    h5.H5Lcreate_external.must(b"b.h5", b"d", file, b"d", 0, 0)
    found = []
    for number in (1, 2):
        dset = h5.H5Dopen2.must(file, b"d", 0)
        found.append(put(h5, dset, 1000 * number))
        h5.H5Dclose.must(dset)
    other = h5.open("b.h5", fapl, h5.RDWR)
    dset = h5.H5Dopen2.must(file, b"d", 0)
    found.append(put(h5, dset, 3000))
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(other)
    h5.H5Fclose.must(file)
    return [*found, contents(h5, "b.h5")]


@case(0, {NOT_NATIVE: 2})
def over_another_connector(h5, fapl):
    """The counting connector lies between ours and native HDF5."""
    if fapl != h5.native:
        fapl = h5.plist("FILE_ACCESS")
        vol, info = h5.H5VLregister_connector_by_name.must(b"bypass", 0), ctypes.c_void_p()
        h5.H5VLconnector_str_to_info.must(b"under_vol=519;under_info={under_vol=0;under_info={}}", vol, ctypes.byref(info))
        h5.H5Pset_vol.must(fapl, vol, info)
    filled(h5, "a.h5", filters=[p.deflate()])
    return change(h5, "a.h5", fapl, 0, 0)


@case(1, {SEVERAL: 2, NO_STORAGE: 1})
def several_files_in_one_call(h5, fapl):
    files = [h5.create(path, fapl) for path in ("a.h5", "b.h5")]
    dsets = [create(h5, file) for file in files]
    found = [put(h5, dsets[0], 1000), put(h5, dsets[0], 2000)]
    data = ctypes.create_string_buffer(ints(SIZE, 3000))
    ids = [dsets, [h5.type("STD_I32LE")] * 2, [h5.ALL] * 2, [h5.ALL] * 2]
    pointers = (ctypes.c_void_p * 2)(*[ctypes.addressof(data)] * 2)
    found.append(h5.H5Dwrite_multi(2, *[(ctypes.c_int64 * 2)(*two) for two in ids], 0, pointers))
    for one in dsets:
        h5.H5Dclose.must(one)
    for file in files:
        h5.H5Fclose.must(file)
    return [*found, contents(h5, "a.h5")]


@case(2, {SEVERAL: 4, NO_STORAGE: 2})
def several_files_in_one_small_call(h5, fapl):
    """Small parts of datasets that are known take another way."""
    files = [h5.create(path, fapl) for path in ("a.h5", "b.h5")]
    dsets = [create(h5, file) for file in files]
    found = [put(h5, dset, 1000 * number) for dset in dsets for number in (1, 2)]
    data = ctypes.create_string_buffer(ints(SIZE, 3000))
    space, few = h5.space([SIZE]), h5.space([4])
    one = (ctypes.c_uint64 * 1)
    h5.H5Sselect_hyperslab.must(space, 0, one(2), None, one(4), None)
    ids = [dsets, [h5.type("STD_I32LE")] * 2, [few] * 2, [space] * 2]
    pointers = (ctypes.c_void_p * 2)(*[ctypes.addressof(data)] * 2)
    for _ in range(2):
        found.append(h5.H5Dwrite_multi(2, *[(ctypes.c_int64 * 2)(*two) for two in ids], 0, pointers))
    for one in dsets:
        h5.H5Dclose.must(one)
    for file in files:
        h5.H5Fclose.must(file)
    return [*found, contents(h5, "a.h5"), contents(h5, "b.h5")]


# ---- storage -----------------------------------------------------------------------------------------------------------------


@case(2, {NO_STORAGE: 1})
def first_write_of_a_contiguous_dataset(h5, fapl):
    file = h5.create("a.h5", fapl)
    dset = create(h5, file)
    found = [put(h5, dset, 1000 * number) for number in (1, 2, 3)]
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return [*found, contents(h5, "a.h5")]


@case(0, {"compact": 2})
def compact(h5, fapl):
    filled(h5, "a.h5", prepare=lambda dcpl: h5.H5Pset_layout.must(dcpl, 0))
    return change(h5, "a.h5", fapl, 0, 0)


def beside_virtual(h5, fapl, mapped, again=False):
    """Writes to a dataset, to elements 2 and 3 of a virtual one that has `mapped` of it, and to the dataset again."""
    filled(h5, "a.h5", filters=[p.deflate()])
    file = h5.open("a.h5", fapl, h5.RDWR)
    other = h5.open("a.h5", fapl, h5.RDWR) if again else None
    space, dcpl = h5.space([SIZE]), h5.plist("DATASET_CREATE")
    h5.H5Pset_virtual.must(dcpl, mapped, b".", b"d", mapped)
    dset = h5.H5Dopen2.must(file, b"d", 0)
    shown = h5.H5Dcreate2.must(file, b"v", h5.type("STD_I32LE"), space, 0, dcpl, 0)
    part = h5.slab([SIZE], [2], [2])
    found = [put(h5, dset, 1000), put(h5, shown, 2000, space=part, count=2), put(h5, dset, 3000, space=h5.slab([SIZE], [4], [1]), count=1)]
    h5.H5Dclose.must(dset)
    h5.H5Dclose.must(shown)
    h5.H5Fclose.must(file)
    again and h5.H5Fclose.must(other)
    return [*found, contents(h5, "a.h5")]


@case(3, {})
def virtual(h5, fapl):
    return beside_virtual(h5, fapl, h5.space([SIZE]))


@case(2, {"virtual": 1})
def virtual_in_a_file_that_is_open_twice(h5, fapl):
    return beside_virtual(h5, fapl, h5.space([SIZE]), again=True)


@case(2, {"virtual-mapping": 1})
def virtual_and_not_all_of_it_mapped(h5, fapl):
    return beside_virtual(h5, fapl, h5.slab([SIZE], [3], [SIZE - 3]))


def one_source(h5, fapl, prepare, mapped=None):
    """A write through a virtual dataset whose only source is "d" of b.h5, made by `prepare`."""
    file, dcpl = h5.create("b.h5"), h5.plist("DATASET_CREATE")
    prepare(dcpl)
    h5.make(file, "d", [SIZE], bytes(4 * SIZE), dcpl=dcpl, maxdims=mapped and [h5.UNLIMITED])
    h5.H5Fclose.must(file)
    file, dcpl = h5.create("a.h5"), h5.plist("DATASET_CREATE")
    mapped = mapped or h5.space([SIZE])
    h5.H5Pset_virtual.must(dcpl, mapped, b"b.h5", b"d", mapped)
    h5.make(file, "v", [SIZE], None, dcpl=dcpl, maxdims=[h5.UNLIMITED])
    h5.H5Fclose.must(file)
    file = h5.open("a.h5", fapl, h5.RDWR)
    dset = h5.H5Dopen2.must(file, b"v", 0)
    found = put(h5, dset, 1000)
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return found, contents(h5, "b.h5")


@case(0, {"virtual-source": 1})
def virtual_with_a_compact_source(h5, fapl):
    return one_source(h5, fapl, lambda dcpl: h5.H5Pset_layout.must(dcpl, 0))


@case(0, {"virtual-unlimited": 1})
def virtual_that_grows(h5, fapl):
    space = h5.space([SIZE], [h5.UNLIMITED])
    h5.H5Sselect_hyperslab.must(space, h5.SET, [0], [1], [h5.UNLIMITED], [1])
    return one_source(h5, fapl, lambda dcpl: h5.H5Pset_chunk.must(dcpl, 1, [10]), mapped=space)


@case(1, {"external-file": 1})
def external_file_that_cannot_be_made(h5, fapl):
    file, found = h5.create("a.h5", fapl), []
    for name in ("nowhere/raw", "raw"):
        dset = create(h5, file, name.replace("/", " "), prepare=lambda dcpl: h5.H5Pset_external.must(dcpl, name.encode(), 0, 4 * SIZE))
        found += [put(h5, dset, 1000), h5.H5Dclose(dset)]
    h5.H5Fclose.must(file)
    return [*found, contents(h5, "a.h5", "raw")]


@case(0, {TOO_LARGE: 1})
def too_large_to_count(h5, fapl):
    """2^62 numbers of four bytes, one chunk of which is written."""
    file = h5.create("a.h5", fapl)
    dset = create(h5, file, filters=[], size=1 << 62)
    space = h5.slab([1 << 62], [(1 << 62) - 3], [3])
    found = [put(h5, dset, 1000, space=space, count=3)]
    data = h5.read(dset, 3, memory=h5.BLOCK, file=space)
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return [*found, data and struct.unpack("<3i", data)]


# ---- filters -----------------------------------------------------------------------------------------------------------------


@case(2, {ONLY_CHUNK: 2})
def only_chunk_whose_filter_may_be_left_out(h5, fapl):
    """The same filter over several chunks is ours."""
    file, found = h5.create("a.h5", fapl), []
    for name, chunk in (("one", SIZE), ("several", CHUNK)):
        dset = create(h5, file, name, filters=[p.scaleoffset()], chunk=chunk)
        found += [put(h5, dset, 1000), put(h5, dset, 2000, space=h5.slab([SIZE], [2], [2]), count=2)]
        h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return [*found, contents(h5, "a.h5", "one"), contents(h5, "a.h5", "several")]


@case(0, {"filter-unknown": 2})
def filter_of_the_application(h5, fapl):
    function = FILTER(lambda flags, count, values, size, room, buffer: size)
    made = FilterClass(1, 300, 1, 1, b"nothing at all", None, None, function)
    h5.H5Zregister.must(ctypes.byref(made))
    filled(h5, "a.h5", filters=[(300, p.MANDATORY, [])])
    found = change(h5, "a.h5", fapl, 0, 0)
    h5.H5Zunregister.must(300)
    return found


@case(2, {FILTER_FUNCTION: 1})
def function_for_failures_of_filters(h5, fapl):
    """It matters where there are filters."""
    function = ON_FAILURE(lambda *arguments: 1)
    transfer = h5.plist("DATASET_XFER")
    h5.H5Pset_filter_callback.must(transfer, function, None)
    filled(h5, "a.h5", filters=[p.deflate()])
    filled(h5, "b.h5", filters=[])
    return [change(h5, "a.h5", fapl, 0, transfer), change(h5, "b.h5", fapl, transfer)]


@case(1, {"unverified": 1})
def checksums_not_verified(h5, fapl):
    transfer = h5.plist("DATASET_XFER")
    # H5Z_DISABLE_EDC
    h5.H5Pset_edc_check.must(transfer, 0)
    filled(h5, "a.h5", filters=[p.fletcher32()])
    return change(h5, "a.h5", fapl, 0, transfer)


# ---- elements ----------------------------------------------------------------------------------------------------------------


@case(1, {"no-storage": 1})
def words(h5, fapl):
    word = h5.H5Tcopy.must(h5.type("C_S1"))
    h5.H5Tset_size.must(word, ctypes.c_size_t(-1).value)
    file = h5.create("a.h5", fapl)
    found = []
    for name, filters in (("contiguous", None), ("filtered", [p.deflate()])):
        dset, back = create(h5, file, name, filters, 2, word, 3), (ctypes.c_char_p * 3)()
        found.append(h5.H5Dwrite(dset, word, 0, 0, 0, (ctypes.c_char_p * 3)(b"one", b"and", b"two")))
        found += [h5.H5Dread(dset, word, 0, 0, 0, back), [text.decode() for text in back]]
        h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return found


@case(0, {"variable-length": 1})
def words_where_others_were_never_written(h5, fapl):
    """Each element that is not written gets the fill value, a word of its own."""
    word, dcpl = h5.H5Tcopy.must(h5.type("C_S1")), h5.plist("DATASET_CREATE")
    h5.H5Tset_size.must(word, ctypes.c_size_t(-1).value)
    h5.H5Pset_chunk.must(dcpl, 1, [4])
    h5.H5Pset_fill_value.must(dcpl, word, (ctypes.c_char_p * 1)(b"none"))
    file, back = h5.create("a.h5", fapl), (ctypes.c_char_p * 4)()
    dset = h5.H5Dcreate2.must(file, b"d", word, h5.space([4]), 0, dcpl, 0)
    h5.H5Dwrite.must(dset, word, h5.BLOCK, h5.slab([4], [1], [2]), 0, (ctypes.c_char_p * 2)(b"one", b"two"))
    h5.H5Dread.must(dset, word, 0, 0, 0, back)
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return [text.decode() for text in back]


@case(0, {REFERENCES: 1})
def references(h5, fapl):
    """In a file with addresses of four bytes references have four, too, while HDF5 says eight."""
    fcpl = h5.plist("FILE_CREATE")
    h5.H5Pset_sizes.must(fcpl, 4, 4)
    file = h5.create("a.h5", fapl, fcpl)
    dset, reference = create(h5, file, type="STD_REF_OBJ", filters=[]), ctypes.create_string_buffer(8)
    h5.H5Rcreate.must(reference, file, b"d", 0, -1)
    found = [h5.H5Dwrite(dset, h5.type("STD_REF_OBJ"), 0, 0, 0, reference.raw * SIZE)]
    found.append(h5.read(dset, SIZE, type="STD_REF_OBJ", size=8) == reference.raw * SIZE)
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return found


@case(0, {TYPE: 2})
def text_with_a_byte_order(h5, fapl):
    """HDF5 lets applications give texts what only numbers need."""
    text = h5.H5Tcopy.must(h5.type("C_S1"))
    h5.H5Tset_size.must(text, 4)
    # H5T_ORDER_BE
    h5.H5Tset_order.must(text, 1)
    file = h5.create("a.h5", fapl)
    dset, found = create(h5, file, type=text, filters=[]), []
    for number in (1, 2):
        found += [h5.H5Dwrite(dset, text, 0, 0, 0, ints(SIZE, number)), h5.read(dset, SIZE, type=text) == ints(SIZE, number)]
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return found


@case(1, {CONVERSION: 2})
def conversion_that_only_hdf5_does(h5, fapl):
    filled(h5, "a.h5", filters=[p.deflate()])
    file = h5.open("a.h5", fapl, h5.RDWR)
    dset = h5.H5Dopen2.must(file, b"d", 0)
    found = [put(h5, dset, 1000)]
    for first in (2000, 3000):
        numbers = (ctypes.c_longdouble * SIZE)(*[first + number for number in range(SIZE)])
        found.append(h5.H5Dwrite(dset, h5.type("NATIVE_LDOUBLE"), 0, 0, 0, numbers))
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return [*found, contents(h5, "a.h5")]


@case(1, {CONVERSION_FUNCTION: 1})
def function_for_exceptions_in_conversions(h5, fapl):
    function = ON_EXCEPTION(lambda *arguments: 0)
    transfer = h5.plist("DATASET_XFER")
    h5.H5Pset_type_conv_cb.must(transfer, function, None)
    filled(h5, "a.h5", filters=[p.deflate()])
    return change(h5, "a.h5", fapl, 0, transfer)


@case(1, {TRANSFORM: 2})
def data_transform(h5, fapl):
    transfer = h5.plist("DATASET_XFER")
    h5.H5Pset_data_transform.must(transfer, b"2*x+1")
    filled(h5, "a.h5", filters=[p.deflate()])
    return change(h5, "a.h5", fapl, transfer, 0, transfer)


# ---- selections --------------------------------------------------------------------------------------------------------------


@case(3, {})
def place_named_twice(h5, fapl):
    """The last of its values stays."""
    filled(h5, "a.h5", filters=[p.deflate()])
    file = h5.open("a.h5", fapl, h5.RDWR)
    dset, found = h5.H5Dopen2.must(file, b"d", 0), []
    for points in ([1, 1, 2], [3, 0, 4], [2, 99, 2]):
        space = h5.space([SIZE])
        h5.H5Sselect_elements.must(space, h5.SET, len(points), points)
        found.append(put(h5, dset, 1000 * (1 + len(found)), space=space, count=len(points)))
        h5.H5Sclose(space)
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return [*found, contents(h5, "a.h5")]


@case(18, {})
def places_named_again_at_random(h5, fapl):
    """The same in every layout, with conversion and without, from memory with gaps, and over several chunks."""
    chance, found = random.Random(5), []
    for number, filters in enumerate((None, [], [p.deflate()])):
        for type in ("STD_I32LE", "IEEE_F64BE"):
            path = f"{number}{type}.h5"
            filled(h5, path, filters=filters, type=type)
            file = h5.open(path, fapl, h5.RDWR)
            dset = h5.H5Dopen2.must(file, b"d", 0)
            for first in (1000, 2000, 3000):
                points = [chance.randrange(SIZE // 2) for _ in range(chance.randrange(30, 60))]
                space, memory = h5.space([SIZE]), h5.slab([2 * len(points)], [1], [len(points)], [2])
                h5.H5Sselect_elements.must(space, h5.SET, len(points), points)
                found.append(h5.H5Dwrite(dset, h5.type("STD_I32LE"), memory, space, 0, ints(2 * len(points), first)))
                h5.H5Sclose(space)
                h5.H5Sclose(memory)
            h5.H5Dclose.must(dset)
            h5.H5Fclose.must(file)
            file = h5.open(path, h5.native)
            dset = h5.H5Dopen2.must(file, b"d", 0)
            found.append(struct.unpack(f"<{SIZE}i", h5.read(dset, SIZE)))
            h5.H5Dclose.must(dset)
            h5.H5Fclose.must(file)
    return found


@case(0, {SELECTION: 3})
def selections_that_do_not_fit(h5, fapl):
    """More or fewer elements than in memory, and another rank."""
    filled(h5, "a.h5")
    file = h5.open("a.h5", fapl, h5.RDWR)
    dset = h5.H5Dopen2.must(file, b"d", 0)
    found = []
    for elements, space in ((5, h5.slab([SIZE], [0], [6])), (6, h5.slab([SIZE], [0], [5])), (4, h5.slab([10, 10], [0, 0], [2, 2]))):
        found.append(h5.H5Dwrite(dset, h5.type("STD_I32LE"), h5.space([elements]), space, 0, ints(10, 1000)))
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return [*found, contents(h5, "a.h5")]


@case(0, {NOTHING: 3})
def nothing_selected(h5, fapl):
    """Of contiguous data, of chunks, and of a dataset that has no place for any."""
    file, none, found = h5.create("a.h5"), h5.space([SIZE]), []
    h5.H5Sselect_none.must(none)
    h5.make(file, "contiguous", [SIZE], ints(SIZE))
    h5.make(file, "chunked", [SIZE], ints(SIZE), chunk=[CHUNK])
    h5.make(file, "null", None, None)
    h5.H5Fclose.must(file)
    file = h5.open("a.h5", fapl, h5.RDWR)
    for name in ("contiguous", "chunked", "null"):
        dset = h5.H5Dopen2.must(file, name.encode(), 0)
        space = h5.ALL if name == "null" else none
        found += [h5.H5Dwrite(dset, h5.type("STD_I32LE"), space, space, 0, ints(SIZE, 1000)), h5.H5Dclose(dset)]
    h5.H5Fclose.must(file)
    return [*found, contents(h5, "a.h5", "contiguous"), contents(h5, "a.h5", "chunked")]


if __name__ == "__main__":
    CASES.main()
