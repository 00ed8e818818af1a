"""Several datasets in one call (H5Dread_multi)."""

import ctypes
import os

from access_paths import access_path, ints, list_with, simple


def read_multi(h5, dsets, sizes, types=None):
    """H5Dread_multi of whole datasets: the result, the values and the errors."""
    buffers = [ctypes.create_string_buffer(b"\x5a" * size, size) for size in sizes]
    pointers = (ctypes.c_void_p * len(dsets))(*[ctypes.addressof(buffer) for buffer in buffers])
    types = types or [h5.type("STD_I32LE")] * len(dsets)
    result = h5.H5Dread_multi(len(dsets), dsets, types, [0] * len(dsets), [0] * len(dsets), 0, pointers)
    errors = h5.errors() if result < 0 else []
    return result, [sum(buffer.raw) for buffer in buffers], errors


@access_path(3)
def multi_one_file(h5, fapl):
    simple(h5, names=("x", "y", "z"))
    file = h5.open("a.h5", fapl)
    dsets = [h5.H5Dopen2.must(file, name, 0) for name in (b"x", b"y", b"z")]
    return read_multi(h5, dsets, [400] * 3)[:2]


@access_path(6, {"compact": 1})
def multi_mixed(h5, fapl):
    """Bypassed and passed-on datasets in one call."""
    simple(h5, names=("x", "y"))
    file = h5.open("a.h5", h5.native, h5.RDWR)
    h5.make(file, "deflated", [100], ints(100, 50), chunk=[20], dcpl=list_with(h5, "DATASET_CREATE", "H5Pset_deflate", 1))
    compact = list_with(h5, "DATASET_CREATE", "H5Pset_layout", 0)
    h5.make(file, "compact", [100], ints(100, 60), dcpl=compact)
    h5.make(file, "references", [50], bytes(400), dcpl=compact, type="STD_REF_OBJ")
    h5.make(file, "chunked", [100], ints(100, 70), chunk=[33])
    h5.H5Fclose.must(file)
    file = h5.open("a.h5", fapl)
    dsets = [h5.H5Dopen2.must(file, name, 0) for name in (b"x", b"deflated", b"y", b"compact", b"chunked")]
    dsets += [h5.H5Dopen2.must(file, name, 0) for name in (b"references", b"x")]
    types = [h5.type("STD_I32LE")] * 5 + [h5.type("STD_REF_OBJ"), h5.type("IEEE_F64LE")]
    return read_multi(h5, dsets, [400] * 6 + [800], types)[:2]


@access_path(2)
def multi_two_files(h5, fapl):
    """Native HDF5 refuses; through the connector it works. The only case where the two differ on purpose."""
    simple(h5, "a.h5", 10)
    simple(h5, "b.h5", 20)
    files = [h5.open("a.h5", fapl), h5.open("b.h5", fapl)]
    result, sums, errors = read_multi(h5, [h5.H5Dopen2.must(file, b"d", 0) for file in files], [400] * 2)
    if fapl == h5.native:
        # What it must be, in native's place.
        assert result < 0 and any("different files" in text for text in errors), errors
        return [0, [sum(ints(100, 10)), sum(ints(100, 20))]]
    return [result, sums]


@access_path(2)
def multi_fails_by_name(h5, fapl):
    """One of two datasets cannot be read (its raw file is a folder): the call fails, and the connector says which it was."""
    os.mkdir("folder")
    file = h5.create("a.h5")
    h5.make(file, "good", [100], ints(100))
    h5.make(file, "bad", [100], None, dcpl=list_with(h5, "DATASET_CREATE", "H5Pset_external", b"folder", 0, 400))
    h5.H5Fclose.must(file)
    file = h5.open("a.h5", fapl)
    result, _, errors = read_multi(h5, [h5.H5Dopen2.must(file, name, 0) for name in (b"good", b"bad")], [400] * 2)
    if fapl != h5.native:
        text = "\n".join(errors)
        assert "'/bad'" in text and "a.h5" in text and "Is a directory" in text and "'/good'" not in text, text
    return result
