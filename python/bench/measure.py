"""Measures the cases of a benchmark and prints them as a table.

In every round each connector does the same reads or writes, in an order drawn anew, so that whatever else the machine
does meets them alike. A round gives one ratio; the median over the rounds is the result, with the quartiles as its
spread. The same is done for the processor time of all threads together, which other work on the machine disturbs
less: below 1 the gain by the clock is bought with more cores. Where a case has a limit, what this machine can do
without HDF5, that takes its turn in every round, too.

Before a case is measured, all of it is done both ways and the bytes are compared, and a child process that does
nothing else is asked, by BYPASS_VOL_STATS, whether its reads or writes really were bypassed.
"""

import dataclasses
import json
import math
import os
import platform
import random
import statistics
import subprocess
import sys
from collections.abc import Callable

import numpy
from counters import judge
from hdf5 import Failed

# A block of them lasts at least so long by the faster connector, and at most so long by the slower.
SHORTEST, LONGEST = 0.03, 1.0


@dataclasses.dataclass
class Case:
    """One line of the table, or one for each of its phases."""

    name: str
    what: str
    # Ratio native time / bypass time; None where the line is for information only.
    required: float | None
    # Makes the workload from (bench, way, phase).
    make: Callable
    # Where the buffer begins in its page, counted from where the data begins in its own: a copy to 1 to 63 bytes
    # further is four times slower on some processors. None: where malloc would put it, wherever the data is.
    phases: tuple = (None,)
    # Makes the workload of the limit from (bench, workload, threads), where the case has one.
    limit: Callable | None = None
    # Required share of what the limit gives, if any.
    share: float | None = None
    # Whether leaving it to native HDF5 is a decision, not a failure.
    may_pass_on: bool = False
    # Shown as a time per call, not as a rate.
    small: bool = False

    def judge(self, stderr):
        """What became of it, from what the connector said: 'bypassed', or why not."""
        return judge(stderr)

    def do_once(self, workload):
        for _, read in workload.each():
            read()

    def compare(self, native, bypass):
        """Does every read both ways and compares what was read."""
        for (memory, read_natively), (_, read_bypassed) in zip(native.each(), bypass.each()):
            memory.fill(0x55)
            read_natively()
            expected = memory.copy()
            memory.fill(0xAA)
            read_bypassed()
            if not numpy.array_equal(expected, memory):
                raise Failed(f"wrong data: {numpy.count_nonzero(expected != memory)} bytes differ")

    def check_limit(self, native, limit):
        """The limit must give what native HDF5 does, or it measures something else."""
        memory = native.buffer.bytes[: native.bytes]
        native.run(1)
        expected = memory.copy()
        memory.fill(0xAA)
        limit.run(1)
        if not numpy.array_equal(expected, memory):
            raise Failed(f"the limit differs from native HDF5 in {numpy.count_nonzero(expected != memory)} bytes")

    def more(self, _workloads):
        """What else the case's row has."""
        return {}

    def note(self, row):
        """What is printed behind the row."""
        return note_on(row["proof"])


def prove(script, case, args):
    """What the connector did with the case, as it says itself: 'bypassed', or why not."""
    command = [sys.executable, os.path.abspath(script), "--prove", "--only", case.name]
    for option in ("host", "hosts", "limit", "data", "size"):
        command += [f"--{option}", str(getattr(args, option))]
    environment = {**os.environ, "BYPASS_VOL_STATS": "1"}
    child = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if child.returncode != 0:
        raise Failed(f"the proof of {case.name} failed:\n{child.stderr.strip()}")
    return case.judge(child.stderr)


def do_once(bench, case):
    """The child's part of the proof."""
    workload = case.make(bench, "bypass", case.phases[0])
    case.do_once(workload)
    workload.close()


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
    ratios = [a / b for a, b in zip(over, under)]
    low, middle, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
    return {"median": middle, "quartiles": [low, high]}


def run_case(bench, case, phase, args):
    """One line of the table."""
    native = case.make(bench, "native", phase)
    bypass = case.make(bench, "bypass", phase)
    workloads = {"native": native, "bypass": bypass}
    try:
        case.compare(native, bypass)
        if case.limit:
            workloads["limit"] = case.limit(bench, native, args.threads)
            case.check_limit(native, workloads["limit"])
        times, cpu = measure(workloads, args.rounds)
        more = case.more(workloads)
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
        **more,
    }
    if case.limit:
        row["share_required"] = case.share
        row["share_of_limit"] = ratio_of(times["limit"], times["bypass"])
    return row


def reaches(row):
    """Whether a line is what is required of it; None when nothing is."""
    pairs = [(row["ratio"], row["required"]), (row.get("share_of_limit"), row.get("share_required"))]
    required = [measured["median"] >= least for measured, least in pairs if least is not None]
    return all(required) if required else None


def print_head(host, version):
    print(
        f"{f'{host} (HDF5 {version})':38}{'buffer':>7}{'native':>12}{'bypass':>12}"
        f"{'REQUIRED':>10}{'MEASURED':>10}  {'middle half':17}{'':6}cpu"
    )


def shown(row, seconds):
    if row["small"]:
        each = seconds / row["calls"]
        return f"{each * 1e6:.2f} us" if each < 1e-3 else f"{each * 1e3:.2f} ms"
    return f"{row['bytes'] / seconds / 1e9:.2f} GB/s"


def verdict(measured, required):
    low, high = measured["quartiles"]
    wanted = "-" if required is None else f"{required:.2f}"
    ok = "" if required is None else "OK" if measured["median"] >= required else "MISS"
    return f"{wanted:>10}{measured['median']:>10.2f}  {f'{low:.2f} .. {high:.2f}':17}{ok:6}"


def print_row(row, note):
    ratio, seconds = row["ratio"], row["seconds"]
    print(
        f"{row['what']:38}{row['page_offset']:>7}{shown(row, seconds['native']):>12}"
        f"{shown(row, seconds['bypass']):>12}{verdict(ratio, row['required'])}{row['cpu_ratio']['median']:.2f}{note}",
        flush=True,
    )
    if "share_of_limit" in row:
        gain = seconds["native"] / seconds["limit"]
        print_limit(gain, shown(row, seconds["limit"]), row["share_of_limit"], row["share_required"])


def print_limit(gain, measured, share, required=None):
    print(
        f"{f'  the limit, {gain:.2f} of native; our share':38}{'':7}{measured:>12}{'':12}{verdict(share, required)}",
        flush=True,
    )


def note_on(proof):
    if proof == "bypassed":
        return ""
    return "  (some or all left to native, by its size)" if proof == "decided" else f"  NOT BYPASSED: {proof}"


def run(script, bench, chosen, args, needs_bypass):
    """Measures all the cases: their rows. A case that was not bypassed is an error, or measured all the same."""
    rows = []
    for case in chosen:
        try:
            proof = prove(script, case, args)
            bypassed = proof in ("bypassed", "decided") or case.may_pass_on
            if needs_bypass and not bypassed:
                raise Failed(f"NOT BYPASSED: {proof}")
            for phase in case.phases:
                row = {**run_case(bench, case, phase, args), "proof": proof}
                ok = reaches(row)
                row["ok"] = ok if bypassed or ok is None else False
                print_row(row, case.note(row))
                rows.append(row)
        except Failed as failure:
            rows.append({"case": case.name, "what": case.what, "error": str(failure)})
            print(f"{case.what:38} ERROR {failure}", flush=True)
    return rows


def host_path(hosts, name):
    """Where the library of a host is, by xtask's list."""
    with open(hosts) as lines:
        found = dict(line.rstrip("\n").split("\t") for line in lines)
    if name not in found:
        raise SystemExit(f"no host '{name}' in {hosts}: {', '.join(found)}")
    return found[name]


def print_list(cases):
    for case in cases:
        required = "-" if case.required is None else f"{case.required:.1f}"
        print(f"{case.name:20}{required:>5}  {case.what}")


def warn_if_busy():
    """Says so when other work disturbs the figures: the load."""
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"the machine is busy (load {load:.1f}): trust the ratios, not the rates")
    return load


def finish(about, rows, output_path):
    """Writes the results, and says how many are as required; whether there were errors."""
    machine = f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}"
    with open(output_path, "w") as output:
        json.dump({**about, "machine": machine, "results": rows}, output, indent=2)
        output.write("\n")
    errors = sum("error" in row for row in rows)
    fine, missed = (sum(row.get("ok") is outcome for row in rows) for outcome in (True, False))
    print(f"{fine} OK, {missed} missed, {errors} errors; written to {output_path}")
    return errors > 0
