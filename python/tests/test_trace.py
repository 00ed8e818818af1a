"""BYPASS_VOL_TRACE and `h5bypass run --trace`: what each thread did, as a Chrome trace that is written when a process ends."""

from __future__ import annotations

import json
import os
import subprocess
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import pytest
from helpers.connectors import clean_env
from helpers.hosts import read_hosts
from helpers.run_client import CLIENTS

# Timestamps are microseconds with three decimals, which are not exact as binary fractions.
EXACT = 0.0005

ROWS, COLUMNS, CHUNK_ROWS = 4096, 1024, 64

SETUP = """
import ctypes, os, sys
from hdf5lib import Library
h5 = Library(sys.argv[1])
ROWS, COLUMNS, CHUNK_ROWS = 4096, 1024, 64
data = b"".join(row.to_bytes(4, "little") * COLUMNS for row in range(ROWS))
def compressed(where, name, values):
    dcpl = h5.plist("DATASET_CREATE")
    h5.H5Pset_chunk.must(dcpl, 2, [CHUNK_ROWS, COLUMNS])
    h5.H5Pset_shuffle.must(dcpl)
    h5.H5Pset_deflate.must(dcpl, 1)
    h5.make(where, name, [ROWS, COLUMNS], values, dcpl=dcpl)
def make(path):
    file = h5.create(path)
    compressed(file, "packed", data)
    h5.make(file, "plain", [ROWS, COLUMNS], data)
    h5.make(file, "small", [16], bytes(64))
    h5.H5Fclose.must(file)
"""

READ = SETUP + """
make("read.h5")
file = h5.open("read.h5", h5.bypass)
for name in (b"packed", b"plain"):
    dataset = h5.H5Dopen2.must(file, name, 0)
    buffer = (ctypes.c_double * (ROWS * COLUMNS))()
    h5.H5Dread.must(dataset, h5.type("NATIVE_DOUBLE"), 0, 0, 0, buffer)
    assert (buffer[0], buffer[COLUMNS], buffer[ROWS * COLUMNS - 1]) == (0, 1, ROWS - 1)
    # Every second column: nothing to convert.
    half = h5.slab([ROWS, COLUMNS], [0, 0], [ROWS, COLUMNS // 2], stride=[1, 2])
    flat = h5.space([ROWS * COLUMNS // 2])
    h5.H5Dread.must(dataset, h5.type("STD_I32LE"), flat, half, 0, buffer)
    h5.H5Dclose.must(dataset)
h5.H5Fclose.must(file)
"""

WRITE = SETUP + """
file = h5.create("write.h5", h5.bypass)
compressed(file, "packed", data)
dataset = h5.H5Dopen2.must(file, b"packed", 0)
# A part of some chunks, which is written when the dataset is closed.
part = h5.slab([ROWS, COLUMNS], [0, 0], [200, 10])
h5.H5Dwrite.must(dataset, h5.type("STD_I32LE"), h5.space([2000]), part, 0, bytes(8000))
h5.H5Dclose.must(dataset)
h5.H5Fclose.must(file)
"""

SHORT = SETUP + """
make("short.h5")
file = h5.open("short.h5", h5.bypass)
plain, small = h5.H5Dopen2.must(file, b"plain", 0), h5.H5Dopen2.must(file, b"small", 0)
buffer, kind = (ctypes.c_int * 16)(), h5.type("NATIVE_INT")
for dataset, dims in ((plain, [ROWS, COLUMNS]), (small, [16])):
    memory, some = h5.space([16]), h5.slab(dims, [0] * len(dims), [1] * (len(dims) - 1) + [16])
    arguments = [ctypes.c_int64(value) for value in (dataset, kind, memory, some, 0)]
    for _ in range(5000):
        h5.dll.H5Dread(*arguments, buffer)
"""

NAMES = SETUP + """
names = [b'quote"d', b"back\\\\slash", b"new\\nline", b"\\xff\\xfe not text", "\\u00e9\\U0001d11e".encode(), b"<b>&amp;"]
path = 'file "\\\\".h5'
file = h5.create(path)
for name in names:
    space = h5.space([100_000])
    h5.H5Dclose.must(h5.H5Dcreate2.must(file, name, h5.type("STD_I32LE"), space, 0, 0, 0))
h5.H5Fclose.must(file)
file = h5.open(path, h5.bypass)
for name in names:
    dataset = h5.H5Dopen2.must(file, name, 0)
    assert h5.read(dataset, 100_000) == bytes(400_000)
"""

REASONS = SETUP + """
make("reasons.h5")
file = h5.open("reasons.h5", h5.bypass)
dxpl = h5.plist("DATASET_XFER")
h5.H5Pset_data_transform.must(dxpl, b"x + 1")
changed = h5.read(h5.H5Dopen2.must(file, b"plain", 0), ROWS * COLUMNS, dxpl=dxpl)
assert changed[:4] == (1).to_bytes(4, "little")
"""

FORK = SETUP + """
make("fork.h5")
file = h5.open("fork.h5", h5.bypass)
dataset = h5.H5Dopen2.must(file, b"packed", 0)
assert h5.read(dataset, ROWS * COLUMNS) == data
def child(work):
    number = os.fork()
    if number == 0:
        work()
        sys.stdout.flush()
        ctypes.CDLL(None).exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]) == 7
    return number
def inherited():
    assert h5.read(dataset, ROWS * COLUMNS) == data
def own():
    file = h5.open("fork.h5", h5.bypass)
    assert h5.read(h5.H5Dopen2.must(file, b"plain", 0), ROWS * COLUMNS) == data
children = [child(inherited), child(own), child(lambda: None)]
print(os.getpid(), *children)
"""

OPEN = SETUP + """
make("open.h5")
file = h5.H5Fopen(b"open.h5", 0, h5.bypass)
print("opened" if file >= 0 else h5.errors())
"""

MANY_HOSTS = """
import os
import h5py, netCDF4, numpy, tables
data = numpy.arange(1 << 20, dtype="i4").reshape(1024, 1024)
with h5py.File("one.h5", "w") as file:
    file.create_dataset("x", data=data, chunks=(64, 1024), compression="gzip")
with netCDF4.Dataset("two.h5", "w") as file:
    file.createDimension("a", 1024), file.createDimension("b", 1024)
    file.createVariable("y", "i4", ("a", "b"), zlib=True, chunksizes=(64, 1024))[:] = data
with h5py.File("one.h5") as one, tables.open_file("one.h5") as same, netCDF4.Dataset("two.h5") as two:
    assert (one["x"][...] == data).all() and (two["y"][...] == data).all() and (same.root.x[...] == data).all()
"""


@dataclass
class Trace:
    """A trace that was read, and found to be sound."""

    document: dict
    # By thread, those inside of others after them.
    threads: dict[int, list[dict]]
    names: dict[int, str]

    @classmethod
    def read(cls, path: Path) -> Trace:
        document = json.loads(path.read_bytes())
        threads, names = defaultdict(list), {}
        for event in document["traceEvents"]:
            if event["ph"] == "X":
                threads[event["tid"]].append(event)
            elif event["name"] == "thread_name":
                names[event["tid"]] = event["args"]["name"]
        assert set(threads) <= set(names)
        for spans in threads.values():
            check_nesting(spans)
        assert document["otherData"]["dropped"] == 0
        return cls(document, dict(threads), names)

    def spans(self, *names: str) -> list[dict]:
        return [span for spans in self.threads.values() for span in spans if span["name"] in names]

    def threads_with(self, *names: str) -> set[int]:
        return {span["tid"] for span in self.spans(*names)}

    def inside(self, outer: dict) -> set[str]:
        """What was done on all threads during a call."""
        spans = (span for spans in self.threads.values() for span in spans if span is not outer)
        return {span["name"] for span in spans if contains(outer, span)}


def contains(outer: dict, inner: dict) -> bool:
    begins, ends = inner["ts"], inner["ts"] + inner["dur"]
    return outer["ts"] - EXACT <= begins and ends <= outer["ts"] + outer["dur"] + EXACT


def check_nesting(spans: list[dict]) -> None:
    """The spans of a thread lie inside of each other or apart."""
    around: list[dict] = []
    for span in spans:
        while around and around[-1]["ts"] + around[-1]["dur"] <= span["ts"] + EXACT:
            around.pop()
        assert not around or contains(around[-1], span), (around[-1], span)
        around.append(span)


@pytest.fixture
def script(python, plugin_dir, tmp_path):
    """Runs a script with a libhdf5, and with variables."""

    def run(text, host=None, code=0, cwd=tmp_path, **env):
        environment = clean_env(plugin_dir, PYTHONPATH=str(CLIENTS), BYPASS_VOL_NTHREADS="3", **env)
        command = [python, "-c", text, *([str(host.path)] if host else [])]
        done = subprocess.run(command, env=environment, cwd=cwd, capture_output=True, text=True, timeout=60)
        assert done.returncode == code, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    return run


def test_reads(host, script, tmp_path):
    done = script(READ, host, BYPASS_VOL_TRACE="trace.json")
    assert done.stderr == ""
    trace = Trace.read(tmp_path / "trace.json")
    calls = [span for span in trace.spans("read") if span["args"]["dataset"] == "/packed"]
    assert [call["args"]["bytes"] for call in calls] == [8 * ROWS * COLUMNS, 2 * ROWS * COLUMNS]
    assert all(Path(call["args"]["file"]).name == "read.h5" for call in calls)
    assert {"plan", "examine", "index", "task", "fetch", "decode", "convert"} <= trace.inside(calls[0])
    assert "scatter" in trace.inside(calls[1])

    # Deflated chunks are decoded one or two at a time, each of them once in a call that wants all of it.
    decoding = trace.spans("decode")
    chunk = 4 * CHUNK_ROWS * COLUMNS
    assert all(span["args"]["filters"] == "shuffle + deflate" for span in decoding)
    assert {span["args"]["bytes"] for span in decoding} <= {chunk, 2 * chunk}
    assert sum(span["args"]["bytes"] for span in decoding if contains(calls[0], span)) == ROWS // CHUNK_ROWS * chunk
    assert len(trace.threads_with("decode")) >= 2, trace.names
    assert all(span["args"]["dataset"] == "/packed" for span in trace.spans("task") if contains(calls[0], span))

    plain = [span for span in trace.spans("read") if span["args"]["dataset"] == "/plain"]
    assert {"plan", "fetch", "convert"} <= trace.inside(plain[0]) and "decode" not in trace.inside(plain[0])
    assert {"fetch", "scatter"} <= trace.inside(plain[1])

    # Whatever a thread did, it did for a call.
    everything = [span for spans in trace.threads.values() for span in spans]
    assert all(any(contains(call, span) for call in [*calls, *plain]) for span in everything)
    main = {tid for tid, name in trace.names.items() if name == "application, main thread"}
    pool = {name for tid, name in trace.names.items() if tid not in main}
    assert main == trace.threads_with("read") and pool and pool <= {"h5bypass pool 1", "h5bypass pool 2"}
    assert trace.document["otherData"]["process"] in main


def test_writes(host, script, tmp_path):
    script(WRITE, host, BYPASS_VOL_TRACE="trace.json")
    trace = Trace.read(tmp_path / "trace.json")
    whole, part = trace.spans("write")
    assert (whole["args"]["dataset"], whole["args"]["bytes"], part["args"]["bytes"]) == ("/packed", len_of_data(), 8000)
    assert {"plan", "task", "encode", "store"} <= trace.inside(whole)
    assert len(trace.threads_with("encode")) >= 2, trace.names
    stored = [span for span in trace.spans("store") if contains(whole, span)]
    assert len(stored) == ROWS // CHUNK_ROWS and stored[0]["args"]["by"] == "HDF5 (H5Dwrite_chunk)"
    assert "decode" in trace.inside(part)
    (back,) = trace.spans("write back")
    assert {"encode", "store"} <= trace.inside(back) and back["args"]["dataset"] == "/packed"


def len_of_data() -> int:
    return 4 * ROWS * COLUMNS


def test_short_calls_are_all_there(host, script, tmp_path):
    script(SHORT, host, BYPASS_VOL_TRACE="trace.json", BYPASS_VOL_SMALL_READ="512")
    reads = Trace.read(tmp_path / "trace.json").spans("read")
    # How many of them are put together in one span depends on how fast they follow each other.
    assert sum(span["args"].get("calls", 1) for span in reads) == 10_000
    ours = [span for span in reads if "passed on" not in span["args"] and span["args"].get("dataset") == "/plain"]
    assert 4900 <= sum(span["args"]["bytes"] for span in ours if "bytes" in span["args"]) // 64 <= 5000


def test_names_need_not_be_text(host, script, tmp_path):
    script(NAMES, host, BYPASS_VOL_TRACE="trace.json")
    calls = Trace.read(tmp_path / "trace.json").spans("read")
    names = ['/quote"d', "/back\\slash", "/new\nline", "/\ufffd\ufffd not text", "/\u00e9\U0001d11e", "/<b>&amp;"]
    assert [call["args"]["dataset"] for call in calls] == names
    assert {call["args"]["file"] for call in calls} == {'file "\\".h5'}


def test_what_native_does_has_a_reason(host, script, tmp_path):
    script(REASONS, host, BYPASS_VOL_TRACE="trace.json")
    trace = Trace.read(tmp_path / "trace.json")
    (native,) = trace.spans("native")
    assert native["args"]["reason"].startswith("a data transform")
    (call,) = trace.spans("read")
    assert contains(call, native) and call["args"]["dataset"] == "/plain"

    script(READ, host, BYPASS_VOL_TRACE="off.json", BYPASS_VOL_DISABLE="1")
    natives = Trace.read(tmp_path / "off.json").spans("native")
    assert len(natives) == 4 and "BYPASS_VOL_DISABLE" in natives[0]["args"]["reason"]


def test_no_variable_no_file(host, script, tmp_path):
    assert script(READ, host).stderr == ""
    assert [path.name for path in tmp_path.iterdir()] == ["read.h5"]


@pytest.mark.parametrize("name", ["trace.json", "trace-%p.json"])
def test_forked_children_have_their_own(host, script, tmp_path, name):
    done = script(FORK, host, BYPASS_VOL_TRACE=name)
    parent, inherits, opens, idle = done.stdout.split()
    has_number = "%p" in name

    def path(process, is_first):
        return tmp_path / (name.replace("%p", process) if has_number or is_first else f"{name}.{process}")

    traces = [Trace.read(path(process, process == parent)) for process in (parent, inherits, opens)]
    assert [trace.document["otherData"]["process"] for trace in traces] == [int(parent), int(inherits), int(opens)]
    for trace, dataset in zip(traces, ["/packed", "/packed", "/plain"]):
        (call,) = trace.spans("read")
        assert call["args"]["dataset"] == dataset
    assert not path(idle, False).exists()
    told = [line for line in done.stderr.splitlines() if line.startswith("h5bypass: trace: written to")]
    assert len(told) == (0 if has_number else 2), done.stderr


def test_unwritable_files_are_told_when_a_file_is_opened(host, script, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    for value, message in [
        (str(tmp_path / "no" / "such" / "folder" / "x.json"), "No such file"),
        (str(folder), "directory"),
        ("open.h5/x.json", "Not a directory"),
    ]:
        done = script(OPEN, host, BYPASS_VOL_TRACE=value)
        assert "BYPASS_VOL_TRACE=" in done.stdout and value in done.stdout and message in done.stdout, done.stdout
        assert "os error" not in done.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "open.h5"]


def test_a_file_that_vanishes_is_told_at_the_end(host, script, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    text = OPEN + "\nimport shutil; shutil.rmtree('folder')\n"
    done = script(text, host, BYPASS_VOL_TRACE="folder/x.json")
    assert done.stdout == "opened\n" and "h5bypass: trace: " in done.stderr and "folder/x.json" in done.stderr


def test_devices_are_written_to(host, script, python, plugin_dir, tmp_path):
    done = script(READ, host, BYPASS_VOL_TRACE="/dev/stdout")
    assert json.loads(done.stdout)["traceEvents"] and Path("/dev/stdout").is_symlink()
    with (tmp_path / "log").open("w") as log:
        log.write("before\n")
        log.flush()
        environment = clean_env(plugin_dir, PYTHONPATH=str(CLIENTS), BYPASS_VOL_TRACE="/dev/stdout")
        subprocess.run([python, "-c", READ, host.path], env=environment, cwd=tmp_path, stdout=log, check=True, timeout=60)
    assert json.loads((tmp_path / "log").read_text().removeprefix("before\n"))["traceEvents"]


def test_files_are_not_overwritten(host, script, tmp_path):
    (tmp_path / "trace.json").write_text("mine")
    done = script(READ, host, BYPASS_VOL_TRACE="trace.json")
    (other,) = tmp_path.glob("trace.json.*")
    assert (tmp_path / "trace.json").read_text() == "mine"
    assert Trace.read(other).spans("read") and other.name in done.stderr


def test_relative_names_count_from_the_beginning(host, script, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    script(READ + "\nos.chdir('elsewhere')\n", host, BYPASS_VOL_TRACE="trace.json")
    assert Trace.read(tmp_path / "trace.json").spans("read")


def test_several_libraries_in_one_process(script, bypass, tmp_path):
    script(MANY_HOSTS, BYPASS_VOL_TRACE="trace.json", **bypass.env())
    trace = Trace.read(tmp_path / "trace.json")
    read = [(Path(span["args"]["file"]).name, span["args"]["dataset"]) for span in trace.spans("read")]
    assert set(read) >= {("one.h5", "/x"), ("two.h5", "/y")} and read.count(("one.h5", "/x")) == 2
    assert [path.name for path in tmp_path.glob("trace*")] == ["trace.json"]


@pytest.mark.parametrize(
    "mode", ["leave_open", "exit_in_thread", "thread_running", "reload_closed", "reload_open", "reopen_library", "fork_exit"]
)
def test_whatever_way_the_process_ends(mode, host, bypass, run_c, tmp_path):
    path = tmp_path / "trace.json"
    run = run_c("lifetimes", host, tmp_path / "ours", mode=mode, stack=bypass, env={"BYPASS_VOL_TRACE": str(path)})
    run.succeeded().served_by(bypass.name)
    trace = Trace.read(path)
    # Nothing is lost when a library is closed, or unloaded, before the process ends.
    expected = {"reload_closed": 3, "reload_open": 6, "reopen_library": 8, "fork_exit": 2}
    assert sum(span["args"].get("calls", 1) for span in trace.spans("write")) == expected.get(mode, 1)


@pytest.mark.parametrize(("program", "mode", "call"), [("reads_threads", "storm", "read"), ("writes_threads", "storm", "write")])
def test_many_threads_at_once(program, mode, call, bypass, run_c, tmp_path):
    """In the one library that lets them in. Every call of every thread is there."""
    host = next(host for host in read_hosts("H5_HOSTS_FILE") if host.name == "tables")
    path = tmp_path / "trace.json"
    env = {"BYPASS_VOL_TRACE": str(path), "BYPASS_VOL_STATS": str(tmp_path / "stats.json")}
    run_c(program, host, tmp_path / "data", "300", mode=mode, stack=bypass, env=env).succeeded().served_by(bypass.name)
    trace = Trace.read(path)
    assert len(trace.threads_with(call)) >= 4, trace.names
    calls = sum(span["args"].get("calls", 1) for span in trace.spans(call))
    counted = json.loads((tmp_path / "stats.json").read_text())[f"{call}s"]
    assert calls == counted["bypassed"] + counted["passed_on"], counted
    assert trace.spans("lock wait")


class TestRun:
    """`h5bypass run --trace`"""

    @pytest.fixture
    def run(self, plugin_dir, tmp_path):
        def run(*arguments, code=0):
            command = [str(plugin_dir / "h5bypass"), "run", *map(str, arguments)]
            env = clean_env(plugin_dir)
            done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=60)
            assert done.returncode == code, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
            return done

        return run

    SCRIPT = """
import os, h5py, numpy
with h5py.File("run.h5", "w") as file:
    file.create_dataset("x", data=numpy.arange(1 << 20), chunks=(1 << 16,), compression="gzip")
os.chdir("/")
"""

    def test_a_command(self, run, python, tmp_path):
        for _ in range(2):
            # The second time it is replaced.
            done = run("--trace", "trace.json", "--", python, "-c", self.SCRIPT)
            assert done.stderr == ""
            assert "encode" in {span["name"] for span in Trace.read(tmp_path / "trace.json").spans("encode")}
        assert sorted(os.listdir(tmp_path)) == ["run.h5", "trace.json"]

    def test_several_processes(self, run, python, tmp_path):
        (tmp_path / "script.py").write_text(self.SCRIPT)
        done = run("--trace", "trace.json", "--", "sh", "-c", f"{python} script.py; {python} script.py")
        traces = [Trace.read(path) for path in tmp_path.glob("trace.json*")]
        assert len(traces) == 2 and all(trace.spans("write") for trace in traces)
        assert done.stderr.count("written to") == 1
        run("--trace", "p-%p.json", "--", "sh", "-c", f"{python} script.py; {python} script.py")
        assert len(list(tmp_path.glob("p-*.json"))) == 2

    def test_other_files_are_kept(self, run, tmp_path):
        (tmp_path / "data.h5").write_text("data")
        done = run("--trace", "data.h5", "--", "true", code=2)
        assert "data.h5" in done.stderr and "not an h5bypass trace" in done.stderr
        assert (tmp_path / "data.h5").read_text() == "data"

    def test_wrong_usage(self, run):
        assert "directory does not exist" in run("--trace", "no/such/x.json", "--", "true", code=2).stderr
        assert "is a directory" in run("--trace", "/", "--", "true", code=2).stderr
        assert "--trace" in run("--trac", "x.json", "--", "true", code=2).stderr
        run("--trace", code=2)

    def test_help_and_environment(self, run, tmp_path):
        assert "perfetto" in run("--help").stdout and "--trace <FILE>" in run("-h").stdout
        (tmp_path / "trace.json").write_text("")
        assert f"BYPASS_VOL_TRACE={tmp_path}/trace.json" in run("--print-env", "--trace", "trace.json").stdout.replace("'", "")
        assert (tmp_path / "trace.json").exists()
