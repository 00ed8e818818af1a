"""Filtered and converted reads through bypass against native ones, and what they cost in memory.

How it is measured, see measure.py; what, filter_cases.py. Two lines more are measured by processes of their own: four
threads that read different parts of compressed data in the thread-safe host (tests/c/bench_threads.c), and the peak of
memory of reading a large compressed dataset (peak.py). The limit of the four threads is that of all they read together;
it cannot take turns with them, and is measured half before and half after.

A case whose reads were not bypassed is measured all the same and has missed what is required of it.

HDF5_PLUGIN_PATH must name the folder of the plugins; HDF5_VOL_CONNECTOR must not be set.
"""

import argparse
import contextlib
import importlib.util
import os
import statistics
import subprocess
import sys

import filter_data
import measure
import threads
from counters import judge
from filter_cases import CASES
from hdf5 import Failed, Library
from workloads import Bench

HERE = os.path.dirname(os.path.abspath(__file__))
THREADS, MEMORY = "threads", "memory"
THREADS_REQUIRED, MEMORY_ALLOWED = 5, 64
QUICK_SIZE, QUICK_ROUNDS = 16, 3


def filter_plugins():
    """The folder of hdf5plugin's filters; without importing it, which would register them with h5py's libhdf5."""
    found = importlib.util.find_spec("hdf5plugin")
    return found and os.path.join(os.path.dirname(found.origin), "plugins")


def make_files(args, names):
    maker = [sys.executable, os.path.join(HERE, "filter_data.py"), "--folder", args.data, "--size", str(args.size)]
    subprocess.run([*maker, "--names", *dict.fromkeys(names)], check=True)


@contextlib.contextmanager
def limit_of(case, bench, threads):
    """The workload of a case's limit."""
    native = case.make(bench, "native", None)
    limit = case.limit(bench, native, threads)
    try:
        case.check_limit(native, limit)
        yield limit
    finally:
        limit.close()
        native.close()


def run_threads(args, bench):
    """The line of four threads in the thread-safe host."""
    whole = next(case for case in CASES if case.name == "gzip")
    make_files(args, [whole.file])
    program, host = threads.build(args.folder), measure.host_path(args.hosts, threads.THREAD_SAFE)
    path = os.path.abspath(filter_data.path_of(args.data, whole.file, args.size))
    with limit_of(whole, bench, args.threads) as limit:
        limits = [limit.spent(1)[0] for _ in range(args.rounds // 2)]
        lines, proof = threads.run_program([program, host, "given", args.data, str(args.rounds), "0", path])
        limits += [limit.spent(1)[0] for _ in range(args.rounds - len(limits))]
    by = {(way, count): line for (_, _, way, count), line in lines.items()}
    by["limit", args.threads] = {"seconds": limits, "units": limit.bytes}
    native, bypass = (by[way, 4]["seconds"] for way in ("native", "bypass"))
    ratio, share = measure.ratio_of(native, bypass), measure.ratio_of(limits, bypass)
    row = {
        "case": THREADS,
        "what": f"4 threads, gzip ({threads.THREAD_SAFE})",
        "GB/s": {f"{way} x{count}": threads.rate(line) for (way, count), line in by.items()},
        "required": THREADS_REQUIRED,
        "ratio": ratio,
        "share_of_limit": share,
        "proof": proof,
        "ok": proof == "bypassed" and ratio["median"] >= THREADS_REQUIRED,
    }
    rates = row["GB/s"]
    print(
        f"{row['what']:38}{'':7}{rates['native x4']:>7.2f} GB/s{rates['bypass x4']:>7.2f} GB/s"
        f"{measure.verdict(ratio, THREADS_REQUIRED)}one thread: native {rates['native x1']:.2f} GB/s, "
        f"bypass {rates['bypass x1']:.2f} GB/s{measure.note_on(proof)}",
        flush=True,
    )
    rate = rates[f"limit x{args.threads}"]
    measure.print_limit(rate / rates["native x4"], f"{rate:.2f} GB/s", share)
    return row


def peak_of(args, way):
    """Mebibytes that reading needs beyond its output, and what became of the read."""
    rows, width = filter_data.rows_of(args.size) * filter_data.PEAK, filter_data.WIDTH
    command = [sys.executable, os.path.join(HERE, "peak.py"), "--limit", args.limit]
    command += ["--library", measure.host_path(args.hosts, args.host)]
    command += ["--file", filter_data.path_of(args.data, "peak", args.size), "--way", way]
    command += ["--extent", str(rows), str(width)]
    peaks, environment = [], {**os.environ, "BYPASS_VOL_STATS": "1"}
    for more in ([], ["--read"]):
        child = subprocess.run([*command, *more], env=environment, capture_output=True, text=True, check=False)
        if child.returncode != 0:
            raise Failed(f"the peak of memory: {child.stderr.strip()}")
        peaks.append(int(child.stdout))
    return (peaks[1] - peaks[0]) / 1024, judge(child.stderr)


def run_memory(args, _bench):
    """The line of the peak of memory."""
    make_files(args, ["peak"])
    # What other processes do to it is little; the median of a few is enough.
    native = statistics.median(peak_of(args, "native")[0] for _ in range(3))
    measured = [peak_of(args, "bypass") for _ in range(3)]
    bypass, proof = statistics.median(peak for peak, _ in measured), measured[0][1]
    allowed = MEMORY_ALLOWED + args.cache
    ok = proof == "bypassed" and bypass <= allowed
    row = {
        "case": MEMORY,
        "what": f"peak memory of reading {args.size * filter_data.PEAK} MiB",
        "MiB": {"native": native, "bypass": bypass},
        "allowed": allowed,
        "proof": proof,
        "ok": ok,
    }
    print(
        f"{row['what']:38}{'':7}{native:>8.1f} MiB{bypass:>8.1f} MiB{f'<= {allowed}':>10}{bypass:>10.1f}  "
        f"{'beyond output':17}{'OK' if ok else 'MISS':6}{measure.note_on(proof)}",
        flush=True,
    )
    return row


def or_error(name, special, args, bench):
    """A line, or why there is none."""
    try:
        return special(args, bench)
    except Failed as failure:
        print(f"{name:38} ERROR {failure}", flush=True)
        return {"case": name, "error": str(failure)}


def print_list():
    measure.print_list(CASES)
    print(f"{THREADS:20}{THREADS_REQUIRED:>5.1f}  four threads read different parts of gzip data")
    print(f"{MEMORY:20}{'':5}  at most {MEMORY_ALLOWED} MiB and the cache beyond the output")


def main():
    names = [*(case.name for case in CASES), THREADS, MEMORY]
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--only", action="append", choices=names, metavar="NAME")
    parser.add_argument("--size", type=int, default=256, help="MiB of most datasets, at least 16")
    parser.add_argument("--quick", action="store_true", help="small and few: to see that all of it works")
    parser.add_argument("--cache", type=int, default=0, help="MiB that the connector may keep decoded")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of the limit")
    parser.add_argument("--host", default="h5py")
    parser.add_argument("--hosts", help="xtask's list of hosts")
    parser.add_argument("--limit", help="liblimit.so")
    parser.add_argument("--data", help="the folder of the files that are read")
    parser.add_argument("--folder", help="where to put the compiled program")
    parser.add_argument("--output", help="the JSON file to write")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--prove", action="store_true", help="do the reads once through bypass, and nothing else")
    args = parser.parse_args()
    if args.list:
        return print_list()
    if args.quick:
        args.size, args.rounds = QUICK_SIZE, QUICK_ROUNDS

    library = Library(measure.host_path(args.hosts, args.host), args.limit)
    if filter_plugins():
        library.add_plugins(filter_plugins())
    bench = Bench(library, args.data, args.size)
    chosen = [case for case in CASES if not args.only or case.name in args.only]
    if args.prove:
        return measure.do_once(bench, chosen[0])

    if chosen:
        make_files(args, [case.file for case in chosen])
    load = measure.warn_if_busy()
    measure.print_head(args.host, library.version())
    rows = measure.run(__file__, bench, chosen, args, needs_bypass=False)
    for name, special in ((THREADS, run_threads), (MEMORY, run_memory)):
        if not args.only or name in args.only:
            rows.append(or_error(name, special, args, bench))
    about = {
        "what": "native time / bypass time of filtered and converted reads",
        "host": args.host,
        "hdf5": library.version(),
        "library": library.path,
        "rounds": args.rounds,
        "mebibytes": args.size,
        "limit_threads": args.threads,
        "load_before": load,
    }
    return measure.finish(about, rows, args.output)


if __name__ == "__main__":
    sys.exit(main())
