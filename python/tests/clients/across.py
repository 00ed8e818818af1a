"""Copies objects between two files with h5py's `copy`, each opened through connectors of its own.

Usage: across.py SOURCE TARGET ORDERS

ORDERS is JSON: {"source": connector or null, "target": ..., "orders": [[source path, target path, options], ...], "mode": "w" or "r+"}.
A connector is an info string for H5VL, such as "h5stats under_vol=518". Without one, the file is opened natively. Options are
those of h5py's `copy`; "merge" is the flag that h5py has no word for, "group" the group that the target's path is relative to.
"""

from __future__ import annotations

import ctypes
import json
import sys
from pathlib import Path

import h5py
from hdf5lib import Library


def host():
    """The libhdf5 of h5py."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    return Library(next(line.split(maxsplit=5)[5] for line in lines if "/libhdf5-" in line or "/libhdf5.so" in line))


def access(connector):
    """An access list that names a connector by its name and info string."""
    lib = host()
    fapl = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    fapl.set_libver_bounds(h5py.h5f.LIBVER_V18, h5py.h5f.LIBVER_LATEST)
    name, _, info = (connector or "native").partition(" ")
    if name == "native":
        identifier = lib.H5VLget_connector_id_by_name(name.encode())
    else:
        identifier = lib.H5VLregister_connector_by_name(name.encode(), 0)
    assert identifier > 0, connector
    data = ctypes.c_void_p()
    if info:
        assert lib.H5VLconnector_str_to_info(info.encode(), identifier, ctypes.byref(data)) >= 0
    assert lib.H5Pset_vol(fapl.id, identifier, data) >= 0
    return fapl


def opened(name, mode, connector):
    fapl = access(connector)
    encoded = str(name).encode()
    if mode == "w":
        creation = h5py.h5p.create(h5py.h5p.FILE_CREATE)
        return h5py.File(h5py.h5f.create(encoded, h5py.h5f.ACC_TRUNC, fcpl=creation, fapl=fapl))
    return h5py.File(h5py.h5f.open(encoded, h5py.h5f.ACC_RDWR if mode == "r+" else h5py.h5f.ACC_RDONLY, fapl=fapl))


FLAGS = {"shallow": 1, "expand_soft": 2, "expand_external": 4, "expand_refs": 8, "without_attrs": 16, "merge": 64}


def copy(source, target, path, new, options):
    """One H5Ocopy; what was wrong, if it failed."""
    place = target.require_group(options.pop("group")) if "group" in options else target
    lists = h5py.h5p.create(h5py.h5p.OBJECT_COPY)
    lists.set_copy_object(sum(FLAGS[name] for name in options))
    links = h5py.h5p.create(h5py.h5p.LINK_CREATE)
    links.set_create_intermediate_group(True)
    links.set_char_encoding(h5py.h5t.CSET_UTF8)
    try:
        h5py.h5o.copy(source.id, path.encode(), place.id, new.encode(), lists, links)
    except (RuntimeError, OSError, ValueError, KeyError) as error:
        return str(error)
    return None


def main():
    source, target, given = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    with opened(source, given.get("source_mode", "r"), given["source"]) as one, opened(target, given["mode"], given["target"]) as other:
        told = [copy(one, other, *order) for order in given["orders"]]
        open_ids = [h5py.h5f.get_obj_count(file.id, h5py.h5f.OBJ_ALL & ~h5py.h5f.OBJ_FILE) for file in (one, other)]
    print(json.dumps({"errors": told, "open": open_ids}))


if __name__ == "__main__":
    main()
