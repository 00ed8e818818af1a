"""Random datatypes. A type is described by a tuple, so that it can be built more than once and printed.
"""

import ctypes


def is_converted(stored):
    """Whether a stored type is one whose conversion to the numbers of `random_read` is ours on every host."""
    return stored[0] == "std" and not stored[1].startswith(("STD_B", "IEEE_F16"))


def random_type(rng, h5, depth=0):
    """A description: a tuple that `build_type` understands."""
    kinds = ["int"] * 6 + ["float"] * 3 + ["precision", "bitfield", "enum", "string", "opaque", "compound", "array"]
    kinds += ["reference", "complex"] if depth == 0 else []
    kind = rng.choice(kinds)
    order = rng.choice(["LE", "BE"])
    if kind == "int":
        return ("std", f"STD_{rng.choice('IU')}{rng.choice([8, 16, 32, 64])}{order}")
    if kind == "float":
        sizes = [16, 32, 64] if h5.has("H5T_IEEE_F16LE_g") else [32, 64]
        return ("std", f"IEEE_F{rng.choice(sizes)}{order}")
    if kind == "bitfield":
        return ("std", f"STD_B{rng.choice([8, 16, 32, 64])}{order}")
    if kind == "precision":
        bits = rng.choice([16, 32, 64])
        precision = rng.randint(bits // 2 + 1, bits - 1)
        return ("precision", f"STD_{rng.choice('IU')}{bits}{order}", precision, rng.randint(0, bits - precision))
    if kind == "string":
        return ("string", rng.choice([1, 2, 3, 7, 16, 33]), rng.randint(0, 2))
    if kind == "opaque":
        return ("opaque", rng.choice([1, 3, 5, 24, 100, 1500] if depth == 0 else [1, 3, 5]))
    if kind == "enum":
        return ("enum", f"STD_I{rng.choice([8, 16, 32])}{order}")
    if kind == "array":
        return ("array", random_type(rng, h5, depth + 1), tuple(rng.randint(1, 3) for _ in range(rng.randint(1, 3))))
    if kind == "compound":
        members = tuple((rng.randint(0, 3), random_type(rng, h5, depth + 1)) for _ in range(rng.randint(1, 4)))
        return ("compound", members, rng.randint(0, 5))
    if kind == "reference":
        return ("std", rng.choice(["STD_REF_OBJ", "STD_REF_DSETREG"]))
    if h5.has("H5Tcomplex_create"):
        return ("complex", rng.choice(["IEEE_F32LE", "IEEE_F64BE"]))
    return ("std", "STD_I32LE")


def build_type(h5, spec):
    """The datatype of a description; the caller closes it."""
    kind = spec[0]
    if kind == "std":
        return h5.H5Tcopy.must(h5.type(spec[1]))
    if kind == "precision":
        made = h5.H5Tcopy.must(h5.type(spec[1]))
        h5.H5Tset_precision.must(made, spec[2])
        h5.H5Tset_offset.must(made, spec[3])
        return made
    if kind == "string":
        made = h5.H5Tcopy.must(h5.type("C_S1"))
        h5.H5Tset_size.must(made, spec[1])
        h5.H5Tset_strpad.must(made, spec[2])
        return made
    if kind == "opaque":
        made = h5.H5Tcreate.must(5, spec[1])
        h5.H5Tset_tag.must(made, b"tag")
        return made
    if kind == "complex":
        return h5.H5Tcomplex_create.must(h5.type(spec[1]))
    if kind == "enum":
        made = h5.H5Tenum_create.must(h5.type(spec[1]))
        for number, name in enumerate((b"ZERO", b"ONE", b"TWO")):
            # Whatever it means in the base type's byte order: only to be different.
            h5.H5Tenum_insert.must(made, name, ctypes.create_string_buffer(bytes([number] * 8)))
        return made
    if kind == "array":
        base = build_type(h5, spec[1])
        made = h5.H5Tarray_create2.must(base, len(spec[2]), list(spec[2]))
        h5.H5Tclose(base)
        return made
    members = [(gap, build_type(h5, member)) for gap, member in spec[1]]
    made = h5.H5Tcreate.must(6, sum(gap + h5.H5Tget_size(member) for gap, member in members) + spec[2])
    offset = 0
    for number, (gap, member) in enumerate(members):
        offset += gap
        h5.H5Tinsert.must(made, b"m%d" % number, offset, member)
        offset += h5.H5Tget_size(member)
        h5.H5Tclose(member)
    return made
