"""Measures a case: the four ways in turns, each in a process of its own.

Two processes that do the same can differ by a tenth all the time that they run, because of where things happen to lie in their
memory. So the processes of short cases are replaced after every second round.

First every way does the case once, and what it read is compared with native HDF5; what it wrote is read by a native
process for that. Then in every round each way takes its turn, in a random order, so that whatever else the machine does
meets them alike. A round gives one ratio; the median over the rounds is the result, with the quartiles as its spread.
At the end what is read or written is compared once more.
"""

import functools
import math
import os
import random
import sys

from process import Process, Unable
from proof import in_words, summary, total
from spread import ratio, spread
from ways import AGAIN, BYPASS, FLOOR, NATIVE, QUICK_WAYS, WAYS

WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py")
# Seconds of a turn, if it is not a single pass that takes longer.
TURN, QUICK_TURN = 0.1, 0.001
MOST_PASSES = 200
# A case is short if a turn has at least this many passes. Rounds after which its processes are replaced.
SHORT_PASSES, ROUNDS_OF_A_PROCESS = 2, 2
# A miss is explained if bypass is not more than 3 % slower than HDF5's own connector. That explains why something is
# slower than native HDF5, not why it is not faster.
NEAR_FLOOR, EXPLAINABLE = 0.97, 1.0


class Worker(Process):
    """The process of a way."""

    def __init__(self, way, case, settings):
        command = [sys.executable, WORKER, "--module", case.run.__module__, "--case", case.name]
        command += ["--way", way.name, "--folder", settings.data]
        environment = functools.partial(way.environment, settings.plugins)
        super().__init__(command + ["--quick"] * settings.quick, environment, (settings.data, settings.plugins))


def digest_from(worker, reader):
    """What a way reads or writes, as a digest."""
    first = worker.ask("check")
    return first["digest"] if "digest" in first else reader.ask(f"read {first['written']}")["digest"]


def compare(workers, reader):
    """Fails unless all ways read and write the same."""
    expected = None
    for name, worker in workers.items():
        try:
            found = digest_from(worker, reader)
        except Unable as reason:
            raise Unable(f"{name}: {reason}") from None
        if found != (expected or found):
            raise Unable(f"WRONG DATA: {name} differs from native HDF5")
        expected = found


def passes_of(worker, quick):
    """How many passes a turn has: the same number for all ways."""
    once = worker.ask("run 1")["seconds"]
    return max(1, min(math.ceil((QUICK_TURN if quick else TURN) / once), MOST_PASSES))


def take_turns(workers, renew, rounds, passes, progress):
    """The times of each turn, by way; one round before the first is a warm-up."""
    turns = {name: [] for name in workers}
    for number in range(-1, rounds):
        if number > 0 and number % ROUNDS_OF_A_PROCESS == 0 and passes >= SHORT_PASSES:
            for name in workers:
                renew(name)
                workers[name].ask("run 1")
        order = list(workers)
        random.shuffle(order)
        for name in order:
            progress(f"{f'round {number + 1} of {rounds}' if number >= 0 else 'warming up'}, {name}")
            took = workers[name].ask(f"run {passes}")
            if number >= 0:
                turns[name].append(took)
    return turns


def figures(case, turns, sizes):
    """The figures of a row, as bench/report reads them; without what the connector said."""

    def of(way, kind):
        return [turn[kind] for turn in turns[way.name]]

    def times(way):
        return {"seconds": spread(of(way, "seconds")), "cpu": spread(of(way, "cpu"))}

    measured = {
        "bytes": case.size(sizes) if case.size else 0,
        "calls": case.number_of_calls(sizes),
        "unit": "rate" if case.size else "per-call",
        "native": times(NATIVE),
        "bypass": times(BYPASS),
        "ratio": ratio(of(NATIVE, "seconds"), of(BYPASS, "seconds")),
        "cpu_ratio": ratio(of(NATIVE, "cpu"), of(BYPASS, "cpu")),
    }
    beside = {
        "floor": ratio(of(NATIVE, "seconds"), of(FLOOR, "seconds")),
        "floor_cpu": ratio(of(NATIVE, "cpu"), of(FLOOR, "cpu")),
    }
    if AGAIN.name in turns:
        beside["noise"] = ratio(of(NATIVE, "seconds"), of(AGAIN, "seconds"))
    return measured, beside


def is_explained(case, measured, beside):
    """Whether a miss is what HDF5's layers cost any connector."""
    reached = measured["ratio"]["median"]
    return reached < case.asked <= EXPLAINABLE and reached >= NEAR_FLOOR * beside["floor"]["median"]


def run_case(case, settings, reader, progress):
    """The figures of a row and what is beside them. Unable if a way fails, or gives other data than native HDF5."""
    workers, told = {}, []
    ways = {way.name: way for way in (QUICK_WAYS if settings.quick else WAYS)}

    def close(name):
        documents = workers[name].close()
        told.extend(documents if name == BYPASS.name else [])

    def renew(name):
        close(name)
        workers[name] = Worker(ways[name], case, settings)

    try:
        for name, way in ways.items():
            workers[name] = Worker(way, case, settings)
        progress("making the files")
        workers[NATIVE.name].ask("make")
        progress("comparing what the four ways give")
        compare(workers, reader)
        for name, worker in workers.items():
            try:
                worker.ask("prove")
            except Unable as reason:
                raise Unable(f"{name}: {reason}") from None
        passes = passes_of(workers[NATIVE.name], settings.quick)
        turns = take_turns(workers, renew, settings.rounds, passes, progress)
        compare(workers, reader)
    except KeyboardInterrupt:
        for worker in workers.values():
            worker.kill()
        raise
    finally:
        for name in workers:
            close(name)
    connector = summary(told)
    if connector is None:
        raise Unable("bypass: no statistics: the connector was not loaded")
    measured, beside = figures(case, turns, settings.sizes)
    measured["proof"] = {"decided": in_words(connector)} if total(connector, "passed_on") else "bypassed"
    return measured, {**beside, "is_explained": is_explained(case, measured, beside), "connector": connector}
