"""Writes through bypass against native ones, and how large the compressed files become.

How it is measured, see measure.py; what, write_cases.py. The lines of sizes say by how many percent a file written
through bypass is larger than the one native HDF5 writes.

A case whose writes were not bypassed is measured all the same and has missed what is required of it.

HDF5_PLUGIN_PATH must name the folder of the plugins; HDF5_VOL_CONNECTOR must not be set.
"""

import argparse
import functools
import os
import sys

import measure
import threads
from filters import filter_plugins
from hdf5 import Failed, Library
from write_cases import CASES, SIZES
from write_data import WriteBench

SIZE_ALLOWED = 3
QUICK_SIZE, QUICK_ROUNDS = 16, 3


def load(name, args):
    """The library of a host, which knows where hdf5plugin's filters are."""
    library = Library(measure.host_path(args.hosts, name), args.limit)
    if filter_plugins():
        library.add_plugins(filter_plugins())
    return library


def without_filter(case):
    """The row of a case whose filter is not there: an error if something is required of it."""
    why, outcome = f"this libhdf5 finds no filter {case.needs}", "skipped" if case.required is None else "error"
    print(f"{case.what:38} {outcome.upper()} {why}", flush=True)
    return {"case": case.name, "what": case.what, outcome: why}


def size_row(bench, case, args):
    """The sizes of a file written both ways."""
    proof = measure.prove(__file__, case, args)
    native, bypass = (case.make(bench, way, None) for way in ("native", "bypass"))
    try:
        case.compare(native, bypass)
        sizes = {"native": native.file_bytes(), "bypass": bypass.file_bytes()}
    finally:
        native.close()
        bypass.close()
    percent = (sizes["bypass"] / sizes["native"] - 1) * 100
    ok = proof == "bypassed" and percent <= SIZE_ALLOWED
    of_data = {way: f"{size / native.bytes:.2%}" for way, size in sizes.items()}
    print(
        f"{case.what:38}{'':7}{of_data['native']:>12}{of_data['bypass']:>12}{f'<= +{SIZE_ALLOWED} %':>10}"
        f"{f'{percent:+.2f} %':>10}  {'of the data':17}{'OK' if ok else 'MISS':6}{measure.note_on(proof)}",
        flush=True,
    )
    row = {"case": case.name, "what": case.what, "bytes": native.bytes, "file_bytes": sizes}
    return {**row, "percent": percent, "allowed": SIZE_ALLOWED, "proof": proof, "ok": ok}


def or_error(bench, case, args):
    """A line of sizes, or why there is none."""
    try:
        return size_row(bench, case, args)
    except Failed as failure:
        print(f"{case.what:38} ERROR {failure}", flush=True)
        return {"case": case.name, "what": case.what, "error": str(failure)}


def print_list():
    measure.print_list(CASES)
    for case in SIZES:
        print(f"{case.name:20}{'':5}  {case.what}: at most {SIZE_ALLOWED} % larger than native HDF5's")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", action="append", choices=[case.name for case in [*CASES, *SIZES]], metavar="NAME")
    parser.add_argument("--size", type=int, default=128, help="MiB of most datasets")
    parser.add_argument("--quick", action="store_true", help="small and few: to see that all of it works")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of the limit")
    parser.add_argument("--host", default="h5py")
    parser.add_argument("--hosts", help="xtask's list of hosts")
    parser.add_argument("--limit", help="liblimit.so")
    parser.add_argument("--data", help="the folder below which the files are written, and removed")
    parser.add_argument("--output", help="the JSON file to write")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--prove", action="store_true", help="do the writes once through bypass, and nothing else")
    args = parser.parse_args()
    if args.list:
        return print_list()
    if args.quick:
        args.size, args.rounds = QUICK_SIZE, QUICK_ROUNDS

    library = load(args.host, args)
    blosc = os.path.join(filter_plugins() or "", "libh5blosc.so")
    if os.path.exists(blosc):
        library.bind_filter(blosc)
    bench = WriteBench(library, args.data, args.size, functools.partial(load, threads.THREAD_SAFE, args))
    chosen, sizes = ([case for case in cases if not args.only or case.name in args.only] for cases in (CASES, SIZES))
    if args.prove:
        return measure.do_once(bench, [*chosen, *sizes][0])

    busy = measure.warn_if_busy()
    measure.print_head(args.host, library.version())
    lacking = [case for case in chosen if case.needs is not None and not library.has_filter(case.needs)]
    rows = [without_filter(case) for case in lacking]
    able = [case for case in chosen if case not in lacking]
    rows += measure.run(__file__, bench, able, args, needs_bypass=False)
    rows += [or_error(bench, case, args) for case in sizes]
    about = {
        "what": "native time / bypass time of writes",
        "host": args.host,
        "hdf5": library.version(),
        "library": library.path,
        "rounds": args.rounds,
        "mebibytes": args.size,
        "limit_threads": args.threads,
        "load_before": busy,
    }
    return measure.finish(about, rows, args.output)


if __name__ == "__main__":
    sys.exit(main())
