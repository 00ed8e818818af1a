"""What the tests of writes share: the connector's counters of writes, and runs with our plugins and hdf5plugin's filters.

BYPASS_VOL_STATS=1 makes the connector print its counters when a process ends, in forked children too.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from connectors import clean_env
from filtered import filter_plugins
from hosts import Host, read_hosts

TOTALS = re.compile(r"h5bypass: reads bypassed (\d+) .*; writes bypassed (\d+)(?: \((\d+) bytes\))?, passed on (\d+)")
REASON = re.compile(r"h5bypass: +(\d+) writes? passed on: (.*)")


@dataclass
class WriteCounters:
    """What the connector counted, over all processes whose output it is."""

    summaries: int = 0
    reads: int = 0
    bypassed: int = 0
    bytes: int = 0
    passed_on: int = 0
    reasons: Counter = field(default_factory=Counter)

    @classmethod
    def of(cls, stderr: str) -> WriteCounters:
        """From the summaries on stderr; there must be one at least."""
        counters = cls()
        for reads, bypassed, size, passed_on in TOTALS.findall(stderr):
            counters.summaries += 1
            counters.reads += int(reads)
            counters.bypassed += int(bypassed)
            counters.bytes += int(size or 0)
            counters.passed_on += int(passed_on)
        for count, reason in REASON.findall(stderr):
            counters.reasons[reason] += int(count)
        assert counters.summaries, f"no summary in\n{stderr[-3000:]}"
        assert sum(counters.reasons.values()) == counters.passed_on, stderr[-3000:]
        return counters


def all_hosts() -> list[Host]:
    return read_hosts("H5_HOSTS_FILE")


def thread_safe() -> Host:
    """The host that lets several threads in."""
    return next(host for host in all_hosts() if host.name == "tables")


def with_filters(python: str, plugin_dir: Path, empty_dir: Path, **extra: str) -> dict[str, str]:
    """An environment with our plugins, hdf5plugin's filters and the counters."""
    path = os.pathsep.join([str(plugin_dir), filter_plugins(python, empty_dir)])
    return clean_env(path, BYPASS_VOL_STATS="1", **extra)


def run_script(python: str, script: str, *arguments: str, env: dict[str, str], cwd: Path, timeout: float = 60, code: int = 0):
    """Runs a Python program given as text, which must end with `code`."""
    cwd.mkdir(parents=True, exist_ok=True)
    command = [python, "-c", script, *arguments]
    done = subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == code, f"exit code {done.returncode}\n--- stdout\n{done.stdout[-3000:]}\n--- stderr\n{done.stderr[-4000:]}"
    return done
