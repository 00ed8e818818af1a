"""Shows the connector at work: `demo.py --folder DIR --expect NAME -- COMMAND...`.

Makes a small HDF5 file, reads it with stock h5py natively, then again in a second Python that COMMAND starts
through the connector (`h5bypass run --`), and compares. The second Python asks h5py's own libhdf5 which
connector the file was opened through: HDF5 would fall back to the native one without a word.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys

import h5py
import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "suites"))
from prove_loaded import Host  # noqa: E402


def write(path):
    numbers = numpy.arange(600_000, dtype="<f8").reshape(1000, 600)
    with h5py.File(path, "w") as file:
        file["contiguous"] = numbers
        file.create_dataset("compressed", data=numbers, chunks=(100, 100), compression="gzip", shuffle=True)
        file.create_dataset("text", data=["one", "two", "three"])
        file["compressed"].attrs["unit"] = "m"


def read(path):
    """What the file holds, as digests, and the connector it was read through."""
    with h5py.File(path, "r") as file:
        digest = lambda data: hashlib.sha256(numpy.ascontiguousarray(data)).hexdigest()  # noqa: E731
        return {
            "connector": Host.of("h5py").connector_of(file.id.id),
            "contiguous": digest(file["contiguous"][...]),
            "compressed": digest(file["compressed"][...]),
            "every seventh row": digest(file["compressed"][::7, 5:333]),
            "text": [str(word) for word in file["text"].asstr()[...]],
            "unit": file["compressed"].attrs["unit"],
        }


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
    natively = read(path)
    if natively.pop("connector") != "native":
        fail("the first read should have been native; is HDF5_VOL_CONNECTOR set?")
    print(f"natively:  h5py {h5py.__version__} (HDF5 {h5py.version.hdf5_version}) read {path}")

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

    different = [name for name in natively if natively[name] != through.get(name)]
    if different or natively.keys() != through.keys():
        fail(f"the data differ: {different}")
    print(f"equal:     {', '.join(natively)}")


if __name__ == "__main__":
    main()
