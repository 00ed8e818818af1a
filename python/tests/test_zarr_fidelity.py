"""What HDF5 has and Zarr has not, and the reverse: names of dimensions, the map between both, other implementations of Zarr, and
containers that somebody has damaged.
"""

from __future__ import annotations

import json

import pytest
from helpers.connectors import clean_env
from helpers.run_client import run_client
from test_zarr_connector import zarr_env  # noqa: F401

# Types that the implementations do not have.
LACKS = {"null_terminated_bytes", "string"}


def read_counters(path):
    return json.loads(path.read_text())


def test_names_of_dimensions_are_scales(python, zarr_env, tmp_path):  # noqa: F811
    """xarray writes Zarr and h5netcdf reads it with coordinates, and the reverse; nothing is written that nobody has changed."""
    counters = tmp_path / "counters.json"
    run_client(python, "zarr_dimensions", env=zarr_env(counters), cwd=tmp_path)
    found = read_counters(counters)
    assert found["opened"] > 15 and found["chunks_read"] > 20 and found["native_files"] == 0


def test_the_map(python, plugin_dir, zarr_env, tmp_path):  # noqa: F811
    """Every row of it, read again by h5py, and by zarr-python."""
    counters = tmp_path / "counters.json"
    run_client(python, "zarr_map", "write", env=zarr_env(counters, "transcode=zstd;compound=structured"), cwd=tmp_path)
    assert read_counters(counters)["chunks_written"] > 100
    run_client(python, "zarr_map", "check", env=clean_env(plugin_dir), cwd=tmp_path)


@pytest.mark.parametrize("other", ["zarrs", "tensorstore"])
def test_other_implementations(other, python, plugin_dir, zarr_env, tmp_path):  # noqa: F811
    """What h5py writes they read, and what they write h5py reads: types, byte orders, codecs, layouts."""
    counters, place, theirs = tmp_path / "counters.json", str(tmp_path / "x.zarr"), str(tmp_path / "y.zarr")
    ours = run_client(python, "zarr_files", "write", place, env=zarr_env(counters), cwd=tmp_path)["arrays"]
    seen = run_client(python, "zarr_others", "read", place, other, env=clean_env(plugin_dir), cwd=tmp_path)
    for name, kind, why in seen["refused"]:
        assert (kind["name"] if isinstance(kind, dict) else kind) in LACKS, f"{name}: {why}"
    # zarrs swaps the two parts of complex numbers in this order: see clients/zarr_check.py.
    wrong = [name for name, array in seen["arrays"].items() if array != ours[name]]
    assert all(other == "zarrs" and name.startswith(("c8be", "c16be")) for name in wrong), wrong
    assert len(seen["arrays"]) > 170 and len(seen["arrays"]) + len(seen["refused"]) == len(ours)
    written = run_client(python, "zarr_others", "write", theirs, other, env=clean_env(plugin_dir), cwd=tmp_path)["arrays"]
    read = run_client(python, "zarr_files", "read", theirs, env=zarr_env(counters), cwd=tmp_path)["arrays"]
    assert read == written and len(read) >= 130 and read_counters(counters)["chunks_read"] > 500


def test_damaged_containers(python, zarr_env, tmp_path):  # noqa: F811
    """Errors, no crash, and no elements that are not those written where a checksum could tell."""
    counters = tmp_path / "counters.json"
    answer = run_client(python, "zarr_mutated", "0", "200", env=zarr_env(counters, "transcode=zstd"), cwd=tmp_path)
    assert not answer["wrong"], answer["wrong"][:5]
    counts = answer["counts"]
    assert counts["opened"] > 60 and counts["not opened"] > 30 and counts["changed"] > 15
    assert counts["failed"] > 200 and counts["done"] > 10_000 and counts["chunks refused"] > 5
    assert read_counters(counters)["opened"] > 100
