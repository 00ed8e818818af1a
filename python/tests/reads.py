"""Runs the reading clients of python/tests/clients and tells what was bypassed.

Each gets the path of a host's libhdf5 and uses it by ctypes, natively and through the connector. BYPASS_VOL_STATS=1 makes the
connector print its counters when a process ends: the proof that a read was, or was not, bypassed.
"""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from connectors import clean_env
from hosts import Host
from run_client import CLIENTS

TOTALS = re.compile(r"h5bypass: reads bypassed (\d+) \((\d+) bytes\), passed on (\d+);")
REASON = re.compile(r"h5bypass: +(\d+) reads? passed on: (.*)")


@dataclass
class Counters:
    """What the connector counted in one process."""

    bypassed: int = 0
    bytes: int = 0
    passed_on: int = 0
    reasons: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, stderr: str) -> Counters:
        """From the summary on a process's stderr, which must be there exactly once."""
        totals = TOTALS.findall(stderr)
        assert len(totals) == 1, f"{len(totals)} summaries in\n{stderr[-3000:]}"
        bypassed, size, passed_on = map(int, totals[0])
        reasons = {reason: int(count) for count, reason in REASON.findall(stderr)}
        assert sum(reasons.values()) == passed_on, stderr
        return cls(bypassed, size, passed_on, reasons)


def run_reads(
    python: str,
    plugin_dir: Path,
    script: str,
    host: Host,
    *arguments: str,
    cwd: Path,
    env: dict[str, str] | None = None,
    timeout: float = 120,
) -> tuple[Any, str]:
    """Runs `clients/SCRIPT.py HOST ARGUMENTS`: the JSON of its last line of output, and its stderr."""
    cwd.mkdir(parents=True, exist_ok=True)
    command = [python, str(CLIENTS / f"{script}.py"), str(host.path), *arguments]
    environment = clean_env(plugin_dir, BYPASS_VOL_STATS="1", **(env or {}))
    try:
        done = subprocess.run(command, env=environment, cwd=cwd, capture_output=True, errors="replace", timeout=timeout)
    except subprocess.TimeoutExpired as late:
        raise AssertionError(f"{command} still running after {timeout} s\n{late.stdout!r}\n{late.stderr!r}") from None
    report = f"{' '.join(command)}\n--- stdout\n{done.stdout[-3000:]}\n--- stderr\n{done.stderr[-6000:]}"
    assert done.returncode == 0, f"{report}\nexit code {done.returncode}"
    return json.loads(done.stdout.splitlines()[-1]), done.stderr
