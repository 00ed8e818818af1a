"""Checks what a case of python/tests/clients returned natively and through the connector, and what the connector counted."""

from __future__ import annotations

from helpers.filtered import disagreement
from helpers.reads import Counters
from helpers.writes import WriteCounters


def both_ended_well(result: dict) -> str:
    """Both processes of a case must have ended as they should; what the one through the connector wrote on stderr."""
    native, ours = result["native"], result["bypass"]
    assert native["ended"] == 0, f"natively: {native['ended']}\n{native['answer']}\n{native['stderr']}"
    assert ours["ended"] == 0, f"ended by {ours['ended']}\n{ours['answer']}\n{ours['stderr'][-3000:]}"
    return ours["stderr"]


def same_answers(result: dict) -> str:
    """The same, and both must have returned the same."""
    stderr = both_ended_well(result)
    native, ours = result["native"]["answer"], result["bypass"]["answer"]
    assert ours == native, f"{ours}\nnatively {native}"
    return stderr


def check(result: dict) -> None:
    """Same answers, and as many reads and writes bypassed as the case says, the others for the reasons that it names."""
    stderr = same_answers(result)
    reads, writes = Counters.of(stderr), WriteCounters.of(stderr)
    reasons = dict(writes.reasons)
    for reason, count in reads.reasons.items():
        reasons[reason] = reasons.get(reason, 0) + count
    counted = {"bypassed": [reads.bypassed, writes.bypassed], "reasons": reasons}
    expected = {key: result["expected"][key] for key in counted}
    assert counted == expected, f"counted {counted}\nexpected {expected}"


def check_reads(result: dict) -> None:
    """Same answers, and reads that were bypassed or passed on as the case says, unless it leaves that open."""
    stderr, expected = same_answers(result), result["expected"]
    if expected["bypassed"] is not None:
        counters = Counters.of(stderr)
        assert not disagreement(expected, counters), (disagreement(expected, counters), counters)
