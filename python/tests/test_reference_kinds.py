"""References: those of HDF5 1.8 are read and written by the connector, those of 1.12 by HDF5; both as natively. What is beside
the latter in a compound is read by the connector."""

from __future__ import annotations

import sys

import pytest
from helpers.both_ways import check
from helpers.run_client import CLIENTS

sys.path.append(str(CLIENTS))
from reference_kinds import CASES  # noqa: E402


@pytest.mark.parametrize("case", CASES)
def test_case(case, host, results_of):
    check(results_of("reference_kinds", host)[case])
