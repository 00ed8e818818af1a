"""What the connector has done in this process."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple


class Calls(NamedTuple):
    """Reads, or writes, of datasets."""

    #: What the connector did.
    bypassed: int
    #: Their bytes.
    bytes: int
    #: What it left to HDF5.
    passed_on: int


class Reason(NamedTuple):
    """Why calls were left to HDF5."""

    #: For programs: docs/reasons.md lists the codes.
    code: str
    #: "read" or "write"
    direction: str
    #: How many.
    calls: int
    #: For people.
    sentence: str


class Statistics(NamedTuple):
    """Counts since the process began, or between two moments: `stats() - before`."""

    files_opened: int
    reads: Calls
    writes: Calls
    #: The most frequent first.
    reasons: List[Reason]

    def __sub__(self, before: "Statistics") -> "Statistics":
        earlier = {(reason.direction, reason.sentence): reason.calls for reason in before.reasons}
        reasons = [reason._replace(calls=reason.calls - earlier.get((reason.direction, reason.sentence), 0)) for reason in self.reasons]
        return Statistics(
            self.files_opened - before.files_opened,
            Calls(*(now - then for now, then in zip(self.reads, before.reads))),
            Calls(*(now - then for now, then in zip(self.writes, before.writes))),
            [reason for reason in reasons if reason.calls],
        )

    def __str__(self) -> str:
        lines = [f"{self.files_opened} files opened through the connector"]
        lines += [f"{name}: {calls.bypassed} bypassed ({_size(calls.bytes)}), {calls.passed_on} passed on" for name, calls in self._directions()]
        lines += [f"  {reason.calls} {reason.direction}s passed on: {reason.sentence}" for reason in self.reasons]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from html import escape

        rows = [
            f"<tr><th>{name}</th><td>{calls.bypassed}</td><td>{_size(calls.bytes)}</td><td>{calls.passed_on}</td></tr>"
            for name, calls in self._directions()
        ]
        table = "<table><tr><th></th><th>bypassed</th><th></th><th>passed on</th></tr>" + "".join(rows) + "</table>"
        reasons = [f"<li>{reason.calls} {reason.direction}s: {escape(reason.sentence)}</li>" for reason in self.reasons]
        why = f"<p>Left to HDF5:</p><ul>{''.join(reasons)}</ul>" if reasons else ""
        return f"<p>h5bypass: {self.files_opened} files opened through the connector</p>{table}{why}"

    def _directions(self) -> Any:
        return (("reads", self.reads), ("writes", self.writes))


def stats() -> Statistics:
    """What the connector has done in this process until now. All zero if it has not been loaded."""
    import json

    from ._plugin import ask

    answer = ask("statistics", only_if_loaded=True)
    if answer is None:
        return Statistics(0, Calls(0, 0, 0), Calls(0, 0, 0), [])
    told: Dict[str, Any] = json.loads(answer)

    def calls(counted: Dict[str, int]) -> Calls:
        return Calls(counted["bypassed"], counted["bytes"], counted["passed_on"])

    reasons = [Reason(row["code"], row["direction"], row["count"], row["sentence"]) for row in told["reasons"]]
    return Statistics(told["files_opened"], calls(told["reads"]), calls(told["writes"]), reasons)


def _size(count: int) -> str:
    """Bytes for people."""
    size = float(count)
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"
