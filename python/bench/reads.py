"""Reads through bypass against native reads: one process, one libhdf5, the same warm files and the same memory.

How it is measured, see measure.py; what, cases.py.

HDF5_PLUGIN_PATH must name the folder of the plugins; HDF5_VOL_CONNECTOR must not be set.
"""

import argparse
import os
import subprocess
import sys

import measure
from cases import CASES
from hdf5 import Library
from workloads import Bench


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", action="append", choices=[case.name for case in CASES], metavar="NAME")
    parser.add_argument("--size", type=int, default=256, help="MiB of the matrices, at least 16")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of the limit")
    parser.add_argument("--host", default="h5py")
    parser.add_argument("--hosts", help="xtask's list of hosts")
    parser.add_argument("--limit", help="liblimit.so")
    parser.add_argument("--data", help="the folder of the files that are read")
    parser.add_argument("--output", help="the JSON file to write")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--prove", action="store_true", help="do the reads once through bypass, and nothing else")
    args = parser.parse_args()
    if args.list:
        return measure.print_list(CASES)

    library = Library(measure.host_path(args.hosts, args.host), args.limit)
    bench = Bench(library, args.data, args.size)
    chosen = [case for case in CASES if not args.only or case.name in args.only]
    if args.prove:
        return measure.do_once(bench, chosen[0])

    maker = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "data.py")]
    subprocess.run([*maker, "--folder", args.data, "--size", str(args.size)], check=True)
    load = measure.warn_if_busy()
    measure.print_head(args.host, library.version())
    rows = measure.run(__file__, bench, chosen, args, needs_bypass=True)
    about = {
        "what": "native time / bypass time of reads",
        "host": args.host,
        "hdf5": library.version(),
        "library": library.path,
        "rounds": args.rounds,
        "matrix": [bench.side, bench.side],
        "limit_threads": args.threads,
        "load_before": load,
    }
    return measure.finish(about, rows, args.output)


if __name__ == "__main__":
    sys.exit(main())
