"""Every way to reach a dataset's data: links, mounts, references, callbacks, drivers, several datasets in one call, external files.

Each case of clients/reads_access_paths.py runs natively and through the connector, in processes of their own: same answers, and the
connector counted what the case says.
"""

from __future__ import annotations

import subprocess
import sys

import pytest
from helpers.connectors import STATS, clean_env
from helpers.reads import Counters, run_reads
from helpers.run_client import CLIENTS

sys.path.append(str(CLIENTS))
from reads_access_paths import CASES, DRIVER  # noqa: E402

_results = {}


@pytest.fixture(scope="session")
def access_paths(python, plugin_dir, tmp_path_factory):
    """All cases with a host, run once."""

    def of(host):
        if host.name not in _results:
            folder = tmp_path_factory.mktemp(f"doors_{host.name}")
            _results[host.name], _ = run_reads(python, plugin_dir, "reads_access_paths", host, cwd=folder)
        return _results[host.name]

    return of


@pytest.mark.parametrize("case", CASES)
def test_access_path(case, host, access_paths):
    result = access_paths(host)[case]
    native, ours = result["native"], result["bypass"]
    assert native["ended"] == 0, f"natively: {native['ended']}\n{native['answer']}\n{native['stderr']}"
    assert ours["ended"] == 0, f"ended by {ours['ended']}\n{ours['answer']}\n{ours['stderr'][-3000:]}"
    assert ours["answer"] == native["answer"]
    counters = Counters.of(ours["stderr"])
    assert {"bypassed": counters.bypassed, "reasons": counters.reasons} == result["expected"]


@pytest.mark.parametrize("driver", ["fileobj", "image"])
def test_no_descriptor_behind_it(driver, python, plugin_dir, bypass, tmp_path):
    """Files that h5py keeps in memory or in Python objects; test_clients.py compares what is read."""
    env = clean_env(plugin_dir, **bypass.env(), **STATS)
    command = [python, str(CLIENTS / "drivers.py"), driver]
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    counters = Counters.of(done.stderr)
    assert counters.bypassed == 0 and counters.reasons[DRIVER] > 0, counters
