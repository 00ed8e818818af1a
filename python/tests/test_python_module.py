"""The Python module `h5bypass` as users meet it: in fresh processes, with the stock wheels, before and after they are imported.

Counters of the connector itself prove who read.
"""

from __future__ import annotations

import json
import subprocess

import pytest
from helpers.installed import installation, wheel  # noqa: F401

CLIENTS = ["h5py", "netCDF4", "tables"]
MAKE = """
import h5py, numpy as np
with h5py.File("data.h5", "w") as file:
    file.create_dataset("x", data=np.arange(1_000_000, dtype="i4").reshape(1000, 1000), chunks=(100, 1000), compression="gzip")
"""
# How each client reads the dataset, and that it is right.
READ = """
import importlib, json, os, sys
import h5bypass

def read(client, name="data.h5", mode="r"):
    module = importlib.import_module(client)
    if client == "h5py":
        with module.File(name, mode) as file:
            found = int(file["x"][:].sum(dtype="i8"))
    elif client == "netCDF4":
        with module.Dataset(name, mode) as file:
            found = int(file["x"][:].sum(dtype="i8"))
    else:
        with module.open_file(name, mode) as file:
            found = int(file.root.x[:].sum(dtype="i8"))
    assert found == 499999500000

def bypassed(client):
    before = h5bypass.stats()
    read(client)
    counted = h5bypass.stats() - before
    assert counted.reads.bypassed == counted.files_opened <= 1 and counted.reads.bytes in (0, 4_000_000)
    return counted.reads.bypassed == 1
"""


@pytest.fixture(scope="module")
def folder(installation, tmp_path_factory):
    """A folder with a file that native HDF5 wrote."""
    made = tmp_path_factory.mktemp("folder")
    installation.script(MAKE, made)
    return made


@pytest.mark.parametrize("client", CLIENTS)
def test_enabled_before_the_import(client, installation, folder):
    told = installation.told(f"{READ}\nh5bypass.enable()\nprint(json.dumps([h5bypass.enabled(), bypassed('{client}'), h5bypass.enabled()]))", folder)
    assert told == [True, True, True]


@pytest.mark.parametrize("client", CLIENTS)
def test_enabled_after_the_import(client, installation, folder):
    """A notebook that has imported and used the package already."""
    program = f"{READ}\nimport {client}\ntold = [bypassed('{client}')]\nh5bypass.enable()\nprint(json.dumps([*told, h5bypass.enabled(), bypassed('{client}')]))"
    assert installation.told(program, folder) == [False, True, True]


@pytest.mark.parametrize("client", CLIENTS)
def test_disabled_again(client, installation, folder):
    """Whether the library has started with the connector or without it."""
    program = f"""{READ}
h5bypass.enable()
told = [bypassed("{client}")]
h5bypass.disable()
told += [h5bypass.enabled(), bypassed("{client}"), "HDF5_VOL_CONNECTOR" in os.environ]
h5bypass.enable()
print(json.dumps([*told, bypassed("{client}")]))"""
    assert installation.told(program, folder) == [True, False, False, False, True]


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("first", ["import", "enable"])
def test_for_one_block(client, first, installation, folder):
    begin = f"import {client}" if first == "import" else ""
    program = f"""{READ}
{begin}
environment = dict(os.environ)
with h5bypass.enable():
    told = [bypassed("{client}")]
    with h5bypass.disable():
        told.append(bypassed("{client}"))
    told.append(bypassed("{client}"))
told += [h5bypass.enabled(), bypassed("{client}")]
# netCDF4 sets a variable of its own when it is imported.
assert {{k: v for k, v in os.environ.items() if k in environment}} == environment and "HDF5_VOL_CONNECTOR" not in os.environ
print(json.dumps(told))"""
    assert installation.told(program, folder) == [True, False, True, False, False]


def test_three_libraries_in_one_process(installation, folder):
    program = f"""{READ}
import h5py, netCDF4, tables
with h5bypass.enable():
    told = [bypassed(client) for client in {CLIENTS}]
print(json.dumps(told + [bypassed(client) for client in {CLIENTS}]))"""
    assert installation.told(program, folder) == [True] * 3 + [False] * 3


@pytest.mark.parametrize("first", ["import h5py", "h5bypass.enable()"])
def test_a_file_has_one_connector_at_a_time(first, installation, folder, tmp_path):
    """While a file is open through the connector, it is opened again through the connector, whatever is wanted now."""
    program = f"""{READ}
{first}
import h5py, shutil
shutil.copy(sys.argv[1], "copy.h5")
h5bypass.enable()
with h5py.File("copy.h5", "r+") as file:
    file["x"][0, 0] = 7
    with h5bypass.disable(), h5py.File("copy.h5", "r+") as again:
        assert again["x"][0, 0] == 7
        again["x"][0, 1] = 8
        told = [h5bypass.stats().files_opened]
    assert list(file["x"][0, :2]) == [7, 8]
h5bypass.disable()
with h5py.File("copy.h5") as file:
    told += [h5bypass.stats().files_opened, int(file["x"][0, 1])]
    with h5bypass.enable(), h5py.File("copy.h5") as again:
        told.append(h5bypass.stats().files_opened)
print(json.dumps(told))"""
    done = installation.script(program, tmp_path, str(folder / "data.h5"))
    assert done.stderr == "" and json.loads(done.stdout) == [2, 2, 8, 2]


def test_files_that_are_open_keep_a_library_on(installation, folder):
    """It says so in one sentence."""
    program = f"""{READ}
import warnings
h5bypass.enable()
import tables
with tables.open_file("data.h5") as file, warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    h5bypass.disable()
print(json.dumps([str(warning.message) for warning in said]))"""
    assert installation.told(program, folder) == [
        "PyTables has files open through h5bypass and goes on with it: close them before h5bypass.disable()"
    ]


def test_a_library_that_cannot_switch_says_what_to_do(installation, folder):
    program = f"""{READ}
import netCDF4, warnings
import h5bypass._libhdf5
# As with a libhdf5 that was built without its test functions.
h5bypass._libhdf5.LibHdf5.follow_environment = lambda self: False
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    h5bypass.enable()
print(json.dumps([[str(warning.message) for warning in said], said[0].filename, bypassed("netCDF4"), bypassed("h5py")]))"""
    sentences, file, later, other = installation.told(program, folder)
    assert sentences == [
        "netCDF4 has started HDF5 without h5bypass and goes on without it: call h5bypass.enable() before `import netCDF4`, or start "
        "the program with `h5bypass run -- python ...`"
    ]
    assert file == "<string>" and not later and other


def test_a_library_that_is_too_old(installation, folder):
    program = """
import h5py, os
import h5bypass, h5bypass._libhdf5
# As if h5py had an older one.
h5bypass._libhdf5.LibHdf5.version = lambda self: (1, 12, 2)
try:
    h5bypass.enable()
except RuntimeError as error:
    print(error)
print(h5bypass.enabled(), "HDF5_VOL_CONNECTOR" in os.environ)
"""
    assert installation.script(program, folder).stdout == (
        "h5py has HDF5 1.12.2, and h5bypass needs 1.14.0 or newer: upgrade h5py\nFalse False\n"
    )


def test_threads_that_read_meanwhile(installation, folder):
    """Switching on and off while other threads read gives the same data, and each file one way."""
    program = f"""{READ}
import h5py, shutil, threading
# A file that is open natively is opened natively again, so this thread has its own.
shutil.copy("data.h5", "own.h5")
stop, wrong = threading.Event(), []
def go():
    while not stop.is_set():
        try:
            read("h5py")
        except BaseException as error:
            wrong.append(repr(error))
threads = [threading.Thread(target=go) for _ in range(3)]
for thread in threads:
    thread.start()
for _ in range(20):
    with h5bypass.enable():
        read("h5py", "own.h5")
    read("h5py", "own.h5")
stop.set()
for thread in threads:
    thread.join()
print(json.dumps([wrong, h5bypass.stats().reads.bypassed >= 20]))"""
    assert installation.told(program, folder) == [[], True]


def test_a_connector_that_somebody_else_chose(installation, folder):
    done = installation.script("import h5bypass; h5bypass.enable()", folder, code=1, HDF5_VOL_CONNECTOR="pass_through under_vol=0;under_info={}")
    assert "RuntimeError: HDF5_VOL_CONNECTOR is already set to 'pass_through" in done.stderr
    done = installation.script("import h5bypass; h5bypass.enable()", folder, code=1, HDF5_PLUGIN_PRELOAD="::")
    assert "HDF5_PLUGIN_PRELOAD is '::'" in done.stderr


def test_other_plugins_are_still_found(installation, folder):
    program = "import h5bypass, json, os; h5bypass.enable(); print(json.dumps(os.environ['HDF5_PLUGIN_PATH'].split(':')))"
    plugins = str(installation.packages / "h5bypass" / "plugin")
    assert installation.told(program, folder, HDF5_PLUGIN_PATH="/a:/b") == [plugins, "/a", "/b"]


def test_a_stack_of_connectors_stays(installation, folder):
    """Somebody counts calls with h5stats above the connector: nothing changes."""
    stack = "h5stats under_vol=518;under_info={under_vol=0;under_info={}}"
    plugins = str(installation.packages / "h5bypass" / "plugin")
    program = f"{READ}\nimport h5py\nh5bypass.enable()\nprint(json.dumps([bypassed('h5py'), h5bypass.enabled(), os.environ['HDF5_VOL_CONNECTOR']]))"
    done = installation.script(program, folder, HDF5_VOL_CONNECTOR=stack, HDF5_PLUGIN_PATH=plugins)
    assert json.loads(done.stdout) == [True, True, stack] and "h5stats: " in done.stderr and "data.h5:/x" in done.stderr


def test_settings_are_for_the_beginning(installation, folder):
    program = f"""{READ}
h5bypass.enable(threads=1, cache="1M")
told = [os.environ["BYPASS_VOL_NTHREADS"], os.environ["BYPASS_VOL_CACHE"], bypassed("h5py")]
h5bypass.enable(threads=1)
try:
    h5bypass.enable(threads=2)
except RuntimeError as error:
    told.append(str(error).split(",")[0])
print(json.dumps(told))"""
    assert installation.told(program, folder) == ["1", "1M", True, "BYPASS_VOL_NTHREADS cannot change any more"]


def test_statistics(installation, folder):
    program = f"""{READ}
zero = h5bypass.stats()
h5bypass.enable()
import h5py
with h5py.File("data.h5") as file:
    file["x"][0, ::300]
    file["x"][:]
counted = h5bypass.stats()
assert counted - counted == zero and counted - zero == counted
print(counted)
print(json.dumps([counted, counted._repr_html_()]))"""
    done = installation.script(program, folder)
    assert done.stdout.startswith("1 files opened through the connector\nreads: 1 bypassed (4.0 MB), 1 passed on\n")
    (files, reads, writes, reasons), html = json.loads(done.stdout.splitlines()[-1])
    assert (files, reads, writes) == (1, [1, 4_000_000, 1], [0, 0, 0])
    assert [reason[:3] for reason in reasons] == [["first-small-read", "read", 1]]
    assert "<td>4.0 MB</td>" in html and "first small read" in html


def test_explain(installation, folder):
    program = f"""{READ}
import h5py
with h5py.File("data.h5") as file:
    one, all_, named = h5bypass.explain(file["x"]), h5bypass.explain(file), h5bypass.explain("data.h5", "/x")
print(one)
print(json.dumps([one.datasets, all_.datasets == named.datasets == one.datasets, one._repr_html_()]))"""
    done = installation.script(program, folder)
    assert "bypassed     /x" in done.stdout and "h5py.libs" in done.stdout
    [dataset], same, html = json.loads(done.stdout.splitlines()[-1])
    assert dataset["path"] == "/x" and dataset["bypassed"] is True and same and html.startswith("<pre>")
    writing = "import h5bypass, h5py; h5bypass.explain(h5py.File('new.h5', 'w'))"
    assert "new.h5 is open for writing: close it" in installation.script(writing, folder, code=1).stderr
    failed = installation.script("import h5bypass; h5bypass.explain('absent.h5')", folder, code=1)
    assert "RuntimeError" in failed.stderr and "absent.h5" in failed.stderr


def test_traces_of_blocks(installation, folder, tmp_path):
    program = f"""{READ}
h5bypass.enable()
for name in ["one.json", "two.json"]:
    with h5bypass.trace(name):
        assert bypassed("h5py")
    read("h5py")
try:
    with h5bypass.trace("one.json"):
        pass
except FileExistsError as error:
    print(error)
with h5bypass.trace("three.json"):
    pass
"""
    done = installation.script(f"import os; os.symlink({str(folder / 'data.h5')!r}, 'data.h5')\n{program}", tmp_path)
    assert done.stderr == "" and "one.json exists" in done.stdout
    for name, reads in [("one.json", 1), ("two.json", 1), ("three.json", 0)]:
        events = json.loads((tmp_path / name).read_text())["traceEvents"]
        assert len([event for event in events if event["name"] == "read"]) == reads, name


def test_processes_that_are_started_use_it_too(installation, folder):
    program = f"{READ}\nh5bypass.enable()\nimport subprocess\nprint(subprocess.run([sys.executable, '-c', sys.argv[1]], capture_output=True, text=True).stdout)"
    child = f"{READ}\nprint(json.dumps([h5bypass.enabled(), bypassed('tables')]))"
    assert json.loads(installation.script(program, folder, child).stdout) == [True, True]


def test_the_module_is_the_command(installation, folder):
    """`python -m h5bypass` where the command is not in PATH."""
    module = [str(installation.python), "-m", "h5bypass"]
    child = f"{READ}\nprint(json.dumps([bypassed('h5py'), 'H5BYPASS_INTERPRETER' in os.environ]))"
    done = installation.run(*module, "run", "--", str(installation.python), "-c", child, cwd=folder)
    assert json.loads(done.stdout) == [True, False]
    assert "bypassed     /x" in installation.run(*module, "explain", "data.h5", cwd=folder).stdout
    assert "libhdf5" in installation.run(*module, "doctor", cwd=folder).stdout
    assert "/x" in installation.run(*module, "bench", "data.h5", "--rounds", "1", cwd=folder).stdout
    assert installation.run(*module, "env", "status", cwd=folder, code=1).stdout.startswith("h5bypass is off")


def test_a_whole_environment(installation, folder):
    """`h5bypass env enable`: an existing program needs no change at all."""
    program = f"{READ}\nprint(json.dumps([bypassed('h5py'), bypassed('netCDF4'), bypassed('tables')]))"
    native = "import json; print(json.dumps(1))"
    assert installation.run("h5bypass", "env", "status", cwd=folder, code=1).stdout.startswith("h5bypass is off for ")
    assert installation.told(program, folder) == [False] * 3
    try:
        said = installation.run("h5bypass", "env", "enable", cwd=folder)
        assert said.stdout.startswith("h5bypass is on for ") and said.stderr == ""
        assert installation.run("h5bypass", "env", "status", cwd=folder).stdout.startswith("h5bypass is on for ")
        assert installation.told(program, folder) == [True] * 3
        assert installation.told(program, folder, HDF5_VOL_CONNECTOR="native") == [False] * 3
        told = json.loads(installation.run("h5bypass", "env", "status", "--json", cwd=folder).stdout)
        assert told["enabled"] is True and told["environment"] == str(installation.folder)
        # Without the package, Python starts as ever.
        assert installation.told(native, folder, PYTHONNOUSERSITE="1", H5BYPASS_PLUGIN_DIR="/nowhere") == 1
    finally:
        installation.run("h5bypass", "env", "disable", cwd=folder)
    assert installation.told(program, folder) == [False] * 3
    assert installation.run("h5bypass", "env", cwd=folder).stdout.startswith("Switches h5bypass on")
    installation.run("h5bypass", "env", "nonsense", cwd=folder, code=2)
    # The command of one environment (that of `uv tool` or pipx, perhaps), while another is active.
    other = installation.run("h5bypass", "env", "enable", cwd=folder, code=2, VIRTUAL_ENV="/another")
    assert "the active environment is /another: install h5bypass there, too" in other.stderr


def test_an_environment_with_a_library_that_does_not_work(installation, folder, tmp_path):
    """It is tested before it is switched on."""
    broken = installation.packages / "broken.libs"
    broken.mkdir()
    source = tmp_path / "broken.c"
    # It can be loaded, and fails.
    source.write_text("int H5open(void) { return -1; }\nint H5get_libversion(unsigned *a, unsigned *b, unsigned *c) { *a = 1; *b = 14; *c = 6; return 0; }\n")
    subprocess.run(["cc", "-shared", "-fPIC", str(source), "-o", str(broken / "libhdf5-0.so.310.0.0")], check=True)
    try:
        refused = installation.run("h5bypass", "env", "enable", cwd=folder, code=1)
        assert "libhdf5-0.so.310.0.0" in refused.stderr and "not switched on" in refused.stderr
        installation.run("h5bypass", "env", "status", cwd=folder, code=1)
        installation.run("h5bypass", "env", "enable", "--force", cwd=folder)
        installation.run("h5bypass", "env", "disable", cwd=folder)
    finally:
        for path in broken.iterdir():
            path.unlink()
        broken.rmdir()


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_workers(way, installation, folder, tmp_path):
    """Workers of multiprocessing, as a data loader starts them, read through the connector."""
    (tmp_path / "workers.py").write_text(f"""{READ}
import multiprocessing
if __name__ == "__main__":
    h5bypass.enable()
    import h5py
    os.chdir(sys.argv[1])
    assert bypassed("h5py")
    with multiprocessing.get_context("{way}").Pool(2) as pool:
        print(json.dumps(pool.map(bypassed, ["h5py"] * 4)))
""")
    done = installation.run(str(installation.python), str(tmp_path / "workers.py"), str(folder), cwd=folder)
    assert json.loads(done.stdout) == [True] * 4 and done.stderr == ""
