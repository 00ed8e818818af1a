"""Reads that gave wrong data once."""

import ctypes

from access_paths import access_path, ints, list_with, read_ints, values


@access_path(2)
def unwritten_behind_a_user_block(h5, fapl):
    """H5Dget_offset answers HADDR_UNDEF + user block for a dataset without storage, which looks like an address."""
    file = h5.create("a.h5", fcpl=list_with(h5, "FILE_CREATE", "H5Pset_userblock", 4096))
    h5.make(file, "late", [100], None)
    fill = list_with(h5, "DATASET_CREATE", "H5Pset_fill_value", h5.type("STD_I32LE"), ints(1, 77))
    h5.make(file, "filled", [100], None, dcpl=fill)
    h5.H5Fclose.must(file)
    file = h5.open("a.h5", fapl)
    got = [read_ints(h5, file, "late"), read_ints(h5, file, "filled")]
    h5.H5Fclose.must(file)
    return got


def growing(h5, fapl, dims, unlimited, spots):
    """A dataset of 1-element chunks with one unlimited dimension and a few written elements, read whole."""
    latest = h5.fapl()
    bound = next(bound for bound in (6, 5, 4) if h5.H5Pset_libver_bounds(latest, bound, bound) >= 0)
    h5.H5Pset_libver_bounds.must(latest, bound, bound)
    file = h5.create("a.h5", latest)
    maxdims = [h5.UNLIMITED if axis == unlimited else size for axis, size in enumerate(dims)]
    h5.make(file, "d", dims, None, chunk=[1] * len(dims), maxdims=maxdims)
    dset = h5.H5Dopen2.must(file, b"d", 0)
    for number, spot in enumerate(spots):
        h5.H5Dwrite.must(dset, h5.type("STD_I32LE"), h5.BLOCK, h5.slab(dims, spot, [1] * len(dims)), 0, ints(1, 7 + number))
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    file = h5.open("a.h5", fapl)
    dset = h5.H5Dopen2.must(file, b"d", 0)
    count = 1
    for size in dims:
        count *= size
    got = values(h5.read(dset, count))
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return got


@access_path(1)
def extensible_array_first(h5, fapl):
    return growing(h5, fapl, [8, 2], 0, [[1, 0], [5, 1]])


@access_path(1)
def extensible_array_last(h5, fapl):
    """HDF5 tells chunk coordinates of an extensible array wrongly unless the first dimension is the unlimited one."""
    return growing(h5, fapl, [2, 8], 1, [[1, 0], [0, 3]])


@access_path(1)
def extensible_array_middle(h5, fapl):
    return growing(h5, fapl, [2, 6, 3], 1, [[1, 2, 2], [0, 5, 0]])


@access_path(0, {"reference": 1})
def references_of_four_bytes(h5, fapl):
    """In a file with 4-byte addresses object references have 4 bytes too, while HDF5 says 8."""
    file = h5.create("a.h5", fcpl=list_with(h5, "FILE_CREATE", "H5Pset_sizes", 4, 4))
    h5.make(file, "d", [100], ints(100))
    reference = ctypes.create_string_buffer(8)
    h5.H5Rcreate.must(reference, file, b"d", 0, -1)
    h5.make(file, "r", [20], reference.raw * 20, type="STD_REF_OBJ")
    h5.H5Fclose.must(file)
    file = h5.open("a.h5", fapl)
    dset = h5.H5Dopen2.must(file, b"r", 0)
    got = h5.read(dset, 20, type="STD_REF_OBJ", size=8)
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return got and got.hex()


@access_path(2)
def references_of_eight_bytes(h5, fapl):
    file = h5.create("a.h5")
    h5.make(file, "d", [100], ints(100))
    reference, region = ctypes.create_string_buffer(8), ctypes.create_string_buffer(12)
    h5.H5Rcreate.must(reference, file, b"d", 0, -1)
    h5.make(file, "r", [20], reference.raw * 20, type="STD_REF_OBJ")
    h5.H5Rcreate.must(region, file, b"d", 1, h5.slab([100], [3], [5]))
    h5.make(file, "g", [20], region.raw * 20, type="STD_REF_DSETREG", chunk=[6])
    h5.H5Fclose.must(file)
    file = h5.open("a.h5", fapl)
    got = []
    for name, kind, size in ((b"r", "STD_REF_OBJ", 8), (b"g", "STD_REF_DSETREG", 12)):
        dset = h5.H5Dopen2.must(file, name, 0)
        got.append(h5.read(dset, 20, type=kind, size=size).hex())
        h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return got
