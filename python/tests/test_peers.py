"""bench/peers: h5py through bypass beside other programs.

Only those peers take part here that the clients' Python has: the others have an environment of their own.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest
from helpers.benches import keys_of, refused

BENCH = Path(__file__).resolve().parents[2] / "bench"
RUN = BENCH / "peers" / "run.py"
# What the tests of bench/report read: made up, with everything that results can have.
SAMPLE = BENCH / "report" / "tests" / "report" / "peers.json"
TIMEOUT = 300
SIZE = 8


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder for the files that are read, which are made once."""
    return tmp_path_factory.mktemp("peers")


@pytest.fixture
def run(python, plugin_dir, data, tmp_path):
    """Runs the command in an environment that would lead h5py astray: what it did, and its results."""

    def run_it(*only, folder=data, plugins=plugin_dir, code=0):
        output = tmp_path / "peers.json"
        command = [python, str(RUN), f"--size={SIZE}", "--rounds=1", f"--folder={folder}", f"--plugins={plugins}"]
        command += [f"--json={output}", *(f"--only={name}" for name in only)]
        environment = {**os.environ, "HDF5_VOL_CONNECTOR": "nonsense", "BYPASS_VOL_DISABLE": "1"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=TIMEOUT)
        assert done.returncode == code, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done, json.loads(output.read_text())

    return run_it


def lines_of(results):
    """The lines of the peers, by case and peer."""
    return {(case["name"], line["peer"]): line for case in results["cases"] for line in case["peers"]}


def test_quick(run, data):
    names = ["gzip-rows", "columns", "small", "contiguous", "blosc2-rows", "open", "write-gzip"]
    done, results = run(*names, "hidefix", "blosc2")

    assert results["left_out"] == {"hidefix": "hidefix not installed"}
    assert "left out: hidefix: hidefix not installed" in done.stdout
    assert [peer["name"] for peer in results["peers"]] == ["h5py", "bypass", "blosc2"]
    assert results["mebibytes"] == SIZE and results["rounds"] == 1
    assert [peer.get("instead_of") for peer in results["peers"]] == [None, "h5py", None]
    assert results["peers"][2]["only"] == "only with data compressed by Blosc2"
    assert str(data) not in json.dumps(results), "results are kept: they must not name folders"
    # Nothing was wrong in this run.
    assert keys_of(json.loads(SAMPLE.read_text())) - keys_of(results) == {".cases.error", ".cases.peers.why"}
    assert keys_of(results) <= keys_of(json.loads(SAMPLE.read_text()))

    lines = lines_of(results)
    expected = {(case, peer) for case in names for peer in ("h5py", "bypass")} | {("blosc2-rows", "blosc2")}
    assert lines.keys() == expected
    for (case, peer), line in lines.items():
        assert line["outcome"] == "measured", line
        assert line["seconds"]["median"] > 0, line
        assert (line["times_h5py"]["median"] == 1) == (peer == "h5py"), line
        assert (line["times_bypass"]["median"] == 1) == (peer == "bypass"), line
        assert ("proof" in line) == (peer == "bypass"), line
        if peer == "bypass":
            assert line["proof"]["verdict"] == ("decided" if case in ("small", "open") else "bypassed"), line
            assert line["proof"]["bypassed"] > 0, line
    assert {case["name"]: case["bytes"] for case in results["cases"]}["gzip-rows"] == SIZE << 20
    written = sorted(path.name for path in (data / f"peers-{SIZE}").iterdir() if path.name.startswith("written"))
    assert written == [], "what was written was to be removed"


def test_xarray(run):
    _, results = run("gzip-rows", "xarray", "xarray-bypass")
    lines = lines_of(results)
    assert lines["gzip-rows", "xarray"]["outcome"] == "measured"
    assert lines["gzip-rows", "xarray-bypass"]["proof"]["verdict"] == "bypassed"


def test_not_bypassed(run, tmp_path):
    """HDF5 goes on natively where it cannot load the connector; that must not pass for a measurement of it."""
    broken = tmp_path / "plugins"
    broken.mkdir()
    (broken / "libh5bypass_vol.so").write_text("not a library")
    done, results = run("gzip-rows", "bypass", plugins=broken, code=1)
    assert "FAILED gzip-rows: bypass: " in done.stderr
    assert not any(line.get("proof", {}).get("verdict") == "bypassed" for line in lines_of(results).values())


OTHER_VALUES = """
import blosc2, numpy, sys
blosc2.asarray(numpy.zeros((512, 4096), "<f4"), chunks=(64, 4096), urlpath=sys.argv[1], mode="w")
"""


@pytest.mark.parametrize("damage, why", [("values", "WRONG DATA: not what h5py reads"), ("garbage", "Error: ")])
def test_peer_that_cannot(run, python, tmp_path, damage, why):
    """Another program that fails or gives other data is said to, and the rest goes on."""
    folder = tmp_path / "damaged"
    file = folder / f"peers-{SIZE}" / "blosc2-rows.b2nd"
    file.parent.mkdir(parents=True)
    if damage == "values":
        subprocess.run([python, "-c", OTHER_VALUES, str(file)], check=True)
    else:
        file.write_bytes(b"garbage" * 1000)
    done, results = run("blosc2-rows", "blosc2", folder=folder)
    lines = lines_of(results)
    assert lines["blosc2-rows", "blosc2"]["outcome"] == "cannot"
    assert why in lines["blosc2-rows", "blosc2"]["why"]
    assert lines["blosc2-rows", "bypass"]["proof"]["verdict"] == "bypassed"
    assert f"cannot: {lines['blosc2-rows', 'blosc2']['why']}" in done.stdout
    assert str(tmp_path) not in json.dumps(results), "results are kept: they must not name folders"


@pytest.mark.parametrize(
    "options, message",
    [
        (["--folder", "."], "--plugins is missing"),
        (["--size", "3"], "--size 3: must be a positive multiple of 2"),
        (["--size", "0"], "--size 0: must be a positive multiple of 2"),
        (["--rounds", "0"], "--rounds 0: must be at least 1"),
        (["--only", "gzip"], "invalid choice: 'gzip'"),
        (["--plugins", "nowhere"], "--plugins nowhere: there is no libh5bypass_vol.so"),
    ],
)
def test_bad_options(python, plugin_dir, tmp_path, options, message):
    refused(python, RUN, plugin_dir, tmp_path, options, message)


def test_list(python):
    done = subprocess.run([python, str(RUN), "--list"], capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, done.stderr
    for name in ("gzip-tiles", "write-gzip", "zarrs", "xarray-bypass"):
        assert f"\n  {name} " in done.stdout
    assert "hidefix (not installed: hidefix)" in done.stdout
