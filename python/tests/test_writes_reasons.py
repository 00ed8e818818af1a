"""Writes that are passed on to native HDF5: for the reason that is told, no other, and with the effect they have natively.

The cases are those of clients/writes_reasons.py. No reason can be added without one, or without a word on why there is none.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from helpers.reads import run_reads
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
    "no-answer": "only if HDF5 fails to answer",
    "layout-unknown": "only with an HDF5 to come",
    "index-invalid": "HDF5 is asked about each chunk then",
    "no-fill-value": "the rest of a new chunk is zeros then",
    "memory-place-twice": "that can be read from",
    "small-read": "reads only",
    "first-small-read": "reads only",
    "link-mpi": "only in files that are open read-only",
    "large-index": "HDF5 is asked about each chunk then",
}
_results = {}


@pytest.fixture(scope="session")
def reasons(python, plugin_dir, tmp_path_factory):
    """All cases with a host, run once."""

    def of(host):
        if host.name not in _results:
            folder = tmp_path_factory.mktemp(f"reasons_{host.name}")
            _results[host.name], _ = run_reads(python, plugin_dir, "writes_reasons", host, cwd=folder)
        return _results[host.name]

    return of


@pytest.mark.parametrize("case", CASES)
def test_reason(case, host, reasons):
    result = reasons(host)[case]
    native, ours, expected = result["native"], result["bypass"], result["expected"]
    assert native["ended"] == 0, f"natively: {native['ended']}\n{native['answer']}\n{native['stderr']}"
    assert ours["ended"] == 0, f"ended by {ours['ended']}\n{ours['answer']}\n{ours['stderr'][-3000:]}"
    assert ours["answer"] == native["answer"]
    counters = WriteCounters.of(ours["stderr"])
    assert counters.bypassed == expected["bypassed"], counters
    assert counters.reasons == expected["reasons"], counters


def test_every_reason():
    """Of those that can be told to an application."""
    told = re.findall(r"^\| `([a-z-]+)` \|", REASONS.read_text(), re.MULTILINE)
    provoked = {reason for _, expected in CASES.values() for reason in expected["reasons"]}
    assert len(told) > 30
    missing = set(told) - provoked - ELSEWHERE.keys() - NOT_FOR_WRITES.keys()
    assert not missing, f"no write is passed on in a test because: {missing}"
