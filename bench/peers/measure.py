"""Measures a case: all peers in turns, each in a process of its own that stays for all rounds.

First everybody does the case once, and what was read is compared with what h5py reads natively; what was written as
HDF5 is read by native h5py, the rest by its own reader. Then in every round each peer takes its turn, in an order drawn
anew, so that whatever else the machine does meets them alike. A round gives one ratio; the median over the rounds is
the result, with the quartiles as its spread.

The processes that load the connector say at their end what became of their reads and writes: they do nothing else.
"""

import functools
import math
import os
import random
import sys

from peers import BYPASS, NATIVE
from process import Process, Unable
from proof import FAILED, judge
from spread import ratio, spread

WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py")
# A turn lasts about so long, if it is not a single pass that lasts longer.
TURN, MOST_PASSES = 0.1, 200


class Worker(Process):
    """The process of a peer."""

    def __init__(self, peer, case, settings):
        self.peer = peer
        command = [sys.executable, WORKER, "--peer", peer.name, "--case", case.name]
        command += ["--folder", settings.data, "--size", str(settings.size)]
        environment = functools.partial(peer.environment, settings.plugins)
        super().__init__(command, environment, (settings.data, settings.plugins))

    def close(self):
        """Ends the process; what the connector in it wrote, if there was one."""
        return next(iter(super().close()), None)


def unable(worker, why):
    """The line of a peer without figures. We and what we are compared with must be able to do everything."""
    is_error = worker.peer.is_bypass or worker.peer.name == NATIVE
    return {"peer": worker.peer.name, "outcome": "error" if is_error else "cannot", "why": why}


def check(worker, case, native, expected):
    """Does the case once and compares what came of it: the digest, and the peak of memory."""
    first = worker.ask("check")
    if case.writes:
        reader = native if worker.peer.form == native.peer.form else worker
        found = reader.ask(f"verify {first['path']}")["digest"]
    else:
        found = first["digest"]
    if found != (expected or first["digest"]):
        raise Unable("WRONG DATA: not what h5py reads natively")
    return found, first["peak"]


def check_all(workers, case, progress):
    """Compares everybody with native HDF5: the peaks of memory of those who can, and the lines of those who cannot."""
    native, expected, peaks, lines = workers[NATIVE], None, {}, {}
    for name, worker in workers.items():
        progress(f"{case.name}: comparing {name}")
        try:
            expected_now, peaks[name] = check(worker, case, native, expected)
            expected = expected or expected_now
        except Unable as reason:
            lines[name] = unable(worker, str(reason))
            if name == NATIVE:
                # Without it there is nothing to compare with.
                raise
    return peaks, lines


def passes_of(worker):
    """How many passes a turn has."""
    once = worker.ask("run 1")["seconds"]
    return max(1, min(math.ceil(TURN / once), MOST_PASSES))


def take_turns(workers, case, rounds, progress):
    """The seconds of each turn, by the peer; and the lines of those who failed."""
    passes, turns, lines = {}, {name: [] for name in workers}, {}
    for number in range(-1, rounds):
        order = [name for name in workers if name not in lines]
        random.shuffle(order)
        for name in order:
            progress(f"{case.name}: {f'round {number + 1} of {rounds}' if number >= 0 else 'warming up'}, {name}")
            try:
                if number < 0:
                    passes[name] = passes_of(workers[name])
                else:
                    turns[name].append(workers[name].ask(f"run {passes[name]}")["seconds"])
            except Unable as reason:
                lines[name] = unable(workers[name], str(reason))
    return turns, lines


def figures(name, turns, peak):
    """The line of a peer."""
    line = {
        "peer": name,
        "outcome": "measured",
        "seconds": spread(turns[name]),
        "times_h5py": ratio(turns[NATIVE], turns[name]),
        "times_bypass": ratio(turns[BYPASS], turns[name]),
    }
    return line if peak is None else {**line, "peak_bytes": peak}


def run_case(case, peers, settings, progress):
    """A block of the table: the lines of the peers, in order."""
    workers = {peer.name: Worker(peer, case, settings) for peer in peers if peer.takes_part(case)}
    lines, told = {}, {}
    try:
        peaks, lines = check_all(workers, case, progress)
        able = {name: worker for name, worker in workers.items() if name not in lines}
        turns, failed = take_turns(able, case, settings.rounds, progress)
        lines.update(failed)
        for base in (NATIVE, BYPASS):
            if base in lines:
                raise Unable(f"{base}: {lines[base]['why']}")
        lines.update({name: figures(name, turns, peaks[name]) for name in able if name not in failed})
    finally:
        for name, worker in workers.items():
            told[name] = worker.close()
    for name, worker in workers.items():
        if worker.peer.is_bypass and lines[name]["outcome"] == "measured":
            lines[name]["proof"] = judge(told[name], case)
    return [lines[name] for name in workers]


def fault(line):
    """What is wrong with a line of ours or of native HDF5: an error, or that bypass did not bypass; else None."""
    if line["outcome"] == "error":
        return line["why"]
    proof = line.get("proof", {})
    return f"NOT BYPASSED: {proof['why']}" if proof.get("verdict") == FAILED else None
