"""Small calls as h5py makes them: they are bypassed, and cost few system calls."""

import json
import subprocess

import pytest
from helpers.connectors import STATS, clean_env
from helpers.reads import Counters
from helpers.writes import WriteCounters

MAKE = """
import h5py, numpy, sys
with h5py.File(sys.argv[1], "w") as file:
    rows = numpy.arange(4096 * 64, dtype="f4").reshape(4096, 64)
    file["contiguous"] = rows
    file.create_dataset("chunked", data=rows, chunks=(64, 64))
"""

# What a number of calls cost, as the kernel counts, and whether their effect is right.
RUN = """
import h5py, json, numpy, sys
path, name, mode = sys.argv[1:]
def calls():
    with open("/proc/self/io") as file:
        counts = dict(line.split(": ") for line in file.read().splitlines())
    return int(counts["syscr"]) + int(counts["syscw"])
wanted = numpy.arange(4096 * 64, dtype="f4").reshape(4096, 64)
with h5py.File(path, "r" if mode in ("rows", "lookups") else "r+") as file:
    data = file[name]
    data[0, 0:16], data[1, 0:16]
    before = calls()
    for i in range(1000):
        if mode == "write":
            wanted[i, 0:16] = -i
            data[i, 0:16] = wanted[i, 0:16]
        elif mode == "change":
            wanted[i, 0:16] += 1
            data[i, 0:16] += 1
        elif mode == "lookups":
            assert file[name][i, 5] == wanted[i, 5]
        else:
            assert (data[i, 0:16] == wanted[i, 0:16]).all()
    spent = calls() - before
with h5py.File(path) as file:
    print(json.dumps({"calls": spent, "right": bool((file[name][...] == wanted).all())}))
"""


@pytest.mark.parametrize("mode", ["rows", "lookups", "write", "change"])
@pytest.mark.parametrize("name", ["contiguous", "chunked"])
def test_few_system_calls(name, mode, python, plugin_dir, bypass, tmp_path):
    path = tmp_path / "rows.h5"
    subprocess.run([python, "-c", MAKE, str(path)], env=clean_env(plugin_dir), check=True)
    env = clean_env(plugin_dir, **bypass.env(), **STATS)
    # As users have it: what is small is decided by the connector.
    env.pop("BYPASS_VOL_SMALL_READ", None)
    done = subprocess.run([python, "-c", RUN, str(path), name, mode], env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["right"]
    reads, writes = Counters.of(done.stderr).bypassed, WriteCounters.of(done.stderr).bypassed
    assert reads >= (0 if mode == "write" else 995), done.stderr
    assert writes == (1000 if mode in ("write", "change") else 0), done.stderr
    # Two calls for each of the 256 KiB's 16 windows, and some to spare; `fstat` for a handle is not counted here.
    assert found["calls"] < 100, found
