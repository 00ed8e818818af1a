"""What the tests of writes share: the connector's counters of writes, and runs with our plugins and hdf5plugin's filters.

BYPASS_VOL_STATS makes the connector write its counters when a process ends, in forked children too.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from helpers.connectors import STATS, clean_env
from helpers.filtered import filter_plugins
from helpers.hosts import Host, read_hosts
from helpers.run_client import CLIENTS

sys.path.append(str(CLIENTS))
from counted import codes, summaries  # noqa: E402


@dataclass
class WriteCounters:
    """What the connector counted, over all processes whose output it is."""

    summaries: int = 0
    reads: int = 0
    bypassed: int = 0
    bytes: int = 0
    passed_on: int = 0
    reasons: Counter = field(default_factory=Counter)
    sentences: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, stderr: str) -> WriteCounters:
        """From the summaries on stderr; there must be one at least."""
        counters = cls()
        for told in summaries(stderr):
            writes = told["writes"]
            counters.summaries += 1
            counters.reads += told["reads"]["bypassed"]
            counters.bypassed += writes["bypassed"]
            counters.bytes += writes["bytes"]
            counters.passed_on += writes["passed_on"]
            counters.reasons.update(codes(told, "write"))
            counters.sentences += [reason["sentence"] for reason in told["reasons"] if reason["direction"] == "write"]
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
    return clean_env(path, **STATS, **extra)


def run_script(python: str, script: str, *arguments: str, env: dict[str, str], cwd: Path, timeout: float = 60, code: int = 0):
    """Runs a Python program given as text, which must end with `code`."""
    cwd.mkdir(parents=True, exist_ok=True)
    command = [python, "-c", script, *arguments]
    done = subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == code, f"exit code {done.returncode}\n--- stdout\n{done.stdout[-3000:]}\n--- stderr\n{done.stderr[-4000:]}"
    return done
