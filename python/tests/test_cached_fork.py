"""A child that is forked while its parent has decoded chunks in its cache reads the same data, and so does the parent."""

import subprocess

import pytest
from connectors import clean_env
from reads import Counters

SCRIPT = """
import os, sys
import h5py, numpy
data = numpy.arange(400_000, dtype="f4").reshape(400, 1000)
with h5py.File(sys.argv[1], "w") as file:
    file.create_dataset("z", data=data, chunks=(20, 1000), compression="gzip", shuffle=True)
file = h5py.File(sys.argv[1])
dataset = file["z"]
def check(rows):
    for row in rows:
        assert (dataset[row] == data[row]).all()
check(range(60))
for _ in range(3):
    child = os.fork()
    if child == 0:
        check(range(50, 400, 7))
        assert (file["z"][...] == data).all()
        os._exit(0)
    check(range(60, 120))
    assert os.waitpid(child, 0)[1] == 0
print("done")
"""


@pytest.mark.parametrize("cache", [None, "0", "100000"], ids=["default", "no cache", "tiny cache"])
def test_children_read(python, plugin_dir, bypass, tmp_path, cache):
    env = clean_env(plugin_dir, **bypass.env(), BYPASS_VOL_STATS="1", **({"BYPASS_VOL_CACHE": cache} if cache else {}))
    command = [python, "-c", SCRIPT, str(tmp_path / "forked.h5")]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    # The children end without exit handlers: their parent tells about them after itself.
    own, _, others = done.stderr.partition("3 forked processes ended before they could tell")
    counters = Counters.of(own)
    assert counters.bypassed == 60 + 3 * 60 and not counters.reasons, done.stderr
    counters = Counters.of(others)
    assert counters.bypassed == 3 * (50 + 1) and not counters.reasons, done.stderr
