"""A container used through the C interface of any libhdf5, by ctypes: `LIBHDF5 NAME`. Prints as JSON what was read back."""

from __future__ import annotations

import ctypes
import json
import sys


def main(path, name):
    """Makes a container, and reads it again."""
    h5 = ctypes.CDLL(path)
    hid = ctypes.c_int64

    def call(function, *arguments, result=hid):
        found = getattr(h5, function)
        found.restype = result
        value = found(*[hid(one) if isinstance(one, int) else one for one in arguments])
        if value < 0:
            raise RuntimeError(f"{function} failed")
        return value

    def variable(symbol):
        return hid.in_dll(h5, symbol).value

    def sizes(*numbers):
        return (ctypes.c_uint64 * len(numbers))(*numbers)

    call("H5open", result=ctypes.c_int)
    native, other = variable("H5T_NATIVE_INT_g"), variable("H5T_IEEE_F64BE_g")
    file = call("H5Fcreate", name, 2, 0, 0)
    group = call("H5Gcreate2", file, b"group", 0, 0, 0)
    space = call("H5Screate_simple", 2, sizes(6, 4), None)
    creation = call("H5Pcreate", variable("H5P_CLS_DATASET_CREATE_ID_g"))
    call("H5Pset_chunk", creation, 2, sizes(4, 3), result=ctypes.c_int)
    call("H5Pset_deflate", creation, 3, result=ctypes.c_int)
    dataset = call("H5Dcreate2", group, b"numbers", other, space, 0, creation, 0)
    numbers = (ctypes.c_int * 24)(*range(24))
    call("H5Dwrite", dataset, native, 0, 0, 0, numbers, result=ctypes.c_int)
    scalar = call("H5Screate", 0)
    text = call("H5Tcopy", variable("H5T_C_S1_g"))
    call("H5Tset_size", text, ctypes.c_size_t(-1), result=ctypes.c_int)
    attribute = call("H5Acreate2", dataset, b"unit", text, scalar, 0, 0)
    call("H5Awrite", attribute, text, (ctypes.c_char_p * 1)(b"metres"), result=ctypes.c_int)
    for close, one in (("H5Aclose", attribute), ("H5Tclose", text), ("H5Dclose", dataset), ("H5Pclose", creation),
                       ("H5Sclose", space), ("H5Gclose", group)):
        call(close, one, result=ctypes.c_int)
    call("H5Lcreate_soft", b"/group/numbers", file, b"soft", 0, 0, result=ctypes.c_int)
    call("H5Fclose", file, result=ctypes.c_int)

    file = call("H5Fopen", name, 1, 0)
    dataset = call("H5Dopen2", file, b"soft", 0)
    slab = call("H5Screate_simple", 2, sizes(6, 4), None)
    call("H5Sselect_hyperslab", slab, 0, sizes(1, 1), sizes(2, 2), sizes(2, 2), None, result=ctypes.c_int)
    line = call("H5Screate_simple", 1, sizes(4), None)
    some = (ctypes.c_int * 4)()
    call("H5Dread", dataset, native, line, slab, 0, some, result=ctypes.c_int)
    attribute = call("H5Aopen", dataset, b"unit", 0)
    kind = call("H5Aget_type", attribute)
    unit = (ctypes.c_char_p * 1)()
    call("H5Aread", attribute, kind, unit, result=ctypes.c_int)
    told = {"some": list(some), "unit": unit[0].decode(), "storage": call("H5Dget_storage_size", dataset) > 0}
    call("H5Ldelete", file, b"group", 0, result=ctypes.c_int)
    # Left open: the library closes it when the process ends.
    print(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2].encode())
