"""What the connector says at the end of a process about the reads and writes in it (BYPASS_VOL_STATS=1)."""

import re

SUMMARY = re.compile(r"reads bypassed (\d+) \(\d+ bytes\), passed on (\d+); writes bypassed (\d+) .*, passed on (\d+)")
REASON = re.compile(r"h5bypass: +\d+ (?:reads?|writes?) passed on: (.*)")

# Reads that native HDF5 does as fast or faster, which the connector leaves to it.
DECIDED = ("a small read,", "the first read of a dataset,", "few chunks of a large dataset")

BYPASSED, DECIDED_SO, FAILED = "bypassed", "decided", "failed"


def judge(stderr, case):
    """What became of the reads or writes of a process.

    The verdict is BYPASSED if the connector did all of them, DECIDED_SO if it left some of a small case to HDF5 by
    their size, else FAILED.
    """
    summary = SUMMARY.search(stderr)
    if not summary:
        return {"verdict": FAILED, "bypassed": 0, "passed_on": 0, "why": "no summary: the connector was not loaded"}
    bypassed, passed_on = map(int, summary.groups()[2:] if case.writes else summary.groups()[:2])
    counts = {"bypassed": bypassed, "passed_on": passed_on}
    if bypassed > 0 and passed_on == 0:
        return {"verdict": BYPASSED, **counts}
    reasons = REASON.findall(stderr)
    is_decision = case.small and passed_on > 0 and all(reason.startswith(DECIDED) for reason in reasons)
    why = "; ".join(reasons) or "nothing was done"
    return {"verdict": DECIDED_SO if is_decision else FAILED, **counts, "why": why}
