"""Filtered datasets: what the connector decodes is what native HDF5 decodes, byte by byte, and the connector did it.

Random datasets and reads with each host (clients/filtered_random.py), and the ways to read that caches and threads care about
(clients/filtered_access_paths.py). The filters that HDF5 does not bring are those of hdf5plugin.
"""

from __future__ import annotations

import json
import os
import sys

import pytest
from helpers.both_ways import check_reads
from helpers.filtered import disagreement, filter_plugins
from helpers.hosts import read_hosts
from helpers.reads import Counters, run_reads
from helpers.run_client import CLIENTS
from helpers.settings import BY_NAME

sys.path.append(str(CLIENTS))
from filtered_access_paths import CASES  # noqa: E402

SEEDS = 80
FILTERS = {1, 2, 3, 5, 6, 307, 32001, 32004, 32008, 32013, 32015, 32026}
INDEXES = ["v1 B-tree", "single chunk", "fixed array", "extensible array", "v2 B-tree"]
SETTINGS = ["no cache", "tiny cache", "huge cache", "one thread", "many threads, small cache", "no pool", "tiny pieces", "disabled"]


@pytest.fixture(scope="session")
def run(python, plugin_dir, empty_dir):
    """Runs a client with our plugins and hdf5plugin's."""

    def with_filters(script, host, *arguments, cwd, env=None, timeout=120):
        path = os.pathsep.join([str(plugin_dir), filter_plugins(python, empty_dir)])
        return run_reads(python, path, script, host, *arguments, cwd=cwd, env=env, timeout=timeout)

    return with_filters


def thread_safe():
    """The host that lets several threads in."""
    return next(host for host in read_hosts("H5_HOSTS_FILE") if host.name == "tables")


def shown(differences):
    return "\n\n".join(json.dumps(difference)[:3000] for difference in differences[:4])


def test_same_bytes(host, run, tmp_path):
    answer, stderr = run("filtered_random", host, "1", str(SEEDS), cwd=tmp_path)
    assert not answer["differences"], f"{len(answer['differences'])} differences, the first:\n{shown(answer['differences'])}"
    assert answer["connector"] == "bypass"
    counters = Counters.of(stderr)
    wrong = disagreement(answer, counters)
    if wrong:
        explained, _ = run("filtered_random", host, "1", "6", "explain", cwd=tmp_path / "explain")
        pytest.fail(f"{wrong}\ncounted {counters}\nfor example\n{shown(explained['differences'])}")
    assert answer["reads"] > 5000 and answer["multi"] > 60 and counters.bypassed > 3000, answer
    coverage = answer["coverage"]
    more = {"h5py": {4, 32000}, "netCDF4": {4}, "tables": set()}[host.name]
    wanted = [f"filter {number}" for number in FILTERS | more] + [f"index {index}" for index in INDEXES]
    wanted += [f"filters {number}" for number in range(1, 5)]
    wanted += ["edge chunks not filtered", "written directly", "chunk with filters left out"]
    assert not [what for what in wanted if not coverage.get(what)], coverage


@pytest.mark.parametrize("setting", SETTINGS)
def test_settings(setting, run, tmp_path):
    answer, stderr = run("filtered_random", thread_safe(), "3000", "12", cwd=tmp_path, env=BY_NAME[setting])
    assert not answer["differences"], shown(answer["differences"])
    counters = Counters.of(stderr)
    if setting == "disabled":
        assert counters.bypassed == 0 and list(counters.reasons) == ["disabled"], counters
    else:
        assert not disagreement(answer, counters), (answer, counters)
        assert counters.bypassed > 400, counters


@pytest.mark.parametrize("case", CASES)
def test_access_path(case, host, results_of):
    check_reads(results_of("filtered_access_paths", host, filters=True)[case])


@pytest.mark.parametrize("size", ["0", "100000"], ids=["no cache", "small cache"])
@pytest.mark.parametrize("case", CASES)
def test_access_path_with_another_cache(case, size, results_of):
    check_reads(results_of("filtered_access_paths", thread_safe(), filters=True, BYPASS_VOL_CACHE=size)[case])
