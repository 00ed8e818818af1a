"""A built-in filter that this HDF5 may have been built without (szip), in datasets from which it may be left out.

    absent_filter.py HOST [CASE ...]

Natively the chunks are then stored without it, and say so in their filter masks.
"""

import ctypes

from cases import Cases
from writes_regressions_calls import CHUNK, contents, create, put

CASES = Cases()
case = CASES.case
SZIP, OPTIONAL = 4, 1
# Entropy coding (4) of little-endian numbers without a header (128 + 8): what HDF5 makes of the first two where it has szip.
PARAMETERS = [140, 16, 32, CHUNK]


def has_szip(h5):
    return h5.H5Zfilter_avail(SZIP) > 0


def masks(h5, path, name):
    """Which filters each chunk was stored without, natively."""
    file = h5.open(path, h5.native)
    dset, found = h5.H5Dopen2.must(file, name.encode(), 0), []
    for start in range(0, 3 * CHUNK, CHUNK):
        mask, address, size = ctypes.c_uint(), ctypes.c_uint64(), ctypes.c_uint64()
        h5.H5Dget_chunk_info_by_coord.must(dset, [start], *map(ctypes.byref, (mask, address, size)))
        found.append([mask.value, size.value == 4 * CHUNK])
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return found


@case(None)
def optional_filter(h5, fapl):
    """Whole chunks, and a part of one."""
    file = h5.create("a.h5", fapl)
    parameters = (ctypes.c_uint * len(PARAMETERS))(*PARAMETERS)
    szip = (SZIP, OPTIONAL, ctypes.c_size_t(len(PARAMETERS)), parameters)
    dset = create(h5, file, "d", size=3 * CHUNK, deflate=False, H5Pset_filter=szip)
    results = [put(h5, dset, 0, range(2 * CHUNK), 3 * CHUNK), put(h5, dset, 2 * CHUNK + 7, range(9), 3 * CHUNK)]
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return has_szip(h5), results, masks(h5, "a.h5", "d"), contents(h5, "a.h5", "d", 3 * CHUNK)


if __name__ == "__main__":
    CASES.main(filters=False)
