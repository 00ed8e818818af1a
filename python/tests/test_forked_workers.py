"""What forked workers did is told, in the summary and in traces, however they ended."""

import json
import subprocess
from pathlib import Path

import pytest
from helpers.connectors import clean_env
from helpers.reads import codes

SCRIPT = Path(__file__).parent / "clients" / "forked_workers.py"
PART = 4 << 20

# How many processes could not tell what they did.
WAYS = {
    "pool": 3,
    "processes": 3,
    "terminated": 1,
    "killed": 1,
    "inherited": 1,
    "interrupted": 1,
    "grandchild": 2,
    "nobody_waits": 1,
    "some_properly": 1,
}


@pytest.fixture(scope="module")
def folder(python, empty_dir, tmp_path_factory):
    folder = tmp_path_factory.mktemp("workers")
    subprocess.run([python, str(SCRIPT), "make"], env=clean_env(empty_dir), cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture
def run(python, plugin_dir, bypass, folder):
    def run(way, **settings):
        env = clean_env(plugin_dir, **bypass.env(), **settings)
        # In a group of its own: one of the ways interrupts the whole group.
        done = subprocess.run(
            [python, str(SCRIPT), way], env=env, cwd=folder, capture_output=True, text=True, timeout=120, start_new_session=True
        )
        assert done.returncode == 0, done.stderr
        return int(done.stdout.split()[-1]), done.stderr

    return run


def counted(folder):
    """What processes wrote about themselves, and about others that could not."""
    own = [json.loads(text) for path in folder.glob("*.json") if (text := path.read_text())]
    return own, [told["forked"] for told in own if told["forked"]]


@pytest.mark.parametrize("way", WAYS)
def test_summary(way, run, tmp_path):
    reads, _ = run(way, BYPASS_VOL_STATS=str(tmp_path / "%p.json"))
    own, forked = counted(tmp_path)
    # The parent of one way reads 40 bytes itself, before it forks.
    size = sum(told["reads"]["bytes"] for told in own + forked)
    assert size - (40 if way == "inherited" else 0) == reads * PART, (own, forked)
    others = [told["processes"] for told in forked]
    # Of a pool, one may have found nothing left to do.
    assert len(others) == 1 and (others == [WAYS[way]] or way == "pool" and 0 < others[0] < 3), (own, forked)


def test_reasons_of_workers(run, tmp_path):
    run("reasons", BYPASS_VOL_STATS=str(tmp_path / "%p.json"))
    _, (forked,) = counted(tmp_path)
    assert forked["processes"] == 1 and codes(forked, "read") == {"driver": 3}, forked


def test_nothing_is_told_unasked(run):
    _, told = run("pool")
    assert "h5bypass" not in told


@pytest.mark.parametrize("way", [way for way in WAYS if way not in ("pool", "inherited")])
def test_traces(way, run, tmp_path):
    reads, _ = run(way, BYPASS_VOL_TRACE=str(tmp_path / "trace-%p.json"))
    size = 0
    for path in tmp_path.glob("trace-*.json"):
        document = json.loads(path.read_text())
        spans = [event for event in document["traceEvents"] if event["ph"] == "X" and event["name"] == "read"]
        size += sum(span["args"].get("bytes", 0) for span in spans)
        assert path.name == f"trace-{document['otherData']['process']}.json"
        assert all(span["args"]["dataset"] == "/x" for span in spans)
    assert size == reads * PART
    assert not list(tmp_path.glob("*.partial"))
