"""Datatypes and pipelines for the random writes: what is stored, what may be in memory instead, and which filters keep it exactly.

Types are tuples as in conversions.py. A stored record has no gaps: what lies in them after a conversion is undefined natively.
"""

import zlib

import pipelines as p
from conversions import number_format, random_names, random_number, random_text
from filters import available, random_pipeline

OPAQUE = (1, 3, 24)
TRUTH = ("names", "STD_I8LE", (("FALSE", 0), ("TRUE", 1)))


def stored_type(rng, depth=0):
    """A type to store."""
    which = rng.random()
    if which < 0.66 or depth > 1:
        return random_number(rng)
    if which < 0.72:
        return random_text(rng)
    if which < 0.77:
        return random_names(rng, rng.sample(["RED", "GREEN", "BLUE", "NONE"], rng.randint(1, 4)))
    if which < 0.8:
        return TRUTH
    if which < 0.84:
        return ("opaque", rng.choice(OPAQUE))
    if which < 0.89:
        return ("array", stored_type(rng, depth + 1), tuple(rng.randint(1, 3) for _ in range(rng.randint(1, 2))))
    members = tuple((f"m{number}", 0, stored_type(rng, depth + 1)) for number in range(rng.randint(1, 4)))
    return ("record", members, 0)


def memory_type(rng, spec, same=0.6):
    """The stored type itself, or another that HDF5 converts to it and from it."""
    kind = spec[0]
    if rng.random() < same or kind == "opaque":
        return spec
    if kind == "text":
        # Never into another character set: that is refused.
        return ("text", rng.choice([1, 3, 8, 20]), rng.randint(0, 2), spec[3])
    if kind == "names":
        names = [name for name, _ in spec[2]]
        rng.shuffle(names)
        return random_names(rng, names)
    if kind == "array":
        return ("array", memory_type(rng, spec[1], 0.2), spec[2])
    if kind == "record":
        members = [(name, rng.choice([0, 0, 1, 4]), memory_type(rng, member, 0.7)) for name, _, member in spec[1]]
        if rng.random() < 0.5:
            members = rng.sample(members, rng.randint(1, len(members)))
        if rng.random() < 0.2:
            members.append(("more", 0, ("std", "STD_I16LE")))
        return ("record", tuple(members), rng.choice([0, 0, 5]))
    return other_number(rng, spec)


def other_number(rng, spec):
    """Another number. Not between integers and half precision: HDF5 writes outside of a buffer there."""
    while True:
        other = random_number(rng)
        if "half" not in (spec[0], other[0]) or is_float(spec) and is_float(other):
            return other


def is_float(spec):
    return (number_format(spec) or ("",))[0] == "float"


def pipeline(rng, h5, spec, host):
    """Filters that give back exactly what they were given, of those the library has; sometimes none."""
    if rng.random() < 0.3:
        return []
    number = number_format(spec)
    kind, bits = (number[0], number[1]) if number else ("other", 0)
    for _ in range(50):
        made = random_pipeline(rng, kind, bits)
        if available(h5, made) and exact(made, spec, host):
            return made
    return [p.shuffle(), p.deflate()]


def exact(made, spec, host):
    """Whether HDF5 stores and reads it without loss, so that it does not matter how often a chunk was stored in between."""
    for place, (number, _, parameters) in enumerate(made):
        if place and number in (p.BLOSC, p.BLOSC2):
            # It writes outside of a buffer when it is given more bytes than a chunk has.
            return False
        if number == p.SCALEOFFSET and (parameters != [p.INT_BITS, 0] or "tables" in host):
            # 1.14.6 fails on some of its own chunks.
            return False
        if number == p.NBIT and any(kind in str(spec) for kind in ("precision", "array")):
            return False
    return True


def encoded(elements, made, size, level):
    """The elements of a chunk as they are stored, or None where only the filters themselves could tell."""
    for number, _, _ in made:
        if number == p.DEFLATE:
            elements = zlib.compress(elements, level)
        elif number == p.SHUFFLE:
            elements = shuffled(elements, size)
        else:
            return None
    return elements


def decoded(raw, mask, made, size):
    """The elements of a chunk as it is stored, or None where only the filters themselves could tell."""
    if any(number not in (p.FLETCHER32, p.DEFLATE, p.SHUFFLE) for number, _, _ in made):
        return None
    for place in reversed(range(len(made))):
        number = made[place][0]
        if mask >> place & 1:
            continue
        if number == p.FLETCHER32:
            raw = raw[:-4]
        elif number == p.DEFLATE:
            raw = zlib.decompress(raw)
        else:
            raw = unshuffled(raw, size)
    return raw


def shuffled(elements, size):
    """First bytes of all elements first. What is left over stays as it is."""
    count = len(elements) // size
    return b"".join(elements[byte:count * size:size] for byte in range(size)) + elements[count * size:]


def unshuffled(raw, size):
    count = len(raw) // size
    mixed = bytearray(raw)
    for byte in range(size):
        mixed[byte:count * size:size] = raw[byte * count:(byte + 1) * count]
    return bytes(mixed)
