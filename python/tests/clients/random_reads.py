"""Random reads of one or several datasets, and what the connector must count for them.
"""

import ctypes
import math
import random

from random_datasets import open_dataset
from random_selections import build_space, random_memory, random_selection, repeats
from random_types import build_type, is_converted

GUARD = 64
REASONS = {
    "transform": "data-transform",
    "nothing": "nothing-selected",
    "fill": "no-fill-value",
    "selection": "selection",
    "repeated": "memory-place-twice",
    "reference": "reference",
}
# Bypassed if all chunks that are touched exist, else passed on for want of a fill value.
EITHER = "either"


def random_read(rng, h5, data):
    """A read of the dataset: all that is needed to do it twice."""
    dims = data["dims"]
    if dims is None:
        return {"file": {"kind": "ALL"}, "number": 0, "memory": ([], {"kind": "ALL"}), "type": None, "pattern": rng.randrange(2**32)}
    selection = random_selection(rng, dims)
    space = build_space(h5, dims, selection)
    number = h5.H5Sget_select_npoints(space) if space != h5.ALL else math.prod(dims)
    valid = space == h5.ALL or h5.H5Sselect_valid(space) > 0
    if "shift" in selection and selection["kind"] == "points":
        # H5Sselect_valid lets points one past the end through.
        places = [[place + by for place, by in zip(point, selection["shift"])] for point in selection["points"]]
        valid = all(0 <= place < size for point in places for place, size in zip(point, dims))
    space and h5.H5Sclose(space)
    room = number + (rng.random() < 0.01)
    memory = random_memory(rng, room, dims, selection)
    # H5S_ALL and H5S_BLOCK take as many as the file's selection has.
    valid = valid and (room == number or memory[1]["kind"] in ("ALL", "BLOCK") or memory[1] is selection)
    read = {"file": selection, "valid": valid, "number": number, "memory": memory, "type": None, "pattern": rng.randrange(2**32)}
    if data["type"][0] in ("std", "precision") and rng.random() < 0.06 and "REF" not in data["type"][1] and "_B" not in data["type"][1]:
        read["type"] = rng.choice(["STD_I16BE", "IEEE_F64LE", "STD_U8LE"])
    if data["type"][0] == "std" and "IEEE" in data["type"][1] and "F16" not in data["type"][1] and rng.random() < 0.05:
        read["transform"] = True
    return read


def do_read(h5, dset, data, read):
    """One H5Dread: its result and the whole buffer with the guards."""
    hid = h5.H5Tcopy.must(h5.type(read["type"])) if read["type"] else build_type(h5, data["type"])
    dxpl = 0
    if read.get("transform"):
        dxpl = h5.plist("DATASET_XFER")
        h5.H5Pset_data_transform.must(dxpl, b"2*x")
    return read_guarded(h5, dset, data, read, hid, dxpl)


def read_guarded(h5, dset, data, read, hid, dxpl):
    """One H5Dread as this type, which is closed like the transfer list: the same."""
    extent, selection = read["memory"]
    pattern = random.Random(read["pattern"])
    lead = GUARD + pattern.randrange(9)
    buffer = bytearray(pattern.randbytes(lead + math.prod(extent) * h5.H5Tget_size(hid) + GUARD))
    target = (ctypes.c_char * len(buffer)).from_buffer(buffer)
    memory, file = build_space(h5, extent, selection), build_space(h5, data["dims"], read["file"])
    result = h5.H5Dread(dset, hid, memory, file, dxpl, ctypes.byref(target, lead))
    errors = h5.errors() if result < 0 else None
    for space in (memory, file):
        if space > 1:
            h5.H5Sclose(space)
    dxpl and h5.H5Pclose(dxpl)
    h5.H5Tclose(hid)
    del target
    return result, bytes(buffer) if result >= 0 else b"", errors


def read_multi(h5, file, chosen, folder, build=None):
    """Some of the reads in one call: result and buffers. `build` makes the type of a read in memory; it is the dataset's by default."""
    build = build or (lambda data, read: build_type(h5, data["type"]))
    dsets, types, memories, files, buffers, targets = [], [], [], [], [], []
    for name, data, read in chosen:
        dsets.append(open_dataset(h5, file, name, data, folder))
        types.append(build(data, read))
        extent, selection = read["memory"]
        memories.append(build_space(h5, extent, selection))
        files.append(build_space(h5, data["dims"], read["file"]))
        size = math.prod(extent) * h5.H5Tget_size(types[-1])
        buffers.append(bytearray(random.Random(read["pattern"]).randbytes(size + 2 * GUARD)))
        targets.append((ctypes.c_char * len(buffers[-1])).from_buffer(buffers[-1]))
    pointers = (ctypes.c_void_p * len(targets))(*[ctypes.addressof(target) + GUARD for target in targets])
    result = h5.H5Dread_multi(len(chosen), dsets, types, memories, files, 0, pointers)
    errors = h5.errors() if result < 0 else None
    del targets
    for dset, hid, memory, space in zip(dsets, types, memories, files):
        h5.H5Dclose(dset)
        h5.H5Tclose(hid)
        memory > 1 and h5.H5Sclose(memory)
        space > 1 and h5.H5Sclose(space)
    return result, [bytes(buffer) for buffer in buffers] if result >= 0 else [], errors


def choose_for_multi(rng, plan, native, suits):
    """Some of the reads that succeed natively, for one call of H5Dread_multi.

    Each dataset once: native HDF5 fails on a chunked one that is there twice ("can't insert duplicate key").
    """
    sound = [
        (name, data, read)
        for name, data, reads in plan
        for number, read in enumerate(reads)
        if native[name, number][0] >= 0 and suits(read)
    ]
    rng.shuffle(sound)
    return list({name: (name, data, read) for name, data, read in sound}.values())[: rng.randint(2, 6)]


def expectation(data, read, allocated):
    """What the connector should count for the read: None is a bypassed one, EITHER one that may be."""
    if read.get("transform"):
        return REASONS["transform"]
    if data["short addresses"] and "REF" in str(data["type"]):
        # Stored with as many bytes as the file's addresses have.
        return REASONS["reference"]
    if data["dims"] is None:
        return REASONS["nothing"]
    if data["layout"] == "compact" and "REF" in str(data["type"]):
        # Known after the first read, whatever else is unusual about the next ones.
        return EITHER
    if data.get("absent"):
        # The file is looked for when everything else is settled.
        return EITHER
    if read["type"] and read["type"] != data["type"][1] and not is_converted(data["type"]):
        return EITHER
    if read["number"] == 0:
        return REASONS["nothing"]
    if not read["valid"]:
        return REASONS["selection"]
    extent, selection = read["memory"]
    if selection["kind"] == "ALL":
        if repeats(read["file"]):
            return REASONS["repeated"]
    elif repeats(selection):
        return REASONS["repeated"]
    if data["fill"] == "undefined" and data["fill time"] != 1:
        if data["layout"] == "contiguous" and not allocated:
            return REASONS["fill"]
        if data["layout"] == "chunked":
            return EITHER
    return None
