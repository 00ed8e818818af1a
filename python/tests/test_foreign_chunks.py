"""Chunks that a plugin understands and we do not, which only shows when they are decoded: native HDF5 reads them."""

import os
import subprocess

from helpers.connectors import STATS, clean_env
from helpers.filtered import filter_plugins
from helpers.reads import Counters

# A filter inside of Blosc2 that ours lacks (bytedelta); the dataset itself says that it is "shuffle".
SCRIPT = """
import sys
import h5py, hdf5plugin, numpy
path, mode = sys.argv[1:]
data = numpy.arange(20000, dtype="i4").reshape(100, 200)
blosc2 = lambda inner: {"chunks": (50, 200), "compression": 32026, "compression_opts": (0, 0, 0, 0, 5, inner, 5)}
if mode == "write":
    with h5py.File(path, "w") as file:
        foreign = file.create_dataset("foreign", data=data, **blosc2(35))
        mixed = file.create_dataset("mixed", data=data, **blosc2(1))
        broken = file.create_dataset("broken", data=data, **blosc2(1))
        mask, chunk = foreign.id.read_direct_chunk((0, 0))
        mixed.id.write_direct_chunk((0, 0), chunk)
        broken.id.write_direct_chunk((0, 0), chunk[:90] + bytes(len(chunk) - 90))
else:
    with h5py.File(path) as file:
        mixed = file["mixed"]
        for part in (numpy.s_[...], numpy.s_[3:60, 5], numpy.s_[60:70]):
            assert (mixed[part] == data[part]).all()
        assert (mixed.astype("f8")[...] == data).all()
        try:
            file["broken"][...]
            print("read")
        except OSError as error:
            print("failed")
"""


def test_native_reads_what_we_do_not_know(python, plugin_dir, empty_dir, bypass, tmp_path):
    path = os.pathsep.join([str(plugin_dir), filter_plugins(python, empty_dir)])
    answers = []
    for mode, connector in (("write", {}), ("native", {}), ("bypass", bypass.env())):
        # hdf5plugin registers its filters by itself; where it finds them in the path as well, it does not write this one.
        env = clean_env(path if mode == "bypass" else empty_dir, **connector, **STATS)
        command = [python, "-c", SCRIPT, str(tmp_path / "foreign.h5"), mode]
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        answers.append(done.stdout)
    assert answers[1] == answers[2]
    counters = Counters.of(done.stderr)
    # The last of the three parts does not touch the chunk.
    assert counters.bypassed >= 1 and counters.passed_on >= 3, done.stderr
    assert any("filter of Blosc2 that is not supported" in reason for reason in counters.sentences), done.stderr
