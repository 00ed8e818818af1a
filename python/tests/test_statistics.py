"""BYPASS_VOL_STATS=FILE.json: the summary as JSON, as docs/statistics.md describes it."""

import json
import subprocess
from pathlib import Path

import pytest
from helpers.connectors import clean_env

WORKERS = Path(__file__).parent / "clients" / "forked_workers.py"
PART = 4 << 20

SCRIPT = """
import h5py, numpy
with h5py.File("new.h5", "w") as file:
    file.create_dataset("large", data=numpy.arange(100_000))
    file.create_dataset("text", data=["a", "b"], dtype=h5py.string_dtype())
with h5py.File("new.h5", "r+") as file:
    print(int(file["large"][:].sum()))
with h5py.File("new.h5", driver="core") as file:
    print([bytes(text) for text in file["text"][:]])
"""


@pytest.fixture
def run(python, plugin_dir, bypass, tmp_path):
    def run(stats, code=0, script=SCRIPT, stack=bypass):
        (tmp_path / "new.h5").unlink(missing_ok=True)
        env = clean_env(plugin_dir, **stack.env(), BYPASS_VOL_STATS=stats)
        done = subprocess.run([python, "-c", script], env=env, cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert done.returncode == code, done.stderr
        return done

    return run


def check(document):
    """What holds of every document."""
    assert document["version"] == 1
    for counts in filter(None, [document, document["forked"]]):
        for direction in ("read", "write"):
            reasons = [reason for reason in counts["reasons"] if reason["direction"] == direction]
            assert sum(reason["count"] for reason in reasons) == counts[direction + "s"]["passed_on"], document
            assert all(reason["code"] and reason["sentence"] for reason in reasons), document


def counted(document, direction):
    return {reason["code"]: reason["count"] for reason in document["reasons"] if reason["direction"] == direction}


def test_document(run, tmp_path, python, empty_dir):
    done = run("stats.json")
    native = subprocess.run(
        [python, "-c", SCRIPT], env=clean_env(empty_dir), cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True
    )
    assert (done.stdout, done.stderr) == (native.stdout, native.stderr)
    document = json.loads((tmp_path / "stats.json").read_text())
    check(document)
    assert document["files_opened"] == 3 and document["forked"] is None and document["filters"] == []
    assert document["reads"]["bypassed"] == 1 and document["reads"]["bytes"] == 800_000
    assert counted(document, "read") == {"driver": 1}
    assert counted(document, "write")["no-storage"] >= 1
    assert not list(tmp_path.glob("*.partial"))


def test_process_id_in_the_name(run, tmp_path):
    assert run("stats-%p.json").stderr == ""
    [path] = tmp_path.glob("stats-*.json")
    assert path.name == f"stats-{json.loads(path.read_text())['process']}.json"


def test_an_existing_file_stays(run, tmp_path):
    (tmp_path / "stats.json").write_text("mine")
    said = run("stats.json").stderr
    assert (tmp_path / "stats.json").read_text() == "mine"
    [other] = tmp_path.glob("stats.json.*")
    check(json.loads(other.read_text()))
    assert said == f"h5bypass: statistics: written to {other}, because {tmp_path / 'stats.json'} exists\n"


@pytest.mark.parametrize("value", ["stats.txt", "2", "/no/such/folder/stats.json"])
def test_values_that_cannot_be_used(value, run):
    said = run(value, code=1).stderr
    assert f"environment variable BYPASS_VOL_STATS='{value}': " in said


def test_the_table_is_as_before(run, tmp_path):
    said = run("1").stderr
    assert "h5bypass: 3 files opened through the connector\nh5bypass: reads bypassed 1 (800000 bytes), passed on 1;" in said
    assert not list(tmp_path.glob("*.json*"))


# Processes that could not tell, and those that could.
@pytest.mark.parametrize("way, silent", [("processes", 3), ("killed", 1), ("some_properly", 1)])
def test_forked_workers(way, silent, python, plugin_dir, bypass, empty_dir, tmp_path):
    subprocess.run([python, str(WORKERS), "make"], env=clean_env(empty_dir), cwd=tmp_path, check=True, capture_output=True)
    env = clean_env(plugin_dir, **bypass.env(), BYPASS_VOL_STATS=str(tmp_path / "stats-%p.json"))
    done = subprocess.run(
        [python, str(WORKERS), way], env=env, cwd=tmp_path, capture_output=True, text=True, timeout=120, start_new_session=True
    )
    assert done.returncode == 0, done.stderr
    reads = int(done.stdout.split()[-1])
    documents = [json.loads(path.read_text()) for path in tmp_path.glob("stats-*")]
    for document in documents:
        check(document)
    [forked] = [document["forked"] for document in documents if document["forked"]]
    assert forked["processes"] == silent
    assert sum(document["reads"]["bytes"] for document in [*documents, forked]) == reads * PART


def test_reasons_of_workers(python, plugin_dir, bypass, empty_dir, tmp_path):
    subprocess.run([python, str(WORKERS), "make"], env=clean_env(empty_dir), cwd=tmp_path, check=True, capture_output=True)
    env = clean_env(plugin_dir, **bypass.env(), BYPASS_VOL_STATS="stats.json")
    subprocess.run([python, str(WORKERS), "reasons"], env=env, cwd=tmp_path, capture_output=True, timeout=120, check=True)
    document = json.loads((tmp_path / "stats.json").read_text())
    check(document)
    assert counted(document["forked"], "read") == {"driver": 3}
