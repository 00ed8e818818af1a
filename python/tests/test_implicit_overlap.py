"""Chunks that are decoded ahead, or encoded behind, in every host: same results, same failures, same files.

tests/c/implicit.c makes ordinary calls only. What Python clients do is in test_read_ahead.py and test_write_behind.py.
"""

from __future__ import annotations

import json
from functools import partial

import pytest

LAYOUTS = ["gzip", "converted"]
THREE = {"BYPASS_VOL_NTHREADS": "3"}


@pytest.fixture
def both(c_both_ways):
    return partial(c_both_ways, "implicit")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_reads_in_order(both, layout):
    assert both("reads", layout, env=THREE).counts["chunks_decoded_ahead"] > 0
    assert both("reads", layout, env={**THREE, "BYPASS_VOL_READ_AHEAD": "0"}).counts["chunks_decoded_ahead"] == 0


def printed(run) -> list[str]:
    """What HDF5 prints of failures, and the notes between."""
    return [line for line in run.stderr.splitlines() if not line.startswith("@")]


def test_a_damaged_chunk_is_told_by_the_read_that_wants_it(both, tmp_path):
    """Whoever decodes it ahead says nothing."""
    trace, prints = tmp_path / "trace.json", {"H5_TEST_PRINTS": "1"}
    ahead = both("damaged", env={**THREE, **prints, "BYPASS_VOL_TRACE": str(trace)}, native_env=prints)
    tried = sum(event.get("name") == "read ahead" for event in json.loads(trace.read_text())["traceEvents"])
    assert tried > ahead.counts["chunks_decoded_ahead"] > 0, "the damaged chunk was not tried"
    not_ahead = both("damaged", env={**THREE, **prints, "BYPASS_VOL_READ_AHEAD": "0"}, native_env=prints)
    assert printed(ahead) == printed(not_ahead)

    def failures(run):
        return [line for line in printed(run) if line.startswith(("after", "HDF5-DIAG"))]

    assert failures(ahead) == failures(ahead.native)
    assert sum("HDF5-DIAG" in line for line in failures(ahead)) == 2


@pytest.mark.parametrize("layout", LAYOUTS)
def test_files_hold_the_same_whether_chunks_are_encoded_behind_or_not(both, run_c, host, tmp_path, layout):
    for wanted in ("true", "false"):
        run = both("writes", layout, env={**THREE, "BYPASS_VOL_WRITE_BEHIND": wanted})
        assert (run.counts["chunks_encoded_behind"] > 0) == (wanted == "true")
        native, ours = (run_c("implicit", host, tmp_path / which, mode="look").succeeded() for which in ("native", "connector"))
        assert ours.stdout == native.stdout
