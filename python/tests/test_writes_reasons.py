"""Writes that are passed on to native HDF5: for the reason that is told, no other, and with the effect they have natively.

The cases are those of clients/writes_reasons.py. No reason can be added without one, or without a word on why there is none.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from helpers.both_ways import same_answers
from helpers.run_client import CLIENTS
from helpers.writes import WriteCounters

sys.path.append(str(CLIENTS))
from writes_reasons import CASES  # noqa: E402

REASONS = Path(__file__).resolve().parents[2] / "docs" / "reasons.md"
# Reasons by their first words.
ELSEWHERE = {
    "collective": "tests/c/mpi",
    "dataset-twice": "test_writes_regressions.py",
    "mpi": "tests/c/mpi",
    "no-handle": "test_closed_files.py",
    "small-buffer": "test_transfer_lists.py",
    "disabled": "test_writes_random.py",
    "filter-foreign": "test_host_filters.py",
    "swmr-writer": "test_writes_regressions.py, test_writes_modes.py",
    "page-buffer": "test_writes_modes.py",
    "driver": "test_writes_regressions.py, test_writes_modes.py",
}
NOT_FOR_WRITES = {
    "chunk-foreign": "reads only",
    "value-foreign": "reads only",
    "value-memory": "reads only",
    "small-write": "only if small reads are left to HDF5",
    "no-answer": "only if HDF5 fails to answer",
    "layout-unknown": "only with an HDF5 to come",
    "index-invalid": "HDF5 is asked about each chunk then",
    "no-fill-value": "the rest of a new chunk is zeros then",
    "memory-place-twice": "that can be read from",
    "small-read": "reads only",
    "first-small-read": "reads only",
    "link-mpi": "only in files that are open read-only",
    "mpi-metadata": "only in files that are open read-only",
    "mpi-native": "only in files that are open read-only",
    "mpi-layout": "only in files that are open read-only",
    "mpi-aggregated": "only in files that are open read-only",
    "mpi-unreadable": "only in files that are open read-only",
    "large-index": "HDF5 is asked about each chunk then",
}


@pytest.mark.parametrize("case", CASES)
def test_reason(case, host, results_of):
    result = results_of("writes_reasons", host)[case]
    counters, expected = WriteCounters.of(same_answers(result)), result["expected"]
    assert counters.bypassed == expected["bypassed"], counters
    assert counters.reasons == expected["reasons"], counters


def test_every_reason():
    """Of those that can be told to an application."""
    told = re.findall(r"^\| `([a-z-]+)` \|", REASONS.read_text(), re.MULTILINE)
    provoked = {reason for _, expected in CASES.values() for reason in expected["reasons"]}
    assert len(told) > 30
    missing = set(told) - provoked - ELSEWHERE.keys() - NOT_FOR_WRITES.keys()
    assert not missing, f"no write is passed on in a test because: {missing}"
