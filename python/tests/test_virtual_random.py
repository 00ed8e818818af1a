"""Random virtual datasets and random reads of them: what the connector reads is what native HDF5 reads, byte by byte."""

from __future__ import annotations

import json

import pytest
from helpers.hosts import read_hosts
from helpers.reads import Counters, run_reads
from helpers.settings import BY_NAME

SEEDS = 120
SETTINGS = ["one thread", "many threads", "tiny pieces", "no cache", "usual thresholds"]


def check(answer):
    shown = "\n\n".join(json.dumps(difference)[:3000] for difference in answer["differences"][:4])
    assert not answer["differences"], f"{len(answer['differences'])} differences, the first:\n{shown}"


def test_same_bytes(host, python, plugin_dir, tmp_path):
    env = {"BYPASS_VOL_SMALL_READ": "0"}
    answer, stderr = run_reads(python, plugin_dir, "virtual_random", host, "1", str(SEEDS), cwd=tmp_path, env=env)
    check(answer)
    counters = Counters.of(stderr)
    assert answer["reads"] > 1500 and counters.bypassed > answer["reads"] / 2, (answer["reads"], counters)
    # Some fail, and fail alike; most do not.
    assert 0 < answer["failed"] < answer["reads"] / 8, answer
    wanted = ["contiguous", "chunked", "filtered", "unwritten", "sparse", "nested", ".", "own", "shared", "no file", "no dataset"]
    wanted += [f"mapped {kind}" for kind in ("divided", "box", "slab", "slabs", "all")]
    assert not [what for what in wanted if what not in answer["coverage"]], answer["coverage"]


@pytest.mark.parametrize("setting", SETTINGS)
def test_settings(setting, python, plugin_dir, tmp_path):
    host = next(host for host in read_hosts("H5_HOSTS_FILE") if host.name == "tables")
    env = {"BYPASS_VOL_SMALL_READ": "0"} | BY_NAME[setting]
    answer, stderr = run_reads(python, plugin_dir, "virtual_random", host, "2000", "12", cwd=tmp_path, env=env)
    check(answer)
    counters = Counters.of(stderr)
    if setting == "usual thresholds":
        # So little is left to native HDF5, which is fast at it.
        assert counters.reasons["small-read"] > 50, counters
    else:
        assert counters.bypassed > 50, counters
