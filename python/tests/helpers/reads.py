"""Runs the reading clients of python/tests/clients and tells what was bypassed.

Each gets the path of a host's libhdf5 and uses it by ctypes, natively and through the connector. BYPASS_VOL_STATS makes the
connector write its counters when a process ends: the proof that a read was, or was not, bypassed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from helpers.connectors import STATS, clean_env
from helpers.hosts import Host
from helpers.run_client import CLIENTS

sys.path.append(str(CLIENTS))
from counted import codes, summaries, without  # noqa: E402


@dataclass
class Counters:
    """What the connector counted in one process: reads that were bypassed, their bytes, others by the code of the reason."""

    bypassed: int = 0
    bytes: int = 0
    passed_on: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    sentences: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, stderr: str) -> Counters:
        """From the summary on a process's stderr, which must be there exactly once."""
        told = summaries(stderr)
        assert len(told) == 1, f"{len(told)} summaries in\n{stderr[-3000:]}"
        reads, reasons = told[0]["reads"], codes(told[0], "read")
        assert sum(reasons.values()) == reads["passed_on"], stderr
        sentences = [reason["sentence"] for reason in told[0]["reasons"] if reason["direction"] == "read"]
        return cls(reads["bypassed"], reads["bytes"], reads["passed_on"], reasons, sentences)


def run_reads(
    python: str,
    plugin_dir: Path,
    script: str,
    host: Host,
    *arguments: str,
    cwd: Path,
    env: dict[str, str] | None = None,
    timeout: float = 300,
) -> tuple[Any, str]:
    """Runs `clients/SCRIPT.py HOST ARGUMENTS`: the JSON of its last line of output, and its stderr."""
    cwd.mkdir(parents=True, exist_ok=True)
    command = [python, str(CLIENTS / f"{script}.py"), str(host.path), *arguments]
    environment = clean_env(plugin_dir, **{**STATS, **(env or {})})
    try:
        done = subprocess.run(command, env=environment, cwd=cwd, capture_output=True, errors="replace", timeout=timeout)
    except subprocess.TimeoutExpired as late:
        raise AssertionError(f"{command} still running after {timeout} s\n{late.stdout!r}\n{late.stderr!r}") from None
    report = f"{' '.join(command)}\n--- stdout\n{done.stdout[-3000:]}\n--- stderr\n{done.stderr[-6000:]}"
    assert done.returncode == 0, f"{report}\nexit code {done.returncode}"
    return json.loads(done.stdout.splitlines()[-1]), done.stderr
