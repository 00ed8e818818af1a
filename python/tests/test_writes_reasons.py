"""Writes that are passed on to native HDF5: for the reason that is told, no other, and with the effect they have natively.

The cases are those of clients/writes_reasons.py. No reason can be added without one, or without a word on why there is none.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from reads import run_reads
from run_client import CLIENTS
from writes import WriteCounters

sys.path.append(str(CLIENTS))
from writes_reasons import CASES  # noqa: E402

REASONS = Path(__file__).resolve().parents[2] / "connectors" / "bypass" / "src" / "reason.rs"
# Reasons by their first words.
ELSEWHERE = {
    "a collective transfer (MPI)": "tests/c/mpi",
    "a dataset twice in one call": "test_writes_found.py",
    "processes share the file through MPI": "tests/c/mpi",
    "the application has no handle of the file": "test_closed_files.py",
    "the buffer for conversions": "test_transfer_lists.py",
    "the connector is switched off": "test_writes_random.py",
    "the file is written while other processes read it": "test_writes_found.py, test_writes_modes.py",
    "the file has a page buffer": "test_writes_modes.py",
    "the file's driver": "test_writes_found.py, test_writes_modes.py",
}
NOT_FOR_WRITES = {
    "HDF5 does not tell about": "only if HDF5 fails to answer",
    "a layout that a newer HDF5 knows": "only with an HDF5 to come",
    "its chunk index has entries that make no sense": "HDF5 is asked about each chunk then",
    "the dataset has no fill value": "the rest of a new chunk is zeros then",
    "the memory selection names a place twice": "that can be read from",
    "a small read": "reads only",
    "the first read": "reads only",
    "the file was reached through a link in an HDF5 built for MPI": "only in files that are open read-only",
    "few chunks of a large dataset": "HDF5 is asked about each chunk then",
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
    told = re.findall(r'#\[error\("(.*)"\)\]', REASONS.read_text())
    provoked = {reason for _, expected in CASES.values() for reason in expected["reasons"]}
    known = [*provoked, *ELSEWHERE, *NOT_FOR_WRITES]
    # One that is told by something else, such as the filters, is all placeholder.
    texts = [text.split("{")[0] for text in told if not text.startswith("{")]
    assert len(texts) > 30
    missing = [text for text in texts if not any(one.startswith(text) or text.startswith(one) for one in known)]
    assert not missing, f"no write is passed on in a test because: {missing}"
