"""Sources that are opened without HDF5: what is read, locked and refused is the same, and which ones they are is counted."""

from __future__ import annotations

import json
import sys

import pytest
from helpers.both_ways import same_answers
from helpers.reads import run_reads
from helpers.run_client import CLIENTS

sys.path.append(str(CLIENTS))
from counted import summaries  # noqa: E402
from virtual_plain import CASES  # noqa: E402

SEEDS = 250


@pytest.mark.parametrize("case", CASES)
def test_case(case, host, results_of):
    result = results_of("virtual_plain", host)[case]
    stderr = same_answers(result)
    assert [summary["plain_sources"] for summary in summaries(stderr)] == [result["expected"]["bypassed"]], stderr


@pytest.mark.parametrize("form", ["old", "new"])
def test_damaged_sources(form, host, python, plugin_dir, tmp_path):
    """No crash, and no values but those that native HDF5 gives."""
    arguments = ("1", str(SEEDS), form)
    answer, _ = run_reads(python, plugin_dir, "virtual_plain_damaged", host, *arguments, cwd=tmp_path, timeout=300)
    assert not answer["differences"], json.dumps(answer["differences"][:3])[:4000]
    outcomes = answer["outcomes"]
    assert outcomes["plain"] > SEEDS / 10 and outcomes["values"] > SEEDS / 10 and outcomes["failed"] > SEEDS / 50, outcomes
