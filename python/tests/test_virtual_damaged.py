"""Damaged mappings of virtual datasets: no crash, and no values but those that native HDF5 gives."""

from __future__ import annotations

import json

from helpers.reads import run_reads

SEEDS = 120


def test_damaged_mappings(host, python, plugin_dir, tmp_path):
    answer, _ = run_reads(python, plugin_dir, "virtual_damaged", host, "1", str(SEEDS), cwd=tmp_path, timeout=300)
    assert not answer["differences"], json.dumps(answer["differences"][:3])[:4000]
    outcomes = answer["outcomes"]
    assert outcomes.get("values", 0) > SEEDS / 8 and outcomes.get("not opened", 0) > SEEDS / 8, outcomes


def test_damaged_mappings_that_grow(host, python, plugin_dir, tmp_path):
    arguments = ("200", "40", "growing")
    answer, _ = run_reads(python, plugin_dir, "virtual_damaged", host, *arguments, cwd=tmp_path, timeout=300)
    assert not answer["differences"], json.dumps(answer["differences"][:3])[:4000]
    assert answer["outcomes"].get("values", 0) > 5 and answer["outcomes"].get("not opened", 0) > 5, answer["outcomes"]
