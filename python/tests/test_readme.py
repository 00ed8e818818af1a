"""The C programs in docs/guides/c-and-fortran.md and docs/asynchronous.md: compiled and run exactly as they are printed there, with libraries whose
headers we have. And README.md, as a new user follows it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from helpers.connectors import OURS
from helpers.hosts import read_hosts, required
from helpers.installed import Installation

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "guides" / "c-and-fortran.md"
GUIDE = ROOT / "docs" / "asynchronous.md"
# The stock library, and the version of the headers that fit it: HDF5 refuses others.
VERSIONS = {"netCDF4": "2.2.0", "tables": "1.14.5"}
# As much of the header that building HDF5 makes as the others need.
CONFIGURATION = """\
#define H5_HAVE_SYS_TYPES_H 1
#define H5_SIZEOF_INT 4
#define H5_SIZEOF_INT64_T 8
#define H5_SIZEOF_LONG __SIZEOF_LONG__
#define H5_SIZEOF_LONG_LONG __SIZEOF_LONG_LONG__
#define H5_SIZEOF_SIZE_T __SIZEOF_SIZE_T__
#define H5_SIZEOF_SSIZE_T __SIZEOF_SIZE_T__
"""


def example(document: Path) -> tuple[str, str, str]:
    """The program, the commands below it, and the name of the source in them."""
    found = re.search(r"```c\n(.*?)```.*?```sh\n(.*?)```", document.read_text(), re.DOTALL)
    assert found, f"{document.name} has no C program with commands below it"
    program, commands = found.groups()
    return program, commands, re.search(r"cc (\w+\.c) ", commands).group(1)


def installed(prefix: Path, library: Path, headers: Path) -> Path:
    """HDF5 as it is installed elsewhere: headers in one folder, libraries in another."""
    (prefix / "include").mkdir(parents=True)
    for header in headers.rglob("*.h"):
        shutil.copy(header, prefix / "include" / header.name)
    if not (prefix / "include" / "H5pubconf.h").exists():
        (prefix / "include" / "H5pubconf.h").write_text(CONFIGURATION)
    # A wheel's libraries find each other by the folder they are in.
    shutil.copytree(library.parent, prefix / "lib")
    (prefix / "lib" / "libhdf5.so").symlink_to(library.name)
    return prefix


def run_example(name: str, folder: Path, plugins: Path, document: Path = EXAMPLE) -> subprocess.CompletedProcess:
    """Compiles and runs it in a folder, with this one as target/release."""
    program, commands, source = example(document)
    [library] = [host.path for host in read_hosts("H5_HOSTS_FILE") if host.name == name]
    [headers] = [Path(part) for part in required("H5_ABI_HEADERS").split(":") if f"/{VERSIONS[name]}/" in part]
    env = {key: value for key, value in os.environ.items() if not key.startswith(OURS)}
    env["HDF5"] = str(installed(folder / "hdf5", library, headers))
    env["PLUGINS"] = str(plugins)
    (folder / "target").mkdir()
    (folder / "target" / "release").symlink_to(plugins)
    (folder / source).write_text(program)
    shell = ["sh", "-e", "-c", commands]
    return subprocess.run(shell, cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("name", VERSIONS)
def test_the_c_program_runs_as_printed(name, plugin_dir, tmp_path):
    run = run_example(name, tmp_path, plugin_dir)
    assert run.returncode == 0, run.stderr
    assert run.stdout == "the last number is 42\n"
    # Whole reads and writes of 8 MB: proof that both went through the connector.
    assert "2 files opened through the connector" in run.stderr, run.stderr
    bypassed = "reads bypassed 1 (8000000 bytes), passed on 0; writes bypassed 1 (8000000 bytes), passed on 0"
    assert bypassed in run.stderr, run.stderr
    # Nothing else is said, neither by the compiler nor by HDF5.
    assert all(line.startswith("h5bypass: ") for line in run.stderr.splitlines()), run.stderr


@pytest.mark.parametrize("name", VERSIONS)
def test_the_asynchronous_program_runs_as_printed(name, plugin_dir, tmp_path):
    run = run_example(name, tmp_path, plugin_dir, GUIDE)
    assert run.returncode == 0, run.stderr
    assert run.stdout == "the last number is 19.5\n"
    assert "h5bypass: asynchronous: 1 of the reads, 4 of the writes\n" in run.stderr, run.stderr
    assert all(line.startswith("h5bypass: ") for line in run.stderr.splitlines()), run.stderr


@pytest.mark.parametrize("name", VERSIONS)
def test_the_c_program_says_what_is_wrong(name, empty_dir, tmp_path):
    """Without the plugin it ends with an error, and does not go on natively."""
    run = run_example(name, tmp_path, empty_dir)
    assert run.returncode == 1 and "HDF5-DIAG" in run.stderr, run.stderr
    assert not (tmp_path / "example.h5").exists()


def test_the_readme_as_a_new_user(plugin_dir, python, tmp_path):
    """Its commands, in a fresh environment and an empty directory. Only cargo is not run again: what it built is there."""
    text = EXAMPLE.parents[2].joinpath("README.md").read_text()
    [install] = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    [program] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    user = Installation(tmp_path / "venv", python)
    assert install.startswith("pip install ./")
    user.run(str(user.python), "-m", *install.split(), cwd=ROOT, H5BYPASS_BUILT=str(plugin_dir), PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_NO_INDEX="1")
    empty = tmp_path / "empty"
    empty.mkdir()
    make = "import h5py, numpy; h5py.File('FILE', 'w').create_dataset('x', data=numpy.arange(100_000), chunks=(1000,), compression='gzip')"
    user.script(make, empty)
    read = "import h5py\nh5py.File('FILE')['x'][:]\n"
    for order in [f"import h5py\n{program}", program.replace("print(", f"{read}print(")]:
        assert "files opened through the connector" in user.script(order, empty).stdout
    (empty / "your_script.py").write_text(read)
    commands = re.findall(r"`(h5bypass [^`]+)`", text)
    assert len(commands) >= 7
    for command in commands:
        command = command.replace("COMMAND", "python your_script.py")
        # These have guides of their own.
        if command.split()[1] in ("copy", "compare"):
            continue
        user.run("sh", "-c", command, cwd=empty, BYPASS_VOL_STATS="counts-%p.json")
    assert (empty / "out.json").stat().st_size > 0
    user.run("h5bypass", "env", "disable", cwd=empty)
    counted = [json.loads(path.read_text())["reads"]["bypassed"] for path in empty.glob("counts-*.json") if path.stat().st_size]
    assert counted.count(1) >= 2
