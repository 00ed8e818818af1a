"""Variable-length data under valgrind: all memory of values is given back, by each of the functions that HDF5 has for that.

`cargo xtask test --only valgrind` runs this, with --long all modes with all hosts.
"""

from __future__ import annotations

import pytest

from helpers.memcheck import IS_LONG, Case, Memcheck, hosts

FEW = [Case("variable", "reclaim", "gzip"), Case("variable", "own", "chunked"), Case("variable", "damaged", "gzip")]
MORE = [
    *(Case("variable", "reclaim", layout) for layout in ["contiguous", "chunked"]),
    *(Case("variable", "own", layout) for layout in ["contiguous", "gzip"]),
    *(Case("variable", "overwrite", layout) for layout in ["contiguous", "chunked", "gzip"]),
    *(Case("variable", "damaged", layout) for layout in ["contiguous", "chunked"]),
]
# How many reads the connector does itself. One of `own` fails for want of memory, one of `damaged` because of the damage; then
# native HDF5 is asked to say why. The empty ones of `reclaim` are native HDF5's.
BYPASSED = {"reclaim": 5, "own": 2, "overwrite": 5, "damaged": 1}


@pytest.mark.parametrize("where", hosts("netCDF4"), ids=lambda host: host.name)
@pytest.mark.parametrize("case", [*FEW, *(MORE if IS_LONG else [])], ids=str)
def test_no_memory_is_misused_or_lost(run_c, tmp_path, preloaded, bypass, case, where):
    run = Memcheck(run_c, tmp_path, preloaded)(case, where, bypass)
    assert run.counts["reads"]["bypassed"] == BYPASSED[case.mode]
    assert run.counts["writes"]["bypassed"] == (4 if case.mode == "overwrite" else 1)
