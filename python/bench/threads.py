"""Reads by several threads at once, and the cost of small calls: runs tests/c/bench_threads.c.

The C program lets native HDF5 and bypass take turns in one process. Here it is compiled, run for the thread-safe host
(once more with BYPASS_VOL_NO_TPOOL, where the calling threads do all the work themselves) and, for its small calls,
for every host; what it prints is turned into a table and a JSON file. The connector's own summary must say that
all reads of the threads were bypassed.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys

from counters import judge
from hdf5 import Failed

FLAGS = ["-O2", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"]
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "c")
THREAD_SAFE = "tables"
THREADS_RATIO, SMALL_RATIO = 1.4, 0.9


def build(folder):
    program = os.path.join(folder, "bench_threads")
    sources = [os.path.join(SOURCES, name) for name in ("bench_threads.c", "h5api.c")]
    subprocess.run(["cc", *FLAGS, *sources, "-o", program, "-ldl"], check=True)
    return program


def run_program(command, **environment):
    """The lines of one run, by (scenario, layout, way, threads), and what became of the reads through bypass."""
    environment = {**os.environ, "BYPASS_VOL_STATS": "1", **environment}
    child = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if child.returncode != 0:
        raise Failed(f"{' '.join(command)} failed ({child.returncode}):\n{child.stderr.strip()}")
    lines = [json.loads(line) for line in child.stdout.splitlines()]
    by_key = {(line["scenario"], line["layout"], line["way"], line["threads"]): line for line in lines}
    return by_key, judge(child.stderr)


def run(program, host, mode, args, **environment):
    """The lines of one run, whose reads must be bypassed."""
    command = [program, host, mode, args.data, str(args.rounds), str(args.page_offset)]
    lines, proof = run_program(command, **environment)
    # Small calls are left to native; what they cost all the same is what is measured.
    if proof != "bypassed" and not (mode == "small" and proof == "decided"):
        raise Failed(f"NOT BYPASSED: {proof}")
    return lines


def ratio(over, under):
    pairs = zip(over["seconds"], under["seconds"])
    low, middle, high = statistics.quantiles([a / b for a, b in pairs], n=4)
    return {"median": middle, "quartiles": [low, high]}


def verdict(measured, required):
    low, high = measured["quartiles"]
    ok = "OK" if measured["median"] >= required else "MISS"
    return f"{required:>10.2f}{measured['median']:>10.2f}  {f'{low:.2f} .. {high:.2f}':16}{ok}"


def rate(line):
    return line["units"] / statistics.median(line["seconds"]) / 1e9


def threads_table(pool, no_pool):
    """Prints the table of the scenarios; its rows."""
    rows = []
    print(
        f"{'GB/s':39}{'native x1':>10}{'native x4':>10}{'bypass x1':>10}{'bypass x4':>10}{'no pool x4':>11}"
        f"{'REQUIRED':>10}{'MEASURED':>10}  middle half"
    )
    for scenario, layout in dict.fromkeys(key[:2] for key in pool):
        native, bypass = pool[scenario, layout, "native", 4], pool[scenario, layout, "bypass", 4]
        rates = {
            "native x1": rate(pool[scenario, layout, "native", 1]),
            "native x4": rate(native),
            "bypass x1": rate(pool[scenario, layout, "bypass", 1]),
            "bypass x4": rate(bypass),
            "no pool x4": rate(no_pool[scenario, layout, "bypass", 4]),
        }
        apart = ratio(no_pool[scenario, layout, "native", 4], no_pool[scenario, layout, "bypass", 4])
        row = {"scenario": scenario, "layout": layout, "GB/s": rates, "required": THREADS_RATIO}
        rows.append({**row, "ratio": ratio(native, bypass), "ratio_without_pool": apart})
        columns = "".join(f"{value:>{10 + (name == 'no pool x4')}.2f}" for name, value in rates.items())
        print(f"{f'{scenario}, {layout}':39}{columns}{verdict(rows[-1]['ratio'], THREADS_RATIO)}", end="")
        print(f"  (without pool {apart['median']:.2f})", flush=True)
    return rows


def small_table(host, lines):
    """Prints the table of the small calls in one host; its rows."""
    rows = []
    for scenario, layout in dict.fromkeys(key[:2] for key in lines):
        native, bypass = (lines[scenario, layout, way, 1] for way in ("native", "bypass"))
        times = {
            name: statistics.median(line["seconds"]) / line["units"] * 1e9
            for name, line in (("native", native), ("bypass", bypass))
        }
        row = {"host": host, "scenario": scenario, "ns": times, "required": SMALL_RATIO}
        rows.append({**row, "ratio": ratio(native, bypass)})
        columns = "".join(f"{value:>12.0f}" for value in times.values())
        print(f"{f'{host}: {scenario}':39}{columns}{verdict(rows[-1]['ratio'], SMALL_RATIO)}", flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--page-offset", type=int, default=0, help="of the buffers, from where the data begins")
    parser.add_argument("--hosts", required=True, help="xtask's list of hosts")
    parser.add_argument("--data", required=True, help="the folder of the files that are read")
    parser.add_argument("--folder", required=True, help="where to put the compiled program")
    parser.add_argument("--output", required=True, help="the JSON file to write")
    args = parser.parse_args()
    os.makedirs(args.data, exist_ok=True)

    with open(args.hosts) as lines:
        hosts = dict(line.rstrip("\n").split("\t") for line in lines)
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"the machine is busy (load {load:.1f}): trust the ratios, not the rates")
    program = build(args.folder)
    pool = run(program, hosts[THREAD_SAFE], "threads", args)
    no_pool = run(program, hosts[THREAD_SAFE], "threads", args, BYPASS_VOL_NO_TPOOL="true")
    rows = threads_table(pool, no_pool)
    print(f"\n{'ns per call':39}{'native':>12}{'bypass':>12}{'REQUIRED':>10}{'MEASURED':>10}  middle half")
    small = [row for host in hosts for row in small_table(host, run(program, hosts[host], "small", args))]
    with open(args.output, "w") as output:
        about = {
            "what": "native time / bypass time",
            "rounds": args.rounds,
            "page_offset": args.page_offset,
            "load_before": load,
            "machine": f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}",
        }
        json.dump({**about, "threads": rows, "small": small}, output, indent=2)
        output.write("\n")
    missed = sum(row["ratio"]["median"] < row["required"] for row in [*rows, *small])
    print(f"{len(rows) + len(small) - missed} OK, {missed} missed; written to {args.output}")


if __name__ == "__main__":
    try:
        main()
    except Failed as failure:
        sys.exit(str(failure))
