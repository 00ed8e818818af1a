"""The Zarr connector: h5py gives the same results with a Zarr directory as with a file of native HDF5, and zarr-python sees the same
arrays and attributes as h5py, whoever has written them.
"""

from __future__ import annotations

import json

import pytest
from helpers.connectors import clean_env
from helpers.run_client import run_client
from test_formats import CASES, native  # noqa: F401


@pytest.fixture(scope="session")
def zarr_env(plugin_dir):
    """The environment of a program that uses the connector."""
    assert (plugin_dir / "libh5zarr_vol.so").is_file(), f"no libh5zarr_vol.so in {plugin_dir}"

    def env(counters, settings=""):
        return clean_env(plugin_dir, HDF5_VOL_CONNECTOR=f"zarr {settings}".strip(), ZARR_VOL_STATS=str(counters))

    return env


@pytest.fixture(scope="session")
def in_zarr(python, zarr_env, tmp_path_factory):
    """What each case tells with a Zarr directory, and the counters."""
    folder = tmp_path_factory.mktemp("zarr")
    counters = folder / "counters.json"
    env = zarr_env(counters, "transcode=zstd")
    told = run_client(python, "formats", str(folder / "{}.zarr"), env=env, cwd=folder)
    for case in CASES:
        assert (folder / f"{case}.zarr" / "zarr.json").is_file(), case
        assert not list((folder / f"{case}.zarr").glob("__h5_*")), f"{case}: something without a link is left"
    return told, json.loads(counters.read_text())


@pytest.mark.parametrize("case", CASES)
def test_case(case, native, in_zarr):  # noqa: F811
    assert in_zarr[0][case] == native[case]


def test_the_connector_was_used(in_zarr):
    counters = in_zarr[1]
    assert counters["connector"] == "zarr"
    for counter in ("opened", "created", "groups_filled", "objects_filled", "changes", "reads", "writes", "chunks_read",
                    "chunks_written", "values_loaded"):
        assert counters[counter] > 0, counter
    # The native file of the case about other files.
    assert counters["native_files"] == 1


def test_what_h5py_writes_zarr_python_reads(python, plugin_dir, zarr_env, tmp_path):
    """Types, byte orders, layouts, filters, resizing, attributes."""
    place = str(tmp_path / "x.zarr")
    ours = run_client(python, "zarr_files", "write", place, env=zarr_env(tmp_path / "counters.json"), cwd=tmp_path)
    theirs = run_client(python, "zarr_peer", "read", place, env=clean_env(plugin_dir), cwd=tmp_path)
    assert len(ours["arrays"]) > 180
    assert theirs == ours


def test_what_zarr_python_writes_h5py_reads_and_changes(python, plugin_dir, zarr_env, tmp_path):
    """Types, codecs, shards, strings; then h5py changes it, and zarr-python sees that."""
    place = str(tmp_path / "x.zarr")
    theirs = run_client(python, "zarr_peer", "write", place, env=clean_env(plugin_dir), cwd=tmp_path)
    counters = tmp_path / "counters.json"
    ours = run_client(python, "zarr_files", "read", place, env=zarr_env(counters), cwd=tmp_path)
    assert len(ours["arrays"]) > 60 and json.loads(counters.read_text())["chunks_read"] > 200
    assert ours["arrays"] == theirs["arrays"]
    # HDF5 has no attribute that is a dictionary: its text stands for it, and it stays what it is.
    assert ours["attributes"][""].pop("nested") == '{"a":1}'
    nested = theirs["attributes"][""].pop("nested")
    assert ours["attributes"] == theirs["attributes"]
    changed = run_client(python, "zarr_files", "change", place, env=zarr_env(counters), cwd=tmp_path)
    seen = run_client(python, "zarr_peer", "read", place, env=clean_env(plugin_dir), cwd=tmp_path)
    assert seen["attributes"][""].pop("nested") == nested == {"a": 1}
    changed["attributes"][""].pop("nested")
    assert seen == changed and seen["arrays"] != theirs["arrays"]


def test_other_files_are_native(python, zarr_env, tmp_path):
    """One setting serves a whole program: names that are not Zarr's are plain HDF5 files."""
    counters = tmp_path / "counters.json"
    run_client(python, "formats", str(tmp_path / "{}.h5"), "datasets", env=zarr_env(counters), cwd=tmp_path)
    assert (tmp_path / "datasets.h5").read_bytes()[:8] == b"\x89HDF\r\n\x1a\n"
    found = json.loads(counters.read_text())
    assert found["native_files"] == 2 and found["created"] == found["opened"] == 0


def test_filters_that_zarr_lacks_are_refused(python, zarr_env, tmp_path):
    """The error names the setting that accepts them."""
    told = run_client(python, "formats", str(tmp_path / "{}.zarr"), "datasets", env=zarr_env(tmp_path / "c.json"), cwd=tmp_path)
    assert "Zarr has no codec for HDF5's filter 32000" in told["datasets"] and "transcode=zstd" in told["datasets"]


def test_every_library(python, zarr_env, tmp_path, host):
    """The C interface of each stock libhdf5. The file is left open: what was deleted is told to the format when the process ends."""
    counters = tmp_path / "counters.json"
    told = run_client(python, "formats_in_c", str(host.path), str(tmp_path / "x.zarr"), env=zarr_env(counters), cwd=tmp_path)
    assert told == {"some": [5, 7, 13, 15], "unit": "metres", "storage": True}
    assert json.loads(counters.read_text())["chunks_written"] == 4
    assert [entry.name for entry in (tmp_path / "x.zarr").iterdir()] == ["zarr.json"]


def test_copies_between_files_of_both_kinds(python, plugin_dir, zarr_env, tmp_path):
    """Elements are copied, too, whoever has them; native HDF5 alone reads what arrived in the plain file."""
    counters = tmp_path / "counters.json"
    run_client(python, "zarr_copies", "copy", env=zarr_env(counters), cwd=tmp_path)
    found = json.loads(counters.read_text())
    assert found["created"] == 1 and found["native_files"] == 2 and found["chunks_written"] > 40
    native = {name: value for name, value in clean_env(plugin_dir).items() if name != "HDF5_PLUGIN_PATH"}
    run_client(python, "zarr_copies", "check", env=native, cwd=tmp_path)


def test_copies_that_are_refused(python, zarr_env, tmp_path):
    """Nothing is left of them."""
    [filters] = run_client(python, "zarr_copies", "refused", env=zarr_env(tmp_path / "c.json"), cwd=tmp_path)
    assert "Zarr has no codec for HDF5's filter 32000" in filters and "transcode=zstd" in filters
