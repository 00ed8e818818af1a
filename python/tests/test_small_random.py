"""Random programs of tiny reads and writes, with flushes, resizes, several handles and reopenings: as arrays in memory.

The programs (clients/small_random.py) run through h5py, natively and through the connector. What they leave is then read natively.
H5BYPASS_WRITE_SEEDS=N runs N programs instead of the default, from H5BYPASS_WRITE_FIRST on.
"""

import json
import os
import subprocess

import pytest
from helpers.connectors import STATS, clean_env
from helpers.run_client import CLIENTS
from helpers.writes import WriteCounters

SEEDS = int(os.environ.get("H5BYPASS_WRITE_SEEDS", 40))
FIRST = int(os.environ.get("H5BYPASS_WRITE_FIRST", 1))
STEPS = 300
WANTED = ["contiguous", "chunked", "tiny chunks", "gzip", "write", "read", "resize", "flush", "flush_one", "reopen", "copy", "delete", "view"]

COMPARE = """
import glob, sys, h5py, numpy as np
for name in sorted(glob.glob("*.npz")):
    with h5py.File(name.replace(".npz", ".h5")) as file, np.load(name) as wanted:
        for dataset in wanted:
            assert np.array_equal(file[dataset][...], wanted[dataset]), (name, dataset)
            print(name, dataset)
"""


@pytest.mark.parametrize("settings", [{}, {"BYPASS_VOL_CACHE": "0"}, {"BYPASS_VOL_NTHREADS": "1", "BYPASS_VOL_CACHE": "3000"}], ids=str)
def test_as_arrays(settings, python, plugin_dir, bypass, tmp_path):
    seeds = SEEDS if not settings else max(1, SEEDS // 4)
    command = [python, str(CLIENTS / "small_random.py"), str(FIRST), str(seeds), str(STEPS)]
    env = clean_env(plugin_dir, **bypass.env(), **STATS, **settings)
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=60 + 10 * seeds)
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-4000:]
    counts = json.loads(done.stdout.splitlines()[-1])
    assert seeds < 10 or all(counts.get(what) for what in WANTED), counts
    counters = WriteCounters.of(done.stderr)
    assert counters.bypassed > counts["write"] * 0.9, (counters, counts)
    read = subprocess.run([python, "-c", COMPARE], env=clean_env(plugin_dir), cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert read.returncode == 0, read.stderr[-2000:]
    assert len(read.stdout.splitlines()) >= 3 * seeds


def test_the_programs_run_natively(python, plugin_dir, tmp_path):
    """Otherwise a failure would say nothing about the connector."""
    command = [python, str(CLIENTS / "small_random.py"), str(FIRST), str(min(SEEDS, 10)), str(STEPS)]
    subprocess.run(command, env=clean_env(plugin_dir), cwd=tmp_path, check=True, capture_output=True, timeout=120)
