"""Faults of writing that were found and mended, and what was looked at beside them: the cases of clients/writes_regressions*.py.

Each runs natively and through the connector, in processes of its own, and must end and return the same; the counters tell who wrote.
"""

from __future__ import annotations

import sys

import pytest
from helpers.run_client import CLIENTS
from helpers.writes import all_hosts, thread_safe

sys.path.append(str(CLIENTS))
import writes_regressions_buffers as buffers  # noqa: E402
import writes_regressions_callbacks as callbacks  # noqa: E402
import writes_regressions_calls as calls  # noqa: E402
import writes_regressions_threads as threads  # noqa: E402

# More bytes than that must not stay behind per dataset: what was kept of each had more than a thousand.
LEFT_BEHIND = 150

# Small reads are left to native HDF5, as they are without a test.
CALLS = {"BYPASS_VOL_SMALL_READ": "512"}


@pytest.mark.parametrize("case", calls.CASES)
def test_calls(case, host, both_ways):
    native, ours = both_ways(calls, case, host, **CALLS)
    assert ours == native


@pytest.mark.parametrize("case", callbacks.CASES)
def test_callbacks(case, host, both_ways):
    native, ours = both_ways(callbacks, case, host)
    assert ours == native


@pytest.mark.parametrize("case", threads.CASES)
def test_threads(case, both_ways):
    native, ours = both_ways(threads, case, thread_safe())
    assert ours == native


@pytest.mark.parametrize("case", buffers.CASES)
def test_buffers(case, host, both_ways):
    native, ours = both_ways(buffers, case, host)
    assert ours == native


@pytest.mark.parametrize("case", buffers.GROWING)
def test_memory(case, both_ways):
    native, ours = both_ways(buffers, case, all_hosts()[0])
    datasets = (buffers.TURNS - 1) * buffers.EACH
    assert (ours - native) * 1024 < LEFT_BEHIND * datasets, f"grew by {ours} KiB, natively by {native} KiB, over {datasets} datasets"
