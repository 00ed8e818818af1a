"""Every asynchronous function of HDF5, natively and through the connector: results, failures, and what is in the files.

tests/c/asynchronous_forms.c calls them while a write to the same file is under way.
"""

from __future__ import annotations

import re
from functools import partial

import pytest

from helpers.event_sets import asynchronous

MODES = ["attributes", "groups_and_links", "objects", "types_and_references", "files_and_datasets"]


@pytest.fixture
def both(c_both_ways):
    return partial(c_both_ways, "asynchronous_forms")


@pytest.mark.parametrize("layout", ["gzip", "converted", "contiguous", "chunked"])
@pytest.mark.parametrize("mode", MODES)
def test_forms_while_a_write_is_under_way(both, mode, layout):
    run = both(mode, layout)
    under_way = [int(count) for count in run.notes["under-way"]]
    if layout in ("gzip", "converted"):
        assert all(under_way), under_way
    else:
        # The first write to a dataset without filters is stored at once. So are chunks without filters after a change of the extent.
        assert (under_way[0], under_way[1]) == (0, 1), under_way
    assert asynchronous(run) >= sum(map(bool, under_way))


def test_no_form_is_left_out(both, host):
    """What the library exports is what the program calls."""
    exported = set(re.findall(rb"\0(H5[A-Z]{1,2}[a-z]\w*_async)(?=\0)", host.path.read_bytes()))
    called = {name for mode in MODES for name in both(mode, "gzip").notes["called"]}
    assert {name.decode() for name in exported} == called
    assert len(called) == 51


@pytest.mark.parametrize("mode", MODES)
def test_forms_below_h5stats(both, mode, stats_over_bypass):
    assert asynchronous(both(mode, "gzip", stack=stats_over_bypass)) > 0
