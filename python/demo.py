"""Shows the connector at work: `demo.py --folder DIR --expect NAME -- COMMAND...`.

Makes an HDF5 file of some 200 MB, reads it with stock h5py natively and in a second Python that COMMAND starts through
the connector (`h5bypass run --`), and compares data and times. The second Python asks h5py's own libhdf5 which connector
the file was opened through: HDF5 would fall back to the native one without a word.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time

import h5py
import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "suites"))
from prove_loaded import Host  # noqa: E402


# How often each read is timed; the fastest counts.
ROUNDS = 3

READS = {
    "gzip + shuffle, all of it": lambda file: file["gzip"][...],
    "gzip + shuffle, every seventh row": lambda file: file["gzip"][::7, 5:3333],
    "lzf, a band of columns": lambda file: file["lzf"][:, 1000:1500],
    "big-endian doubles as floats": lambda file: file["doubles"].astype("f4")[...],
    "uncompressed, all of it": lambda file: file["plain"][...],
    "uncompressed, every second column": lambda file: file["plain"][:, ::2],
}


def write(path):
    random = numpy.random.default_rng(1)
    walk = numpy.cumsum(random.standard_normal((4096, 4096), dtype="f4"), axis=1)
    walk = numpy.round(walk * 64) / 64
    with h5py.File(path, "w") as file:
        file["plain"] = walk
        file.create_dataset("gzip", data=walk, chunks=(64, 4096), compression="gzip", shuffle=True)
        file.create_dataset("lzf", data=walk, chunks=(512, 512), compression="lzf", shuffle=True)
        file["doubles"] = walk[:1024].astype(">f8")
        file.create_dataset("text", data=["one", "two", "three"])
        file["gzip"].attrs["unit"] = "m"


def read(path):
    """What the file holds, as digests, the time each read took, and the connector it was read through."""
    times, digests = {}, {}
    for name, function in READS.items():
        for _ in range(ROUNDS):
            with h5py.File(path, "r") as file:
                begin = time.perf_counter()
                data = function(file)
                times[name] = min(times.get(name, numpy.inf), time.perf_counter() - begin)
        digests[name] = hashlib.sha256(numpy.ascontiguousarray(data)).hexdigest()
    with h5py.File(path, "r") as file:
        digests["text"] = [str(word) for word in file["text"].asstr()[...]]
        digests["unit"] = file["gzip"].attrs["unit"]
        return {"connector": Host.of("h5py").connector_of(file.id.id), "times": times, "data": digests}


def fail(reason):
    sys.exit(f"DEMO FAILED: {reason}")


def main():
    if sys.argv[1] == "--read":
        print(json.dumps(read(sys.argv[2])))
        return

    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", required=True)
    parser.add_argument("--expect", required=True)
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()

    path = os.path.join(args.folder, "demo.h5")
    write(path)
    print(f"a file:    {path}, {os.path.getsize(path) / 1e6:.0f} MB")
    natively = read(path)
    if natively.pop("connector") != "native":
        fail("the first read should have been native; is HDF5_VOL_CONNECTOR set?")
    print(f"natively:  read by h5py {h5py.__version__} (HDF5 {h5py.version.hdf5_version})")

    command = [*args.command, sys.executable, os.path.abspath(__file__), "--read", path]
    answer = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if answer.returncode != 0:
        fail(f"{' '.join(command)} ended with {answer.returncode}")
    through = json.loads(answer.stdout)
    used = through.pop("connector")
    if used != args.expect:
        fail(f"h5py's libhdf5 used the connector '{used}', not '{args.expect}'")
    print(f"again, by: {' '.join(args.command)} python ...")
    print(f"           h5py's own libhdf5 says that the file was opened through the connector '{used}'")

    before, after = natively["data"], through["data"]
    different = [name for name in before if before[name] != after.get(name)]
    if different or before.keys() != after.keys():
        fail(f"the data differ: {different}")
    print("equal:     every byte that was read\n")
    print(f"{'milliseconds':36}{'native':>9}{'bypass':>9}   times faster")
    for name in READS:
        native, ours = natively["times"][name], through["times"][name]
        gain = native / ours
        print(f"{name:36}{native * 1000:9.1f}{ours * 1000:9.1f}{gain:8.1f}  {'#' * min(60, round(gain * 2))}")


if __name__ == "__main__":
    main()
