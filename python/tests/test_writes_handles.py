"""Faults of writing with several handles, and of closing them, that were found and mended: the cases of clients/writes_handles*.py.

Each runs natively and through the connector, in processes of its own, and must end and return the same; the counters tell who wrote.
"""

from __future__ import annotations

import sys

import pytest
from helpers.run_client import CLIENTS
from helpers.writes import thread_safe

sys.path.append(str(CLIENTS))
import writes_handles as handles  # noqa: E402
import writes_handles_threads as threads  # noqa: E402


@pytest.mark.parametrize("case", handles.CASES)
def test_handles(case, host, as_native):
    as_native(handles, case, host)


@pytest.mark.parametrize("case", threads.CASES)
def test_threads(case, as_native):
    as_native(threads, case, thread_safe())
