"""Every way to reach a dataset's data: links, mounts, references, callbacks, drivers, several datasets in one call, external files.

Each case of clients/reads_access_paths.py runs natively and through the connector, in processes of their own: same answers, and the
connector counted what the case says.
"""

from __future__ import annotations

import subprocess
import sys

import pytest
from helpers.both_ways import same_answers
from helpers.connectors import STATS, clean_env
from helpers.reads import Counters
from helpers.run_client import CLIENTS

sys.path.append(str(CLIENTS))
from reads_access_paths import CASES  # noqa: E402
from reads_passed_on import DRIVER  # noqa: E402


@pytest.mark.parametrize("case", CASES)
def test_access_path(case, host, results_of):
    result = results_of("reads_access_paths", host)[case]
    counters, expected = Counters.of(same_answers(result)), result["expected"]
    assert (counters.bypassed, counters.reasons) == (expected["bypassed"], expected["reasons"])


@pytest.mark.parametrize("driver", ["fileobj", "image"])
def test_no_descriptor_behind_it(driver, python, plugin_dir, bypass, tmp_path):
    """Files that h5py keeps in memory or in Python objects; test_clients.py compares what is read."""
    env = clean_env(plugin_dir, **bypass.env(), **STATS)
    command = [python, str(CLIENTS / "drivers.py"), driver]
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    counters = Counters.of(done.stderr)
    assert counters.bypassed == 0 and counters.reasons[DRIVER] > 0, counters
