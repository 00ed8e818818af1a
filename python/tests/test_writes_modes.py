"""Drivers, access modes and ways to reach a dataset: what is written is what native HDF5 writes, and the counters say who wrote it.

The cases are those of clients/writes_modes.py.
"""

from __future__ import annotations

import sys

import pytest
from helpers.both_ways import same_answers
from helpers.connectors import STATS, clean_env
from helpers.run_client import CLIENTS
from helpers.writes import WriteCounters, run_script

sys.path.append(str(CLIENTS))
from writes_modes import CASES  # noqa: E402


@pytest.mark.parametrize("case", CASES)
def test_mode(case, host, results_of):
    result = results_of("writes_modes", host, timeout=300)[case]
    counters, expected = WriteCounters.of(same_answers(result)), result["expected"]
    if expected["bypassed"] is None:
        assert counters.bypassed > 0, counters
    else:
        assert counters.bypassed == expected["bypassed"], counters
    assert set(expected["reasons"]) <= set(counters.reasons), counters


LEFT_OPEN = """
import ctypes, h5py, sys
file = h5py.File("left.h5", "w", libver=sys.argv[1])
kinds = {"contiguous": {}, "plain": {"chunks": (23,)}, "single": {"chunks": (70,), "compression": "gzip"}}
kinds["fixed"] = {"chunks": (23,), "shuffle": True}
kinds["extensible"] = {"chunks": (23,), "maxshape": (None,), "compression": "lzf"}
for name, kind in kinds.items():
    dataset = file.create_dataset(name, (70,), "f4", **kind)
    dataset[3:8] = 5
    dataset[60:] = 7
# The exit handlers of HDF5 close what is open.
ctypes.CDLL(None).exit(0)
"""
READ_AGAIN = """
import h5py, numpy
expected = numpy.zeros(70, "f4")
expected[3:8], expected[60:] = 5, 7
with h5py.File("left.h5") as file:
    wrong = [name for name in file if (file[name][...] != expected).any()]
    print(len(file), wrong)
"""


@pytest.mark.parametrize("version", ["earliest", "v110", "latest"])
def test_left_open(version, python, plugin_dir, empty_dir, bypass, tmp_path):
    """What is still open when a process ends is closed by HDF5, and so written."""
    env = clean_env(plugin_dir, **bypass.env(), **STATS)
    done = run_script(python, LEFT_OPEN, version, env=env, cwd=tmp_path)
    assert WriteCounters.of(done.stderr).bypassed >= 8, done.stderr
    assert run_script(python, READ_AGAIN, env=clean_env(empty_dir), cwd=tmp_path).stdout == "5 []\n"
