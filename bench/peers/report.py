"""The table on the terminal, and the progress while it is made."""

import sys

from cases import CASES
from measure import fault
from peers import BYPASS, NATIVE, PEERS
from proof import DECIDED_SO

LABEL = 30
# From this load on, other work disturbs the figures.
BUSY = 0.5


def rate(case, bytes_read, seconds):
    if not case.small:
        speed = bytes_read / seconds / 1e6
        return f"{speed:.0f} MB/s" if speed >= 100 else f"{speed:.1f} MB/s"
    return f"{seconds * 1e3:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"


def times(measured):
    value = measured["median"]
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}"


def note(line):
    """What is printed behind a line."""
    proof = line.get("proof", {})
    if proof.get("verdict") == DECIDED_SO:
        share = proof["passed_on"] / (proof["bypassed"] + proof["passed_on"])
        return f"  {share:.0%} of the reads left to HDF5, by their size"
    return f"  {fault(line)}" if fault(line) else ""


def print_case(case, bytes_read, lines):
    """A block: a line for each peer."""
    # The speed of opening a file is not one of bytes.
    size = "" if case.small else f", {bytes_read / 2**20:.1f} MiB"
    print(f"\n{f'{case.what}{size}':70} ({case.name})")
    print(f"{'':{LABEL + 2}}{'speed':>11}{'x h5py':>9}{'x bypass':>10}  {'middle half of x h5py':23}{'memory':>9}")
    for line in lines:
        label = f"  {PEERS[line['peer']].what:{LABEL}}"
        if line["outcome"] != "measured":
            print(f"{label}  {line['outcome']}: {line['why']}")
            continue
        low, high = line["times_h5py"]["low"], line["times_h5py"]["high"]
        peak = f"{line['peak_bytes'] / 2**20:.1f} MiB" if "peak_bytes" in line else "-"
        print(
            f"{label}{rate(case, bytes_read, line['seconds']['median']):>11}{times(line['times_h5py']):>9}"
            f"{times(line['times_bypass']):>10}  {f'{low:.2f} .. {high:.2f}':23}{peak:>9}{note(line)}"
        )
    sys.stdout.flush()


def print_faster(blocks):
    """Where others are faster than bypass."""
    print("\nfaster than h5py through bypass:")
    found = False
    for block in blocks:
        ahead = [
            f"{PEERS[line['peer']].what} ({times(line['times_bypass'])})"
            for line in block["peers"]
            if line["outcome"] == "measured" and line["peer"] != BYPASS and line["times_bypass"]["median"] > 1
        ]
        if ahead:
            found = True
            print(f"  {block['name']}: {', '.join(ahead)}")
    if not found:
        print("  nobody")


def print_head(about, left_out):
    machine = about["machine"]
    print(f"{machine['processor']}, {machine['cores']} cores, {machine['system']}, {about['date']}")
    named = {name: version for peer in about["peers"] for name, version in peer["versions"].items()}
    named = {"h5bypass": about["version"], "Python": about["python"], **dict(sorted(named.items()))}
    print(", ".join(f"{name} {version}" for name, version in named.items()))
    print(f"rounds: {about['rounds']}; x h5py: times as fast as {PEERS[NATIVE].what} {about['hdf5']}", end="; ")
    print("memory: peak beyond the array")
    if about["load"] > BUSY:
        print(f"the machine is busy (load {about['load']:.1f}): trust the ratios, not the speeds")
    for name, why in left_out.items():
        print(f"left out: {name}: {why}")
    sys.stdout.flush()


def print_list(available):
    print("cases:")
    for case in CASES.values():
        print(f"  {case.name:15}{case.what}")
    print("peers:")
    for peer in PEERS.values():
        print(f"  {peer.name:15}{peer.what}{available(peer)}")
