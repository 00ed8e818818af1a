"""Reads through bypass against native reads: one process, one libhdf5, the same warm files and the same memory.

In every round each connector does the same reads, in an order drawn anew, so that whatever else the machine does
meets them alike. A round gives one ratio; the median over the rounds is the result, with the quartiles as its
spread. The same is done for the processor time of all threads together, which other work on the machine disturbs
less: below 1 the gain by the clock is bought with more cores. Where a case is plain reading of one range, liblimit's
parallel pread takes its turn in every round, too.

Before a case is measured, every read of it is done both ways and the bytes are compared, and a child process
that does nothing else is asked, by BYPASS_VOL_STATS, whether its reads really were bypassed.

HDF5_PLUGIN_PATH must name the folder of the plugins; HDF5_VOL_CONNECTOR must not be set.
"""

import argparse
import json
import math
import os
import platform
import random
import statistics
import subprocess
import sys

import numpy
from cases import CASES, Bench, spent_by
from counters import judge
from hdf5 import Failed, Library

# A block of reads lasts at least so long by the faster connector, and at most so long by the slower.
SHORTEST, LONGEST = 0.03, 1.0
PIECE = 1 << 20


def prove(case, args):
    """What the connector did with the case's reads, as it says itself: 'bypassed', or why not."""
    command = [sys.executable, os.path.abspath(__file__), "--prove", "--only", case.name]
    for option in ("host", "hosts", "limit", "data", "size"):
        command += [f"--{option}", str(getattr(args, option))]
    environment = {**os.environ, "BYPASS_VOL_STATS": "1"}
    child = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if child.returncode != 0:
        raise Failed(f"the proof of {case.name} failed:\n{child.stderr.strip()}")
    return judge(child.stderr)


def compare(native, bypass):
    """Does every read both ways and compares what was read."""
    for (memory, read_natively), (_, read_bypassed) in zip(native.each(), bypass.each()):
        memory.fill(0x55)
        read_natively()
        expected = memory.copy()
        memory.fill(0xAA)
        read_bypassed()
        if not numpy.array_equal(expected, memory):
            raise Failed(f"wrong data: {numpy.count_nonzero(expected != memory)} bytes differ")


class Limit:
    """Parallel pread of the bytes of a contiguous dataset, to the same memory; measured as a workload is."""

    def __init__(self, bench, path, name, workload, threads):
        self.library, self.threads = bench.library, threads
        self.offset, self.bytes = bench.offset_of(path, name), workload.bytes
        self.address = workload.buffer.address
        self.file = os.open(path, os.O_RDONLY)

    def run(self, passes):
        pread = self.library.limit.limit_pread
        for _ in range(passes):
            if pread(self.file, self.offset, self.bytes, self.address, self.threads, PIECE) != 0:
                raise Failed("pread failed")

    def spent(self, passes):
        return spent_by(lambda: self.run(passes))

    def close(self):
        os.close(self.file)


def measure(workloads, rounds):
    """Seconds of one pass, for every workload and round, by the clock and of the processor."""
    first = {way: min(workload.spent(1)[0] for _ in range(2)) for way, workload in workloads.items()}
    passes = math.ceil(SHORTEST / min(first.values()))
    passes = max(1, min(passes, int(LONGEST / max(first.values()))))
    clock, cpu = ({way: [] for way in workloads} for _ in range(2))
    for _ in range(rounds):
        order = list(workloads)
        random.shuffle(order)
        for way in order:
            seconds, of_processor = workloads[way].spent(passes)
            clock[way].append(seconds / passes)
            cpu[way].append(of_processor / passes)
    return clock, cpu


def ratio_of(over, under):
    low, middle, high = statistics.quantiles([a / b for a, b in zip(over, under)], n=4)
    return {"median": middle, "quartiles": [low, high]}


def run_case(bench, case, phase, args):
    """One line of the table."""
    native = case.make(bench, "native", phase)
    bypass = case.make(bench, "bypass", phase)
    workloads = {"native": native, "bypass": bypass}
    try:
        compare(native, bypass)
        if case.limit:
            path = bench.matrix(case.name)
            workloads["limit"] = Limit(bench, path, "matrix", native, args.threads)
        times, cpu = measure(workloads, args.rounds)
    finally:
        for workload in workloads.values():
            workload.close()
    row = {
        "case": case.name,
        "what": case.what,
        "page_offset": "malloc" if phase is None else f"+{phase}",
        "bytes": native.bytes,
        "calls": native.calls,
        "small": case.small,
        "seconds": {way: statistics.median(own) for way, own in times.items()},
        "cpu_seconds": {way: statistics.median(own) for way, own in cpu.items()},
        "required": case.required,
        "ratio": ratio_of(times["native"], times["bypass"]),
        "cpu_ratio": ratio_of(cpu["native"], cpu["bypass"]),
    }
    row["ok"] = row["ratio"]["median"] >= case.required
    if case.limit:
        row["share_required"] = case.limit
        row["share_of_limit"] = ratio_of(times["limit"], times["bypass"])
        row["ok"] = row["ok"] and row["share_of_limit"]["median"] >= case.limit
    return row


def print_head(host, version):
    print(
        f"{f'{host} (HDF5 {version})':36}{'buffer':>7}{'native':>12}{'bypass':>12}"
        f"{'REQUIRED':>10}{'MEASURED':>10}  {'middle half':17}{'':6}cpu"
    )


def shown(row, seconds):
    if row["small"]:
        each = seconds / row["calls"]
        return f"{each * 1e6:.2f} us" if each < 1e-3 else f"{each * 1e3:.2f} ms"
    return f"{row['bytes'] / seconds / 1e9:.2f} GB/s"


def print_row(row, note):
    ratio, seconds = row["ratio"], row["seconds"]

    def verdict(measured, required):
        low, high = measured["quartiles"]
        ok = "OK" if measured["median"] >= required else "MISS"
        return f"{required:>10.2f}{measured['median']:>10.2f}  {f'{low:.2f} .. {high:.2f}':17}{ok:6}"

    print(
        f"{row['what']:36}{row['page_offset']:>7}{shown(row, seconds['native']):>12}"
        f"{shown(row, seconds['bypass']):>12}{verdict(ratio, row['required'])}{row['cpu_ratio']['median']:.2f}{note}",
        flush=True,
    )
    if "share_of_limit" in row:
        print(
            f"{'  share of the limit':36}{'':7}{shown(row, seconds['limit']):>12}"
            f"{'':12}{verdict(row['share_of_limit'], row['share_required'])}",
            flush=True,
        )


def run(bench, chosen, args):
    """Measures all the cases: the rows, and how many cases could not be measured."""
    rows, errors = [], 0
    print_head(args.host, bench.library.version())
    for case in chosen:
        try:
            proof = prove(case, args)
            if proof not in ("bypassed", "decided") and not case.may_pass_on:
                raise Failed(f"NOT BYPASSED: {proof}")
            note = "" if proof == "bypassed" else "  (some or all left to native, by its size)"
            for phase in case.phases:
                row = {**run_case(bench, case, phase, args), "proof": proof}
                print_row(row, note)
                rows.append(row)
        except Failed as failure:
            errors += 1
            rows.append({"case": case.name, "what": case.what, "error": str(failure)})
            print(f"{case.what:36} ERROR {failure}", flush=True)
    return rows, errors


def host_path(hosts, name):
    """Where the library of a host is, by xtask's list."""
    with open(hosts) as lines:
        found = dict(line.rstrip("\n").split("\t") for line in lines)
    if name not in found:
        raise SystemExit(f"no host '{name}' in {hosts}: {', '.join(found)}")
    return found[name]


def print_list():
    for case in CASES:
        print(f"{case.name:20}{case.required:>5.1f}  {case.what}")


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
        return print_list()

    library = Library(host_path(args.hosts, args.host), args.limit)
    bench = Bench(library, args.data, args.size)
    chosen = [case for case in CASES if not args.only or case.name in args.only]
    if args.prove:
        workload = chosen[0].make(bench, "bypass", chosen[0].phases[0])
        for _, read in workload.each():
            read()
        return workload.close()

    maker = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "data.py")]
    subprocess.run([*maker, "--folder", args.data, "--size", str(args.size)], check=True)
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"the machine is busy (load {load:.1f}): trust the ratios, not the rates")
    rows, errors = run(bench, chosen, args)
    about = {
        "what": "native time / bypass time of reads",
        "host": args.host,
        "hdf5": library.version(),
        "library": library.path,
        "rounds": args.rounds,
        "matrix": [bench.side, bench.side],
        "limit_threads": args.threads,
        "load_before": load,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}",
    }
    with open(args.output, "w") as output:
        json.dump({**about, "results": rows}, output, indent=2)
        output.write("\n")
    missed = sum(not row.get("ok", True) for row in rows)
    print(f"{len(rows) - missed - errors} OK, {missed} missed, {errors} errors; written to {args.output}")
    return errors > 0


if __name__ == "__main__":
    sys.exit(main())
