"""Chunks that are encoded before they must be stored: native HDF5 reads the same, and the file does not depend on threads."""

import hashlib
import subprocess

import pytest
from helpers.connectors import STATS, clean_env
from helpers.reads import summaries

BEGIN = """
import os, random, sys, time
import h5py, numpy
path = sys.argv[1]
data = (numpy.arange(512 * 4096, dtype="i4").reshape(512, 4096) * 7919) % 1013
STORED = dict(chunks=(16, 2048), compression="gzip", shuffle=True)
"""

PARTS = """
with h5py.File(path, "w") as file:
    dataset = file.create_dataset("z", data.shape, "i4", **STORED)
    for row in range(0, 512, 8):
        dataset[row : row + 8] = data[row : row + 8]
        time.sleep(0.001)
"""

ROWS = """
with h5py.File(path, "w") as file:
    dataset = file.create_dataset("z", (0, 4096), "i4", maxshape=(None, 4096), **STORED)
    for row in range(512):
        dataset.resize(row + 1, 0)
        dataset[row] = data[row]
"""

WHOLE = """
with h5py.File(path, "w") as file:
    dataset = file.create_dataset("z", data.shape, "i4", **STORED)
    for row in range(0, 512, 16):
        for column in (0, 2048):
            dataset[row : row + 16, column : column + 2048] = data[row : row + 16, column : column + 2048]
        file.attrs[f"row {row}"] = row
"""

SHORT_RUNS = """
with h5py.File(path, "w") as file:
    dataset = file.create_dataset("z", (512 * 4096,), "i4", chunks=(16384,), compression="gzip")
    flat = data.reshape(-1)
    for start in range(0, flat.size, 1024):
        dataset[start : start + 1024] = flat[start : start + 1024]
"""

CHANGED_AGAIN = """
chosen = random.Random(5)
with h5py.File(path, "w") as file:
    dataset = file.create_dataset("z", data.shape, "i4", **STORED)
    for turn in range(400):
        row, count = chosen.randrange(500), chosen.choice([1, 3, 16, 32])
        row = row // 16 * 16 if count >= 16 else row
        dataset[row : row + count] = -data[row : row + count]
        if chosen.random() < 0.2:
            assert (dataset[row : row + count] == -data[row : row + count]).all()
        if chosen.random() < 0.1:
            file.flush()
    dataset[...] = data
    dataset[16:32] = 0
    dataset[16:32] = data[16:32]
"""

SEVERAL = """
with h5py.File(path, "w") as file:
    several = [file.create_dataset(name, data.shape, "i4", **STORED) for name in "abz"]
    for row in range(0, 512, 8):
        for dataset in several:
            dataset[row : row + 8] = data[row : row + 8]
        file.attrs["rows"] = row
    assert all((dataset[...] == data).all() for dataset in several)
    del file["a"]
"""

LEFT_OPEN = """
file = h5py.File(path, "w")
dataset = file.create_dataset("z", data.shape, "i4", **STORED)
for row in range(0, 512, 4):
    dataset[row : row + 4] = data[row : row + 4]
"""

FORKS = """
with h5py.File(path, "w") as file:
    dataset = file.create_dataset("z", data.shape, "i4", **STORED)
    for row in range(0, 512, 8):
        dataset[row : row + 8] = data[row : row + 8]
        if row % 128 == 64:
            child = os.fork()
            if child == 0:
                assert (dataset[: row + 8] == data[: row + 8]).all()
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
"""

PROGRAMS = {
    "parts": PARTS,
    "rows": ROWS,
    "whole": WHOLE,
    "short runs": SHORT_RUNS,
    "changed again": CHANGED_AGAIN,
    "several": SEVERAL,
    "left open": LEFT_OPEN,
    "forks": FORKS,
}

CHECK = """
with h5py.File(path) as file:
    assert (file["z"][...].reshape(-1) == data.reshape(-1)).all()
"""


@pytest.fixture
def write(python, plugin_dir, bypass, tmp_path):
    """Runs a program through the connector and looks at its file natively: how many chunks were encoded behind, and a digest."""

    def run(script, threads="3", **settings):
        path = tmp_path / f"behind-{len(list(tmp_path.iterdir()))}.h5"
        env = clean_env(plugin_dir, **bypass.env(), **STATS, BYPASS_VOL_NTHREADS=threads, **settings)
        command = [python, "-c", BEGIN + script, str(path)]
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        told = summaries(done.stderr)
        assert told[0]["writes"]["bypassed"] > 30, done.stderr
        native = [python, "-c", BEGIN + CHECK, str(path)]
        done = subprocess.run(native, env=clean_env(plugin_dir), capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return told[0]["chunks_encoded_behind"], hashlib.sha256(path.read_bytes()).hexdigest()

    return run


@pytest.mark.parametrize("name", PROGRAMS)
def test_native_hdf5_reads_the_same_and_threads_do_not_matter(write, name):
    behind, digest = write(PROGRAMS[name])
    # On a busy machine the threads behind may come too late.
    for _ in range(9):
        if behind == 0:
            behind = write(PROGRAMS[name])[0]
    assert behind > 0
    none, alone = write(PROGRAMS[name], threads="1")
    assert (none, alone) == (0, digest)


# Programs that write whole chunks at once: these are stored later than without, so they are elsewhere in the file. `write` compares data.
WHOLE_CHUNKS = ("whole", "changed again")


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_can_be_switched_off_and_the_file_is_the_same(write, name):
    behind, digest = write(PROGRAMS[name], BYPASS_VOL_WRITE_BEHIND="false")
    assert behind == 0
    assert name in WHOLE_CHUNKS or digest == write(PROGRAMS[name])[1]


FULL = """
import resource
before = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (6 << 20, before[1]))
noise = numpy.random.default_rng(3).integers(0, 2**31, (64, 65536)).astype("i4")
file = h5py.File(path, "w")
dataset = file.create_dataset("z", noise.shape, "i4", chunks=(1, 65536), compression="gzip")
written = 0
try:
    for row in range(64):
        dataset[row] = noise[row]
        written += 1
except OSError:
    pass
resource.setrlimit(resource.RLIMIT_FSIZE, before)
file.close()
print(written)
"""

READ_FULL = """
noise = numpy.random.default_rng(3).integers(0, 2**31, (64, 65536)).astype("i4")
with h5py.File(path) as file:
    found = file["z"][...]
    equal = [bool((found[row] == noise[row]).all()) for row in range(64)]
assert equal.index(False) == int(sys.argv[2]) and not any(found[equal.index(False):].flat), equal
"""


def test_what_was_written_before_the_file_became_too_large_is_there(python, plugin_dir, bypass, tmp_path):
    """The write that does not fit fails, not the close, after which native HDF5 could not read anything."""
    env = clean_env(plugin_dir, **bypass.env(), **STATS, BYPASS_VOL_NTHREADS="3")
    behind = 0
    # On a busy machine the threads behind may come too late, once or twice.
    for turn in range(10):
        path = tmp_path / f"full-{turn}.h5"
        done = subprocess.run([python, "-c", BEGIN + FULL, path], env=env, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        behind += summaries(done.stderr)[0]["chunks_encoded_behind"]
        assert 15 < int(done.stdout) < 30
        command = [python, "-c", BEGIN + READ_FULL, path, done.stdout]
        done = subprocess.run(command, env=clean_env(plugin_dir), capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        if behind > 0:
            break
    assert behind > 0
