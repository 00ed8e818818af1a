"""Virtual datasets: where their sources are looked for, how long they stay open, what is left to native HDF5.

Each case of clients/virtual_cases.py runs natively and through the connector, in processes of their own: same answers, and the
connector counted what the case says.
"""

from __future__ import annotations

import subprocess
import sys

import pytest
from helpers.both_ways import check_reads, same_answers
from helpers.connectors import STATS, clean_env
from helpers.reads import Counters
from helpers.run_client import CLIENTS
from helpers.settings import BY_NAME

sys.path.append(str(CLIENTS))
from counted import summaries  # noqa: E402
from virtual_cases import CASES  # noqa: E402


@pytest.mark.parametrize("case", CASES)
def test_same_answers(case, host, results_of):
    check_reads(results_of("virtual_cases", host)[case])


# One tells identifiers and descriptors apart, which are others then: virtual_writes.py has a case for these.
@pytest.mark.parametrize("case", [case for case in CASES if case != "open_objects_and_descriptors"])
def test_same_answers_if_files_can_be_written(case, host, results_of):
    same_answers(results_of("virtual_cases", host, H5BYPASS_TEST_WRITABLE="1")[case])


def test_sources_are_read_if_files_can_be_written(host, results_of):
    result = results_of("virtual_cases", host, H5BYPASS_TEST_WRITABLE="1")
    for case in ("sources_in_several_files", "sources_in_the_same_file", "sources_of_other_types", "a_compact_source"):
        assert Counters.of(result[case]["bypass"]["stderr"]).bypassed == 3, case


def test_missing_sources_are_counted(host, results_of):
    stderr = same_answers(results_of("virtual_cases", host)["missing_file_and_missing_dataset"])
    assert [summary["missing_sources"] for summary in summaries(stderr)] == [6]


def test_missing_sources_are_errors_if_wanted(host, results_of):
    result = results_of("virtual_cases", host, BYPASS_VOL_STRICT="1")
    assert result["missing_file_and_missing_dataset"]["bypass"]["answer"] == [None] * 3
    # Sources that are there are read as ever.
    assert result["sources_in_several_files"]["bypass"]["answer"] == result["sources_in_several_files"]["native"]["answer"]


ROWS = """
import sys
import h5py, numpy
values = numpy.random.default_rng(1).integers(0, 1000, (2, 1024, 4096)).astype("i4")
options = dict(chunks=(1024, 4096), compression="gzip", compression_opts=1) if sys.argv[1] == "filtered" else {}
layout = h5py.VirtualLayout(values.shape, "i4")
for number, source in enumerate(values):
    with h5py.File(f"source{number}.h5", "w") as file:
        file.create_dataset("data", data=source, **options)
    layout[number] = h5py.VirtualSource(f"source{number}.h5", "data", source.shape)
with h5py.File("rows.h5", "w") as file:
    file.create_virtual_dataset("data", layout)
with h5py.File("rows.h5") as file:
    data = file["data"]
    for row in range(0, 1024, 16):
        assert (data[row % 3 % 2, row, :500] == values[row % 3 % 2, row, :500]).all()
"""


@pytest.mark.parametrize("stored", ["plain", "filtered"])
def test_rows_are_left_to_native_hdf5_unless_it_is_slow(stored, python, plugin_dir, bypass, tmp_path):
    """Reading about all mappings and opening sources pays off if native HDF5 decodes a chunk for each row."""
    env = clean_env(plugin_dir, **bypass.env(), **STATS, **BY_NAME["usual thresholds"])
    command = [python, "-c", ROWS, stored]
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    counters = Counters.of(done.stderr)
    if stored == "plain":
        assert counters.reasons["small-read"] > 32, counters
    else:
        assert counters.bypassed > 32, counters
