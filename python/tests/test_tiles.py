"""Tiles of uncompressed chunks in files that are open for writing: in memory as long as they are used again, and right in the file.

What the program (clients/tiles.py) leaves is read natively. It counts the system calls that it takes to move a row of overlapping tiles: 17
tiles of 48 lines, in six chunks.
"""

import json
import subprocess

import pytest
from helpers.connectors import STATS, clean_env
from helpers.run_client import CLIENTS
from helpers.writes import WriteCounters

COMPARE = """
import h5py, numpy as np
with h5py.File("tiles.h5") as file, np.load("tiles.npz") as wanted:
    for name in wanted:
        assert np.array_equal(file[name][...], wanted[name]), name
    print(*wanted)
"""


def run(python, env, tmp_path, seed):
    command = [python, str(CLIENTS / "tiles.py"), str(seed)]
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


SETTINGS = [({}, 1), ({}, 2), ({"BYPASS_VOL_CACHE": "0"}, 3), ({"BYPASS_VOL_CACHE": "1M", "BYPASS_VOL_NTHREADS": "1"}, 4)]


@pytest.mark.parametrize(("settings", "seed"), SETTINGS, ids=str)
def test_tiles(settings, seed, python, plugin_dir, bypass, tmp_path):
    calls, stderr = run(python, clean_env(plugin_dir, **bypass.env(), **STATS, **settings), tmp_path, seed)
    counters = WriteCounters.of(stderr)
    assert counters.passed_on <= 1 and counters.bypassed > 300, counters
    if not settings:
        # Each chunk is read once. Without chunks in memory a tile takes two calls or more, and one that is written four.
        assert max(calls.values()) <= 10, calls
    natively = clean_env(plugin_dir)
    read = subprocess.run([python, "-c", COMPARE], env=natively, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert read.stdout.split() == ["chunked", "columns"], read.stderr


def test_the_program_runs_natively(python, plugin_dir, tmp_path):
    """Otherwise a failure would say nothing about the connector."""
    run(python, clean_env(plugin_dir), tmp_path, 1)
