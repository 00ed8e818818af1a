"""Filters that are not part of HDF5: those of the application's own, and those that this HDF5 does not have."""

from __future__ import annotations

import os

import pytest
from helpers.both_ways import same_answers
from helpers.filtered import filter_plugins
from helpers.reads import run_reads, summaries
from helpers.writes import WriteCounters

# The clients' HDF5_PLUGIN_PATH otherwise has hdf5plugin's filters as well.
DEFAULTS = {"BYPASS_VOL_SMALL_READ": "512"}


def served_by(stderr):
    """Who did the work of each filter, by its number, and which."""
    return {(one["id"], one["served_by"]) for told in summaries(stderr) for one in told.get("filters", [])}


@pytest.mark.parametrize("name", ["mine", "bzip2, lzf, blosc2, lz4, bitshuffle and zstd"])
def test_own_filter(name, host, python, plugin_dir, tmp_path):
    """A filter of the application's own is called, whatever its number, and even if it has the name of another one."""
    answer, stderr = run_reads(python, plugin_dir, "own_filter", host, name, cwd=tmp_path)
    assert answer == {"wrong": []}
    counters = WriteCounters.of(stderr)
    assert counters.bypassed == counters.reads == 0 and counters.passed_on == 7, stderr
    assert all(f"another one, \"{name}\"" in reason for reason in counters.sentences), stderr
    assert set(counters.reasons) == {"filter-foreign"}, stderr
    numbers = (307, 32000, 32001, 32004, 32008, 32015, 32026)
    assert served_by(stderr) == {(number, "application") for number in numbers}, stderr


@pytest.fixture
def with_plugins(python, plugin_dir, empty_dir):
    return {"HDF5_PLUGIN_PATH": os.pathsep.join([str(plugin_dir), filter_plugins(python, empty_dir)])}


@pytest.fixture
def without_plugins(plugin_dir):
    return {"HDF5_PLUGIN_PATH": str(plugin_dir), **DEFAULTS}


def test_read_without_plugins(host, python, plugin_dir, with_plugins, without_plugins, tmp_path):
    """Who can read a dataset can read all of it: in small pieces, the first one, and without a message."""
    run = lambda *arguments, env: run_reads(python, plugin_dir, "no_plugins", host, *arguments, cwd=tmp_path, env=env)  # noqa: E731
    made, _ = run("make", "made.h5", "native", env=with_plugins)
    assert not made["missing"]
    native, _ = run("read", "made.h5", "native", env=with_plugins)
    ours, stderr = run("read", "made.h5", "bypass", env=without_plugins)
    assert len(native) == 11 and ours == native
    assert all(read == 0 for found, _ in ours.values() for _, read in found), "errors left on the stack"
    assert "HDF5-DIAG" not in stderr, stderr[-3000:]
    assert "codec-lent" in {who for _, who in served_by(stderr)}, stderr
    # The same once more with plugins, which the first, small reads load: they are bypassed, and nothing is lent.
    ours, stderr = run("read", "made.h5", "bypass", env={**with_plugins, **DEFAULTS})
    assert ours == native
    numbers = (307, 32001, 32004, 32008, 32015, 32026)
    assert served_by(stderr) == {(number, "codec-for-registered") for number in numbers}, stderr
    assert WriteCounters.of(stderr).reads >= 10, stderr


def test_create_without_plugins(host, python, plugin_dir, with_plugins, without_plugins, tmp_path):
    """Datasets are created with filters that HDF5 does not have, as its plugins would make them."""
    # The netCDF4 wheel brings these along.
    left_out = {"LEFT_OUT": "blosc,blosc plain,bzip2,zstd,zstd optional" if host.name == "netCDF4" else ""}

    def run(*arguments, env):
        return run_reads(python, plugin_dir, "no_plugins", host, *arguments, cwd=tmp_path, env={**env, **left_out})

    run("make", "native.h5", "native", env=with_plugins)
    made, stderr = run("make", "ours.h5", "bypass", env=without_plugins)
    assert not made["missing"] and len(made["available"]) == (5 if host.name == "netCDF4" else 10)
    assert "HDF5-DIAG" not in stderr, stderr[-3000:]
    lent = {number for number, who in served_by(stderr) if who == "codec-lent"}
    assert {32004, 32008, 32026} <= lent, stderr
    native, _ = run("read", "native.h5", "native", env=with_plugins)
    ours, _ = run("read", "ours.h5", "native", env=with_plugins)
    assert ours == native


def test_built_in_filter_that_hdf5_lacks(host, results_of):
    """Where HDF5 would store chunks without an optional filter, so do we: this HDF5 could not read them otherwise."""
    result = results_of("absent_filter", host)["optional_filter"]
    counters = WriteCounters.of(same_answers(result))
    has_szip, _, masks, _ = result["native"]["answer"]
    assert has_szip == (host.name != "tables")
    if has_szip:
        assert counters.bypassed == 2, counters
    else:
        assert counters.reasons == {"filter-unknown": 2} and masks == [[1, True]] * 3, (counters, masks)
