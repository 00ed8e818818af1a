"""Which elements asynchronous calls move, and what becomes of them if the dataset changes, is closed or cannot be read.

tests/c/asynchronous_selections.c does it natively and through the connector; both print the same.
"""

from __future__ import annotations

from functools import partial

import pytest

from helpers.event_sets import LAYOUTS, asynchronous, number


@pytest.fixture
def both(c_both_ways):
    return partial(c_both_ways, "asynchronous_selections")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_selections(both, layout):
    run = both("selections", layout)
    # Nothing and what the list selects are done at once; everything else is read after the call.
    under_way = [1, 1, 1, 1, 1, 1, 1, 0, 0, 0]
    assert [int(count) for count in run.notes["read"]] == under_way
    assert run.counts["reads"]["asynchronous"] == sum(under_way)
    assert run.counts["writes"]["asynchronous"] >= 1


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_close_that_waits_makes_what_was_read_valid(both, layout):
    run = both("closed", layout)
    assert (run.notes["under-way"], asynchronous(run)) == (["1", "1", "1"], 3)


@pytest.mark.parametrize("layout", ["chunked", "gzip", "converted"])
def test_the_dataset_becomes_smaller_meanwhile(both, layout):
    run = both("shrunk", layout)
    assert number(run, "under-way") == 1


@pytest.mark.parametrize("layout", ["contiguous", "gzip"])
def test_a_disk_that_cannot_be_read_fails_the_request(both, preloaded, layout):
    env = preloaded("pread_faults")
    run = both("unreadable", layout, env=env, native_env=env)
    assert (number(run, "failed-later"), run.notes["told"]) == (1, ["1 H5Dread_async"])
    assert "unreadable.h5" in run.stderr and "Input/output error" in run.stderr, "the error names the file and the cause"
