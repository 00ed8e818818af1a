"""Random datasets and random reads of them: what the connector reads is what native HDF5 reads, byte by byte.

Several thousand reads per host (clients/reads_random.py). That they were bypassed, or passed on for the expected reason, is
proved by the connector's own counters, which must agree exactly.
"""

from __future__ import annotations

import json

import pytest
from helpers.hosts import read_hosts
from helpers.reads import Counters, run_reads
from helpers.settings import BY_NAME

SEEDS = 60
INDEXES = ["v1 B-tree", "single chunk", "implicit", "fixed array", "extensible array", "v2 B-tree"]
SETTINGS = ["one thread", "four threads", "many threads", "no pool", "tiny pieces", "huge pieces", "disabled"]


def shown(differences):
    """The first differences, one per paragraph: seed, dataset, read."""
    return "\n\n".join(json.dumps(difference)[:3000] for difference in differences[:4])


def check(answer, stderr):
    """No difference, and counters as expected."""
    assert not answer["differences"], f"{len(answer['differences'])} differences, the first:\n{shown(answer['differences'])}"
    counters = Counters.of(stderr)
    reasons, expected = counters.reasons, answer["reasons"]
    # Some reads cannot be told from outside: of chunks without a fill value, of extensible arrays. They may be bypassed or
    # passed on, with these reasons or those of the read itself.
    either = counters.bypassed - answer["bypassed"]
    agree = either >= 0
    for reason in reasons.keys() | expected.keys():
        more = reasons.get(reason, 0) - expected.get(reason, 0)
        agree = agree and more >= 0
        either += more
    agree = agree and either == answer["either"]
    return agree, counters


def test_same_bytes(host, python, plugin_dir, tmp_path):
    answer, stderr = run_reads(python, plugin_dir, "reads_random", host, "1", str(SEEDS), cwd=tmp_path)
    assert answer["connector"] == "bypass"
    agree, counters = check(answer, stderr)
    if not agree:
        # Read by read in processes of their own, to name those that were counted otherwise.
        (tmp_path / "explain").mkdir()
        explained, _ = run_reads(python, plugin_dir, "reads_random", host, "1", "12", "explain", cwd=tmp_path / "explain")
        expected = {key: answer[key] for key in ("bypassed", "either", "reasons")}
        pytest.fail(f"counted {counters}\nexpected {expected}\nfor example\n{shown(explained['differences'])}")
    assert answer["reads"] > 4000 and answer["multi"] > 50 and counters.bypassed > 2500, answer
    # Some fail, and fail alike; most do not.
    assert 0 < answer["failed"] < answer["reads"] / 10, answer
    coverage = answer["coverage"]
    wanted = ["contiguous", "chunked", "external", "compact", *(f"rank {rank}" for rank in range(7)), "rank null"]
    wanted += [f"type {kind}" for kind in ("std", "precision", "enum", "string", "opaque", "compound", "array")]
    wanted += [f"index {index}" for index in INDEXES]
    assert not [what for what in wanted if what not in coverage], coverage


def test_prefix_of_external_files_from_the_environment(host, python, plugin_dir, tmp_path):
    env = {"HDF5_EXTFILE_PREFIX": str(tmp_path / "prefixed")}
    answer, stderr = run_reads(python, plugin_dir, "reads_random", host, "1000", "8", cwd=tmp_path, env=env)
    check(answer, stderr)
    assert answer["coverage"]["external"] > 4, answer["coverage"]


@pytest.mark.parametrize("setting", SETTINGS)
def test_settings(setting, python, plugin_dir, tmp_path):
    host = next(host for host in read_hosts("H5_HOSTS_FILE") if host.name == "tables")
    answer, stderr = run_reads(python, plugin_dir, "reads_random", host, "2000", "8", cwd=tmp_path, env=BY_NAME[setting])
    _, counters = check(answer, stderr)
    if setting == "disabled":
        assert counters.bypassed == 0 and list(counters.reasons) == ["disabled"], counters
    else:
        assert counters.bypassed > 300, counters
