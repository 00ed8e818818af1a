"""What the tests of filtered, converted and damaged data share: plugins of both kinds, and what was counted."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

from helpers.connectors import clean_env
from helpers.reads import Counters


@cache
def filter_plugins(python: str, empty_dir: Path) -> str:
    """The folder of hdf5plugin's filters."""
    command = [python, "-c", "import hdf5plugin; print(hdf5plugin.PLUGIN_PATH)"]
    return subprocess.run(command, env=clean_env(empty_dir), capture_output=True, text=True, check=True, timeout=60).stdout.strip()


def disagreement(answer: dict, counters: Counters) -> str | None:
    """What the connector counted otherwise than a client expected.

    `answer` has the reads that must have been bypassed, those that must have been passed on by reason, and how many may have been
    either: what was counted beyond the rest must be these.
    """
    counted, expected = counters.reasons, answer["reasons"]
    beyond = {reason: counted.get(reason, 0) - expected.get(reason, 0) for reason in counted.keys() | expected.keys()}
    beyond["bypassed"] = counters.bypassed - answer["bypassed"]
    if min(beyond.values()) < 0 or sum(beyond.values()) != answer["either"]:
        return f"beyond what was expected: {beyond}; {answer['either']} of them explained"
    return None
