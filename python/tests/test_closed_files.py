"""Objects that outlive the handle of their file: `h5py.File(name)["x"][:]`, and the cases of clients/closed_files.py.

Each case runs natively and through the connector, in processes of their own: same answers, and the connector counted what the case
says.
"""

from __future__ import annotations

import sys

import pytest
from helpers.both_ways import check
from helpers.connectors import STATS, clean_env
from helpers.reads import Counters
from helpers.run_client import CLIENTS
from helpers.writes import run_script

sys.path.append(str(CLIENTS))
from closed_files import CASES, FOUND  # noqa: E402

ONE_LINERS = """
import sys
import h5py
import numpy as np

with h5py.File("a.h5", "w") as f:
    f["x"] = np.arange(1e5)
    f.create_dataset("z", data=np.arange(1e5), chunks=(1000,), compression="gzip")

read = [h5py.File("a.h5")["x"][:], h5py.File("a.h5", "r")["z"][10:]]
d = h5py.File("a.h5")["x"]
read += [d[:], d.parent["z"][:], d.file["z"][5:]]
del d
f = h5py.File("a.h5", "r+")
d = f["z"]
del f
d[:100] = 7
read.append(d[:])
d.file.attrs["a"] = 1
del d
read.append(h5py.File("a.h5")["x"].file["z"][:])
print([float(data.sum()) for data in read])
"""


@pytest.mark.parametrize("case", CASES)
def test_case(case, host, results_of):
    check(results_of("closed_files", host)[case])


def test_h5py(python, plugin_dir, empty_dir, bypass, tmp_path):
    native = run_script(python, ONE_LINERS, env=clean_env(empty_dir), cwd=tmp_path / "native")
    env = clean_env(plugin_dir, **bypass.env(), **STATS)
    ours = run_script(python, ONE_LINERS, env=env, cwd=tmp_path / "bypass")
    assert ours.stdout == native.stdout
    counters = Counters.of(ours.stderr)
    # The last one has nothing left but an identifier that HDF5 made by itself.
    assert (counters.bypassed, counters.reasons) == (6, {FOUND: 1}), counters
