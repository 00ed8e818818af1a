"""The Zarr connector's data path: decoded chunks that are kept, threads, killed processes, full disks."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from helpers.hosts import read_hosts
from helpers.run_client import CLIENTS, run_client
from test_zarr_connector import zarr_env  # noqa: F401

KILLS = 25


@pytest.fixture
def tell(python, zarr_env, tmp_path):  # noqa: F811
    """What a client tells, and the counters."""

    def run(script, *arguments, **variables):
        counters = tmp_path / "counters.json"
        told = run_client(python, script, *arguments, env={**zarr_env(counters), **variables}, cwd=tmp_path)
        return told, json.loads(counters.read_text())

    return run


def test_row_by_row_decodes_each_chunk_once(tell, tmp_path):
    counters = tell("zarr_cache", "rows", str(tmp_path))[1]
    assert (counters["chunks_read"], counters["cache_hits"]) == (4, 252)


def test_without_a_cache_each_row_decodes_it(tell, tmp_path):
    counters = tell("zarr_cache", "rows", str(tmp_path), ZARR_VOL_CACHE="0")[1]
    assert (counters["chunks_read"], counters["cache_hits"]) == (256, 0)


@pytest.mark.parametrize("cache", ["", "0", "300K"])
@pytest.mark.parametrize("case", ["writes", "others", "forked", "members"])
def test_nothing_old_is_read(tell, tmp_path, case, cache):
    counters = tell("zarr_cache", case, str(tmp_path), ZARR_VOL_CACHE=cache)[1]
    assert counters["chunks_read"] > 0 and (cache != "" or case == "members" or counters["cache_hits"] > 0)


def test_an_invalid_size_is_refused(python, zarr_env, tmp_path):  # noqa: F811
    script = 'import h5py; h5py.File("x.zarr", "w")'
    env = {**zarr_env(tmp_path / "counters.json"), "ZARR_VOL_CACHE": "lots"}
    done = subprocess.run([python, "-c", script], env=env, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert "environment variable ZARR_VOL_CACHE='lots': expected a number of bytes" in done.stderr


def test_unreadable_chunks_are_named_and_what_was_written_is_kept(tell, tmp_path):
    said = tell("zarr_cache", "unreadable", str(tmp_path))[0]
    assert len(said) == 2 and all("x.zarr/d/c/1/0" in text and "dataset '/d'" in text for text in said), said


def test_a_full_disk_is_named_and_nothing_is_lost(tell, tmp_path):
    told = tell("zarr_full", str(tmp_path))[0]
    assert "full.zarr/small/c/" in told["said"]["flush"] and "File too large" in told["said"]["flush"], told
    assert "full.zarr/large/c/" in told["said"]["write"] and "File too large" in told["said"]["write"], told
    assert told["left"] == []


def test_threads(tell, tmp_path):
    """The lock is given up while elements move, and each call takes effect as a whole."""
    host = next(host for host in read_hosts("H5_HOSTS_FILE") if host.name == "tables")
    told, counters = tell("zarr_threads", str(host.path), str(tmp_path))
    assert told["wrong"] == []
    found, expected = told["bands"]
    assert found == expected
    assert all(count > 0 for count in told["counts"].values()), told["counts"]
    assert counters["chunks_written"] > 100 and counters["cache_hits"] > 0
    # Without that, a call of another thread waits until the long one has ended.
    # (Reads are too short to tell it on a busy machine.)
    assert min(told["overlap"]["H5Dwrite"]) < 0.5, told["overlap"]


def test_killed(python, zarr_env, tmp_path):  # noqa: F811
    """Every document and chunk is old or new, and what was flushed is there. `H5_ZARR_KILLS` sets how often."""
    kills = int(os.environ.get("H5_ZARR_KILLS", KILLS))
    command = [python, str(CLIENTS / "zarr_killed.py"), str(tmp_path), str(kills), "1"]
    env = zarr_env(tmp_path / "counters.json")
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-4000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["kills"] == kills and told["after a flush"] > kills / 3 and told["versions"] > kills / 3, told
