"""bench/clients: HDF5's clients natively, through pass_through and through bypass."""

import functools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers.benches import keys_of, refused

BENCH = Path(__file__).resolve().parents[2] / "bench"
RUN = BENCH / "clients" / "run.py"
WORKER = BENCH / "clients" / "worker.py"
# What the tests of bench/report read: made up, with everything that results can have.
SAMPLE = BENCH / "report" / "tests" / "report" / "clients.json"
TIMEOUT = 300
# One that reads, one that writes, one of another libhdf5, and one that reads in forked processes.
CASES = ["h5py/read-gzip", "h5py/write-gzip", "tables/read", "loader/gzip"]
# Variables that would lead a client astray.
ASTRAY = {"HDF5_VOL_CONNECTOR": "nonsense", "BYPASS_VOL_DISABLE": "1"}

# Before the folder of the tests, which has modules of the same names.
sys.path[:0] = [str(BENCH / "clients"), str(BENCH / "shared")]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder for the files that are read, which are made once."""
    return tmp_path_factory.mktemp("clients")


@pytest.fixture
def command(python, plugin_dir, data, tmp_path):
    """The command that measures rows, and the file of its results."""

    def make(*only, plugins=plugin_dir, options=("--quick", "--rounds=1")):
        output = tmp_path / "clients.json"
        command = [python, str(RUN), f"--folder={data}", f"--plugins={plugins}", f"--json={output}", *options]
        return [*command, *(f"--only={name}" for name in only)], output

    return make


@pytest.fixture
def run(command):
    """Runs it: what it did, and its results."""

    def run_it(*only, code=0, **settings):
        arguments, output = command(*only, **settings)
        environment = {**os.environ, **ASTRAY}
        done = subprocess.run(arguments, env=environment, capture_output=True, text=True, timeout=TIMEOUT)
        assert done.returncode == code, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done, json.loads(output.read_text())

    return run_it


def test_quick(run, data):
    done, results = run(*CASES)
    assert [row["name"] for row in results["rows"]] == CASES
    for row in results["rows"]:
        measured, connector = row["outcome"]["measured"], row["beside"]["connector"]
        assert measured["native"]["seconds"]["median"] > 0 and measured["bypass"]["cpu"]["median"] > 0
        assert row["name"] in done.stdout
        calls = connector["writes" if "write" in row["name"] else "reads"]
        assert calls["bypassed"] > 0, connector
        passed_on = sum(reason["count"] for reason in connector["reasons"])
        assert passed_on == connector["reads"]["passed_on"] + connector["writes"]["passed_on"], connector
    assert {library["name"] for library in results["about"]["libraries"]} == {"h5py", "tables"}
    assert str(data) not in json.dumps(results), "results are kept: they must not name folders"
    leftovers = [path for path in data.glob("*/*") if path.name.startswith(("scratch", "unfinished"))]
    assert leftovers == [], "what was written was to be removed"


def test_the_form_is_that_of_the_sample(run):
    """A quick run has no noise, and nothing was wrong in this one. Real data is left out where there is none."""
    _, results = run("h5py/corner-contiguous", "real")
    sample = keys_of(json.loads(SAMPLE.read_text()))
    missing = sample - keys_of(results)
    assert {key for key in missing if not key.startswith(".rows.beside.noise")} == {".rows.outcome.failed"}
    assert keys_of(results) <= sample
    skipped = [row["outcome"] for row in results["rows"] if row["name"].startswith("real/")]
    assert skipped == [{"skipped": "the package iris-sample-data could not be fetched"}] * 3


def ask(python, way, environment, folder):
    """What a worker answers to the proof."""
    arguments = [python, str(WORKER), "--module=cases.h5py_objects", "--case=h5py/datasets"]
    arguments += [f"--way={way}", f"--folder={folder}", "--quick"]
    child = subprocess.run(
        arguments, env=environment, input="make\ncheck\nprove\n", capture_output=True, text=True, timeout=TIMEOUT
    )
    return [json.loads(line) for line in child.stdout.splitlines()]


def test_each_way_proves_itself(python, plugin_dir, tmp_path):
    from process import clean_environment
    from ways import WAYS

    digests = set()
    for way in WAYS:
        chosen = way.environment(str(plugin_dir), str(tmp_path / "statistics-%p.json"))
        made, checked, proved = ask(python, way.name, {**clean_environment(), **chosen}, tmp_path)
        assert (made, proved) == ({}, {}), way
        digests.add(checked["digest"])
        if chosen:
            # Without its variables it is native HDF5, and says so.
            *_, proved = ask(python, way.name, clean_environment(), tmp_path)
            assert f"files open through 'native', expected '{way.connector}'" in proved["cannot"]
    assert len(digests) == 1
    (statistics,) = tmp_path.glob("statistics-*.json")
    assert json.loads(statistics.read_text())["files_opened"] > 0


def test_other_data_is_noticed():
    from measure import compare
    from process import Unable

    class Worker:
        def __init__(self, digest):
            self.digest = digest

        def ask(self, order):
            return {"digest": self.digest} if order == "check" else {}

    same = {"native": Worker("a"), "again": Worker("a"), "bypass": Worker("a")}
    compare(same, None)
    with pytest.raises(Unable, match="WRONG DATA: bypass differs from native HDF5"):
        compare({**same, "bypass": Worker("b")}, None)


def counts(opened, bypassed, reasons):
    passed_on = sum(reasons.values())
    return {
        "files_opened": opened,
        "reads": {"bypassed": bypassed, "passed_on": passed_on},
        "writes": {"bypassed": 0, "passed_on": 0},
        "reasons": [{"code": code, "count": count} for code, count in reasons.items()],
    }


def test_the_calls_of_forked_processes_count():
    from proof import in_words, summary

    parent = {**counts(1, 0, {"small-read": 1}), "forked": counts(2, 7, {"small-read": 1, "no-storage": 3})}
    child = {**counts(1, 2, {}), "forked": None}
    found = summary([parent, child])
    assert found["reads"] == {"bypassed": 9, "passed_on": 5}
    assert in_words(found) == "9 of 14 calls bypassed; no-storage 3, small-read 2"
    assert in_words(summary([{**counts(1, 0, {}), "forked": None}])) == "no reads or writes"
    assert summary([]) is None, "the connector was not loaded"


OTHERS = """
import sys
import numpy, pandas
sys.path.insert(0, sys.argv[1])
from digest import digest_of
array = numpy.arange(6.0)
words = numpy.array(["a", "bc"], object)
values = [array, array.reshape(2, 3), array.astype("f4"), array + 1e-9, [array], {"x": array}, words, words[::-1]]
values += [numpy.ma.masked_less(array, 3), pandas.DataFrame({"x": array}), pandas.DataFrame({"y": array})]
values += ["6.0", 6.0, None]
assert len({digest_of(value) for value in values}) == len(values)
assert digest_of(array) == digest_of(array.copy())
assert digest_of(array.reshape(2, 3).T) != digest_of(array.reshape(3, 2))
"""


def test_other_values_have_other_digests(python):
    subprocess.run([python, "-c", OTHERS, str(BENCH / "clients")], check=True, timeout=TIMEOUT)


def test_no_connector(run, tmp_path):
    """Without the plugin there is no figure."""
    broken = tmp_path / "plugins"
    broken.mkdir()
    (broken / "libh5bypass_vol.so").write_text("not a library")
    done, results = run("h5py/read-gzip", plugins=broken, code=1)
    assert "FAILED h5py/read-gzip: bypass: " in done.stderr
    assert list(results["rows"][0]["outcome"]) == ["failed"]


def test_interrupted(command):
    """Ctrl-C keeps what was measured."""
    arguments, output = command("h5py/corner-contiguous", "h5py/read-gzip", options=["--rounds=10"])
    # A shell lets what it starts in the background ignore Ctrl-C, and all of its children inherit that.
    heed = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    child = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=heed)
    deadline = time.monotonic() + TIMEOUT
    for line in child.stdout:
        if "h5py/corner-contiguous" in line or time.monotonic() > deadline:
            break
    os.killpg(child.pid, signal.SIGINT)
    said, _ = child.communicate(timeout=TIMEOUT)
    assert child.returncode == 130, said
    assert "; interrupted: 1 not measured" in said
    assert [row["name"] for row in json.loads(output.read_text())["rows"]] == ["h5py/corner-contiguous"]


@pytest.mark.parametrize(
    "options, message",
    [
        (["--folder", "."], "--plugins is missing"),
        (["--rounds", "0"], "--rounds 0: must be at least 1"),
        (["--only", "h5py", "--only", "nonsense"], "--only nonsense: no row has a name that begins with this"),
        (["--plugins", "nowhere"], "--plugins nowhere: there is no libh5bypass_vol.so"),
    ],
)
def test_bad_options(python, plugin_dir, tmp_path, options, message):
    refused(python, RUN, plugin_dir, tmp_path, options, message)
