"""Damaged chunks of filtered datasets: never a crash, never other bytes than native's, and errors that say where.

The mutants of clients/damaged_chunks.py come from seeds; a failure names the seed and keeps the file.
"""

from __future__ import annotations

import os

from helpers.filtered import filter_plugins
from helpers.reads import run_reads

ROUNDS = 24


def test_mutants(host, python, plugin_dir, empty_dir, tmp_path):
    path = os.pathsep.join([str(plugin_dir), filter_plugins(python, empty_dir)])
    answer, _ = run_reads(python, path, "damaged_chunks", host, "1", str(ROUNDS), cwd=tmp_path, timeout=240)
    found = answer["differences"]
    told = "\n".join(f"seed {one['seed']}, {one['what']} ({one['kept']})\n    " + "\n    ".join(one["problems"]) for one in found)
    assert not found, f"{len(found)} of {answer['mutants']} mutants:\n{told[:8000]}"
    # The damage was met by reads that were bypassed; most of it was found, and native seldom reads what we do not.
    seen, mutants = answer["seen"], answer["mutants"]
    assert len(answer["labels"]) >= 19 and answer["bypassed"] > 4 * mutants, answer
    assert seen["both fail"] > mutants and seen["same"] > mutants, answer
    assert seen.get("native reads, ours finds it damaged", 0) < mutants / 4, seen
