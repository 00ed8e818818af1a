"""What the connector says at the end of a process about the calls in it (BYPASS_VOL_STATS, docs/statistics.md)."""

# So many reasons are told.
TOLD = 3


def summary(documents):
    """The counts of a process and of those it forked, or None if the connector was not loaded.

    Reasons are those of calls that were passed on, the most frequent first.
    """
    parts = [part for document in documents for part in (document, document.get("forked")) if part]
    if not any(part["files_opened"] for part in parts):
        return None
    counts = {
        direction: {kind: sum(part[direction][kind] for part in parts) for kind in ("bypassed", "passed_on")}
        for direction in ("reads", "writes")
    }
    reasons = {}
    for reason in (reason for part in parts for reason in part["reasons"]):
        reasons[reason["code"]] = reasons.get(reason["code"], 0) + reason["count"]
    ordered = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    return {**counts, "reasons": [{"code": code, "count": count} for code, count in ordered]}


def total(connector, kind):
    """Reads and writes together."""
    return sum(connector[direction][kind] for direction in ("reads", "writes"))


def in_words(connector):
    """What became of the calls: how many were bypassed, and why the others were not."""
    bypassed, passed_on = total(connector, "bypassed"), total(connector, "passed_on")
    if bypassed + passed_on == 0:
        return "no reads or writes"
    told = [f"{reason['code']} {reason['count']}" for reason in connector["reasons"][:TOLD]]
    return "; ".join([f"{bypassed} of {bypassed + passed_on} calls bypassed", *([", ".join(told)] if told else [])])
