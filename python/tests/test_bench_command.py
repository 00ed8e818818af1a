"""`h5bypass bench`, with files so small that only what it does counts, not the figures."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import h5py
import numpy
import pytest

from helpers.connectors import OURS
from helpers.hosts import read_hosts

QUICK = ("--quick", "--size", "4", "--rounds", "1")


class Bench:
    """Runs the program."""

    def __init__(self, plugin_dir: Path, cwd: Path):
        self.program, self.cwd = plugin_dir / "h5bypass", cwd
        self.env = {key: value for key, value in os.environ.items() if not key.startswith(OURS)}
        self.env["H5BYPASS_PLUGIN_DIR"] = str(plugin_dir)
        self.hosts = {host.name: f"--host={host.name}={host.path}" for host in read_hosts("H5_HOSTS_FILE")}

    def command(self, *arguments: object, hosts=("h5py", "tables")) -> list[str]:
        return [str(self.program), "bench", *(self.hosts[host] for host in hosts), *map(str, arguments)]

    def __call__(self, *arguments: object, code: int = 0, hosts=("h5py", "tables"), **env: str):
        """What it printed, and its results if it ended with 0 or 1."""
        output = self.cwd / "results.json"
        output.unlink(missing_ok=True)
        run = subprocess.run(
            self.command(*arguments, "--json", output, hosts=hosts),
            env={**self.env, **env},
            cwd=self.cwd,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert run.returncode == code, f"{run.stdout}\n{run.stderr}"
        assert "panicked" not in run.stderr
        return run, json.loads(output.read_text()) if output.exists() else None

    def refused(self, *arguments: object, code: int = 2, **options) -> str:
        """Its complaint."""
        run, results = self(*arguments, code=code, **options)
        assert (run.stdout, results) == ("", None)
        return run.stderr


@pytest.fixture
def bench(plugin_dir: Path, tmp_path: Path) -> Bench:
    return Bench(plugin_dir, tmp_path)


def matrix(kind: str = "<f4") -> numpy.ndarray:
    steps = numpy.random.default_rng(6).integers(-9, 9, (512, 512))
    return steps.cumsum(axis=0).astype(kind)


def outcomes(results: dict) -> dict[str, tuple]:
    """By name: how each row came out, and the details."""
    return {row["name"]: row["outcome"].popitem() for row in results["rows"]}


def test_scenarios(bench, tmp_path):
    folder, page = tmp_path / "made" / "here", tmp_path / "page.html"
    names = ["contiguous", "chunks-64KiB", "second-rows"]
    only = [part for name in names for part in ("--only", name)]
    run, results = bench(*QUICK, *only, "--folder", folder, "--html", page)
    about, rows = results["about"], outcomes(results)
    assert set(names) <= set(rows)
    for name, (outcome, row) in rows.items():
        assert outcome == "measured", name
        assert row["proof"] == "bypassed", name
        assert row["native"]["seconds"]["median"] > 0 < row["bypass"]["seconds"]["median"]
        assert row["ratio"]["low"] <= row["ratio"]["median"] <= row["ratio"]["high"]
    assert rows["contiguous"][1]["share"]["median"] > 0
    assert (about["rounds"], about["mebibytes"], about["is_cold"]) == (1, 4, False)
    assert about["libraries"][0]["name"] == "h5py" and about["processor"] and about["memory"] > 0
    assert about["command"].startswith("h5bypass bench --only contiguous")
    # Results are shown to others: nothing in them tells where they were made.
    assert str(tmp_path) not in json.dumps(results)
    assert "all of a contiguous matrix" in run.stdout and "\x1b" not in run.stdout
    assert page.read_text().lstrip().lower().startswith("<!doctype html")
    assert list(folder.iterdir()) == [], "what was made is removed"
    first, *last = run.stderr.splitlines()
    assert first.startswith("h5bypass: generating up to ") and str(folder) in first
    assert last == [f"h5bypass: wrote {file}" for file in (tmp_path / "results.json", page)]


def test_several_threads_need_a_library_for_them(bench, tmp_path):
    arguments = (*QUICK, "--only", "read/threads/many-files/chunked", "--threads", "3", "--folder", tmp_path)
    _, results = bench(*arguments, hosts=("h5py", "tables"))
    [row] = results["rows"]
    assert (row["library"], row["application_threads"], row["pool_threads"]) == ("tables", 3, 1)
    assert row["outcome"]["measured"]["proof"] == "bypassed"
    _, results = bench(*arguments, hosts=("h5py",))
    [row] = results["rows"]
    assert "thread-safe" in row["outcome"]["skipped"] and "--host tables" in row["outcome"]["skipped"]


def test_files_are_kept_when_asked(bench, tmp_path):
    arguments = (*QUICK, "--only", "contiguous", "--folder", tmp_path / "kept", "--keep")
    bench(*arguments)
    files = {file: file.stat().st_mtime_ns for file in (tmp_path / "kept").rglob("*.h5")}
    assert files
    bench(*arguments)
    assert {file: file.stat().st_mtime_ns for file in (tmp_path / "kept").rglob("*.h5")} == files


def test_variables_of_the_user_do_not_matter(bench, tmp_path):
    env = {"HDF5_VOL_CONNECTOR": "no-such-connector x=1", "BYPASS_VOL_NO_TPOOL": "true", "BYPASS_VOL_NTHREADS": "77"}
    _, results = bench(*QUICK, "--only", "chunks-64KiB", "--pool", "2", "--folder", tmp_path, **env)
    assert outcomes(results)["chunks-64KiB"][1]["proof"] == "bypassed"
    assert results["rows"][0]["pool_threads"] == 2


def test_what_is_passed_on_is_told(bench, tmp_path):
    run, results = bench(*QUICK, "--only", "chunks-64KiB", "--folder", tmp_path, BYPASS_VOL_DISABLE="1")
    assert "passed-on" in outcomes(results)["chunks-64KiB"][1]["proof"]
    assert "NOT BYPASSED" in run.stdout.upper()


@pytest.fixture
def own(tmp_path) -> Path:
    folder = tmp_path / "of the user"
    folder.mkdir()
    with h5py.File(folder / "own.h5", "w") as file:
        file["contiguous"] = matrix()
        file.create_dataset("group/chunked", data=matrix(), chunks=(64, 64))
        file.create_dataset("gzip", data=matrix(), chunks=(64, 512), compression="gzip", shuffle=True)
        file.create_dataset("text", data=["one", "two"], dtype=h5py.string_dtype())
        file.create_dataset("empty", shape=(0, 3), dtype="<f4")
        file.create_dataset("null", data=h5py.Empty("<f4"))
        file.create_dataset("scalar", data=3.5)
        file.create_dataset("record", data=numpy.zeros(5000, [("a", "<f4"), ("b", "<i8")]))
    return folder / "own.h5"


def test_a_file_is_measured_and_left_alone(bench, own):
    os.chmod(own, 0o444)
    os.chmod(own.parent, 0o555)
    before, when = own.read_bytes(), own.stat().st_mtime_ns
    run, results = bench(own, "--rounds", "1", "--only", "whole", "--only", "threads")
    os.chmod(own.parent, 0o755)
    assert (own.read_bytes(), own.stat().st_mtime_ns) == (before, when)
    assert list(own.parent.iterdir()) == [own]
    rows = outcomes(results)
    for name in ("contiguous", "group/chunked", "gzip"):
        for kind in ("whole", "threads"):
            outcome, row = rows[f"own/{kind}/{name}"]
            assert (outcome, row["bytes"]) == ("measured", 1 << 20), f"{kind} of {name}: {row}"
            # One piece that is only copied is native HDF5's when it is first read.
            is_first = name == "contiguous" and "first small read" in str(row["proof"])
            assert is_first or row["proof"] == "bypassed", f"{kind} of {name}: {row}"
        assert rows[f"own/whole/{name}"][1]["peak"]["bypass"] >= 0
    for name, limited in (("contiguous", True), ("gzip", True), ("group/chunked", False)):
        assert ("share" in rows[f"own/whole/{name}"][1]) is limited, name
    assert rows["own/whole/record"][0] == rows["own/whole/scalar"][0] == "measured"
    for name, why in (("text", "variable length"), ("empty", "no elements"), ("null", "no elements")):
        assert rows[f"own/whole/{name}"][0] == "skipped" and why in rows[f"own/whole/{name}"][1]
        assert f"own/threads/{name}" not in rows
    threads = [row for row in results["rows"] if row["name"].startswith("own/threads")]
    assert {row["library"] for row in threads} == {"tables"}
    assert results["about"]["file"] == "own.h5" and str(own.parent) not in json.dumps(results)
    assert "/gzip: f4 512 x 512" in run.stdout


def test_targets_are_told_where_there_are_some(bench, own, tmp_path):
    run, _ = bench(own, "/gzip", "--rounds", "1", "--only", "whole", "--html", "own.html")
    page = (tmp_path / "own.html").read_text().split("<body>")[1]
    for word in ("target", "asked", "missed", "MISS"):
        assert word not in run.stdout and word not in page, word
    run, _ = bench(*QUICK, "--only", "contiguous", "--folder", tmp_path / "made")
    assert "target" in run.stdout and "of 1 target met" in run.stdout and "asked" not in run.stdout


def test_explain_says_what_bench_sees(bench, tmp_path):
    sizes = (80, 600, 4096, 8192, 8 * 1100, 100_000)
    with h5py.File(tmp_path / "sizes.h5", "w") as file:
        for size in sizes:
            file[f"plain{size}"] = numpy.zeros(size, "u1")
            file.create_dataset(f"gzip{size}", data=numpy.zeros(size, "u1"), chunks=(size,), compression="gzip")
    command = [str(bench.program), "explain", "--json", "--lib", bench.hosts["h5py"].split("=")[-1], "sizes.h5"]
    listed = subprocess.run(command, env=bench.env, cwd=tmp_path, capture_output=True, text=True, check=True)
    explained = {dataset["path"]: dataset["bypassed"] for dataset in json.loads(listed.stdout)["datasets"]}
    _, results = bench(tmp_path / "sizes.h5", "--rounds", "1", "--only", "whole", hosts=["h5py"])
    seen = {name.removeprefix("own/whole"): row["proof"] == "bypassed" for name, (_, row) in outcomes(results).items()}
    assert explained == seen
    assert set(seen.values()) == {True, False}


def test_one_dataset_of_a_file(bench, own):
    _, results = bench(own, "/gzip", "--rounds", "2", hosts=["h5py"])
    rows = outcomes(results)
    assert list(rows) == [f"own/{kind}/gzip" for kind in ("whole", "slabs", "second-rows", "columns", "first")]
    assert {outcome for outcome, _ in rows.values()} == {"measured"}
    _, results = bench(own, "group/chunked", "--rounds", "1", "--only", "first")
    assert list(outcomes(results)) == ["own/first/group/chunked"]


def test_a_large_dataset_is_measured_in_part(bench, tmp_path):
    with h5py.File(tmp_path / "large.h5", "w") as file:
        file.create_dataset("x", data=numpy.zeros((1000, 1024), "<f4"), chunks=(100, 1024))
    _, results = bench(tmp_path / "large.h5", "--size", "1", "--rounds", "1", "--only", "whole")
    assert outcomes(results)["own/whole/x"][1]["bytes"] == 200 * 4096, "whole chunks of less than 1 MiB"
    assert "first" in results["rows"][0]["what"]


def test_many_datasets(bench, tmp_path):
    with h5py.File(tmp_path / "many.h5", "w") as file:
        for number in range(15):
            file[f"d{number}"] = numpy.arange(100 + number)
    run, results = bench(tmp_path / "many.h5", "--rounds", "1", "--only", "first")
    assert list(outcomes(results)) == [f"own/first/d{number}" for number in range(14, 2, -1)]
    assert "the 12 largest of 15 datasets" in run.stderr


def test_a_damaged_dataset_fails_alone(bench, own):
    with h5py.File(own, "r") as file:
        chunk = file["gzip"].id.get_chunk_info(1)
    with open(own, "r+b") as raw:
        raw.seek(chunk.byte_offset)
        raw.write(b"\xff" * 100)
    run, results = bench(own, "--rounds", "1", "--only", "whole", code=1)
    rows = outcomes(results)
    assert rows["own/whole/gzip"][0] == "failed" and rows["own/whole/contiguous"][0] == "measured"
    assert "native HDF5" in rows["own/whole/gzip"][1], "it fails natively, too"
    assert "1 failed" in run.stdout


def test_files_that_cannot_be_read(bench, own, tmp_path):
    (tmp_path / "cut.h5").write_bytes(own.read_bytes()[:5000])
    (tmp_path / "text.h5").write_text("no HDF5 at all")
    (tmp_path / "empty.h5").touch()
    with h5py.File(tmp_path / "groups.h5", "w") as file:
        file.create_group("only")
    for name, why in {
        "cut.h5": "truncated",
        "text.h5": "is not an HDF5 file",
        "empty.h5": "is not an HDF5 file: it is empty",
        "none.h5": "no such file",
        "groups.h5": "no datasets",
        ".": "directory",
    }.items():
        complaint = bench.refused(tmp_path / name, code=1)
        assert why in complaint and str(tmp_path) in complaint, complaint
    complaint = bench.refused(own, "/gzp", code=1)
    assert "'/gzp'" in complaint and "did you mean /gzip" in complaint
    assert "there is no dataset" in bench.refused(own, "/group", code=1)


def test_odd_datasets(bench, own, tmp_path):
    with h5py.File(tmp_path / "odd.h5", "w", userblock_size=512) as file:
        file["type"] = numpy.dtype([("x", "<f4"), ("y", "<i8"), ("z", "S3")])
        file.create_dataset("committed", shape=(90000,), dtype=file["type"])
        file["a\\xffb"] = matrix(">i2")
        file["line\nbreak\x1b[31m"] = matrix(">f4")
        file[b"not-utf\xff"] = matrix()
        file["elsewhere"] = h5py.ExternalLink(str(own), "/gzip")
        file.create_dataset("edge", data=matrix(), chunks=(60, 60), compression="gzip", shuffle=True)
    run, results = bench(tmp_path / "odd.h5", "--rounds", "1", "--only", "whole")
    rows = outcomes(results)
    assert set(rows) == {f"own/whole/{name}" for name in ("committed", "a\\xffb", "line\nbreak\x1b[31m", "edge")}
    for name, (outcome, row) in rows.items():
        assert (outcome, row["proof"], "share" in row) == ("measured", "bypassed", False), name
    assert "not-utf\\xff': its name is not UTF-8" in run.stderr
    assert "\x1b" not in run.stdout
    complaint = bench.refused(tmp_path / "odd.h5", "elsewhere", code=1)
    assert "external link" in complaint and str(own) in complaint


def test_typos(bench, own, tmp_path):
    for arguments, parts in {
        ("--only", "contigous"): ("'contigous'", "did you mean contiguous"),
        ("--group", "plian"): ("'plian'", "Plain reads"),
        ("--host", "h5pi"): ("h5pi", "no Python package"),
        ("--host", "x=/no/lib.so"): ("x=/no/lib.so",),
        ("--host", own): ("invalid ELF header",),
        ("--filters", "/no/such"): ("--filters /no/such",),
        ("--plugin-dir", "/no/such"): ("/no/such", "libh5bypass_vol.so"),
        ("--folder", own): ("own.h5",),
        ("--size", 1 << 20, "--folder", tmp_path): ("are free", "--size", "--folder"),
        ("--html", "/no/such/page.html"): ("--html",),
        (own, "--only", "whoel"): ("'whoel'", "did you mean whole"),
    }.items():
        complaint = bench.refused(*arguments)
        assert all(part in complaint for part in parts), f"{arguments}: {complaint}"
    assert "HDF5_PLUGIN_PRELOAD" in bench.refused(*QUICK, HDF5_PLUGIN_PRELOAD="::")


def interrupted(bench, folder: Path, *arguments: object, files: int, number=signal.SIGINT):
    """What it says when it is interrupted as soon as so many files have been made, and its exit code."""
    run = subprocess.Popen(
        bench.command(*arguments, "--folder", folder),
        env=bench.env,
        cwd=bench.cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 120
    while len(list(folder.rglob("*.h5"))) < files:
        assert run.poll() is None and time.monotonic() < deadline, run.communicate()
        time.sleep(0.01)
    os.killpg(run.pid, number)
    table, said = run.communicate(timeout=60)
    assert list(folder.iterdir()) == [], "what was made is removed"
    with pytest.raises(ProcessLookupError):
        os.killpg(run.pid, 0)
    return run.returncode, table, said


def test_ctrl_c_ends_it_and_leaves_nothing(bench, tmp_path):
    arguments = ("--size", "64", "--rounds", "500", "--only", "contiguous", "--json", "none.json")
    code, table, said = interrupted(bench, tmp_path / "made", *arguments, files=1)
    assert (code, table) == (130, "")
    assert "interrupted before anything was measured" in said
    assert not (tmp_path / "none.json").exists()


@pytest.mark.parametrize(("number", "expected"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["ctrl-c", "terminated"])
def test_rows_measured_before_an_interrupt_are_kept(bench, tmp_path, number, expected):
    # The second scenario has files of its own, which are made when the first has been measured.
    outputs = ("--json", "rows.json", "--html", "rows.html")
    arguments = ("--size", "4M", "--rounds", "20", "--only", "contiguous", "--only", "chunks-64KiB", *outputs)
    code, table, said = interrupted(bench, tmp_path / "made", *arguments, files=2, number=number)
    assert code == expected
    assert "all of a contiguous matrix" in table and "1 measured" in table
    assert "interrupted after 1 of 2 measurements" in said
    results = json.loads((tmp_path / "rows.json").read_text())
    assert [row["name"] for row in results["rows"]] == ["contiguous"]
    assert "measured" in results["rows"][0]["outcome"]
    assert "all of a contiguous matrix" in (tmp_path / "rows.html").read_text()
