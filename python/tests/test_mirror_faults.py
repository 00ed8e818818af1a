"""Faults on each side of each call of a mirrored file: with `fail` the application sees it, with `degrade` the first side is whole and the
other one is marked, and a side whose writer was killed does not pass as good unless it is.
"""

from __future__ import annotations

import errno
import json
import subprocess

import pytest

from helpers.connectors import clean_env
from helpers.run_client import CLIENTS, run_client

ERRORS = {"no space": errno.ENOSPC, "input/output": errno.EIO}


@pytest.fixture
def attempts(python, plugin_dir, faults, tmp_path):
    def run(side, error, info):
        # Only names that end in .h5 get faults.
        other = "b={name={stem}.other.h5}" if side == "other" else "b={name={stem}.other}"
        env = clean_env(plugin_dir, HDF5_VOL_CONNECTOR=f"mirror {other};{info}", **faults)
        return run_client(python, "mirror_faults", side, str(error), env=env, cwd=tmp_path)

    return run


SEEN = "import sys, json; sys.path.insert(0, sys.argv[1]); import mirror_faults as m; print(json.dumps([m.seen(name) for name in sys.argv[2:]]))"
NATIVELY = """
import sys, json; sys.path.insert(0, sys.argv[1]); import h5py, mirror_faults as m
for number, operation in enumerate(m.OPERATIONS):
    m.make(f"native-{number}")
    with h5py.File(f"native-{number}", "r+") as f: m.OPERATIONS[operation](f)
"""


@pytest.fixture
def natively(python, plugin_dir, tmp_path):
    def run(program, *arguments):
        done = subprocess.run([python, "-c", program, str(CLIENTS), *arguments], env=clean_env(plugin_dir), cwd=tmp_path, capture_output=True,
                              text=True, timeout=90)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout) if done.stdout else None

    return run


@pytest.mark.parametrize("error", ERRORS)
def test_the_application_sees_faults_of_another_side(error, attempts, tmp_path):
    for operation, found in attempts("other", ERRORS[error], "on_error=fail").items():
        number = found["number"]
        assert found["faults"] > 0, operation
        assert found["stage"] is not None and f"side b ({number}.other.h5)" in found["told"], (operation, found)
        assert "incomplete: " in (tmp_path / f"{number}.other.h5.mirror").read_text(), operation


@pytest.mark.parametrize("error", ERRORS)
def test_without_the_side_the_first_is_whole(error, attempts, natively, tmp_path):
    found = attempts("other", ERRORS[error], "on_error=degrade")
    natively(NATIVELY)
    numbers = [one["number"] for one in found.values()]
    first = natively(SEEN, *(f"{number}.first" for number in numbers))
    wanted = natively(SEEN, *(f"native-{number}" for number in numbers))
    for place, (operation, one) in enumerate(found.items()):
        number = one["number"]
        assert one["faults"] > 0 and one["stage"] is None, (operation, one)
        assert first[place] == wanted[place], operation
        assert "incomplete: " in (tmp_path / f"{number}.other.h5.mirror").read_text(), operation
    assert len({json.dumps(one) for one in wanted}) > 5, "the operations differ"


@pytest.mark.parametrize("policy", ["fail", "degrade"])
def test_faults_of_the_first_side_are_seen(policy, attempts):
    for operation, found in attempts("first", errno.ENOSPC, f"on_error={policy}").items():
        assert found["faults"] > 0 and found["stage"] is not None, (operation, found)
        assert "side b" not in found["told"], (operation, found)


REOPEN = """
import sys, json; sys.path.insert(0, sys.argv[1]); import h5py, mirror_faults as m
told = []
for number in range(len(m.OPERATIONS)):
    try:
        h5py.File(f"{number}.h5", "r+").close()
        told.append(None)
    except OSError as error:
        told.append(str(error))
print(json.dumps(told))
"""


def test_killed_writers(python, plugin_dir, tmp_path, natively):
    """Either all sides are the same afterwards, or the file is refused because of the side. Natively, it may be damaged."""
    env = clean_env(plugin_dir, HDF5_VOL_CONNECTOR="mirror")
    found = run_client(python, "mirror_faults", "kill", env=env, cwd=tmp_path)
    assert all(one["signal"] == 9 for one in found.values())
    assert len(list(tmp_path.glob("*.h5.bak.mirror"))) == len(found), "each of them is noted"
    done = subprocess.run([python, "-c", REOPEN, str(CLIENTS)], env=env, cwd=tmp_path, capture_output=True, text=True, timeout=90)
    assert done.returncode == 0, done.stderr
    for number, (operation, told) in enumerate(zip(found, json.loads(done.stdout))):
        if told is None:
            first, other = natively(SEEN, f"{number}.h5", f"{number}.h5.bak")
            assert first == other, operation
        else:
            assert "side b" in told or "Unable to synchronously open file" in told, (operation, told)
