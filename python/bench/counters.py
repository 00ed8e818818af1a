"""What the connector says at the end of a process about the reads and writes in it (BYPASS_VOL_STATS=1)."""

import re

SUMMARY = re.compile(r"reads bypassed (\d+) \(\d+ bytes\), passed on (\d+)")
REASON = re.compile(r"h5bypass: +\d+ reads passed on: (.*)")
WRITES = re.compile(r"writes bypassed (\d+)(?: \(\d+ bytes\))?, passed on (\d+)")
WRITES_REASON = re.compile(r"h5bypass: +(\d+ writes passed on: .*)")

# Reads that native HDF5 does as fast or faster, which the connector leaves to it.
DECIDED = ("a small read,", "the first read of a dataset,", "few chunks of a large dataset")


def judge(stderr):
    """'bypassed' if all reads were, 'decided' if some were left to native by their size, else why not."""
    summary = SUMMARY.search(stderr)
    if not summary:
        return "no summary: the connector was not loaded"
    bypassed, passed_on = map(int, summary.groups())
    if bypassed > 0 and passed_on == 0:
        return "bypassed"
    reasons = REASON.findall(stderr)
    if passed_on > 0 and all(reason.startswith(DECIDED) for reason in reasons):
        return "decided"
    return f"{passed_on} of {bypassed + passed_on} reads passed on: {'; '.join(reasons) or 'nothing was read'}"


def judge_writes(stderr):
    """'bypassed' if all writes were, else how many were not, and why."""
    summary = WRITES.search(stderr)
    if not summary:
        return "no summary: the connector was not loaded"
    bypassed, passed_on = map(int, summary.groups())
    if bypassed > 0 and passed_on == 0:
        return "bypassed"
    return f"{bypassed} writes bypassed, {'; '.join(WRITES_REASON.findall(stderr)) or 'and no others'}"
