"""Damaged files: the connector never crashes or hangs where native does not, reads the same bytes, and fails with names.

The mutants of clients/reads_damaged.py come from seeds; a failure names the seed and keeps the file.
"""

from __future__ import annotations

from helpers.reads import run_reads

MUTANTS = 160


def test_mutants(host, python, plugin_dir, tmp_path):
    answer, _ = run_reads(python, plugin_dir, "reads_damaged", host, "1", str(MUTANTS), cwd=tmp_path, timeout=240)
    found = answer["differences"]
    told = "\n".join(f"seed {one['seed']}, {one['what']} ({one['kept']})\n    " + "\n    ".join(one["problems"]) for one in found)
    assert not found, f"{len(found)} of {MUTANTS} mutants:\n{told[:8000]}"
    # The damage was met by reads that were bypassed, and some of it was found by the connector itself.
    assert answer["bypassed"] > 5 * MUTANTS and answer["seen"]["both fail, our text"] > 5, answer
