"""Programs that do what a Zarr directory cannot take as it is: it is kept in another way, or the call that does it fails.

Nothing that could be kept is lost because of something else that could not.
"""

from __future__ import annotations

import json

import pytest
from helpers.connectors import clean_env
from helpers.run_client import run_client


@pytest.fixture
def told(python, plugin_dir, tmp_path):
    """What a program of clients/zarr_trouble.py sees, with a Zarr directory or a plain file."""

    def run(what, suffix=".zarr"):
        counters = tmp_path / "counters.json"
        env = clean_env(plugin_dir, HDF5_VOL_CONNECTOR="zarr", ZARR_VOL_STATS=str(counters))
        seen = run_client(python, "zarr_trouble", what, suffix, env=env, cwd=tmp_path)
        assert json.loads(counters.read_text())["created"] == (suffix == ".zarr")
        return seen

    return run


def test_names_that_no_folder_can_have(told, python, plugin_dir, tmp_path):
    assert told("names") == told("names", ".h5")
    arrays = list((tmp_path / "x.zarr").glob("**/zarr.json"))
    assert len(arrays) == 1 + 13 + 2 + 2, arrays


def test_names_that_are_not_utf_8_are_refused_at_once(told):
    refused, found = told("not_text")
    assert [failure and "not UTF-8" in failure[1] and "x.zarr" in failure[1] for failure in refused] == [True] * 4, refused
    assert found == {"before": 1, "after": 2}


def test_attributes_that_the_connector_needs_are_refused_at_once(told):
    refused, found, attributes = told("reserved")
    assert all("which the Zarr connector needs itself" in failure[1] for failure in refused), refused
    assert found == {"d": [1, 2], "e": 4} and attributes == {"other": 3}


def test_what_could_not_be_written_is_written_later(told):
    (first, second), *seen = told("full")
    for failure in (first, second):
        assert failure and "x.zarr" in failure[1] and "File too large" in failure[1], failure
    kept = [0, 1, 2, 77, 4, 5, 6, 7, 8, 9]
    assert seen == [["group", "group/data", "group/text", "kept"], kept, 499500.0, ["some", "words"], "a title that is not short", "m"]


def test_what_could_not_be_written_when_the_last_dataset_was_closed(told):
    assert told("last") == 210


def test_what_cannot_be_closed_stays_open(told):
    failure, *seen = told("close_later")
    assert failure and "x.zarr" in failure[1] and "File too large" in failure[1], failure
    assert seen == [499500, False, 499500]


def test_what_was_deleted_cannot_be_read(told):
    before, *refused = told("deleted")
    assert before == [1, [7] * 4]
    assert all("x.zarr/d: No such file" in str(failure) for failure in refused), refused


def test_what_cannot_be_written_cannot_be_opened_for_writing(told):
    """As a plain file: h5py opens it for reading if it may be read only."""
    ours, native = told("unwritable"), told("unwritable", ".h5")
    assert ours["r"] == native["r"] == [1, 2]
    for mode in ("r+", "a"):
        assert native[mode][0] == ours[mode][0] == "PermissionError", (mode, native, ours)
    assert "x.zarr" in ours["r+"][1] and "Permission denied" in ours["r+"][1], ours


def test_a_directory_that_is_gone_when_the_program_ends(told):
    """The program is told on its standard error, and ends as it would."""
    assert told("removed") == "ended"


def test_a_single_array_is_no_file(python, plugin_dir, tmp_path):
    """It would look empty, and lose its array to the next who writes."""
    script = "import zarr; zarr.create_array('x.zarr', shape=4, dtype='i4')[:] = 7"
    look = "import h5py\nfor mode in 'r', 'r+', 'a':\n    try: h5py.File('x.zarr', mode)\n    except OSError as error: print(error)"
    import subprocess

    env = clean_env(plugin_dir)
    subprocess.run([python, "-c", script], env=env, cwd=tmp_path, check=True)
    env["HDF5_VOL_CONNECTOR"] = "zarr"
    done = subprocess.run([python, "-c", look], env=env, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout.count("'x.zarr': the directory is a single array, not a group of arrays") == 3, done
