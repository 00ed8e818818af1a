"""Conversions that the connector lets HDF5 do on the calling thread: the same bytes as natively, and the connector read them.

The cases are in clients/host_conversions.py. Random ones, among other conversions, are in test_converted_reads.py.
"""

from __future__ import annotations

import sys

import pytest
from helpers.filtered import disagreement
from helpers.reads import Counters, run_reads
from helpers.run_client import CLIENTS

sys.path.append(str(CLIENTS))
from host_conversions import CASES, NATIVE_ONLY  # noqa: E402

_results = {}


@pytest.fixture(scope="session")
def results(python, plugin_dir, tmp_path_factory):
    """All cases with a host, run once."""

    def of(host):
        if host.name not in _results:
            folder = tmp_path_factory.mktemp(f"host_conversions_{host.name}")
            _results[host.name], _ = run_reads(python, plugin_dir, "host_conversions", host, cwd=folder, timeout=600)
        return _results[host.name]

    return of


@pytest.mark.parametrize("case", CASES)
def test_case(case, host, results):
    result = results(host)[case]
    native, ours = result["native"], result["bypass"]
    assert native["ended"] == 0, f"natively: {native['ended']}\n{native['answer']}\n{native['stderr']}"
    assert ours["ended"] == 0, f"ended by {ours['ended']}\n{ours['answer']}\n{ours['stderr'][-3000:]}"
    assert ours["answer"] == native["answer"]
    if result["expected"]["bypassed"] is not None:
        counters = Counters.of(ours["stderr"])
        assert not disagreement(result["expected"], counters), (disagreement(result["expected"], counters), counters)


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
