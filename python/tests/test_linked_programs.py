"""Programs that are linked to libhdf5 hold its variables themselves: the connector must look there."""

import subprocess

import pytest
from helpers.connectors import STATS, clean_env
from helpers.reads import Counters, summaries, without
from helpers.run_c import FLAGS, SOURCES

COUNT = 300

MAKE = """
import sys, h5py, numpy
with h5py.File(sys.argv[1], "w") as file:
    file["contiguous"] = numpy.arange(300, dtype="i4")
    file.create_dataset("chunked", data=numpy.arange(300, dtype="i4"), chunks=(100,))
"""


@pytest.fixture
def program(host, tmp_path):
    """The program, linked to this host as a compiler does it by default."""
    path = tmp_path / "linked"
    library = [str(host.path), f"-Wl,-rpath,{host.path.parent}", "-Wl,--allow-shlib-undefined"]
    subprocess.run(["cc", *FLAGS, str(SOURCES / "linked.c"), "-o", str(path), *library], check=True)
    return path


def make(python, path, plugin_dir):
    subprocess.run([python, "-c", MAKE, str(path)], check=True, env=clean_env(plugin_dir))
    return path


def run(program, plugin_dir, env, *arguments):
    env = clean_env(plugin_dir, **env)
    env.pop("BYPASS_VOL_SMALL_READ", None)
    done = subprocess.run([str(program), *arguments], env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done


def test_small_reads_are_ours(host, program, python, plugin_dir, bypass, tmp_path):
    path = make(python, tmp_path / "data.h5", plugin_dir)
    env = {**bypass.env(), **STATS}
    done = run(program, plugin_dir, env, "read", str(path), "contiguous", str(COUNT))
    assert done.stdout.split() == [str(value) for value in range(COUNT)]
    counters = Counters.of(done.stderr)
    # The first one is native's; the types of all others are known to be the dataset's without describing them.
    assert counters.bypassed == COUNT - 1, done.stderr
    assert not without(done.stderr).strip(), done.stderr


@pytest.mark.parametrize("dataset", ["contiguous", "chunked"])
def test_small_writes_are_ours(host, program, python, plugin_dir, bypass, tmp_path, dataset):
    files = {}
    for label, env in {"native": {}, "bypass": {**bypass.env(), **STATS}}.items():
        path = files[label] = make(python, tmp_path / f"{label}.h5", plugin_dir)
        done = run(program, plugin_dir, env, "write", str(path), dataset, str(COUNT))
        if label == "bypass":
            assert [told["writes"]["bypassed"] for told in summaries(done.stderr)] == [COUNT], done.stderr
            assert not without(done.stderr).strip(), done.stderr
    assert files["native"].read_bytes() == files["bypass"].read_bytes()
