"""Memory that HDF5 takes for each file stays in the process: the system does not hand it out page by page for every file."""

import subprocess

from helpers.connectors import STATS, clean_env
from helpers.reads import summaries

# Three megabytes that are freed one after another at the end of the heap go back to the system, unless larger blocks came and went.
SCRIPT = """
import resource, sys
import h5py, numpy
with h5py.File(sys.argv[1], "w") as file:
    file["x"] = numpy.zeros(10)
def faults_of(files):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(files):
        with h5py.File(sys.argv[1]) as file:
            assert file["x"][0] == 0
        blocks = [bytearray(100_000) for _ in range(30)]
        del blocks
    return (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / files
faults_of(50)
print(faults_of(300))
"""


def faults(python, env, tmp_path):
    command = [python, "-c", SCRIPT, str(tmp_path / "file.h5")]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return float(done.stdout), done.stderr


def test_pages_are_not_handed_out_for_every_file(python, plugin_dir, bypass, tmp_path):
    switched_off, _ = faults(python, clean_env(plugin_dir, **bypass.env(), BYPASS_VOL_DISABLE="1"), tmp_path)
    assert switched_off > 100, "the C library of this system keeps such memory by itself"
    found, stderr = faults(python, clean_env(plugin_dir, **bypass.env(), **STATS), tmp_path)
    assert summaries(stderr), stderr
    assert found < 20
