"""Compact datasets in files that are open for writing, and datasets with no element or one: answers and files are native HDF5's.

Each case of clients/little_datasets.py runs natively and through the connector, in processes of their own.
"""

from __future__ import annotations

import sys

import pytest
from helpers.both_ways import check, same_answers
from helpers.reads import Counters
from helpers.run_client import CLIENTS
from helpers.writes import WriteCounters

sys.path.append(str(CLIENTS))
from little_datasets import CASES  # noqa: E402


@pytest.mark.parametrize("case", CASES)
def test_case(case, host, results_of):
    result = results_of("little_datasets", host)[case]
    if result["expected"]["bypassed"] is None:
        same_answers(result)
    else:
        check(result)


def test_other_handles(host, results_of):
    """Most reads are of elements that were asked for."""
    reads = Counters.of(same_answers(results_of("little_datasets", host)["written_through_another_handle"]))
    assert reads.bypassed > 50, reads
    reads = Counters.of(same_answers(results_of("little_datasets", host)["refreshed_deleted_and_made_again"]))
    assert reads.bypassed > 30, reads


@pytest.mark.parametrize("case", ["null_dataspaces", "no_elements", "no_elements_in_chunks"])
def test_nothing_is_moved(case, host, results_of):
    stderr = same_answers(results_of("little_datasets", host)[case])
    reads, writes = Counters.of(stderr), WriteCounters.of(stderr)
    assert not reads.bypassed and not writes.bypassed and sum(reads.reasons.values()) > 5, (reads, writes)


def test_one_element(host, results_of):
    """Those of contiguous datasets, and of compact ones in a file that is open read-only."""
    stderr = same_answers(results_of("little_datasets", host)["scalar_dataspaces"])
    reads, writes = Counters.of(stderr), WriteCounters.of(stderr)
    assert reads.bypassed >= 9 and writes.bypassed >= 3 and reads.reasons["compact"] >= 6, (reads, writes)
