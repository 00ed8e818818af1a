"""Our codecs against the real filters of HDF5, h5py and hdf5plugin: what they store we decode, what we encode they read.

clients/codecs_check.py makes the chunks; the codecs run in target/release/examples/filter, which `cargo xtask test` builds.
"""

from __future__ import annotations

import re

import pytest

# Chunks that each group must at least have compared, and how much larger than the real filter's output ours may be.
GROUPS = {
    "deflate": (1000, 1.03),
    "shuffle": (250, 1.0),
    "fletcher32": (250, 1.0),
    "szip": (1800, 1.03),
    "nbit": (600, 1.0),
    "scaleoffset": (3500, 1.0),
    "lzf": (250, 1.05),
    "zstd": (800, 1.03),
    "lz4": (800, 1.05),
    "bzip2": (500, 1.03),
    "blosc": (1800, 1.08),
    "blosc2": (2000, 1.08),
    "bitshuffle": (1500, 1.05),
    "several": (700, 1.05),
    "pytables": (80, None),
}

# What is left to native HDF5, on purpose.
UNSUPPORTED = {
    "blosc": r"blosc with the compressor Snappy",
    "nbit": r"parameters of filter nbit: a member follows an array of arrays or of compounds",
    "scaleoffset": r"parameters of filter scaleoffset: 31 bits for elements of [12] bytes",
}


@pytest.mark.parametrize("group", GROUPS)
def test_both_ways(group, client, filter_program, tmp_path):
    answer = client("codecs_check", str(filter_program), group, cwd=tmp_path)
    problems = answer["problems"]
    assert not problems, f"{len(problems)} problems, the first:\n" + "\n".join(problems[:8])
    known = UNSUPPORTED.get(group)
    assert bool(known) == bool(answer["unsupported"]), answer["unsupported"]
    assert all(re.search(known, reason) for reason in answer["unsupported"]), answer["unsupported"]
    chunks, most = GROUPS[group]
    assert answer["chunks"] >= chunks, answer
    too_large = {name: sizes for name, sizes in answer["sizes"].items() if sizes[0] > sizes[1] * most}
    assert not too_large, f"bytes stored by us and by the real filter: {too_large}"
    assert bool(answer["sizes"]) == (most is not None), answer
