"""Virtual datasets whose extent depends on their sources (unlimited mappings, numbered sources, views and gaps), all in Zarr directories.

Random programs (clients/zarr_virtual.py): extents and bytes are those that native HDF5 gives with the same layout in plain files.
"""

from __future__ import annotations

import json

from helpers.connectors import clean_env
from helpers.run_client import run_client

SEEDS = 40


def test_same_extents_and_bytes_as_plain_files(host, python, plugin_dir, tmp_path):
    counted = tmp_path / "counters.json"
    env = clean_env(plugin_dir, HDF5_VOL_CONNECTOR="zarr", ZARR_VOL_STATS=str(counted))
    answer = run_client(python, "zarr_virtual", str(host.path), "1", str(SEEDS), env=env, cwd=tmp_path)
    shown = "\n\n".join(json.dumps(difference)[:3000] for difference in answer["differences"][:4])
    assert not answer["differences"], f"{len(answer['differences'])} differences, the first:\n{shown}"
    coverage, counters = answer["coverage"], json.loads(counted.read_text())
    assert answer["reads"] > 100 and counters["created"] > 100 and counters["chunks_read"] > 500, (answer, counters)
    wanted = ["following", "files", "datasets", "limited", "view 0", "view 1"]
    assert not [what for what in wanted if what not in coverage], coverage
