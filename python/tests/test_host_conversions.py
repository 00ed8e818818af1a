"""Conversions that the connector lets HDF5 do on the calling thread: the same bytes as natively, and the connector read them.

The cases are in clients/host_conversions.py. Random ones, among other conversions, are in test_converted_reads.py.
"""

from __future__ import annotations

import sys

import pytest
from helpers.both_ways import check_reads
from helpers.reads import Counters
from helpers.run_client import CLIENTS

sys.path.append(str(CLIENTS))
from host_conversions import CASES, NATIVE_ONLY  # noqa: E402

CLIENT, TIMEOUT = "host_conversions", 600


@pytest.mark.parametrize("case", CASES)
def test_case(case, host, results):
    check_reads(results(host)[case])


@pytest.mark.parametrize("case, bypassed", [("complex_numbers", 2), ("wider_complex_numbers", 0)])
def test_complex_numbers(case, bypassed, host, results):
    """Old libraries have none."""
    result = results(host)[case]["bypass"]
    if result["answer"] is not None:
        counters = Counters.of(result["stderr"])
        assert counters.bypassed == bypassed and counters.reasons.get(NATIVE_ONLY, 0) == 2 - bypassed, counters


def test_rounding_of_old_libraries_stays_theirs(host, results):
    """What an element becomes depends there on how HDF5 divides the elements."""
    counters = Counters.of(results(host)["to_narrower_vax"]["bypass"]["stderr"])
    is_old = results(host)["complex_numbers"]["native"]["answer"] is None
    assert counters.bypassed == (0 if is_old else 4), counters
