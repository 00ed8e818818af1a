"""Chunks that are decoded ahead, after reads have returned: same data, and nothing is left running or open."""

import subprocess

import pytest
from helpers.connectors import STATS, clean_env
from helpers.reads import summaries

MAKE = """
import os, sys, time
import h5py, numpy
path = sys.argv[1]
data = numpy.arange(256 * 4096, dtype="i4").reshape(256, 4096) % 1013
with h5py.File(path, "w", libver="latest") as file:
    file.create_dataset("z", data=data, chunks=(8, 1024), compression="gzip", shuffle=True)
"""

ROWS = """
for _ in range(3):
    with h5py.File(path) as file:
        for row in range(0, 256, 8):
            assert (file["z"][row : row + 8] == data[row : row + 8]).all()
            time.sleep(0.001)
"""

TILES = """
with h5py.File(path) as file:
    dataset = file["z"]
    for row in range(0, 256, 8):
        for column in range(0, 4096, 1024):
            here = numpy.s_[row : row + 8, column : column + 1024]
            assert (dataset[here] == data[here]).all()
            time.sleep(0.0005)
"""

JUMPS = """
with h5py.File(path) as file:
    for turn in range(200):
        row = turn * 89 % 256 // 8 * 8
        assert (file["z"][row : row + 8] == data[row : row + 8]).all()
"""

CHANGES_OF_COURSE = """
import random
for seed in range(8):
    chosen = random.Random(seed)
    with h5py.File(path) as file:
        dataset, row, step = file["z"], 0, 8
        for turn in range(120):
            if chosen.random() < 0.1:
                row, step = chosen.randrange(32) * 8, chosen.choice([1, 4, 8, 16, 24])
            part = dataset[row : row + step, : chosen.choice([10, 1024, 4096])]
            assert (part == data[row : row + step, : part.shape[1]]).all()
            row = (row + step) % 256
"""

THREADS = """
from concurrent.futures import ThreadPoolExecutor
def check(row):
    return (dataset[row : row + 8] == data[row : row + 8]).all()
with h5py.File(path) as file, ThreadPoolExecutor(4) as pool:
    dataset = file["z"]
    for _ in range(3):
        assert all(pool.map(check, range(0, 256, 8)))
"""

# The lock of the file is gone when it is closed, whatever was being decoded.
LOCKS = """
import fcntl
for turn in range(60):
    with h5py.File(path) as file:
        for row in range(0, 8 * (3 + turn % 5), 8):
            file["z"][row : row + 8]
    with open(path, "rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        held = [name for name in os.listdir("/proc/self/fd") if os.path.realpath(f"/proc/self/fd/{name}") == os.path.realpath(path)]
        assert len(held) == 1, held
    with h5py.File(path, "r+") as file:
        file["z"][0, 0] = data[0, 0]
"""

FORKS = """
file = h5py.File(path)
for turn in range(8):
    for row in range(0, 64, 8):
        assert (file["z"][row : row + 8] == data[row : row + 8]).all()
    child = os.fork()
    if child == 0:
        for row in range(0, 256, 8):
            assert (file["z"][row : row + 8] == data[row : row + 8]).all()
        file.close()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
file.close()
"""

ENDS = """
file = h5py.File(path)
for row in range(0, 64, 8):
    file["z"][row : row + 8]
"""

DAMAGED = """
with h5py.File(path) as file:
    chunk = file["z"].id.get_chunk_info_by_coord((80, 1024))
with open(path, "r+b") as raw:
    raw.seek(chunk.byte_offset)
    raw.write(b"damaged.")
with h5py.File(path) as file:
    for turn in range(2):
        for row in range(0, 256, 8):
            try:
                assert (file["z"][row : row + 8] == data[row : row + 8]).all()
                assert row != 80
            except OSError as failure:
                assert row == 80 and "z" in str(failure), failure
"""

# Which programs go through the dataset in such a way that something must have been decoded ahead; the others may or must not.
PROGRAMS = {
    "rows": (ROWS, True),
    "tiles": (TILES, True),
    "jumps": (JUMPS, False),
    "changes of course": (CHANGES_OF_COURSE, True),
    "threads": (THREADS, None),
    "locks": (LOCKS, None),
    "forks": (FORKS, None),
    "ends": (ENDS, None),
    "damaged": (DAMAGED, None),
}


def run(python, plugin_dir, bypass, script, path, **settings):
    """Runs a script through the connector; how many chunks were decoded ahead."""
    env = clean_env(plugin_dir, **bypass.env(), **STATS, BYPASS_VOL_NTHREADS="3", **settings)
    command = [python, "-c", MAKE + script + "\nprint('done')", str(path)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    told = summaries(done.stderr)
    assert told[0]["reads"]["bypassed"] > 0, done.stderr
    return sum(one["chunks_decoded_ahead"] for one in told)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_read_the_same(python, plugin_dir, bypass, tmp_path, name):
    script, is_ahead = PROGRAMS[name]
    ahead = run(python, plugin_dir, bypass, script, tmp_path / "ahead.h5")
    assert is_ahead is None or (ahead > 0) == is_ahead, ahead


@pytest.mark.parametrize(
    "settings",
    [
        {"BYPASS_VOL_READ_AHEAD": "0"},
        {"BYPASS_VOL_NO_TPOOL": "1"},
        {"BYPASS_VOL_CACHE": "0"},
    ],
    ids=["not wanted", "no threads", "no cache"],
)
def test_it_can_be_switched_off(python, plugin_dir, bypass, tmp_path, settings):
    assert run(python, plugin_dir, bypass, ROWS, tmp_path / "off.h5", **settings) == 0


def test_no_more_is_decoded_than_asked_for(python, plugin_dir, bypass, tmp_path):
    script = """
with h5py.File(path) as file:
    for row in range(0, 128, 8):
        file["z"][row : row + 8]
    time.sleep(0.2)
"""
    # One chunk of 32 KiB after each read of four, and the first read announces nothing.
    ahead = run(python, plugin_dir, bypass, script, tmp_path / "little.h5", BYPASS_VOL_READ_AHEAD="40K")
    assert 0 < ahead <= 15
