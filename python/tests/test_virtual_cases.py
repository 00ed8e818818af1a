"""Virtual datasets: where their sources are looked for, how long they stay open, what is left to native HDF5.

Each case of clients/virtual_cases.py runs natively and through the connector, in processes of their own: same answers, and the
connector counted what the case says.
"""

from __future__ import annotations

import sys

import pytest
from helpers.both_ways import check_reads, same_answers
from helpers.reads import Counters
from helpers.run_client import CLIENTS

sys.path.append(str(CLIENTS))
from counted import summaries  # noqa: E402
from virtual_cases import CASES  # noqa: E402


@pytest.mark.parametrize("case", CASES)
def test_same_answers(case, host, results_of):
    check_reads(results_of("virtual_cases", host)[case])


# One tells identifiers and descriptors apart, which are others then: virtual_writes.py has a case for these.
@pytest.mark.parametrize("case", [case for case in CASES if case != "open_objects_and_descriptors"])
def test_same_answers_if_files_can_be_written(case, host, results_of):
    same_answers(results_of("virtual_cases", host, H5BYPASS_TEST_WRITABLE="1")[case])


def test_sources_are_read_if_files_can_be_written(host, results_of):
    result = results_of("virtual_cases", host, H5BYPASS_TEST_WRITABLE="1")
    for case in ("sources_in_several_files", "sources_in_the_same_file", "sources_of_other_types"):
        assert Counters.of(result[case]["bypass"]["stderr"]).bypassed == 3, case


def test_missing_sources_are_counted(host, results_of):
    stderr = same_answers(results_of("virtual_cases", host)["missing_file_and_missing_dataset"])
    assert [summary["missing_sources"] for summary in summaries(stderr)] == [6]


def test_missing_sources_are_errors_if_wanted(host, results_of):
    result = results_of("virtual_cases", host, BYPASS_VOL_STRICT="1")
    assert result["missing_file_and_missing_dataset"]["bypass"]["answer"] == [None] * 3
    # Sources that are there are read as ever.
    assert result["sources_in_several_files"]["bypass"]["answer"] == result["sources_in_several_files"]["native"]["answer"]
