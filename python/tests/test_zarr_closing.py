"""Files and what is open in them, closed in every order: the same answers with a Zarr directory as with a file, and the same data after it.

`test_memcheck_zarr.py` runs the same program under valgrind.
"""

from __future__ import annotations

import json
import subprocess

import pytest

from helpers.connectors import clean_env
from helpers.hosts import read_hosts

DEGREES = ["weak", "semi", "strong"]
OTHERS = ["openings", "openings_read", "openings_strong", "found", "left", "left_several", "behind_link", "threads"]
STUBS = ["found", "left", "behind_link"]
# Of the 120 orders of five handles every fifth, which begin and end with each of them.
SOME = {"H5_TEST_STEP": "5"}


@pytest.fixture
def native(run_c, tmp_path):
    """The same run natively."""

    def run(host, mode):
        return run_c("closing", host, tmp_path / "native", mode=mode, env=SOME).succeeded().served_by("native")

    return run


@pytest.fixture
def closed(run_c, tmp_path):
    """A run of tests/c/closing.c on Zarr directories."""

    def run(host, mode, settings, *arguments, name="zarr"):
        counters = tmp_path / "counters.json"
        env = {"HDF5_VOL_CONNECTOR": f"zarr {settings}", "ZARR_VOL_STATS": str(counters), **SOME}
        done = run_c("closing", host, tmp_path / "zarr", *arguments, mode=mode, env=env, plugins=True)
        done.succeeded().served_by(name)
        assert json.loads(counters.read_text())["native_files"] == 0, done
        return done

    return run


@pytest.mark.parametrize("mode", [*DEGREES, *OTHERS])
def test_every_order_of_closing(mode, host, closed, native):
    expected, ours = native(host, mode), closed(host, mode, "all=1")
    assert ours.stdout == expected.stdout, f"{expected}\n{ours}"


@pytest.mark.parametrize("mode", STUBS)
def test_every_order_of_closing_behind_a_stub(mode, host, closed, native):
    expected, ours = native(host, mode), closed(host, mode, "stub=1")
    assert ours.stdout == expected.stdout, f"{expected}\n{ours}"


def test_every_order_of_closing_connector_and_access_list(host, run_c, tmp_path):
    native = run_c("closing", host, tmp_path / "native", "native", "", mode="connector").succeeded().served_by("native")
    ours = run_c("closing", host, tmp_path / "zarr", "zarr", "all=1", mode="connector", plugins=True)
    ours.succeeded().served_by("zarr")
    assert ours.stdout == native.stdout, f"{native}\n{ours}"
    assert len(ours.stdout.splitlines()) == 24


def test_files_that_are_left_open_twice(host, closed):
    """Native HDF5 1.14 crashes."""
    lines = closed(host, "left_twice", "all=1").stdout.splitlines()
    assert lines[0] == lines[4] == "signal 0 code 0 finds 200 7 1"
    assert {line.strip() for line in lines[1:4] + lines[5:]} == {"finds 200 7 1"}


def test_a_file_is_closed_during_an_iteration_over_it(host, closed, native):
    """HDF5 1.14 cannot close a file that has another handle then. The file is as it was, and can be closed later."""
    expected, ours = native(host, "iterate"), closed(host, "iterate", "all=1")
    if "file -1" in ours.stdout:
        assert host.name == "tables", ours
        assert all(line.endswith("finds 200 7 1") for line in ours.stdout.splitlines()), ours
    else:
        assert ours.stdout == expected.stdout, f"{expected}\n{ours}"


@pytest.mark.parametrize("mode", ["leave_open", "exit_in_thread", "thread_running", "reload_closed", "reload_open", "reopen_library"])
def test_same_end_as_native(mode, host, native_runs, run_c, tmp_path):
    """Several times: a thread that the end waits for may need the lock of the loader, which unloads the library. Once in a while it did."""
    native = native_runs("lifetimes", host, mode=mode)
    for i in range(3):
        env = {"HDF5_VOL_CONNECTOR": "zarr all=1"}
        ours = run_c("lifetimes", host, tmp_path / str(i), mode=mode, env=env, plugins=True).succeeded().served_by("zarr")
        assert ours.stdout == native.stdout, f"{native}\n{ours}"


FOLLOW = """
import h5py

def memory():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

with h5py.File("target.zarr", "w") as file:
    file["d"] = range(10)
with h5py.File("links.zarr", "w") as file:
    file["to"] = h5py.ExternalLink("target.zarr", "/d")
for i in range(400):
    with h5py.File("links.zarr", "r+") as file:
        assert file["to"][3] == 3 and file["to"].file.filename.endswith("/target.zarr")
    if i == 100:
        before = memory()
print(memory() - before)
"""


def test_external_links_leave_no_memory_behind(python, plugin_dir, tmp_path):
    """Each left a file in memory, of half a megabyte."""
    env = clean_env(plugin_dir, HDF5_VOL_CONNECTOR="zarr")
    done = subprocess.run([python, "-c", FOLLOW], env=env, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert int(done.stdout) < 16 << 20, done
    assert (tmp_path / "target.zarr" / "zarr.json").exists()


def test_there_are_three_libraries():
    """Among them one that is thread-safe, and one of 1.14."""
    assert {host.name for host in read_hosts("H5_HOSTS_FILE")} == {"h5py", "netCDF4", "tables"}
