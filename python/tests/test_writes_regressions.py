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
SETTINGS = {calls: {"BYPASS_VOL_SMALL_READ": "512"}}
CASES = [pytest.param(client, case, id=case) for client in (calls, callbacks, buffers) for case in client.CASES]


@pytest.mark.parametrize("client, case", CASES)
def test_case(client, case, host, as_native):
    as_native(client, case, host, **SETTINGS.get(client, {}))


@pytest.mark.parametrize("case", threads.CASES)
def test_threads(case, as_native):
    as_native(threads, case, thread_safe())


@pytest.mark.parametrize("case", buffers.GROWING)
def test_memory(case, both_ways):
    native, ours = both_ways(buffers, case, all_hosts()[0])
    datasets = (buffers.TURNS - 1) * buffers.EACH
    assert (ours - native) * 1024 < LEFT_BEHIND * datasets, f"grew by {ours} KiB, natively by {native} KiB, over {datasets} datasets"
