"""Threads that write and read the same datasets: tests/c/writes_threads.c looks for an order of the calls that explains what was read.

What is in the file in the end is looked at natively as well. The counters tell who wrote it.
"""

from __future__ import annotations

import json
import subprocess

import pytest
from helpers.connectors import STATS, clean_env
from helpers.writes import WriteCounters, thread_safe

SETTINGS = [
    {},
    {"BYPASS_VOL_NTHREADS": "1"},
    {"BYPASS_VOL_NTHREADS": "16"},
    {"BYPASS_VOL_NO_TPOOL": "true"},
    {"BYPASS_VOL_CACHE": "0"},
    {"BYPASS_VOL_CACHE": "6000"},
    {"BYPASS_VOL_IO_SIZE": "512"},
]
# The sums of writes_threads.c, and whether the rows of the log are right.
NATIVELY = """
import h5py, json, numpy
with h5py.File("writes.h5") as file:
    found = {}
    for name in ("contiguous", "chunked", "gzip"):
        values = file[name][...].astype("u8").ravel()
        found[name] = int((numpy.arange(1, values.size + 1, dtype="u8") * values).sum(dtype="u8"))
    log = file["log"][...]
    found["log"] = len(log) if (log == numpy.arange(1, len(log) + 1)[:, None]).all() else "wrong rows"
print(json.dumps(found))
"""


def label(setting):
    return ",".join(f"{key[11:]}={value}" for key, value in setting.items()) or "default"


@pytest.fixture
def check(python, empty_dir):
    """Compares the file with what the program has printed; returns what the connector counted."""

    def of(run, stack):
        run.succeeded().served_by(stack.name)
        printed = dict(line.split() for line in run.stdout.splitlines() if "failures" not in line)
        natively = {"env": clean_env(empty_dir), "cwd": run.directory}
        done = subprocess.run([python, "-c", NATIVELY], **natively, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        assert {name: str(value) for name, value in json.loads(done.stdout).items()} == printed, run
        counters = WriteCounters.of(run.stderr)
        # The zeros, the stamps and what was appended; the first of a dataset may be HDF5's.
        expected = 3 + int(run.notes["writes"][0]) + int(printed["log"])
        assert counters.bypassed + counters.passed_on == expected and counters.passed_on <= 4, run
        return counters

    return of


@pytest.mark.parametrize("setting", SETTINGS, ids=label)
def test_storm(setting, check, bypass, run_c, tmp_path):
    counters = check(run_c("writes_threads", thread_safe(), tmp_path, "1200", mode="storm", stack=bypass, env=STATS | setting), bypass)
    assert counters.bypassed > 300, counters


@pytest.mark.parametrize("setting", [{}, {"BYPASS_VOL_CACHE": "0"}], ids=label)
@pytest.mark.parametrize("mode", ["visit", "fork"])
def test_among_others(mode, setting, check, bypass, run_c, tmp_path):
    """With a thread that writes while it holds HDF5's lock, or one that forks."""
    counters = check(run_c("writes_threads", thread_safe(), tmp_path, "1500", mode=mode, stack=bypass, env=STATS | setting), bypass)
    assert counters.bypassed > 200, counters


@pytest.mark.parametrize("mode", ["child", "once"])
@pytest.mark.parametrize("setting", [{}, {"BYPASS_VOL_NTHREADS": "4"}, {"BYPASS_VOL_CACHE": "0"}], ids=label)
def test_one_thread(mode, setting, check, host, bypass, run_c, tmp_path):
    counters = check(run_c("writes_threads", host, tmp_path, mode=mode, stack=bypass, env=STATS | setting), bypass)
    assert counters.bypassed > 55, counters
