"""Dumps every HDF5 file of the folders named on stdin, one folder and one line of JSON at a time. Runs natively."""

import hashlib
import json
import os
import sys
from pathlib import Path

import h5py
import numpy as np


def plain(value, file):
    """A value as JSON can carry it."""
    if isinstance(value, h5py.RegionReference):
        return ["region", h5py.h5r.get_name(value, file.id).decode() if value else None]
    if isinstance(value, h5py.Reference):
        return ["object", file[value].name if value else None]
    if isinstance(value, np.ndarray):
        return [plain(item, file) for item in (value if value.dtype.hasobject else value.tolist())]
    if isinstance(value, (list, tuple)):
        return [plain(item, file) for item in value]
    if isinstance(value, np.void):
        return [plain(value[name], file) for name in value.dtype.names or ()] or value.tobytes().hex()
    if isinstance(value, np.generic):
        return plain(value.item(), file)
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return value if isinstance(value, (int, float, str, type(None))) else repr(value)


def attributes(node, file):
    """All attributes, by name."""
    found = {}
    for name in node.attrs:
        try:
            found[name] = plain(node.attrs[name], file)
        except Exception as error:
            found[name] = f"unreadable: {type(error).__name__}"
    return found


def dump_dataset(data, file):
    """Type, shape, storage and values of a dataset."""
    kind = data.id.get_type()
    try:
        name = str(data.dtype)
    except TypeError:
        name = f"class {kind.get_class()} of {kind.get_size()} bytes"
    found = {
        "dtype": name,
        "committed": bool(kind.committed()),
        "shape": data.shape,
        "chunks": data.chunks,
        "filters": data.id.get_create_plist().get_nfilters(),
        "attributes": attributes(data, file),
    }
    try:
        found["values"] = plain(data[()], file)
    except Exception as error:
        found["values"] = f"unreadable: {type(error).__name__}"
    return found


def dump_group(group, file, seen):
    """Links and what they lead to; an object reached a second time is named, not dumped again."""
    found = {"attributes": attributes(group, file), "links": {}}
    for name in group:
        link = group.get(name, getlink=True)
        if isinstance(link, h5py.SoftLink):
            found["links"][name] = ["soft", link.path]
            continue
        if isinstance(link, h5py.ExternalLink):
            found["links"][name] = ["external", link.filename, link.path]
            continue
        node = group[name]
        address = h5py.h5o.get_info(node.id).addr
        if address in seen:
            found["links"][name] = ["again", seen[address]]
            continue
        seen[address] = node.name
        if isinstance(node, h5py.Group):
            found["links"][name] = dump_group(node, file, seen)
        elif isinstance(node, h5py.Dataset):
            found["links"][name] = dump_dataset(node, file)
        else:
            found["links"][name] = {"committed": str(node.dtype), "attributes": attributes(node, file)}
    return found


def dump_file(path):
    """One file: as HDF5 if h5py can open it, else its size and, if it is no HDF5 at all, its hash."""
    try:
        with h5py.File(path, "r") as file:
            return {"userblock": file.userblock_size, "root": dump_group(file, file, {})}
    except OSError:
        content = path.read_bytes()
        # A member of a family is part of an HDF5 file and carries times of modification: its size must do.
        return [len(content)] if path.suffix == ".h5" else [len(content), hashlib.sha256(content).hexdigest()]


for line in sys.stdin:
    folder = Path(line.strip())
    # Virtual datasets and external files are found relative to the folder.
    os.chdir(folder)
    dumped = {str(path.relative_to(folder)): dump_file(path) for path in sorted(folder.rglob("*")) if path.is_file()}
    print(json.dumps(dumped), flush=True)
