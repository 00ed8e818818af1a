"""Variable-length data: read by the connector, with the same values as natively, in memory that the application can free.

The cases are in clients/variable_length.py.
"""

from __future__ import annotations

import sys

import pytest
from helpers.both_ways import check_reads
from helpers.run_client import CLIENTS

sys.path.append(str(CLIENTS))
from variable_length import CASES  # noqa: E402

CLIENT, TIMEOUT = "variable_length", 300


@pytest.mark.parametrize("case", CASES)
def test_case(case, host, results):
    check_reads(results(host)[case])
