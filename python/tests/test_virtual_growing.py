"""Virtual datasets whose extent depends on their sources: unlimited mappings, numbered sources, views and gaps.

Random programs (clients/virtual_growing.py) in which sources appear, vanish and are replaced while the dataset is open: extents and
bytes are those of native HDF5 at each step.
"""

from __future__ import annotations

import json

from helpers.reads import Counters, run_reads

SEEDS = 45


def test_same_extents_and_bytes(host, python, plugin_dir, tmp_path):
    env = {"BYPASS_VOL_SMALL_READ": "0"}
    answer, stderr = run_reads(python, plugin_dir, "virtual_growing", host, "1", str(SEEDS), cwd=tmp_path, env=env)
    shown = "\n\n".join(json.dumps(difference)[:3000] for difference in answer["differences"][:4])
    assert not answer["differences"], f"{len(answer['differences'])} differences, the first:\n{shown}"
    counters, coverage = Counters.of(stderr), answer["coverage"]
    # What has just changed is native HDF5's, and so is what was never asked for.
    assert answer["reads"] > 80 and counters.bypassed > 40 and counters.reasons["virtual-unlimited"] > 20, (answer, counters)
    wanted = ["following", "files", "datasets", "limited", "appear", "vanish", "replace", "reopen", "view 0", "view 1"]
    assert not [what for what in wanted if what not in coverage], coverage
