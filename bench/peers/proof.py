"""What the connector says at the end of a process about the reads and writes in it (BYPASS_VOL_STATS, docs/statistics.md)."""

# Codes of reads that native HDF5 does as fast or faster, which the connector leaves to it.
DECIDED = {"small-read", "first-small-read", "large-index"}

BYPASSED, DECIDED_SO, FAILED = "bypassed", "decided", "failed"


def judge(statistics, case):
    """What became of the reads or writes of a process, from the connector's statistics; None if there are none.

    The verdict is BYPASSED if the connector did all of them, DECIDED_SO if it left some of a small case to HDF5 by
    their size, else FAILED.
    """
    if not statistics:
        return {"verdict": FAILED, "bypassed": 0, "passed_on": 0, "why": "no summary: the connector was not loaded"}
    calls = statistics["writes" if case.writes else "reads"]
    counts = {"bypassed": calls["bypassed"], "passed_on": calls["passed_on"]}
    if counts["bypassed"] > 0 and counts["passed_on"] == 0:
        return {"verdict": BYPASSED, **counts}
    reasons = statistics["reasons"]
    is_decision = case.small and counts["passed_on"] > 0 and all(reason["code"] in DECIDED for reason in reasons)
    why = "; ".join(reason["sentence"] for reason in reasons) or "nothing was done"
    return {"verdict": DECIDED_SO if is_decision else FAILED, **counts, "why": why}
