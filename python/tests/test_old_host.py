"""A libhdf5 whose VOL interface is older than ours (1.12): refused clearly when asked for, invisible otherwise."""

import re
import shutil

import pytest
from helpers.compare import entry_text
from helpers.hosts import read_hosts

# What a user can make sense of: which library, or that it is the version.
CLEAR = re.compile(r"1\.12|version|unsupported|not supported|too old", re.IGNORECASE)


@pytest.fixture(scope="session")
def old_host():
    return read_hosts("H5_OLD_HOST_FILE")[0]


@pytest.fixture(autouse=True)
def its_libraries(old_host, monkeypatch):
    """The wheel's libhdf5 finds its neighbours only through h5py's own modules: here by the search path."""
    monkeypatch.setenv("LD_LIBRARY_PATH", str(old_host.path.parent))


@pytest.mark.parametrize("program", ["links", "references", "chunks", "types", "transfers"])
def test_merely_present(program, old_host, run_c, plugin_file, tmp_path):
    native = run_c(program, old_host, tmp_path / "native").succeeded().served_by("native")
    present = run_c(program, old_host, tmp_path / "present", plugins=True).succeeded().served_by("native")
    assert native.stdout == present.stdout


def test_failures_with_the_plugin_merely_present(old_host, run_c, plugin_file, tmp_path):
    run_c("errors", old_host, tmp_path / "native", mode="prepare").succeeded()
    shutil.copytree(tmp_path / "native", tmp_path / "present")
    native = run_c("errors", old_host, tmp_path / "native").succeeded()
    present = run_c("errors", old_host, tmp_path / "present", plugins=True).succeeded().served_by("native")
    for expected, got in zip(native.json_lines(), present.json_lines(), strict=True):
        assert (expected["call"], expected["return"]) == (got["call"], got["return"])
        assert [entry_text(e) for e in expected["stack"][:1]] == [entry_text(e) for e in got["stack"][:1]], got["call"]


@pytest.mark.parametrize("mode", ["env", "api"])
def test_asked_for(mode, old_host, bypass, run_c, plugin_dir, plugin_file, tmp_path, tmp_path_factory):
    # Alone: HDF5 asks the plugins of a folder one after another, in no certain order, and stops at the first that refuses.
    alone = tmp_path_factory.mktemp("alone")
    (alone / plugin_file).symlink_to(plugin_dir / plugin_file)
    env = {"HDF5_PLUGIN_PATH": str(alone)}
    run_c("lifetimes", old_host, tmp_path, mode="fork__exit").succeeded()
    (tmp_path / "forked.h5").rename(tmp_path / "existing.h5")
    (tmp_path / "after_fork.h5").rename(tmp_path / "victim.h5")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    stack = bypass if mode == "env" else None
    run = run_c("refused", old_host, tmp_path, bypass.name, bypass.info, mode=mode, stack=stack, env=env, plugins=True).succeeded()
    answers = {line["call"]: line for line in run.json_lines()}
    refusal = answers["H5open" if mode == "env" else "register"]
    assert refusal["return"] == -1, run
    reasons = [entry["description"] for entry in refusal["stack"]]
    assert any(CLEAR.search(reason) and bypass.name in reason for reason in reasons), f"{run}\nnot a clear reason"
    # 1.12 and 1.14 go on natively after a start that failed, whatever connector it was: not ours to change.
    assert set(run.notes.get("connector", ["native"])) == {"native"}, run
    if mode == "env":
        return
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
