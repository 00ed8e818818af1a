"""Beyond 2 and 4 GiB: positions, strides and one read of more than 2 GiB. The file is a hole, so no disk is needed."""

from __future__ import annotations

from helpers.reads import Counters, run_reads


def test_beyond_4_gib(host, python, plugin_dir, tmp_path):
    # The single large read costs memory and seconds: one host's is enough.
    single = ["single"] if host.name == "tables" else []
    answer, stderr = run_reads(python, plugin_dir, "reads_large", host, *single, cwd=tmp_path)
    assert answer["same"] and not answer["nothing but zeros"] and answer["served"] == "bypass", answer
    assert answer["blocks"] < 64 << 20, answer
    counters = Counters.of(stderr)
    assert (counters.bypassed, counters.passed_on) == (answer["windows"] + len(single), 0), counters
    if single:
        # The call succeeded, every written byte is in its place, all others are zero.
        assert answer["single"] == [0, True, True, 28], answer
