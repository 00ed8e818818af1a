"""An ordinary h5py script: `analyse.py FILE OUTPUT` reads measurements, and writes some of them to another file.

It knows nothing of any connector. For each step it prints what it did, how long that took, and a digest of the result, as a line of
JSON.
"""

import hashlib
import json
import sys
import time

import h5py
import numpy


def written(path, data, **options):
    with h5py.File(path, "w") as file:
        file.create_dataset("copy", data=data, **options)


def appended(path, data, rows):
    """Rows as an instrument would deliver them, a few at a time."""
    with h5py.File(path, "w") as file:
        width = data.shape[1]
        log = file.create_dataset("log", (0, width), data.dtype, maxshape=(None, width), chunks=(64, width), compression="gzip", shuffle=True)
        for row in range(0, len(data), rows):
            log.resize(row + rows, axis=0)
            log[row : row + rows] = data[row : row + rows]


READS = {
    "gzip, all of it": lambda file: file["temperature"][...],
    "gzip, every seventh row": lambda file: file["temperature"][::7, 5:3333],
    "gzip tiles, bands of columns": lambda file: numpy.hstack([file["pressure"][:, x : x + 512] for x in range(0, 4096, 512)]),
    "lzf, all of it": lambda file: file["wind"][...],
    "one field of gzip records": lambda file: file["particles"].fields("mass")[...],
    "big-endian doubles as floats": lambda file: file["seismic"].astype("f4")[...],
    "uncompressed, all of it": lambda file: file["height"][...],
    "uncompressed, every second column": lambda file: file["height"][:, ::2],
}

WRITES = {
    "write gzip": lambda path, data: written(path, data, chunks=(64, data.shape[1]), compression="gzip", shuffle=True),
    "append 8 rows at a time, gzip": lambda path, data: appended(path, data[:2048], 8),
}


def timed(work):
    """What the work gives, and the time it took: by the clock, and of all processors together."""
    begin = time.perf_counter(), time.process_time()
    result = work()
    return result, time.perf_counter() - begin[0], time.process_time() - begin[1]


def say(step, seconds, cpu, data):
    digest = hashlib.sha256(numpy.ascontiguousarray(data)).hexdigest()
    print(json.dumps({"step": step, "seconds": seconds, "cpu": cpu, "bytes": data.nbytes, "digest": digest}), flush=True)


def all_at_once(path, read):
    with h5py.File(path) as file:
        return read(file)


def main():
    path, output = sys.argv[1:]
    for step, read in READS.items():
        data, seconds, cpu = timed(lambda: all_at_once(path, read))
        say(step, seconds, cpu, data)
    matrix = all_at_once(path, lambda file: file["height"][...])
    for step, write in WRITES.items():
        _, seconds, cpu = timed(lambda: write(output, matrix))
        say(step, seconds, cpu, all_at_once(output, lambda file: file[next(iter(file))][...]))


if __name__ == "__main__":
    main()
