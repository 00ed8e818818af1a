"""Clients through native HDF5, HDF5's own pass_through and bypass: `run.py --folder DIR --plugins DIR --json OUT`.

What is read and written, see the folder cases and files.py; the four ways, ways.py; how it is measured, measure.py.

Ends with 1 if a way failed or gave other data than native HDF5, or if a process did not load its connector; with 130
if it was interrupted. What was measured until then is kept.
"""

import argparse
import datetime
import hashlib
import importlib.metadata
import json
import os
import re
import shutil
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "shared"))

import machine
import report
from case import remove
from measure import run_case
from packages import NAMES
from process import Process, Unable
from progress import progress_to
from registry import CASES
from sizes import FULL, QUICK

FORMAT = 1
PLUGIN = "libh5bypass_vol.so"
INTERRUPTED = 130


def parse():
    parser = argparse.ArgumentParser(description="Reads and writes of HDF5's clients, natively and through bypass.")
    parser.add_argument("--folder", help="where the files are kept that are read")
    parser.add_argument("--plugins", help=f"the folder of {PLUGIN}")
    parser.add_argument("--json", help="the file that the results go to")
    parser.add_argument("--rounds", type=int, default=5, help="each gives one ratio per row")
    parser.add_argument("--quick", action="store_true", help="small and few: the figures mean nothing")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="rows that begin with this")
    parser.add_argument("--list", action="store_true", help="the names of the rows")
    args = parser.parse_args()
    args.sizes = QUICK if args.quick else FULL
    args.cases = choose(args.only)
    for name in args.only:
        if not choose([name]):
            parser.error(f"--only {name}: no row has a name that begins with this; see --list")
    if args.list:
        return args
    for option in ("folder", "plugins", "json"):
        if getattr(args, option) is None:
            parser.error(f"--{option} is missing")
    if args.rounds < 1:
        parser.error(f"--rounds {args.rounds}: must be at least 1")
    if not os.path.isfile(os.path.join(args.plugins, PLUGIN)):
        parser.error(f"--plugins {args.plugins}: there is no {PLUGIN}")
    args.plugins = os.path.abspath(args.plugins)
    return args


class Reader(Process):
    """The native process that judges what others wrote. Quick rows share it, one order at a time."""

    def __init__(self, folder):
        super().__init__([sys.executable, os.path.join(HERE, "reader.py")], lambda _statistics: {}, (folder,))
        self.lock = threading.Lock()

    def ask(self, order):
        with self.lock:
            return super().ask(order)


def choose(only):
    """The row of this name, or those whose names begin with it."""

    def is_meant(name, wanted):
        return name == wanted or (wanted not in CASES and name.startswith(wanted))

    return [case for case in CASES.values() if not only or any(is_meant(case.name, wanted) for wanted in only)]


def data_folder(args):
    """The folder of the files that are read. Files that were made in another way, or not to their end, are removed."""
    digest = hashlib.blake2b(repr(args.sizes).encode(), digest_size=4)
    with open(os.path.join(HERE, "files.py"), "rb") as source:
        digest.update(source.read())
    kind = "quick" if args.quick else "full"
    folder = os.path.join(os.path.abspath(args.folder), f"{kind}-{digest.hexdigest()}")
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(args.folder):
        if name.startswith(f"{kind}-") and name != os.path.basename(folder):
            shutil.rmtree(os.path.join(args.folder, name))
    for name in os.listdir(folder):
        # What a process that was killed left behind; another run may be at work here.
        process = re.match(r"(?:scratch-\w+|unfinished)-(\d+)", name)
        if process and not os.path.exists(f"/proc/{process[1]}"):
            remove(os.path.join(folder, name))
    return folder


def about(args, reader):
    """Where, when and how it was measured, as bench/report reads it."""
    described = machine.describe()
    options = ["--quick" if args.quick else f"--rounds {args.rounds}", *(f"--only {name}" for name in args.only)]
    clients = sorted({case.client for case in args.cases})
    return {
        "command": " ".join(["cargo xtask bench clients", *options]),
        "date": datetime.date.today().isoformat(),
        "version": machine.version(),
        **described,
        "processor_model": machine.processor_model(),
        "file_system": machine.file_system(args.data),
        "libraries": [reader.ask(f"library {client}") for client in clients],
        "rounds": args.rounds,
        "mebibytes": args.sizes.large,
        "is_cold": False,
        "load": os.getloadavg()[0],
    }


def run_row(case, args, reader, progress):
    """A case, as it goes into the JSON."""
    row = {
        "name": case.name,
        "group": case.group,
        "what": case.what(args.sizes),
        "library": case.client,
        "application_threads": case.threads,
        "pool_threads": len(os.sched_getaffinity(0)),
        "asked": {"ratio": case.asked},
    }
    why = case.skip()
    if why:
        return {**row, "outcome": {"skipped": why}}
    try:
        measured, beside = run_case(case, args, reader, lambda text: progress(f"{case.name}: {text}"))
    except Unable as reason:
        return {**row, "outcome": {"failed": str(reason)}}
    finally:
        progress("")
    return {**row, "outcome": {"measured": measured}, "beside": beside}


def in_turn(args, reader):
    """The rows, one after the other. A quick run does as many at a time as there are cores: it measures nothing."""
    if not args.quick:
        progress = progress_to(sys.stderr)
        yield from (run_row(case, args, reader, progress) for case in args.cases)
        return
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        try:
            yield from pool.map(lambda case: run_row(case, args, reader, lambda _text: None), args.cases)
        finally:
            pool.shutdown(cancel_futures=True)


def measure_all(args, reader, rows):
    """Fills the rows, which are kept if this is interrupted."""
    group = None
    for row in in_turn(args, reader):
        if row["group"] != group:
            group = row["group"]
            report.print_group(group)
        rows.append(row)
        report.print_row(row)


def main():
    args = parse()
    if args.list:
        for case in args.cases:
            print(f"{case.name:{report.NAME}} {case.what(args.sizes)}")
        return 0
    args.data = data_folder(args)
    reader = Reader(args.data)
    rows, was_interrupted = [], False
    try:
        described = about(args, reader)
        report.print_head(described)
        try:
            measure_all(args, reader, rows)
        except KeyboardInterrupt:
            was_interrupted = True
    finally:
        reader.close()
    packages = {name: importlib.metadata.version(name) for name in NAMES}
    with open(args.json, "w") as output:
        json.dump({"format": FORMAT, "about": described, "packages": packages, "rows": rows}, output, indent=2)
        output.write("\n")
    report.print_sum(rows, len(args.cases))
    print(f"written to {args.json}", flush=True)
    failed = [row for row in rows if "failed" in row["outcome"]]
    for row in failed:
        print(f"FAILED {row['name']}: {row['outcome']['failed']}", file=sys.stderr)
    return INTERRUPTED if was_interrupted else int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
