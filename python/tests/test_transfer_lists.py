"""Transfer property lists: the cases of clients/transfer_lists.py, natively and through the connector in processes of their own."""

from __future__ import annotations

import sys

import pytest
from helpers.both_ways import check
from helpers.run_client import CLIENTS

sys.path.append(str(CLIENTS))
from transfer_lists import CASES  # noqa: E402


@pytest.mark.parametrize("case", CASES)
def test_case(case, host, results_of):
    check(results_of("transfer_lists", host)[case])
