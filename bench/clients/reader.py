"""A native process that judges what the others wrote, and knows the libraries of the clients. Orders:

    read FOLDER       reads every HDF5 file in a folder: the digest of names, shapes, types, attributes and values
    library CLIENT    the libhdf5 of a client: its version, and whether it is thread-safe
"""

import ctypes
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, "..", "shared"), os.path.join(HERE, "..", "..", "python", "suites")]

import h5py
from digest import digest_of
from process import answer_orders, one_line

# References have no value of their own: they point into the file.
REFERENCES = (h5py.Reference, h5py.RegionReference)


def has_references(dtype):
    if dtype.names:
        return any(has_references(dtype[name]) for name in dtype.names)
    base = h5py.check_vlen_dtype(dtype) or dtype
    return h5py.check_ref_dtype(base) in REFERENCES


def attributes(object_):
    found = {}
    for name in sorted(object_.attrs):
        dtype = object_.attrs.get_id(name).dtype
        found[name] = "references" if has_references(dtype) else object_.attrs[name]
    return found


def contents(path):
    """Everything in a file, by name."""
    found = {}
    with h5py.File(path, "r") as file:
        found["/"] = attributes(file)

        def visit(name, object_):
            found[name] = [attributes(object_)]
            if isinstance(object_, h5py.Dataset) and not has_references(object_.dtype):
                stored = (object_.shape, object_.maxshape, object_.chunks, object_.compression)
                found[name] += [repr(stored), str(object_.dtype), object_[()]]

        file.visititems(visit)
    return found


def read(folder):
    names = sorted(os.listdir(folder))
    if not names:
        raise ValueError("nothing was written")
    return {"digest": digest_of({name: contents(os.path.join(folder, name)) for name in names})}


def library(client):
    import prove_loaded

    host, _ = prove_loaded.connector_used_by(client)
    numbers = [ctypes.c_uint() for _ in range(3)]
    host.lib.H5get_libversion(*(ctypes.byref(number) for number in numbers))
    is_safe = ctypes.c_bool()
    host.lib.H5is_library_threadsafe(ctypes.byref(is_safe))
    version = ".".join(str(number.value) for number in numbers)
    return {"name": client, "version": version, "is_thread_safe": is_safe.value}


def answer(order):
    what, _, rest = order.partition(" ")
    return {"read": read, "library": library}[what](rest)


if __name__ == "__main__":
    sys.exit(answer_orders(answer, one_line, lambda: None))
