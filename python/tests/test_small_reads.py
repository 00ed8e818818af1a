"""Who reads a little: the first time native HDF5, then short runs are ours, and other small reads native's."""

import pytest
from helpers.connectors import STATS, clean_env
from helpers.reads import Counters, without
import subprocess

READ = """
import ctypes, sys
lib, path, name, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
h5, i64 = ctypes.CDLL(lib), ctypes.c_int64
for function, arguments in {"H5Fopen": [ctypes.c_char_p, ctypes.c_uint, i64], "H5Dopen2": [i64, ctypes.c_char_p, i64],
                            "H5Dread": [i64] * 5 + [ctypes.c_void_p], "H5Dclose": [i64], "H5Fclose": [i64]}.items():
    getattr(h5, function).argtypes = arguments
    getattr(h5, function).restype = i64 if "open" in function else ctypes.c_int
h5.H5open()
file = h5.H5Fopen(path.encode(), 0, 0)
dataset = h5.H5Dopen2(file, name.encode(), 0)
buffer = ctypes.create_string_buffer(8 << 20)
kind = i64.in_dll(h5, "H5T_NATIVE_INT_g").value
assert all(h5.H5Dread(dataset, kind, 0, 0, 0, buffer) == 0 for _ in range(count))
assert h5.H5Dclose(dataset) == 0 and h5.H5Fclose(file) == 0
"""

MAKE = """
import sys, h5py, numpy
with h5py.File(sys.argv[1], "w", userblock_size=int(sys.argv[2])) as file:
    for name, count in (("tiny", 16), ("small", 1024), ("large", 100_000), ("huge", 1_200_000)):
        file[name] = numpy.arange(count, dtype="i4")
    file["converted"] = numpy.arange(100_000, dtype=">i4")
    file.create_dataset("chunked", data=numpy.arange(16, dtype="i4"), chunks=(8,))
    file.create_dataset("chunked large", data=numpy.arange(100_000, dtype="i4"), chunks=(1000,))
    file.create_dataset("unwritten", 1000, "i4")
    file.create_dataset("unwritten large", 100_000, "i4")
"""


@pytest.mark.parametrize(
    ("dataset", "reads", "bypassed", "reasons"),
    [
        ("tiny", 4, 3, {"first-small-read": 1}),
        ("small", 3, 2, {"first-small-read": 1}),
        # One piece that is only copied, of less than 4 MiB and of more.
        ("large", 3, 2, {"first-small-read": 1}),
        ("huge", 3, 3, {}),
        ("converted", 3, 3, {}),
        ("chunked", 5, 1, {"first-small-read": 1, "small-read": 3}),
        ("chunked large", 3, 3, {}),
        ("unwritten", 3, 2, {"first-small-read": 1}),
        ("unwritten large", 3, 3, {}),
    ],
)
@pytest.mark.parametrize("userblock", [0, 512])
def test_by_size(host, python, plugin_dir, bypass, tmp_path, userblock, dataset, reads, bypassed, reasons):
    path = tmp_path / "sizes.h5"
    subprocess.run([python, "-c", MAKE, str(path), str(userblock)], check=True, env=clean_env(plugin_dir))
    env = clean_env(plugin_dir, **bypass.env(), **STATS)
    del env["BYPASS_VOL_SMALL_READ"]
    command = [python, "-c", READ, str(host.path), str(path), dataset, str(reads)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    counters = Counters.of(done.stderr)
    assert counters.bypassed == bypassed, done.stderr
    assert counters.reasons == reasons, done.stderr
    # HDF5 complains when it ends and something of a call was left over.
    assert not without(done.stderr).strip(), done.stderr
