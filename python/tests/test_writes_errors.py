"""Writes that cannot be done: a full disk, positional writes that fall short, are interrupted or fail.

What fails is reported by a call, with its cause; what was there before, and what a successful flush has promised, is there afterwards, at
least where it is natively. clients/writes_full.py and clients/writes_faults.py do it natively and through the connector.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from helpers.connectors import STATS, clean_env
from helpers.run_client import CLIENTS
from helpers.writes import WriteCounters, thread_safe

LAYOUTS = ("contiguous", "chunked", "gzip")
# Bytes for the first chunk that is flushed, the one that is stored anew, and a part of the others.
ROOM = 1_900_000
CAUSES = ("No space left on device", "File too large")


@pytest.fixture
def small_disk(tmp_path):
    """A file system in memory with room for the old content and ROOM more, if this process may mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4100k", "none", str(folder)], capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"file systems cannot be mounted here, the limit of the process must do: {mounted.stderr}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def run(python, plugin_dir, script, host, *arguments, cwd: Path, env=None):
    """Answer and stderr. The process must end well whatever happened to its writes."""
    command = [python, str(CLIENTS / f"{script}.py"), str(host.path), *map(str, arguments)]
    environment = clean_env(plugin_dir, **STATS, PYTHONDONTWRITEBYTECODE="1", **(env or {}))
    done = subprocess.run(command, env=environment, cwd=cwd, capture_output=True, errors="replace", timeout=60)
    assert done.returncode == 0, f"{' '.join(command)}\nended with {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-3000:]}"
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


class Outcome:
    """What became of one way to write on a full disk."""

    def __init__(self, calls, state):
        self.calls, self.state = calls, state
        self.failed = [call for call in calls if call[1] < 0]
        self.chunks = state.get("chunks", [])

    def result(self, label):
        return [result for name, result, _ in self.calls if name == label]

    def whole(self):
        """Places of old chunks nobody touched that are still what they were."""
        return {chunk for chunk in (0, 3) if self.chunks[chunk:chunk + 1] == [f"old {chunk}"]}

    def __str__(self):
        shown = [[label, result, errors[:1]] for label, result, errors in self.calls]
        return json.dumps([shown, self.state], indent=1)[:6000]


def outcome(python, plugin_dir, host, when, way, layout, folder, room):
    """One way, with a fresh file in the folder."""
    prepared = run(python, plugin_dir, "writes_full", host, "prepare", "native", layout, cwd=folder)[0]
    assert not prepared, prepared
    calls, stderr = run(python, plugin_dir, "writes_full", host, when, way, layout, room, cwd=folder)
    if not room:
        # On a full disk HDF5 cannot even lock or close in peace: it is looked at elsewhere.
        shutil.copy(folder / "full.h5", folder.parent / "full.h5")
        (folder / "full.h5").unlink()
        folder = folder.parent
    state, _ = run(python, plugin_dir, "writes_full", host, "check", "native", layout, cwd=folder)
    if way == "bypass":
        assert WriteCounters.of(stderr).bypassed > 0, stderr
    return Outcome(calls, state)


def compare(native, ours, when):
    shown = f"native\n{native}\nours\n{ours}"
    assert native.failed, shown
    # Something failed, and said why.
    assert ours.failed, shown
    assert any(cause in text for _, _, errors in ours.failed for text in errors for cause in CAUSES), shown
    if when == "data":
        assert any(label.startswith("new") for label, _, _ in ours.failed), shown
    if when == "close":
        assert min(ours.result("close dataset") + ours.result("close file") + ours.result("new 7")) < 0, shown
    if when == "flush":
        flushed = ours.result("dataset flush") + ours.result("flush")
        assert min(flushed) < 0 or any(label.startswith("new") for label, _, _ in ours.failed), shown
    # Nothing that native keeps is lost.
    assert ours.state["opened"] or not native.state["opened"], shown
    assert ours.whole() >= native.whole(), shown
    if not ours.state["opened"]:
        return
    assert ours.result("first flush") != [0] or ours.chunks[4] == "first" or native.chunks[4:5] != ["first"], shown
    # The chunk that was written over is the old or the new one, and so is the one that was changed.
    if ours.result("over 1") == [0] and ours.result("close file") == [0]:
        assert ours.chunks[1] in ("over 1", "old 1") or native.chunks[1] not in ("over 1", "old 1"), shown
    assert ours.chunks[2] in ("part of 2", "old 2") or native.chunks[2] not in ("part of 2", "old 2"), shown


@pytest.mark.parametrize("when", ["data", "flush", "close"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_limit_of_the_process(layout, when, host, python, plugin_dir, tmp_path):
    both = []
    for way in ("native", "bypass"):
        (tmp_path / way).mkdir()
        both.append(outcome(python, plugin_dir, host, when, way, layout, tmp_path / way, ROOM))
    compare(*both, when)


@pytest.mark.parametrize("when", ["data", "flush", "close"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_full_disk(layout, when, python, plugin_dir, small_disk):
    both = [outcome(python, plugin_dir, thread_safe(), when, way, layout, small_disk, 0) for way in ("native", "bypass")]
    compare(*both, when)


@pytest.mark.parametrize("mode", ["short", "interrupted"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_short_and_interrupted(layout, mode, host, python, plugin_dir, faults, tmp_path):
    """Nobody notices."""
    first = 1 if mode == "short" else 2
    answer, stderr = run(python, plugin_dir, "writes_faults", host, "bypass", mode, layout, first, 5, cwd=tmp_path, env=faults)
    wrong = {number: found for number, found in answer.items() if found["ended"] or found["failed"] or found["state"] != "right"}
    assert not wrong, json.dumps(wrong)[:3000]
    assert all(found["faults"] > 0 for found in answer.values()), json.dumps(answer)[:3000]
    # The first of eleven may be HDF5's, which allocates by it.
    assert WriteCounters.of(stderr).bypassed >= 10 * len(answer)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_failed(layout, host, python, plugin_dir, faults, tmp_path):
    """The n-th positional write fails, once: a call says so; it is then made again."""
    answers = {}
    for way in ("native", "bypass"):
        (tmp_path / way).mkdir()
        answers[way], stderr = run(python, plugin_dir, "writes_faults", host, way, "failed", layout, 1, 35, cwd=tmp_path / way, env=faults)
    assert WriteCounters.of(stderr).bypassed > 300
    ours, native = answers["bypass"], answers["native"]
    crashed = {number: found for number, found in ours.items() if found["ended"]}
    assert not crashed or any(found["ended"] for found in native.values()), crashed
    # Each fault is reported by a call, with its cause.
    silent = [number for number, found in ours.items() if found.get("faults") and "Input/output error" not in json.dumps(found["failed"])]
    assert not silent, json.dumps([ours[number] for number in silent])[:3000]
    # HDF5 itself loses some chunks for good when storing them has failed once. More must not be lost.
    lost = {way: {number: found for number, found in answers[way].items() if found["state"] != "right"} for way in answers}
    assert len(lost["bypass"]) <= len(lost["native"]), f"{len(lost['native'])} natively, by us: {json.dumps(lost['bypass'])[:4000]}"
    # Small writes share positional ones.
    assert sum(found.get("faults", 0) for found in ours.values()) > 5


SMALL = """
import h5py, os, resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
file = h5py.File(sys.argv[1], "w")
rows = file.create_dataset("group/rows", (100_000, 16), "f4")
rows[0] = 1
file.flush()
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
for row in range(5000, 5100):
    rows[row] = row
try:
    file.flush()
except RuntimeError as error:
    print(error)
os._exit(0)
"""


def test_what_cannot_be_flushed_has_a_name(python, plugin_dir, bypass, tmp_path):
    """Small writes stay in memory; the flush that fails to write them says of which dataset and file they are."""
    path = tmp_path / "rows.h5"
    done = subprocess.run([python, "-c", SMALL, str(path)], env=clean_env(plugin_dir, **bypass.env()), capture_output=True, text=True)
    assert f"cannot write dataset '/group/rows' of file '{path}'" in done.stdout and "File too large" in done.stdout, done.stdout + done.stderr
