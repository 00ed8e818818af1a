"""What the tests of asynchronous calls share: programs of tests/c that use event sets."""

from __future__ import annotations

from helpers.run_c import Run

LAYOUTS = ["contiguous", "chunked", "gzip", "converted"]
# Two threads, whatever the machine has: one works while the application's waits.
TWO = {"BYPASS_VOL_NTHREADS": "2"}


def number(run: Run, note: str) -> int:
    """The number that the program has noted once."""
    [value] = run.notes[note]
    return int(value)


def asynchronous(run: Run) -> int:
    """How many reads and writes went on after their calls."""
    return run.counts["reads"]["asynchronous"] + run.counts["writes"]["asynchronous"]
