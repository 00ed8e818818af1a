"""Zarr directories and what is open in them, closed in many orders, under valgrind: no memory is used after it was freed.

`cargo xtask test --only valgrind` runs this, with --long all modes with all hosts. `test_zarr_closing.py` compares what the program says.
"""

from __future__ import annotations

import pytest

from helpers.memcheck import IS_LONG, Memcheck, hosts

# The connector ends in the middle of the last close; objects of two containers; everything is left open.
FEW = ["connector", "behind_link", "left_several"]
MORE = ["weak", "semi", "strong", "openings", "openings_strong", "found", "threads"]


@pytest.mark.parametrize("where", hosts("h5py"), ids=lambda host: host.name)
@pytest.mark.parametrize("mode", [*FEW, *(MORE if IS_LONG else [])])
def test_no_memory_is_misused_or_lost(run_c, tmp_path, preloaded, mode, where):
    # Of the orders, every seventh. The connector of that mode is chosen by an access list alone.
    env = {"H5_TEST_STEP": "7", **({} if mode == "connector" else {"HDF5_VOL_CONNECTOR": "zarr all=1"})}
    arguments = ["zarr", "all=1"] if mode == "connector" else []
    run = Memcheck(run_c, tmp_path, preloaded).watched("closing", where, *arguments, mode=mode, env=env, plugins=True)
    run.succeeded().served_by("zarr")
