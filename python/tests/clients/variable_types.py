"""Types with variable-length parts: made for a library, and values of them in and out of a buffer.

A type is a tuple: ("text", character set), ("list", type), ("number", name, struct format), ("record", ((name, type), ...), bytes
at its end), ("array", type, count). A value is a Python object: bytes or None, a list, a number, a dict, a list.
"""

import ctypes
import struct

VARIABLE = 0xFFFFFFFFFFFFFFFF
ASCII, UTF8 = 0, 1
INT = ("number", "STD_I32LE", "<i")
WIDE = ("number", "STD_I64LE", "<q")
BIG = ("number", "STD_I32BE", ">i")
FLOAT = ("number", "IEEE_F32LE", "<f")
DOUBLE = ("number", "IEEE_F64LE", "<d")
TEXT = ("text", UTF8)
PLAIN = ("record", (("n", INT), ("name", TEXT), ("values", ("list", FLOAT))), 0)
PADDED = (*PLAIN[:2], 8)


def build(h5, spec):
    """The identifier of a type."""
    kind, *rest = spec
    if kind == "text":
        made = h5.H5Tcopy.must(h5.type("C_S1"))
        h5.H5Tset_size.must(made, VARIABLE)
        h5.H5Tset_cset.must(made, rest[0])
    elif kind == "list":
        made = h5.H5Tvlen_create.must(build(h5, rest[0]))
    elif kind == "number":
        made = h5.type(rest[0])
    elif kind == "array":
        made = h5.H5Tarray_create2.must(build(h5, rest[0]), 1, [rest[1]])
    else:
        parts = [(name.encode(), build(h5, part)) for name, part in rest[0]]
        made = h5.H5Tcreate.must(6, sum(h5.H5Tget_size(part) for _, part in parts) + rest[1])
        offset = 0
        for name, part in parts:
            h5.H5Tinsert.must(made, name, offset, part)
            offset += h5.H5Tget_size(part)
    return made


def size(spec):
    """Bytes of an element in memory."""
    kind, *rest = spec
    if kind == "record":
        return sum(size(part) for _, part in rest[0]) + rest[1]
    if kind == "array":
        return size(rest[0]) * rest[1]
    return {"text": 8, "list": 16}.get(kind) or struct.calcsize(rest[1])


class Writer:
    """Values as elements in memory. What pointers lead to lives as long as this."""

    def __init__(self):
        self.kept = []

    def keep(self, data):
        buffer = ctypes.create_string_buffer(data, max(len(data), 1))
        self.kept.append(buffer)
        return ctypes.addressof(buffer)

    def element(self, spec, value):
        kind, *rest = spec
        if kind == "text":
            return struct.pack("=Q", 0 if value is None else self.keep(value + b"\0"))
        if kind == "list":
            pointer = self.keep(b"".join(self.element(rest[0], part) for part in value)) if value else 0
            return struct.pack("=QQ", len(value), pointer)
        if kind == "number":
            return struct.pack(rest[1], value)
        if kind == "array":
            return b"".join(self.element(rest[0], part) for part in value)
        return b"".join(self.element(part, value[name]) for name, part in rest[0]) + b"\x77" * rest[1]


def value_of(spec, element):
    """The value of an element in memory."""
    kind, *rest = spec
    if kind == "text":
        (pointer,) = struct.unpack("=Q", element)
        return ctypes.string_at(pointer).decode("latin-1") if pointer else None
    if kind == "list":
        length, pointer = struct.unpack("=QQ", element)
        if not length:
            return [] if not pointer else "a pointer to nothing"
        each = size(rest[0])
        inside = ctypes.string_at(pointer, length * each)
        return [value_of(rest[0], inside[place : place + each]) for place in range(0, len(inside), each)]
    if kind == "number":
        return struct.unpack(rest[1], element)[0]
    if kind == "array":
        each = size(rest[0])
        return [value_of(rest[0], element[place : place + each]) for place in range(0, len(element), each)]
    found, offset = {}, 0
    for name, part in rest[0]:
        found[name] = value_of(part, element[offset : offset + size(part)])
        offset += size(part)
    return found


def values_in(spec, buffer):
    """The values of all elements in a buffer."""
    each = size(spec)
    return [value_of(spec, buffer.raw[place : place + each]) for place in range(0, len(buffer.raw), each)]


def read_values(h5, dset, spec, count):
    """The values of a dataset that is open, whose memory is given back; None if that fails."""
    made, buffer = build(h5, spec), ctypes.create_string_buffer(count * size(spec))
    if h5.H5Dread(dset, made, 0, 0, 0, buffer) < 0:
        return None
    found = values_in(spec, buffer)
    h5.H5Treclaim.must(made, h5.space([count]), 0, buffer)
    return found


def random_value(random, spec, longest=12):
    kind, *rest = spec
    if kind == "text":
        draw = random.random()
        if draw < 0.1:
            return None
        return bytes(random.choices(range(97, 123), k=0 if draw < 0.2 else random.randrange(1, 4 * longest)))
    if kind == "list":
        return [random_value(random, rest[0], max(longest // 2, 2)) for _ in range(random.randrange(longest))]
    if kind == "number":
        return random.randrange(-1000, 1000)
    if kind == "array":
        return [random_value(random, rest[0], longest) for _ in range(rest[1])]
    return {name: random_value(random, part, longest) for name, part in rest[0]}
