"""Conversions by properties and in ways that random reads do not meet, natively and through the connector.

    converted_access_paths.py HOST [CASE ...]

What a case is: cases.py.
"""

import ctypes
import hashlib
import struct

import conversions as c
import pipelines as p
from cases import Cases
from filters import add_filters

CASES = Cases()
case = CASES.case
TRANSFORM = "data-transform"
EXCEPTIONS = "conversion-callback"
# herr_t (*)(int except_type, hid_t src, hid_t dst, void *src_buf, void *dst_buf, void *data)
CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
ABORT, UNHANDLED, HANDLED = -1, 0, 1


def doubles(count, factor=1.0):
    return struct.pack(f"<{count}d", *(factor * (place - count // 3) for place in range(count)))


def write(h5, values, spec=("std", "IEEE_F64LE"), dims=(20, 30), path="a.h5", chunk=(7, 9)):
    """A file with the values four times: contiguous, chunked, filtered, and not written but filled with the first one."""
    file = h5.create(path)
    made = c.build(h5, spec)
    for name in ("contiguous", "chunked", "filtered", "missing"):
        dcpl = h5.plist("DATASET_CREATE")
        if name == "filtered":
            add_filters(h5, dcpl, [p.shuffle(), p.deflate()])
        if name == "missing":
            h5.H5Pset_fill_value.must(dcpl, made, values[: len(values) // (dims[0] * dims[1])])
        h5.make(file, name, list(dims), None if name == "missing" else values, made, None if name == "contiguous" else list(chunk), dcpl)
        h5.H5Pclose(dcpl)
    h5.H5Tclose(made)
    h5.H5Fclose.must(file)


def read_each(h5, fapl, target, dxpl=0, count=600, pattern=b"\x5a", path="a.h5"):
    """All four as the target type, into buffers full of a pattern; None where the read fails, with the texts about datatypes."""
    file = h5.open(path, fapl)
    hid = c.build(h5, target)
    size, got = h5.H5Tget_size(hid), {}
    for name in ("contiguous", "chunked", "filtered", "missing"):
        dset = h5.H5Dopen2.must(file, name.encode(), 0)
        buffer = ctypes.create_string_buffer((pattern * (count * size))[: count * size], count * size)
        if h5.H5Dread(dset, hid, 0, 0, dxpl, buffer) < 0:
            got[name] = [text for text in h5.errors() if "datatype" in text or "conver" in text][:1]
        else:
            got[name] = hashlib.sha1(buffer.raw).hexdigest() if len(buffer) > 2000 else buffer.raw.hex()
        h5.H5Dclose.must(dset)
    h5.H5Tclose(hid)
    h5.H5Fclose.must(file)
    return got


@case(16)
def doubles_to_numbers(h5, fapl):
    write(h5, doubles(600, 123.456))
    return [read_each(h5, fapl, spec) for spec in (("std", "IEEE_F32LE"), ("std", "STD_I16BE"), ("std", "STD_U8LE"), ("std", "STD_U64BE"))]


@case(0, {TRANSFORM: 8})
def transforms(h5, fapl):
    write(h5, doubles(600))
    dxpl = h5.plist("DATASET_XFER")
    h5.H5Pset_data_transform.must(dxpl, b"2*x+1")
    return [read_each(h5, fapl, ("std", name), dxpl) for name in ("IEEE_F64LE", "STD_I32LE")]


def with_callback(h5, answer, values):
    """A transfer list with a callback that stores the number 99 and gives `answer`."""
    seen = []

    def on_exception(kind, _source, _destination, _from, to, _data):
        seen.append(kind)
        ctypes.memmove(to, b"\x63", 1)
        return answer

    write(h5, values)
    function = CALLBACK(on_exception)
    dxpl = h5.plist("DATASET_XFER")
    h5.H5Pset_type_conv_cb.must(dxpl, function, None)
    return dxpl, function, seen


@case(0, {EXCEPTIONS: 4})
def callback_that_handles(h5, fapl):
    dxpl, _function, seen = with_callback(h5, HANDLED, doubles(600, 1.5))
    return [read_each(h5, fapl, ("std", "STD_U8LE"), dxpl), len(seen), sorted(set(seen))]


@case(0, {EXCEPTIONS: 4})
def callback_that_leaves_it(h5, fapl):
    dxpl, _function, seen = with_callback(h5, UNHANDLED, doubles(600, 1.5))
    return [read_each(h5, fapl, ("std", "STD_U8LE"), dxpl), len(seen), sorted(set(seen))]


@case(0, {EXCEPTIONS: 4})
def callback_that_aborts(h5, fapl):
    dxpl, _function, seen = with_callback(h5, ABORT, doubles(600, 1.5))
    return [read_each(h5, fapl, ("std", "STD_U8LE"), dxpl), sorted(set(seen))]


@case(None)
def callback_without_a_conversion(h5, fapl):
    """Nothing is converted, so nobody is asked; who reads is left open."""
    dxpl, _function, seen = with_callback(h5, ABORT, doubles(600, 1.5))
    return [read_each(h5, fapl, ("std", "IEEE_F64LE"), dxpl), seen]


POINT = ("record", (("x", 0, ("std", "IEEE_F64LE")), ("y", 2, ("std", "STD_I16BE")), ("name", 1, ("text", 5, 1, 0))), 3)


@case(17, either=3)
def records(h5, fapl):
    """Fewer members, more members, in another order: what is not there keeps the pattern of the buffer, unless storage is missing,
    which may be left to native."""
    one = struct.pack("<d2xhx5s3x", 2.5, 7, b"ab")
    write(h5, one * 600, POINT)
    targets = [
        ("record", (("x", 0, ("std", "IEEE_F64LE")),), 0),
        ("record", (("y", 0, ("std", "STD_I32LE")), ("new", 4, ("std", "STD_I64LE")), ("x", 0, ("std", "STD_I32BE"))), 5),
        ("record", (("name", 3, ("text", 9, 0, 0)), ("x", 0, ("std", "IEEE_F64LE")), ("y", 0, ("std", "STD_I16LE"))), 0),
        ("record", (("x", 1, ("std", "STD_U8LE")), ("name", 0, ("text", 2, 2, 0))), 1),
        POINT,
    ]
    return [read_each(h5, fapl, target) for target in targets]


@case(7, either=1)
def records_in_records(h5, fapl):
    inner = ("record", (("a", 0, ("std", "STD_I32LE")), ("b", 0, ("array", ("std", "IEEE_F32BE"), (2, 2)))), 0)
    outer = ("record", (("i", 0, inner), ("n", 0, ("std", "STD_U16LE"))), 0)
    write(h5, struct.pack("<i", -5) + struct.pack(">4f", 1, 2, 3, 4e9) + struct.pack("<H", 9), outer, dims=(1, 1), chunk=(1, 1))
    smaller = ("record", (("b", 2, ("array", ("std", "STD_I32LE"), (2, 2))), ("c", 0, ("std", "STD_I8LE"))), 1)
    targets = [("record", (("n", 0, ("std", "STD_I64BE")), ("i", 3, smaller)), 2), ("record", (("i", 0, inner),), 0)]
    return [read_each(h5, fapl, target, count=1) for target in targets]


@case(4, either=4)
def enumerations(h5, fapl):
    """By name, also values that have none. Other names in one than in the other may be left to native."""
    colours = ("names", "STD_I16LE", (("RED", 1), ("GREEN", 5), ("BLUE", 9)))
    write(h5, struct.pack("<6h", 1, 5, 9, 5, 77, -1) * 100, colours)
    more = ("names", "STD_I32BE", (("BLUE", 100), ("BLACK", 101), ("GREEN", -1), ("RED", 0)))
    return [read_each(h5, fapl, target) for target in (more, ("names", "STD_U8LE", (("RED", 1), ("GREEN", 5), ("BLUE", 9))))]


REFUSED = [(("std", "STD_I32LE"), ("text", 4, 0, 0)), (("text", 4, 0, 0), ("std", "IEEE_F32LE")), (("text", 4, 0, 0), ("text", 4, 0, 1))]
REFUSED += [(("array", ("std", "STD_I16LE"), (2,)), ("array", ("std", "STD_I32LE"), (3,))), (("std", "STD_I32LE"), ("opaque", 4))]
REFUSED += [(("std", "STD_I32LE"), ("names", "STD_I32LE", (("ONE", 1),)))]


@case(None)
def refused(h5, fapl):
    """What HDF5 does not convert fails with HDF5's own words."""
    got = []
    for number, (source, target) in enumerate(REFUSED):
        write(h5, b"abcd" * 600, source, path=f"{number}.h5")
        got.append(read_each(h5, fapl, target, path=f"{number}.h5"))
    return got


def read_at_once(h5, fapl, types, size):
    """H5Dread_multi of the three datasets that `write` makes, each into another datatype: digests of buffers of so many bytes."""
    file = h5.open("a.h5", fapl)
    dsets = [h5.H5Dopen2.must(file, name, 0) for name in (b"contiguous", b"chunked", b"filtered")]
    buffers = [ctypes.create_string_buffer(b"\x5a" * size, size) for _ in dsets]
    pointers = (ctypes.c_void_p * 3)(*map(ctypes.addressof, buffers))
    h5.H5Dread_multi.must(3, dsets, types, [0] * 3, [0] * 3, 0, pointers)
    for dset in dsets:
        h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return [hashlib.sha1(buffer.raw).hexdigest() for buffer in buffers]


@case(3)
def several_at_once(h5, fapl):
    """H5Dread_multi with a conversion for each dataset."""
    write(h5, doubles(600))
    return read_at_once(h5, fapl, [h5.type(name) for name in ("IEEE_F32LE", "STD_I16BE", "IEEE_F64LE")], 4800)


@case(4)
def many_elements(h5, fapl):
    """More than HDF5 or we convert at a time."""
    write(h5, doubles(1_200_000, 0.001), dims=(1000, 1200), chunk=(130, 170))
    return read_each(h5, fapl, ("std", "IEEE_F32LE"), count=1_200_000)


if __name__ == "__main__":
    CASES.main()
