"""Chunks that native HDF5 does not find, because a key of the B-tree of version 1 is damaged: clients/damaged_index.py."""

from __future__ import annotations

from helpers.reads import Counters, run_reads


def test_damaged_keys(host, python, plugin_dir, tmp_path):
    """Whatever a key of a leaf says, what is read is what native HDF5 reads."""
    answer, stderr = run_reads(python, plugin_dir, "damaged_index", host, cwd=tmp_path, timeout=300)
    assert answer["tried"] > 300
    assert not answer["different"], f"{len(answer['different'])} of {answer['tried']}: {answer['different'][:10]}"
    counters = Counters.of(stderr)
    # Sound trees, and trees with another filter mask, are ours.
    assert counters.bypassed > 500, counters
    assert set(counters.reasons) == {"index-invalid"}, counters
