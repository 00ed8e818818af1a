"""A child that is forked while its parent has decoded chunks in its cache reads the same data, and so does the parent."""

import subprocess

import pytest
from helpers.connectors import STATS, clean_env
from helpers.reads import summaries

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
    env = clean_env(plugin_dir, **bypass.env(), **STATS, **({"BYPASS_VOL_CACHE": cache} if cache else {}))
    command = [python, "-c", SCRIPT, str(tmp_path / "forked.h5")]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    # The children end without a word: the parent tells what they did.
    told = summaries(done.stderr)
    assert [one["reads"]["bypassed"] for one in told] == [60 + 3 * 60, 3 * 51], done.stderr
    assert not any(one["reasons"] for one in told), done.stderr
