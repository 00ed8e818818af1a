"""bench/asynchronous.py: how much goes on while a program computes. That it measures, not what."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from helpers.benches import keys_of
from helpers.hosts import read_hosts

BENCH = Path(__file__).resolve().parents[2] / "bench"
RUN = BENCH / "asynchronous.py"
# What the tests of bench/report read: made up, with everything that results can have.
SAMPLE = BENCH / "report" / "tests" / "report" / "overlap.json"


@pytest.fixture
def run(python, plugin_dir, tmp_path):
    """Runs the program in an environment that would lead HDF5 astray."""

    def run_it(*options, plugins=plugin_dir):
        host = next(host for host in read_hosts("H5_HOSTS_FILE") if host.name == "tables")
        command = [python, str(RUN), f"--host={host.name}={host.path}", f"--plugins={plugins}", f"--json={tmp_path / 'out.json'}"]
        environment = {**os.environ, "HDF5_VOL_CONNECTOR": "nonsense", "BYPASS_VOL_DISABLE": "1"}
        return subprocess.run([*command, *options], env=environment, capture_output=True, text=True, timeout=300)

    return run_it


def test_results_have_the_form_that_documents_are_made_from(run, tmp_path):
    done = run("--rounds=1", "--size=16")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "out.json").read_text()
    results = json.loads(text)
    assert keys_of(results) == keys_of(json.loads(SAMPLE.read_text()))
    assert [calls["name"] for calls in results["calls"]] == ["read", "write", "wait"]
    assert [one["name"] for one in results["loops"]] == ["read", "read-long", "read-many", "read-many-long", "write"]
    assert all(0 < one["together"]["median"] < 60 for one in [*results["loops"], *results["calls"][0]["points"]])
    assert str(tmp_path) not in text and "/" not in results["command"], "results are kept: they must not name folders"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--rounds=0"], "--rounds 0: must be at least 1"),
        (["--size=20"], "--size 20: must be a positive multiple of 16"),
        (["--plugins=nowhere"], "--plugins nowhere: there is no libh5bypass_vol.so"),
        (["--host=nothing"], "nothing: NAME=PATH of a libhdf5 is wanted"),
    ],
)
def test_mistakes_are_named(run, tmp_path, options, message):
    done = run(*options)
    assert (done.returncode, list(tmp_path.glob("*.json"))) == (2, [])
    assert message in done.stderr
