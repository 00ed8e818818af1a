"""Formats behind a shadow: h5py gives the same results with a container as with a file of native HDF5.

The cases are in clients/formats.py. The counters prove that the shadow was used: HDF5 goes on silently without a connector.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from helpers.connectors import clean_env
from helpers.run_client import CLIENTS, run_client

sys.path.append(str(CLIENTS))
CASES = ["datasets", "selections", "members", "attributes", "strings", "references", "links", "deleted_while_open", "copies",
         "resizing", "order", "committed", "several_handles", "other_files", "virtual",
         "stored_chunks", "kinds", "neuroscience", "large"]


@pytest.fixture(scope="session")
def memory_format(plugin_dir: Path) -> Path:
    """The folder of the format in memory: control/shadow/examples/memory_format.rs."""
    folder = plugin_dir / "examples"
    assert (folder / "libmemory_format.so").is_file(), f"no libmemory_format.so in {folder}"
    return folder


@pytest.fixture(scope="session")
def native(python, plugin_dir, tmp_path_factory):
    """What each case tells natively."""
    folder = tmp_path_factory.mktemp("native")
    return run_client(python, "formats", str(folder / "{}.h5"), env=clean_env(plugin_dir), cwd=folder)


@pytest.fixture(scope="session")
def in_memory(python, memory_format, tmp_path_factory):
    """What each case tells with a container in memory, and the counters."""
    folder = tmp_path_factory.mktemp("memory")
    counters = folder / "counters.json"
    env = clean_env(memory_format, HDF5_VOL_CONNECTOR="memory", MEMORY_FORMAT_STATS=str(counters))
    told = run_client(python, "formats", str(folder / "{}.mem"), env=env, cwd=folder)
    assert not list(folder.glob("*.mem")), "nothing is written to a file"
    return told, json.loads(counters.read_text())


@pytest.mark.parametrize("case", CASES)
def test_case(case, native, in_memory):
    assert isinstance(native[case], list), native[case]
    assert in_memory[0][case] == native[case]


def test_all_cases_are_here(native):
    assert sorted(native) == sorted(CASES)


def test_the_shadow_was_used(in_memory):
    counters = in_memory[1]
    assert counters["connector"] == "memory"
    for counter in ("opened", "created", "groups_filled", "objects_filled", "changes", "reads", "writes", "host_conversions",
                    "chunks_read", "chunks_written", "values_loaded"):
        assert counters[counter] > 0, counter
    # The native file of the case about other files.
    assert counters["native_files"] == 1


def test_other_files_are_native(python, memory_format, tmp_path):
    """A name that is not the format's is a plain HDF5 file, with the same setting."""
    counters = tmp_path / "counters.json"
    env = clean_env(memory_format, HDF5_VOL_CONNECTOR="memory", MEMORY_FORMAT_STATS=str(counters))
    run_client(python, "formats", str(tmp_path / "{}.h5"), "datasets", env=env, cwd=tmp_path)
    assert (tmp_path / "datasets.h5").read_bytes()[:8] == b"\x89HDF\r\n\x1a\n"
    found = json.loads(counters.read_text())
    assert found["native_files"] == 2 and found["created"] == found["opened"] == 0


def test_every_library(python, memory_format, tmp_path, host):
    """The C interface of each stock libhdf5."""
    counters = tmp_path / "counters.json"
    env = clean_env(memory_format, HDF5_VOL_CONNECTOR="memory", MEMORY_FORMAT_STATS=str(counters))
    told = run_client(python, "formats_in_c", str(host.path), str(tmp_path / "x.mem"), env=env, cwd=tmp_path)
    assert told == {"some": [5, 7, 13, 15], "unit": "metres", "storage": True}
    found = json.loads(counters.read_text())
    assert found["created"] == found["opened"] == 1 and found["chunks_written"] == 4
