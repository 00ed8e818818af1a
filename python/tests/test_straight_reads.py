"""Reads of one piece of a file that is only copied go straight to memory: answers are native HDF5's.

Each case of clients/straight_reads.py runs natively and through the connector, in processes of their own.
"""

from __future__ import annotations

import sys

import pytest
from helpers.both_ways import check_reads
from helpers.run_client import CLIENTS

sys.path.append(str(CLIENTS))
from straight_reads import CASES  # noqa: E402


@pytest.mark.parametrize("case", CASES)
def test_case(case, host, results_of):
    check_reads(results_of("straight_reads", host)[case])
