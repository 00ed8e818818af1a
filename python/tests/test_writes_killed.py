"""A process that is killed while it writes: what it has flushed is in the file, and HDF5 opens it.

HDF5 does not promise that much: it writes its metadata in place. When it is killed inside a flush the chunk index may be newer than the
superblock, about once in three hundred kills natively. More rarely the kernel has written only the first page of a node of the chunk index,
and then the node has no entry for chunks of the flush before either. Those, and only those, are let through.
"""

from __future__ import annotations

import json
import subprocess

import pytest
from helpers.connectors import STATS, clean_env
from helpers.run_client import CLIENTS
from helpers.writes import WriteCounters

KILLS = 99
TORN = ("addr overflow", "a node of the chunk index was torn at a page's border")
SETTINGS = {"default": {}, "no cache": {"BYPASS_VOL_CACHE": "0"}}


@pytest.mark.parametrize("setting", SETTINGS)
def test_flushed_is_there(setting, python, plugin_dir, empty_dir, bypass, tmp_path):
    script = str(CLIENTS / "writes_killed.py")
    env = clean_env(plugin_dir, **bypass.env(), **STATS, PYTHONDONTWRITEBYTECODE="1", **SETTINGS[setting])
    kills = KILLS if setting == "default" else KILLS // 3
    command = [python, script, "kill", bypass.name, str(kills), "1"]
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stderr[-4000:]
    answer = done.stdout.splitlines()[-1]
    killed = json.loads(answer)
    assert len(killed) == kills + 3
    # Most were killed after some flushes.
    assert sum(flushed > 5 for _, _, flushed in killed) > kills / 2, killed
    counters = WriteCounters.of(done.stderr)
    # Three end properly; those that are killed have a summary together.
    assert counters.summaries == 4 and counters.bypassed > 200 and counters.passed_on <= 3, counters
    natively = {"env": clean_env(empty_dir), "cwd": tmp_path, "input": answer}
    done = subprocess.run([python, script, "check"], **natively, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-4000:]
    wrong = json.loads(done.stdout.splitlines()[-1])
    torn = [path for path, text in wrong.items() if any(torn in text for torn in TORN) and not path.startswith("contiguous")]
    assert len(wrong) == len(torn) <= 2, json.dumps(wrong, indent=1)
