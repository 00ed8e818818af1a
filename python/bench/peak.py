"""The peak of memory of a process that reads a dataset at once, or does everything but that.

Prints the kibibytes. The output is in memory before, and the difference between the two is what reading needs.
"""

import argparse
import re
import sys

from hdf5 import Buffer, Library
from workloads import FLOAT, product


def peak():
    with open("/proc/self/status") as lines:
        return int(re.search(r"VmHWM:\s+(\d+) kB", lines.read()).group(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True, help="a libhdf5")
    parser.add_argument("--limit", required=True, help="liblimit.so")
    parser.add_argument("--file", required=True)
    parser.add_argument("--extent", required=True, nargs="+", type=int, help="of its dataset")
    parser.add_argument("--way", required=True, choices=["native", "bypass"])
    parser.add_argument("--read", action="store_true")
    args = parser.parse_args()
    library = Library(args.library, args.limit)
    output = Buffer(FLOAT * product(args.extent), 0)
    file = library.open_file(args.file, args.way)
    dataset = library.open_dataset(file, "data")
    if args.read:
        library.call("H5Dread", dataset, library.float, 0, 0, 0, output.address)
    print(peak())
    library.call("H5Dclose", dataset)
    library.call("H5Fclose", file)


if __name__ == "__main__":
    sys.exit(main())
