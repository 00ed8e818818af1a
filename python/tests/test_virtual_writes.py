"""Virtual datasets in files that are open for writing: results, files and errors are those of native HDF5."""

from __future__ import annotations

import json
import sys

import pytest
from helpers.both_ways import check, same_answers
from helpers.hosts import read_hosts
from helpers.reads import Counters, run_reads
from helpers.run_client import CLIENTS
from helpers.writes import WriteCounters, thread_safe

sys.path.append(str(CLIENTS))
from virtual_writes import CASES  # noqa: E402

SEEDS = 150
SETTINGS = {
    "one thread": {"BYPASS_VOL_NTHREADS": "1"},
    "tiny pieces": {"BYPASS_VOL_IO_SIZE": "512"},
    "no cache": {"BYPASS_VOL_CACHE": "0"},
    "usual thresholds": {"BYPASS_VOL_SMALL_READ": "512"},
}


@pytest.mark.parametrize("case", [case for case in CASES if not case.startswith("threads")])
def test_case(case, host, results_of):
    result = results_of("virtual_writes", host)[case]
    if result["expected"]["bypassed"] is None:
        same_answers(result)
    else:
        check(result)


def test_small_reads(host, results_of):
    """Native HDF5 does the first ones if they are of a virtual dataset, and the first one of each source after that."""
    stderr = same_answers(results_of("virtual_writes", host, BYPASS_VOL_SMALL_READ="512")["small_reads"])
    reads = Counters.of(stderr)
    assert reads.bypassed == 61 and reads.reasons == {"first-small-read": 1, "small-read": 8 + 3}, reads


def test_small_writes(host, results_of):
    """None of them is left to native HDF5: chunks that it has changed could not be written in place."""
    stderr = same_answers(results_of("virtual_writes", host, BYPASS_VOL_SMALL_READ="512")["small_writes"])
    writes = WriteCounters.of(stderr)
    assert writes.bypassed == 38 and not writes.reasons, writes


def test_native_was_here(host, python, plugin_dir, tmp_path):
    """Chunks of which native HDF5 may have copies are stored by HDF5; when it has closed their files, they are written in place."""
    env = {"BYPASS_VOL_SMALL_READ": "0", "BYPASS_VOL_TRACE": str(tmp_path / "trace-%p.json")}
    run_reads(python, plugin_dir, "virtual_writes", host, "after_native_was_here", cwd=tmp_path, env=env)
    events = [event for path in tmp_path.glob("trace-*.json") for event in json.loads(path.read_bytes())["traceEvents"]]
    stored = [event for event in events if event["name"] == "store"]
    # Those of the first turn: four that are written as a whole, and one. There would be as many in the second.
    assert len(stored) == 5 and len([event for event in events if event["name"] == "native"]) == 1, (stored, events)


def test_threads(results_of):
    stderr = same_answers(results_of("virtual_writes", thread_safe())["threads"])
    reads, writes = Counters.of(stderr), WriteCounters.of(stderr)
    assert reads.bypassed == 400 and writes.bypassed == 600, (reads, writes)


def test_threads_on_lines(results_of):
    stderr = same_answers(results_of("virtual_writes", thread_safe())["threads_on_lines"])
    reads, writes = Counters.of(stderr), WriteCounters.of(stderr)
    assert reads.bypassed == 400 and writes.bypassed == 600, (reads, writes)


def test_threads_on_large_sources(results_of):
    """Fails if a call on a virtual dataset claims none of its sources."""
    stderr = same_answers(results_of("virtual_writes", thread_safe())["threads_on_large_sources"])
    reads, writes = Counters.of(stderr), WriteCounters.of(stderr)
    assert reads.bypassed > 1 and reads.passed_on == 0 and writes.bypassed == 120, (reads, writes)


def run_programs(python, plugin_dir, host, first, seeds, tmp_path, **env):
    env = {"BYPASS_VOL_SMALL_READ": "0"} | env
    answer, stderr = run_reads(python, plugin_dir, "virtual_programs", host, str(first), str(seeds), cwd=tmp_path, env=env)
    shown = "\n\n".join(json.dumps(difference)[:3000] for difference in answer["differences"][:4])
    assert not answer["differences"], f"{len(answer['differences'])} differences, the first:\n{shown}"
    return answer, Counters.of(stderr), WriteCounters.of(stderr)


def test_programs(host, python, plugin_dir, tmp_path):
    answer, reads, writes = run_programs(python, plugin_dir, host, 1, SEEDS, tmp_path)
    assert reads.bypassed > 700 and writes.bypassed > 300, (reads, writes)
    # Native HDF5 refuses many writes: whatever has no source.
    assert answer["failed"] < answer["steps"] / 3 and answer["opened_differently"] < SEEDS / 50, answer
    wanted = [f"{what} {of}" for what in ("read", "write", "flush dataset", "flush file", "close", "close file") for of in ("virtual", "source")]
    assert not [what for what in [*wanted, "grow source", "read-only"] if not answer["kinds"].get(what)], answer["kinds"]


@pytest.mark.parametrize("setting", SETTINGS)
def test_settings(setting, python, plugin_dir, tmp_path):
    host = next(host for host in read_hosts("H5_HOSTS_FILE") if host.name == "tables")
    run_programs(python, plugin_dir, host, 5000, 40, tmp_path, **SETTINGS[setting])
