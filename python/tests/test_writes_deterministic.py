"""A file depends on what was written and on nothing else: not on threads, nor on which of them is faster. clients/writes_deterministic.py.

One application thread writes; the connector has as many as each run says.
"""

from __future__ import annotations

import os

import pytest
from helpers.filtered import filter_plugins
from helpers.reads import run_reads
from helpers.writes import WriteCounters

THREADS = {
    "1": {"BYPASS_VOL_NTHREADS": "1"},
    "3": {"BYPASS_VOL_NTHREADS": "3"},
    "8": {"BYPASS_VOL_NTHREADS": "8"},
    "8 again": {"BYPASS_VOL_NTHREADS": "8"},
    "no pool": {"BYPASS_VOL_NO_TPOOL": "true"},
}
PARTS = ("whole", "parts", "growing", "alternately")


# With room for everything that is changed, and with so little that chunks are written all the time.
@pytest.mark.parametrize("cache, runs", [("64000000", THREADS), ("300000", ("1", "8", "no pool"))], ids=["room", "no room"])
def test_same_file(cache, runs, host, python, plugin_dir, empty_dir, tmp_path):
    path = os.pathsep.join([str(plugin_dir), filter_plugins(python, empty_dir)])
    first = None
    for name in runs:
        env = {"HDF5_PLUGIN_PATH": path, "BYPASS_VOL_CACHE": cache, **THREADS[name]}
        folder = tmp_path / name.replace(" ", "_")
        answer, stderr = run_reads(python, plugin_dir, "writes_deterministic", host, cache, "bypass", cwd=folder, env=env)
        counters = WriteCounters.of(stderr)
        assert answer["pipelines"] >= 12 and counters.bypassed > 25 * answer["pipelines"], counters
        # A dataset that grows begins with a single chunk.
        assert set(counters.reasons) <= {"only-chunk"}, counters
        first = first or answer
        assert answer == first, f"{name}: {[part for part in PARTS if answer[part] != first[part]]} differ"
