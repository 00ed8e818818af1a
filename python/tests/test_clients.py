"""Real Python clients through the connector: all three libhdf5 copies in one process, drivers, fork, xarray."""

import itertools
import json
import subprocess

import pytest
from helpers.connectors import clean_env
from helpers.run_client import CLIENTS as FOLDER

CLIENTS = ["h5py", "netCDF4", "tables"]
COUNTS = ["reads", "bytes_read", "writes", "bytes_written"]
ORDERS = list(itertools.permutations(CLIENTS))
DRIVERS = [
    "sec2",
    "stdio",
    "core",
    "core_memory_only",
    "family",
    "split",
    "userblock",
    "latest",
    "page",
    "track_order",
    "no_locking",
    "no_chunk_cache",
    "fileobj",
    "image",
    "swmr",
]


def expected_three():
    """Sum of all, and of [5:50:7, ::3], of 60 x 100 numbers counted up, with 1 added to row 3."""
    rows = [[100.0 * i + j + (i == 3) for j in range(100)] for i in range(60)]
    return [sum(map(sum, rows)), sum(sum(row[::3]) for row in rows[5:50:7])]


def assert_three(answer, name):
    wanted = expected_three()
    assert len(answer["read"]) == 9
    for who, (whole, part, names) in answer["read"].items():
        assert [whole, part] == wanted, f"{who}: {answer}"
        assert "values" in names, f"{who}: {answer}"
    assert answer["interleaved"] == [3.0, 3.0, 3.0], answer
    assert answer["connectors"] == {client: [name] for client in CLIENTS}, answer


@pytest.mark.parametrize("order", ORDERS, ids="-".join)
def test_three_libraries_in_one_process(order, bypass, client, dump, tmp_path):
    assert_three(client("three_libraries", *order, cwd=tmp_path / "ours", stack=bypass), bypass.name)
    files = dump(tmp_path / "ours")
    assert sorted(files) == ["h5py.h5", "netCDF4.h5", "tables.h5"]
    for name, file in files.items():
        assert file["root"]["links"]["values"]["values"][0][:3] == [3.0, 1.0, 2.0], name


def test_three_libraries_natively(client, tmp_path):
    """The expectation itself, where no connector can be the cause."""
    assert_three(client("three_libraries", *CLIENTS, cwd=tmp_path), "native")


@pytest.mark.parametrize("order", ORDERS[::2], ids="-".join)
def test_three_libraries_counted(order, stats_over_bypass, client, tmp_path):
    """With the counting connector on top: the counts of all three libraries are written at exit."""
    report = tmp_path / "stats.json"
    answer = client("three_libraries", *order, cwd=tmp_path / "ours", stack=stats_over_bypass, env={"H5STATS_OUT": str(report)})
    assert_three(answer, stats_over_bypass.name)
    assert report.is_file(), "no statistics were written"
    stats = json.loads(report.read_text())
    files = {}
    for entry in stats["files"]:
        name = entry["file"].rsplit("/", 1)[-1]
        for data in entry["datasets"]:
            total = files.setdefault(name, {}).setdefault(data["dataset"], dict.fromkeys(COUNTS, 0))
            for key in COUNTS:
                total[key] += data[key]
    for name in ("h5py.h5", "netCDF4.h5", "tables.h5"):
        counts = files[name]["/values"]
        # Written once whole and read whole by each of three clients, at the least.
        assert counts["bytes_written"] >= 48000, (name, counts)
        assert counts["bytes_read"] >= 3 * 48000, (name, counts)
        assert counts["reads"] >= 6 and counts["writes"] >= 2, (name, counts)
    assert files["h5py.h5"]["/group/ints"]["bytes_written"] == 80, files["h5py.h5"]
    calls = {entry["callback"]: entry for entry in stats["callbacks"]}
    assert calls["dataset_read"]["calls"] > 0 and calls["dataset_write"]["calls"] > 0, calls
    assert calls["dataset_read"]["total_ns"] > 0, calls


def test_counts_go_to_stderr_without_a_file(stats_over_bypass, python, plugin_dir, tmp_path):
    env = clean_env(plugin_dir, **stats_over_bypass.env())
    command = [python, str(FOLDER / "drivers.py"), "sec2"]
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout)["connectors"]) == {stats_over_bypass.name}
    assert "/chunked" in done.stderr and "/contiguous" in done.stderr, done.stderr
    assert "dataset_read" in done.stderr, done.stderr


@pytest.mark.parametrize("driver", DRIVERS)
def test_driver(driver, bypass, client, tmp_path):
    native = client("drivers", driver, cwd=tmp_path / "native")
    ours = client("drivers", driver, cwd=tmp_path / "ours", stack=bypass)
    assert set(native.pop("connectors")) == {"native"}
    assert set(ours.pop("connectors")) == {bypass.name}
    assert ours == native
    assert native, "nothing was looked at"


@pytest.mark.parametrize("access", ["r", "r+"])
def test_fork_while_open(access, bypass, client, tmp_path):
    answer = client("forked", access, cwd=tmp_path, stack=bypass)
    assert answer["before"] == sum(range(50000))
    assert answer["after"] == sum(range(50000, 100000))
    assert answer["rows"] == [[sum(range(1000 * row, 1000 * (row + 1)))] * 2 for row in range(0, 100, 9)]
    assert answer["exit"] == 0
    assert answer["connectors"] == [bypass.name]


def test_xarray_engines(stack, client, tmp_path):
    answer = client("engines", cwd=tmp_path, stack=stack)
    wanted = float(sum(100 * row + column for row in range(20) for column in range(3, 90, 4)))
    pairs = itertools.product(("netcdf4", "h5netcdf"), repeat=2)
    assert answer["equal"] == {f"{reader} reads {writer}": [True, wanted] for reader, writer in pairs}, answer
    assert answer["connectors"] == {"h5py": [stack.name], "netCDF4": [stack.name]}
