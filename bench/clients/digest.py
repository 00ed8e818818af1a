"""A checksum of what a pass gave, whatever the client returned it as."""

import hashlib

import numpy


def digest_of(value):
    digest = hashlib.blake2b(digest_size=16)
    add(digest, value)
    return digest.hexdigest()


def add(digest, value):
    if isinstance(value, dict):
        add_all(digest, "dict", [part for item in value.items() for part in item])
    elif isinstance(value, list | tuple):
        add_all(digest, "list", value)
    elif isinstance(value, str | bytes | int | float | type(None)):
        digest.update(f"{value!r};".encode())
    elif type(value).__module__.partition(".")[0] == "pandas":
        # A frame as its columns, and the index as one more.
        frame = value.reset_index()
        add_all(digest, "frame", [part for name in frame for part in (str(name), frame[name].to_numpy())])
    elif numpy.asanyarray(value).dtype == object and not isinstance(value, numpy.ndarray):
        # Nothing that numpy knows, such as h5py's Empty.
        digest.update(f"{value!r};".encode())
    else:
        add_array(digest, numpy.asanyarray(value))


def add_all(digest, kind, values):
    digest.update(f"{kind} {len(values)};".encode())
    for value in values:
        add(digest, value)


def add_array(digest, array):
    digest.update(f"{array.dtype} {array.shape};".encode())
    if array.dtype.hasobject:
        add_objects(digest, array)
        return
    if isinstance(array, numpy.ma.MaskedArray):
        add_array(digest, numpy.ma.getmaskarray(array))
        array = array.filled()
    digest.update(numpy.ascontiguousarray(array).tobytes())


def add_objects(digest, array):
    """Strings, sequences, and records with such members."""
    if array.dtype.names:
        for name in array.dtype.names:
            add_array(digest, array[name])
        return
    for item in array.ravel():
        add(digest, item)
