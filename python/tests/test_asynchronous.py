"""Asynchronous reads and writes with event sets, natively and through the connector.

Natively they are done when the call returns. So results are compared, and what the program notes about operations that are under
way proves that with the connector they were.
"""

from __future__ import annotations

import itertools
import json
import os
from functools import partial

import pytest

from helpers.event_sets import LAYOUTS, TWO, asynchronous, number


@pytest.fixture
def both(c_both_ways):
    return partial(c_both_ways, "asynchronous")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_reads_and_writes_in_any_order(both, layout):
    run = both("basic", layout)
    # New chunks without filters are stored at once; everything else is under way when the call returns.
    assert number(run, "first-write") == (0 if layout in ("chunked", "contiguous") else 1)
    assert (number(run, "read"), number(run, "second-write"), number(run, "disjoint-writes")) == (1, 1, 2)
    assert asynchronous(run) >= 8


@pytest.mark.parametrize("layout", ["contiguous", "gzip"])
def test_several_datasets_in_one_call(both, layout):
    run = both("multi", layout)
    assert number(run, "read") >= 1
    assert run.counts["reads"]["asynchronous"] == 1


@pytest.mark.parametrize(("layout", "under_way"), [("contiguous", 2), ("chunked", 0), ("gzip", 3), ("converted", 3)])
def test_everything_is_closed_before_it_is_waited_for(both, layout, under_way):
    # The first write to a contiguous dataset, and new chunks without filters, are stored at once.
    assert both("idiom", layout).notes["under-way"] == [str(under_way)] * 3


@pytest.mark.parametrize("mode", ["order", "sets", "newest_first", "barriers", "callbacks", "cancel", "misuse", "iterate", "threads"])
def test_modes(both, mode):
    run = both(mode)
    assert asynchronous(run) > 0
    match mode:
        case "order":
            assert number(run, "left") == 0
        case "sets":
            assert run.notes["one"] == ["1", "1"]
            assert run.notes["two"] == ["2", "2"]
        case "callbacks":
            # Both were inserted and completed, with times, and the last one succeeded.
            assert run.notes["callbacks"] == ["2 2 2 1"]
            assert (number(run, "refused"), number(run, "after-refusal"), number(run, "requests")) == (1, 0, 1)
        case "cancel":
            assert number(run, "before") == 7
            assert number(run, "not-read") > 0, "nothing was cancelled"
        case "misuse":
            assert (number(run, "closed-early"), number(run, "bad-set")) == (0, 1)


# Modes in which something goes on after its call in this layout: new chunks without filters, and first writes to contiguous
# datasets, are stored at once. What overwrites such chunks goes on.
@pytest.mark.parametrize(
    ("layout", "mode"),
    [
        *itertools.product(["contiguous", "chunked", "converted"], ["order", "callbacks", "cancel", "threads", "virtual"]),
        *itertools.product(["contiguous", "converted"], ["sets", "barriers", "misuse", "close_library"]),
        *itertools.product(["chunked"], ["barriers", "misuse", "close_library"]),
    ],
)
def test_modes_in_other_layouts(both, layout, mode):
    assert asynchronous(both(mode, layout)) > 0


@pytest.mark.parametrize("layout", ["gzip", "contiguous"])
def test_h5stats_above(both, layout, stats_over_bypass):
    run = both("basic", layout, stack=stats_over_bypass)
    assert asynchronous(run) >= 8
    for mode in ("idiom", "callbacks", "cancel"):
        assert asynchronous(both(mode, layout, stack=stats_over_bypass)) > 0


def test_the_newest_ends_before_the_oldest(both, preloaded):
    """HDF5 would lose what is inserted after that, so the newest ones are said to be in progress as long as the oldest is."""
    env = {**preloaded("slow_reads"), "H5_TEST_READ_US": "400000", "BYPASS_VOL_NTHREADS": "3"}
    run = both("overtake", env=env, native_env=env)
    assert (number(run, "in-progress"), number(run, "under-way")) == (4, 5)


def test_the_trace_shows_who_did_what(both, tmp_path):
    trace = tmp_path / "trace.json"
    run = both("multi", env={"BYPASS_VOL_TRACE": str(trace)})
    events = json.loads(trace.read_text())
    events = events["traceEvents"] if isinstance(events, dict) else events
    requests = [event for event in events if event.get("name") == "request"]
    assert len(requests) == asynchronous(run) == 2
    assert all("multi.h5" in json.dumps(event.get("args", {})) for event in requests), requests


def test_virtual_datasets(both):
    run = both("virtual")
    assert (run.notes["under-way"], run.counts["reads"]["asynchronous"]) == (["1", "1"], 2)


def test_a_damaged_chunk_fails_the_request(both):
    run = both("failures")
    assert number(run, "failed-later") == 1
    assert run.notes["errors"] == ["1 1"]
    # One failure, of this function, with an error stack, told to the function that hears of the end.
    assert run.notes["told"] == ["1 H5Dread_async 1 3"]
    assert "failures.h5" in run.stderr and "192" in run.stderr, "the error names file and chunk"


def test_h5stats_hands_failures_on(both, stats_over_bypass):
    run = both("failures", stack=stats_over_bypass)
    assert (number(run, "failed-later"), run.notes["told"]) == (1, ["1 H5Dread_async 1 3"])


def test_asynchronous_again_after_the_failed_set_is_closed(both):
    run = both("recovers")
    assert run.notes["set-is-there"] == ["0", "0", "0"]
    # The second time its errors were asked for: from then on it cannot be told.
    assert (run.notes["set-is-closed"], run.notes["told"]) == (["1", "0", "0"], ["1"])


def test_a_full_disk_fails_the_request_or_the_flush(both, faults):
    assert both("faults", "contiguous", env=faults, native_env=faults).notes["failed-in-wait"] == ["1", "0"]


def test_chunks_that_cannot_be_stored(run_c, host, tmp_path, bypass, faults):
    """Native HDF5 may lose chunks then. Compared is what happens if nothing is asynchronous."""
    runs = [
        run_c("asynchronous", host, tmp_path / which, "gzip", mode="faults", stack=bypass, env={**TWO, **faults, **env})
        for which, env in [("asynchronous", {}), ("plain", {"BYPASS_VOL_NO_TPOOL": "1"})]
    ]
    assert runs[0].stdout == runs[1].stdout
    assert [run.notes["failed-in-wait"] for run in runs] == [["1", "0"], ["0", "0"]]


@pytest.mark.parametrize("mode", ["leave_open", "leave_closed", "close_library"])
@pytest.mark.parametrize("layout", ["gzip", "contiguous"])
def test_nothing_is_lost_if_nobody_waits(both, run_c, host, tmp_path, mode, layout):
    run = both(mode, layout)
    assert number(run, "under-way") > 0
    native, ours = (run_c("asynchronous", host, tmp_path / which, layout, mode="look") for which in ("native", "connector"))
    assert ours.succeeded().stdout == native.succeeded().stdout


def test_forked_processes_know_nothing_of_it(both):
    assert number(both("forked"), "under-way") == 1


@pytest.mark.parametrize(("layout", "under_way"), [("gzip", 2), ("contiguous", 1)])
def test_forked_processes_do_what_they_like(both, layout, under_way):
    """Files of their own, reads, cancelling, closing: it ends, and what the parent has under way is as if there were no child."""
    assert number(both("children", layout), "under-way") == under_way


@pytest.mark.parametrize("seed", os.environ.get("H5_TEST_SEEDS", "1,2,3").split(","))
def test_calls_in_random_order(both, seed):
    env = {"H5_TEST_SEED": seed}
    assert asynchronous(both("random", env=env, native_env=env)) > 40


@pytest.mark.parametrize("mode", ["idiom", "multi", "sets", "newest_first"])
def test_the_same_program_gives_the_same_files(run_c, host, tmp_path, bypass, mode):
    """Byte for byte, whatever the number of threads, and whether anything is asynchronous at all (one thread)."""
    contents = []
    for threads in ("1", "2", "4"):
        folder = tmp_path / threads
        run_c("asynchronous", host, folder, mode=mode, stack=bypass, env={"BYPASS_VOL_NTHREADS": threads}).succeeded()
        contents.append({file.name: file.read_bytes() for file in folder.glob("*.h5")})
    assert contents[0] and contents[0] == contents[1] == contents[2]


def test_the_program_that_measures(run_c, host, tmp_path, bypass):
    """It prints times, which are not looked at."""
    for mode, *arguments in [("make", "0", "1"), ("read", "0", "1"), ("write", "0", "1"), ("new", "-1", "1"), ("submit", "0", "20")]:
        run = run_c("overlap", host, tmp_path, *arguments, mode=mode, stack=bypass, env=TWO).succeeded()
        assert len(run.stdout.split()) == {"make": 0, "submit": 2}.get(mode, 1)


def test_very_many_requests(both):
    # 10,000 reads of 40 KiB: what is waiting is bounded, and so is what HDF5 keeps of them.
    run = both("many", "contiguous")
    assert run.counts["reads"]["asynchronous"] == 10000
    assert number(run, "kib") < 64 * 1024


def test_very_many_files(both):
    """HDF5 gives up the object that it keeps for a file only if it closes the file in a call that wraps objects."""
    run = both("many_files")
    assert run.counts["writes"]["asynchronous"] == 450
    # 360 bytes for each of 200 files, if nobody sees to it.
    assert number(run, "grown") < 20000


def test_memory_that_is_used_again_at_once(both):
    run = both("reuse", env={"BYPASS_VOL_ASYNC_COPY": "1"})
    assert number(run, "under-way") == 4
    # No room for copies: nothing is asynchronous.
    small = both("reuse", env={"BYPASS_VOL_ASYNC_COPY": "1", "HDF5_ASYNC_MAX_MEM_MB": "1"})
    assert asynchronous(small) == 0


@pytest.mark.parametrize("mebibytes", ["1", "0"])
def test_little_memory_for_what_waits_to_be_stored(both, mebibytes):
    """None at all stands for the default, as it does in the Async connector."""
    assert asynchronous(both("basic", env={"HDF5_ASYNC_MAX_MEM_MB": mebibytes})) >= 8


@pytest.mark.parametrize("variable", ["BYPASS_VOL_DISABLE", "BYPASS_VOL_NO_TPOOL"])
def test_switched_off(both, variable):
    run = both("idiom", env={variable: "1"})
    assert (asynchronous(run), run.notes["under-way"]) == (0, ["0", "0", "0"])


def test_the_connector_says_that_it_is_asynchronous(run_c, host, tmp_path, bypass):
    run = run_c("asynchronous", host, tmp_path, mode="capabilities", stack=bypass).succeeded()
    assert run.stdout == "asynchronous: 1\n"
