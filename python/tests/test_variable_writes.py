"""Variable-length data: written by the connector, with the values, and mostly the bytes, that native HDF5 would have written.

The cases are in clients/variable_writes.py.
"""

from __future__ import annotations

import sys

import pytest
from helpers.both_ways import check, same_answers
from helpers.run_client import CLIENTS

sys.path.append(str(CLIENTS))
from variable_writes import CASES  # noqa: E402

CLIENT, TIMEOUT = "variable_writes", 300


@pytest.mark.parametrize("case", CASES)
def test_case(case, host, results):
    result = results(host)[case]
    if None in result["expected"]["bypassed"]:
        same_answers(result)
    else:
        check(result)
