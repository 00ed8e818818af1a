"""Checks what a case of python/tests/clients returned natively and through the connector, and what the connector counted."""

from __future__ import annotations

from helpers.reads import Counters
from helpers.writes import WriteCounters


def check(result: dict) -> None:
    """Same answers, and as many reads and writes bypassed as the case says, the others for the reasons that it names."""
    native, ours = result["native"], result["bypass"]
    assert native["ended"] == 0, f"natively: {native['ended']}\n{native['answer']}\n{native['stderr']}"
    assert ours["ended"] == 0, f"ended by {ours['ended']}\n{ours['answer']}\n{ours['stderr'][-3000:]}"
    assert ours["answer"] == native["answer"], f"{ours['answer']}\nnatively {native['answer']}"
    reads, writes = Counters.of(ours["stderr"]), WriteCounters.of(ours["stderr"])
    reasons = dict(writes.reasons)
    for reason, count in reads.reasons.items():
        reasons[reason] = reasons.get(reason, 0) + count
    counted = {"bypassed": [reads.bypassed, writes.bypassed], "reasons": reasons}
    expected = {key: result["expected"][key] for key in counted}
    assert counted == expected, f"counted {counted}\nexpected {expected}"
