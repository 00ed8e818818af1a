"""Pairs of datatypes to convert between, with content that shows the difference.

A type is a tuple, as in random_types.py, with a few more kinds:

    ("half", order)                       IEEE half precision, made by hand: 1.14 has no name for it
    ("names", base, ((name, number), ..)) an enumeration
    ("text", size, padding, charset)      a string
    ("record", ((name, gap, type), ..), tail)
    ("array", type, dims)
"""

import ctypes
import math
import struct

import random_types

BITS = (8, 16, 32, 64)
FLOATS = {16: "e", 32: "f", 64: "d"}
EDGES = [0.0, -0.0, 1.0, -1.5, 7.25, 127.5, 128.0, 255.9, -128.9, 32768.0, 65504.0, 65520.0, 1e5, 2.0**31, -(2.0**31) - 1, 2.0**53 + 1]
EDGES += [2.0**63, 2.0**64, -(2.0**64), 1e-8, 5.96e-8, 1e-40, 1e-310, 5e-324, 3.5e38, 1e300, math.inf, -math.inf, math.nan]
WORDS = [b"", b"a", b"ab  ", b"word", b"a longer one", b"with\0zero", b"   ", b"exactly sixteen!", b"\xc3\xa4\xc3\xb6"]


# ---- types -------------------------------------------------------------------------------------------------------------------


def build(h5, spec):
    """The datatype; the caller closes it."""
    kind = spec[0]
    if kind == "half":
        made = h5.H5Tcopy.must(h5.type(f"IEEE_F32{spec[1]}"))
        h5.H5Tset_fields.must(made, 15, 10, 5, 0, 10)
        h5.H5Tset_precision.must(made, 16)
        h5.H5Tset_size.must(made, 2)
        h5.H5Tset_ebias.must(made, 15)
        return made
    if kind == "names":
        made = h5.H5Tenum_create.must(h5.type(spec[1]))
        for name, number in spec[2]:
            h5.H5Tenum_insert.must(made, name.encode(), ctypes.create_string_buffer(whole_number(spec[1], number), 8))
        return made
    if kind == "text":
        made = h5.H5Tcopy.must(h5.type("C_S1"))
        h5.H5Tset_size.must(made, spec[1])
        h5.H5Tset_strpad.must(made, spec[2])
        h5.H5Tset_cset.must(made, spec[3])
        return made
    if kind == "array":
        base = build(h5, spec[1])
        made = h5.H5Tarray_create2.must(base, len(spec[2]), list(spec[2]))
        h5.H5Tclose(base)
        return made
    if kind == "record":
        members = [(name, gap, build(h5, member)) for name, gap, member in spec[1]]
        made = h5.H5Tcreate.must(6, sum(gap + h5.H5Tget_size(member) for _, gap, member in members) + spec[2])
        offset = 0
        for name, gap, member in members:
            h5.H5Tinsert.must(made, name.encode(), offset + gap, member)
            offset += gap + h5.H5Tget_size(member)
            h5.H5Tclose(member)
        return made
    return random_types.build_type(h5, spec)


def whole_number(name, number):
    """An integer as bytes of a type like STD_I16BE, its lowest bits if it does not fit."""
    bits = int(name[5:-2])
    return (number % (1 << bits)).to_bytes(bits // 8, "little" if name.endswith("LE") else "big")


def is_ours(source, target, old):
    """Whether the conversion must have been bypassed; the others may be. `old`: the library is from before version 2.

    HDF5 pairs the members of enumerations rightly only if both have the same names, and the old one rounds floats in a way that
    depends on the elements before: both are left to it.
    """
    kinds = source[0], target[0]
    if kinds == ("record", "record"):
        wanted = {name: member for name, _, member in target[1]}
        return all(is_ours(member, wanted[name], old) for name, _, member in source[1] if name in wanted)
    if kinds == ("array", "array"):
        return is_ours(source[1], target[1], old)
    if kinds == ("names", "names"):
        return {name for name, _ in source[2]} == {name for name, _ in target[2]}
    if kinds == ("text", "text"):
        return True
    if kinds[0] == "names":
        return is_ours(("std", source[1]), target, old)
    numbers = [number_format(spec) for spec in (source, target)]
    if None in numbers:
        return False
    (one, bits, order), (other, fewer, other_order) = numbers
    rounds = one == other == "float" and fewer < bits
    return not (old and rounds and not (order == other_order == "LE" and fewer == 32))


def number_format(spec):
    """(int or float, bits, order) of a plain number, else None."""
    if spec[0] == "half":
        return ("float", 16, spec[1])
    if spec[0] == "std" and spec[1].startswith(("STD_I", "STD_U", "IEEE_F")):
        return ("float" if spec[1].startswith("IEEE") else "int", int("".join(filter(str.isdigit, spec[1]))), spec[1][-2:])
    return None


def has_record(spec):
    """Whether there are bytes that a conversion to the type may leave as they are."""
    return spec[0] == "record" or (spec[0] == "array" and has_record(spec[1]))


def changes_zeros(spec):
    """Whether zero bytes may become something else when they are converted to the type."""
    return spec[0] in ("names", "text") or (spec[0] == "array" and changes_zeros(spec[1]))


# ---- random pairs ------------------------------------------------------------------------------------------------------------


def random_number(rng):
    order = rng.choice(["LE", "LE", "BE"])
    which = rng.random()
    if which < 0.55:
        return ("std", f"STD_{rng.choice('IU')}{rng.choice(BITS)}{order}")
    if which < 0.65:
        return ("half", order)
    if which < 0.95:
        return ("std", f"IEEE_F{rng.choice([32, 64])}{order}")
    bits = rng.choice([16, 32, 64])
    precision = rng.randint(bits // 2 + 1, bits - 1)
    return ("precision", f"STD_{rng.choice('IU')}{bits}{order}", precision, rng.randint(0, bits - precision))


def random_text(rng):
    return ("text", rng.choice([1, 2, 4, 7, 16, 40]), rng.randint(0, 2), 0 if rng.random() < 0.9 else 1)


def random_names(rng, names):
    base = f"STD_{rng.choice('IIU')}{rng.choice(BITS)}{rng.choice(['LE', 'LE', 'BE'])}"
    return ("names", base, tuple(zip(names, rng.sample(range(100), len(names)))))


def random_pair(rng, depth=0):
    """A type and another one to which HDF5 may convert it."""
    which = rng.random()
    if which < 0.45 or depth > 2:
        return random_number(rng), random_number(rng)
    if which < 0.55:
        return random_text(rng), random_text(rng)
    if which < 0.65:
        names = rng.sample(["RED", "GREEN", "BLUE", "NONE", "OTHER"], rng.randint(1, 5))
        more = [name for name in ("MORE", "STILL MORE") if rng.random() < 0.4]
        target = [*names, *more]
        rng.shuffle(target)
        if rng.random() < 0.1:
            target = target[1:] or ["LOST"]
        if rng.random() < 0.15:
            return random_names(rng, names), random_number(rng)
        return random_names(rng, names), random_names(rng, target)
    if which < 0.68:
        # What h5py makes of booleans.
        truth = ("names", "STD_I8LE", (("FALSE", 0), ("TRUE", 1)))
        return truth, rng.choice([("std", "STD_U8LE"), truth])
    if which < 0.8:
        one, other = random_pair(rng, depth + 1)
        dims = tuple(rng.randint(1, 3) for _ in range(rng.randint(1, 2)))
        return ("array", one, dims), ("array", other, dims if rng.random() < 0.95 else (*dims, 2))
    if which < 0.97:
        return random_records(rng, depth)
    # What HDF5 refuses, or does in ways of its own.
    odd = [("opaque", 4), ("std", "STD_B16LE"), ("std", "STD_B32BE"), ("text", 8, 0, 0), ("std", "STD_I32LE"), ("std", "STD_REF_OBJ")]
    return rng.choice(odd), rng.choice(odd)


def random_records(rng, depth):
    """Records that share some members, in any order, with others on both sides."""
    shared = [(f"both{number}", *random_pair(rng, depth + 1)) for number in range(rng.choice([0, 1, 1, 2, 3, 3]))]
    ways = [[], []]
    for side, members in enumerate(ways):
        members += [(pair[0], rng.choice([0, 0, 1, 3]), pair[1 + side]) for pair in shared]
        alone = rng.choice([0, 0, 1, 2]) if shared else 1
        members += [(f"own{side}{number}", rng.choice([0, 2]), random_pair(rng, depth + 1)[side]) for number in range(alone)]
    if rng.random() < 0.6:
        rng.shuffle(ways[1])
    elif rng.random() < 0.3 and len(ways[1]) > 1:
        # The first members only, as they are: HDF5 has a way of its own for these.
        keep = rng.randint(1, len(shared) or 1)
        ways[1] = [(name, gap, member) for name, gap, member in ways[0][:keep]]
    return tuple(("record", tuple(members), rng.choice([0, 0, 3])) for members in ways)


# ---- content -----------------------------------------------------------------------------------------------------------------


def element(rng, spec):
    """Bytes of one element: values at the edges of types, sometimes just bits."""
    kind = spec[0]
    if kind == "record":
        parts = [rng.randbytes(gap) + element(rng, member) for _, gap, member in spec[1]]
        return b"".join(parts) + rng.randbytes(spec[2])
    if kind == "array":
        return b"".join(element(rng, spec[1]) for _ in range(math.prod(spec[2])))
    if kind == "text":
        return rng.choice(WORDS)[: spec[1]].ljust(spec[1], rng.choice([b"\0", b" ", b"x"]))
    if kind == "names":
        number = rng.choice([number for _, number in spec[2]] * 4 + [77])
        return whole_number(spec[1], number)
    if kind in ("half", "std", "precision") and rng.random() < 0.7:
        name = f"IEEE_F16{spec[1]}" if kind == "half" else spec[1]
        if name.startswith("IEEE"):
            value = rng.choice(EDGES) * rng.choice([1, -1])
            try:
                return struct.pack(("<" if name.endswith("LE") else ">") + FLOATS[int(name[6:-2])], value)
            except OverflowError:
                pass
        elif name.startswith(("STD_I", "STD_U")):
            edge = 1 << rng.choice([0, 1, 7, 8, 15, 16, 24, 31, 32, 53, 63])
            return whole_number(name, rng.choice([edge, edge - 1, -edge, -edge - 1, 0, rng.randint(-200, 200)]))
    return rng.randbytes(size_of(spec))


def size_of(spec):
    """Bytes of one element."""
    kind = spec[0]
    if kind == "record":
        return sum(gap + size_of(member) for _, gap, member in spec[1]) + spec[2]
    if kind == "array":
        return math.prod(spec[2]) * size_of(spec[1])
    if kind in ("text", "string", "opaque"):
        return spec[1]
    if kind == "half":
        return 2
    if "REF" in spec[1]:
        return 8
    return int("".join(filter(str.isdigit, spec[1]))) // 8


def content(rng, spec, count):
    """Bytes of so many elements."""
    pool = [element(rng, spec) for _ in range(min(count, 40))]
    return b"".join(rng.choices(pool, k=count)) if count > 40 else b"".join(pool)
