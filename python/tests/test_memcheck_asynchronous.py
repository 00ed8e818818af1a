"""Asynchronous calls, reading ahead and writing behind under valgrind: no memory is used after it was freed, no request is lost.

`cargo xtask test --only valgrind` runs this, with --long all modes with all hosts.
"""

from __future__ import annotations

import subprocess

import pytest

from helpers.event_sets import asynchronous
from helpers.memcheck import IS_LONG, OPTIONS, Case, Memcheck, found_in, hosts

COPY = {"BYPASS_VOL_ASYNC_COPY": "1"}
THREE = {"BYPASS_VOL_NTHREADS": "3"}

# The shortest ones that together go through all ends of a request: waited for, closed, failed, cancelled, refused, left.
FEW = [
    Case("asynchronous", "idiom", "gzip"),
    Case("asynchronous", "callbacks", "gzip"),
    Case("asynchronous", "cancel", "gzip"),
    Case("asynchronous", "failures", "gzip"),
    Case("asynchronous", "leave_closed", "contiguous"),
]

FORMS = ["attributes", "groups_and_links", "objects", "types_and_references", "files_and_datasets"]
# The sets of `misuse` do not exist: nobody frees what was to go there. Where HDF5 is closed with requests, it frees none either.
MORE = [
    *(Case("asynchronous", mode, "gzip") for mode in ["multi", "order", "sets", "newest_first", "recovers", "iterate", "virtual"]),
    *(Case("asynchronous", mode, "gzip") for mode in ["threads", "forked", "random", "many_files"]),
    *(Case("asynchronous", "basic", layout) for layout in ["contiguous", "chunked", "gzip", "converted"]),
    *(Case("asynchronous", "barriers", layout) for layout in ["contiguous", "chunked", "gzip"]),
    *(Case("asynchronous", "close_library", layout) for layout in ["contiguous", "gzip"]),
    Case("asynchronous", "misuse", "gzip", loses_requests=True),
    Case("asynchronous", "leave_open", "gzip"),
    Case("asynchronous", "leave_closed", "gzip"),
    Case("asynchronous", "reuse", "gzip", COPY),
    Case("asynchronous", "many", "contiguous"),
    Case("asynchronous", "overtake", "contiguous", {**THREE, "H5_TEST_READ_US": "400000"}, "slow_reads"),
    Case("asynchronous", "faults", "contiguous", preload="pwrite_faults"),
    *(Case("asynchronous_forms", mode, "gzip") for mode in FORMS),
    *(Case("asynchronous_selections", "selections", layout) for layout in ["contiguous", "gzip", "converted"]),
    *(Case("asynchronous_selections", mode, "gzip") for mode in ["closed", "shrunk"]),
    Case("asynchronous_selections", "unreadable", "gzip", preload="pread_faults"),
    *(Case("implicit", mode, "gzip", THREE) for mode in ["reads", "damaged", "writes"]),
]


@pytest.fixture
def memcheck(run_c, tmp_path, preloaded):
    return Memcheck(run_c, tmp_path, preloaded)


@pytest.mark.parametrize("where", hosts("h5py"), ids=lambda host: host.name)
@pytest.mark.parametrize("case", [*FEW, *(MORE if IS_LONG else [])], ids=str)
def test_no_memory_is_misused_or_lost(memcheck, bypass, case, where):
    run = memcheck(case, where, bypass)
    if case.program == "implicit":
        assert run.counts["chunks_decoded_ahead"] + run.counts["chunks_encoded_behind"] > 0
    else:
        assert asynchronous(run) > 0, "nothing was asynchronous"


@pytest.mark.parametrize("where", hosts("tables"), ids=lambda host: host.name)
@pytest.mark.parametrize("case", [FEW[0], *(FEW[1:] if IS_LONG else [])], ids=str)
def test_another_connector_above(memcheck, stats_over_bypass, case, where):
    assert asynchronous(memcheck(case, where, stats_over_bypass)) > 0


BROKEN = """
#include <stdlib.h>
int main(void)
{
    int           *freed = malloc(40);
    void *volatile lost = malloc(77);

    free(freed);
    lost = NULL;
    return freed[1] + (lost != NULL);
}
"""


def test_valgrind_finds_what_is_wrong(tmp_path):
    """In a program that uses memory after it was freed, and loses some."""
    source, program, report = (tmp_path / name for name in ("broken.c", "broken", "report.xml"))
    source.write_text(BROKEN)
    subprocess.run(["cc", "-O0", "-g", "-w", source, "-o", program], check=True)
    subprocess.run(["valgrind", *OPTIONS, "--xml=yes", f"--xml-file={report}", program], check=False)
    text = report.read_text()
    [used] = found_in(text)
    assert used.startswith("InvalidRead") and "main" in used
    # As if one of our plugins had allocated it.
    as_ours = text.replace(str(program), "/folder/libh5bypass_vol.so")
    [_, lost] = found_in(as_ours)
    assert lost.startswith("Leak_DefinitelyLost: 77 bytes")
    assert len(found_in(as_ours, may_lose=True)) == 1
