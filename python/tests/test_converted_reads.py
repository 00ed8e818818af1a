"""Reads into other datatypes: what the connector converts is what native HDF5 converts, byte by byte, and the connector did it.

Random types and reads with each host (clients/converted_random.py), and conversions by properties of the transfer
(clients/converted_access_paths.py).
"""

from __future__ import annotations

import json
import sys

import pytest
from helpers.both_ways import check_reads
from helpers.filtered import disagreement
from helpers.hosts import read_hosts
from helpers.reads import Counters, run_reads
from helpers.run_client import CLIENTS
from helpers.settings import BY_NAME

sys.path.append(str(CLIENTS))
from converted_access_paths import CASES  # noqa: E402

SEEDS = 70
SETTINGS = ["no cache", "one thread", "many threads", "tiny pieces", "huge pieces"]


def check(answer, stderr):
    found = answer["differences"]
    told = "\n\n".join(json.dumps(difference)[:3000] for difference in found[:4])
    assert not found, f"{len(found)} differences, the first:\n{told}"
    counters = Counters.of(stderr)
    assert not disagreement(answer, counters), (disagreement(answer, counters), counters)
    return counters


def test_same_bytes(host, python, plugin_dir, tmp_path):
    answer, stderr = run_reads(python, plugin_dir, "converted_random", host, "1", str(SEEDS), "sure", cwd=tmp_path)
    counters = check(answer, stderr)
    assert answer["connector"] == "bypass"
    assert answer["reads"] > 2000 and answer["multi"] > 10 and counters.bypassed > 1800, answer
    wanted = ["contiguous", "chunked", "filtered", "external", "std to std", "std to half", "half to std", "precision to std"]
    wanted += ["text to text", "names to names", "names to std", "array to array", "record to record"]
    assert not [what for what in wanted if answer["coverage"].get(what, 0) < 30], answer["coverage"]


def test_same_bytes_whoever_reads(host, python, plugin_dir, tmp_path):
    """Conversions that may be left to native, or that HDF5 refuses."""
    answer, stderr = run_reads(python, plugin_dir, "converted_random", host, "1", str(SEEDS), "open", cwd=tmp_path)
    check(answer, stderr)
    assert answer["reads"] > 1000 and answer["failed"] > 100, answer


@pytest.mark.parametrize("setting", SETTINGS)
def test_settings(setting, python, plugin_dir, tmp_path):
    host = next(host for host in read_hosts("H5_HOSTS_FILE") if host.name == "tables")
    answer, stderr = run_reads(python, plugin_dir, "converted_random", host, "4000", "12", "sure", cwd=tmp_path, env=BY_NAME[setting])
    assert check(answer, stderr).bypassed > 250


@pytest.mark.parametrize("case", CASES)
def test_access_path(case, host, results_of):
    check_reads(results_of("converted_access_paths", host, filters=True)[case])
