"""A failing call prints HDF5's error stack as often as natively: once, and not again from inside the connector.

HDF5 prints it whenever one of its public functions fails, unless the application has turned that off, so a connector that
calls public functions makes every failure appear twice (HDF5's own pass_through does). The clients turn it off; C programs
mostly do not.
"""

import subprocess

import pytest
from helpers.connectors import clean_env

FAIL = """
import ctypes, sys
lib, path = sys.argv[1], sys.argv[2]
h5, i64 = ctypes.CDLL(lib), ctypes.c_int64
for function, arguments in {"H5Fopen": [ctypes.c_char_p, ctypes.c_uint, i64], "H5Dopen2": [i64, ctypes.c_char_p, i64],
                            "H5Gopen2": [i64, ctypes.c_char_p, i64], "H5Oopen": [i64, ctypes.c_char_p, i64],
                            "H5Aopen": [i64, ctypes.c_char_p, i64], "H5Ldelete": [i64, ctypes.c_char_p, i64]}.items():
    getattr(h5, function).argtypes = arguments
    getattr(h5, function).restype = ctypes.c_int if function == "H5Ldelete" else i64
h5.H5open()
file = h5.H5Fopen(path.encode(), 0, 0)
assert file > 0
name = ctypes.create_string_buffer(64)
h5.H5VLget_connector_name.argtypes = [i64, ctypes.c_char_p, ctypes.c_size_t]
h5.H5VLget_connector_name(file, name, 64)
print(name.value.decode())
assert h5.H5Fopen(b"missing.h5", 0, 0) < 0
for function in ("H5Dopen2", "H5Gopen2", "H5Oopen", "H5Aopen", "H5Ldelete"):
    assert getattr(h5, function)(file, b"missing", 0) < 0
"""

MAKE = "import sys, h5py; h5py.File(sys.argv[1], 'w').close()"


@pytest.mark.parametrize("way", ["merely present", "bypass", "stats over bypass"])
def test_printed_once(host, python, plugin_dir, bypass, stats_over_bypass, empty_dir, tmp_path, way):
    path = tmp_path / "empty.h5"
    subprocess.run([python, "-c", MAKE, str(path)], check=True, env=clean_env(plugin_dir))

    def printed(env, connector):
        command = [python, "-c", FAIL, str(host.path), str(path)]
        done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip() == connector, done.stdout
        return done.stderr.count("HDF5-DIAG")

    natively = printed(clean_env(empty_dir), "native")
    assert natively == 6
    stack, connector = {
        "merely present": ({}, "native"),
        "bypass": (bypass.env(), "bypass"),
        "stats over bypass": (stats_over_bypass.env(), "h5stats"),
    }[way]
    assert printed(clean_env(plugin_dir, **stack, H5STATS_OUT=str(tmp_path / "stats.json")), connector) == natively
