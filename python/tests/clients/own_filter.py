"""An application that registers a filter of its own under a number for which we have a codec.

    own_filter.py HOST NAME

Its filter adds 1 to each byte. Each dataset is written natively or through the connector and read both ways. The last line of output is
JSON: what was read wrongly, and whether the filter was called each time.
"""

import ctypes
import json
import sys

from filter_class import FILTER, FilterClass
from filters import stored_filters
from hdf5lib import Library

NUMBERS = [307, 32000, 32001, 32004, 32008, 32015, 32026]
calls = {"apply": 0, "undo": 0}


@FILTER
def add_one(flags, _count, _parameters, length, _room, buffer):
    undo = flags & 0x100
    calls["undo" if undo else "apply"] += 1
    content = ctypes.string_at(buffer[0], length)
    ctypes.memmove(buffer[0], bytes((byte - 1 if undo else byte + 1) & 255 for byte in content), length)
    return length


def main():
    h5, name = Library(sys.argv[1]), sys.argv[2].encode()
    classes = [FilterClass(1, number, 1, 1, name, None, None, add_one) for number in NUMBERS]
    for one in classes:
        h5.H5Zregister.must(ctypes.byref(one))
    count, wrong = 6000, []
    values = b"".join((number * 7).to_bytes(4, "little") for number in range(count))
    for number in NUMBERS:
        for writer in ("native", "bypass"):
            path = f"{number}-{writer}.h5"
            dcpl = h5.plist("DATASET_CREATE")
            h5.H5Pset_chunk.must(dcpl, 1, [1000])
            h5.H5Pset_filter.must(dcpl, number, 0, 0, None)
            file = h5.create(path, getattr(h5, writer))
            before = calls["apply"]
            h5.make(file, "data", [count], values, dcpl=dcpl)
            h5.H5Fclose.must(file)
            h5.H5Pclose(dcpl)
            if calls["apply"] - before != 6:
                wrong.append([number, writer, "applied", calls["apply"] - before])
            for reader in ("native", "bypass"):
                before = calls["undo"]
                file = h5.open(path, getattr(h5, reader))
                data = h5.H5Dopen2.must(file, b"data", 0)
                if h5.read(data, count) != values:
                    wrong.append([number, writer, reader, "data"])
                if stored_filters(h5, data)[0][3] != name.decode():
                    wrong.append([number, writer, reader, "name"])
                h5.H5Dclose(data)
                h5.H5Fclose.must(file)
                if calls["undo"] - before < 6:
                    wrong.append([number, writer, reader, "undone", calls["undo"] - before])
    print(json.dumps({"wrong": wrong}))


main()
