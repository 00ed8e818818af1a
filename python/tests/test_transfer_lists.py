"""Transfer property lists: the cases of clients/transfer_lists.py, natively and through the connector in processes of their own."""

from __future__ import annotations

import sys

import pytest
from helpers.both_ways import check
from helpers.reads import run_reads
from helpers.run_client import CLIENTS

sys.path.append(str(CLIENTS))
from transfer_lists import CASES  # noqa: E402


@pytest.fixture(scope="session")
def lists(python, plugin_dir, tmp_path_factory):
    """All cases with a host, run once."""
    results = {}

    def of(host):
        if host.name not in results:
            folder = tmp_path_factory.mktemp(f"lists_{host.name}")
            results[host.name], _ = run_reads(python, plugin_dir, "transfer_lists", host, cwd=folder)
        return results[host.name]

    return of


@pytest.mark.parametrize("case", CASES)
def test_case(case, host, lists):
    check(lists(host)[case])
