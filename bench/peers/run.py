"""h5py through bypass beside what else a user might pick: `run.py --folder DIR --plugins DIR --json OUT`.

What is read and written, see cases.py; by whom, peers.py; how it is measured, measure.py. A peer whose packages are not
installed is left out, and that is said; requirements.txt lists all of them.

Ends with 1 if bypass or native h5py failed, gave other data, or if bypass did not bypass.
"""

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "shared"))

import machine
import measure
import report
from cases import CASES, SIZE_STEP
from peers import BYPASS, NATIVE, PEERS
from process import Unable, clean_environment
from progress import progress_to

FORMAT = 1
PLUGIN = "libh5bypass_vol.so"
DATA = os.path.join(HERE, "data.py")


def parse():
    parser = argparse.ArgumentParser(description="Reads and writes by h5py through bypass, and by others.")
    parser.add_argument("--folder", help="where the files are kept that are read")
    parser.add_argument("--plugins", help=f"the folder of {PLUGIN}")
    parser.add_argument("--json", help="the file that the results go to")
    parser.add_argument("--size", type=int, default=64, help=f"MiB of the array, a multiple of {SIZE_STEP}")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        choices=[*CASES, *PEERS],
        metavar="NAME",
        help=f"only this case, or only this peer beside {NATIVE} and {BYPASS}; can be repeated, see --list",
    )
    parser.add_argument("--list", action="store_true", help="the cases and the peers")
    args = parser.parse_args()
    if args.list:
        return args
    for option in ("folder", "plugins", "json"):
        if getattr(args, option) is None:
            parser.error(f"--{option} is missing")
    if args.size < SIZE_STEP or args.size % SIZE_STEP:
        parser.error(f"--size {args.size}: must be a positive multiple of {SIZE_STEP}")
    if args.rounds < 1:
        parser.error(f"--rounds {args.rounds}: must be at least 1")
    if not os.path.isfile(os.path.join(args.plugins, PLUGIN)):
        parser.error(f"--plugins {args.plugins}: there is no {PLUGIN}")
    missing = PEERS[NATIVE].missing()
    if missing:
        parser.error(f"{', '.join(missing)} is not installed in {sys.executable}; see requirements.txt")
    args.plugins = os.path.abspath(args.plugins)
    args.data = os.path.join(os.path.abspath(args.folder), f"peers-{args.size}")
    return args


def choose(args):
    """The cases, the peers, and why the others are left out."""
    cases = [case for case in CASES.values() if case.name in args.only]
    peers = [peer for peer in PEERS.values() if peer.name in args.only]
    if peers:
        peers = [peer for peer in PEERS.values() if peer in peers or peer.name in (NATIVE, BYPASS)]
    cases, peers = cases or list(CASES.values()), peers or list(PEERS.values())
    left_out = {peer.name: f"{', '.join(peer.missing())} not installed" for peer in peers if peer.missing()}
    return cases, [peer for peer in peers if peer.name not in left_out], left_out


def make_files(args, cases, peers):
    """Whatever is read, made by stock packages and natively."""
    files = {
        f"{case.dataset.name}.{peer.form}": None
        for case in cases
        for peer in peers
        if peer.takes_part(case) and not case.writes
    }
    command = [sys.executable, DATA, "--folder", args.data, "--size", str(args.size), "--files", *files]
    if subprocess.run(command, env=clean_environment(), check=False).returncode != 0:
        raise SystemExit(f"cannot make the files in {args.data}")


def hdf5_version():
    """Of h5py's library, which only a process without the connector is sure to load natively."""
    command = [sys.executable, "-c", "import h5py; print(h5py.version.hdf5_version)"]
    child = subprocess.run(command, env=clean_environment(), capture_output=True, text=True, check=False)
    if child.returncode != 0:
        raise SystemExit(f"cannot import h5py:\n{child.stderr.strip()}")
    return child.stdout.strip()


def about(args, peers, left_out):
    options = [f"--only {name}" for name in args.only]
    return {
        "format": FORMAT,
        "command": " ".join(["cargo xtask bench peers", f"--size {args.size}", f"--rounds {args.rounds}", *options]),
        "date": datetime.date.today().isoformat(),
        "machine": machine.describe(),
        "load": os.getloadavg()[0],
        "version": machine.version(),
        "hdf5": hdf5_version(),
        "python": platform.python_version(),
        "mebibytes": args.size,
        "rounds": args.rounds,
        "peers": [peer.describe() for peer in peers],
        "left_out": left_out,
    }


def run_block(case, peers, args, progress):
    """A case, as it goes into the JSON."""
    block = {"name": case.name, "what": case.what, "bytes": case.bytes(args.size), "is_small": case.small}
    try:
        lines = measure.run_case(case, peers, args, progress)
    except Unable as reason:
        progress("")
        print(f"\n{case.what:70} ({case.name})\n  ERROR: {reason}", flush=True)
        return {**block, "error": str(reason), "peers": []}
    progress("")
    report.print_case(case, block["bytes"], lines)
    return {**block, "peers": lines}


def faults_of(block):
    """What went wrong in a case, apart from what others cannot do."""
    if "error" in block:
        yield f"{block['name']}: {block['error']}"
    for line in block["peers"]:
        if measure.fault(line):
            yield f"{block['name']}: {line['peer']}: {measure.fault(line)}"


def main():
    args = parse()
    if args.list:
        report.print_list(lambda peer: f" (not installed: {', '.join(peer.missing())})" if peer.missing() else "")
        return 0
    progress = progress_to(sys.stderr)
    cases, peers, left_out = choose(args)
    results = about(args, peers, left_out)
    report.print_head(results, left_out)
    progress("making the files")
    make_files(args, cases, peers)
    progress("")
    results["cases"] = [run_block(case, peers, args, progress) for case in cases]
    report.print_faster(results["cases"])
    with open(args.json, "w") as output:
        json.dump(results, output, indent=2)
        output.write("\n")
    print(f"written to {args.json}")
    faults = [fault for block in results["cases"] for fault in faults_of(block)]
    for fault in faults:
        print(f"FAILED {fault}", file=sys.stderr)
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
