"""What the connector counted, from the JSON that it writes when a process ends (docs/statistics.md).

The tests want it with everything else that a process says: BYPASS_VOL_STATS names a link to the stderr of whichever process
follows it.
"""

from __future__ import annotations

import json
import re

BEGINNING = re.compile(r'^\{\n  "version": ', re.MULTILINE)


def summaries(text: str) -> list[dict]:
    """All summaries in what processes wrote on stderr; forked processes that could not write any have one together."""
    found = []
    for match in BEGINNING.finditer(text):
        document, _ = json.JSONDecoder().raw_decode(text, match.start())
        # A process that has only started others has nothing to tell itself.
        if document["files_opened"] or not document["forked"]:
            found.append(document)
        if document["forked"]:
            found.append(document["forked"])
    return found


def without(text: str) -> str:
    """What processes wrote on stderr beside their summaries."""
    rest, end = "", 0
    for match in BEGINNING.finditer(text):
        rest += text[end : match.start()]
        _, end = json.JSONDecoder().raw_decode(text, match.start())
    return rest + text[end:]


def codes(summary: dict, direction: str) -> dict[str, int]:
    """How often calls of a direction ("read" or "write") were passed on, by the reason's code."""
    counts: dict[str, int] = {}
    for reason in summary["reasons"]:
        if reason["direction"] == direction:
            counts[reason["code"]] = counts.get(reason["code"], 0) + reason["count"]
    return counts
