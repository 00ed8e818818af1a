"""The Python package as pip installs it: what is in it, on which systems it says that it runs, and that it goes without a trace."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from helpers.installed import BACKEND, ROOT, Installation, build, clean, installation, wheel  # noqa: F401

VERSION = re.search(r'^version = "(.+)"$', (ROOT / "Cargo.toml").read_text(), re.MULTILINE).group(1)
PLUGINS = ["libh5bypass_vol.so", "libh5mirror_vol.so", "libh5stats_vol.so", "libh5zarr_vol.so"]
# Licences that ask for nothing but their text and names, which the wheel contains.
PERMISSIVE = {"MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Zlib", "Unlicense", "0BSD", "CC0-1.0", "Unicode-3.0", "bzip2-1.0.6"}
ALSO_PERMISSIVE = {"Apache-2.0 WITH LLVM-exception", "BSL-1.0", "MIT-0"}


def test_it_has_the_plugins_the_command_and_a_typed_module(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        assert sorted(name for name in names if "/plugin/" in name) == [f"h5bypass/plugin/{plugin}" for plugin in PLUGINS]
        assert {"h5bypass/bin/h5bypass", "h5bypass/py.typed", "h5bypass/__init__.py"} <= set(names)
        mode = archive.getinfo("h5bypass/bin/h5bypass").external_attr >> 16
        assert mode & 0o111
        metadata = archive.read(f"h5bypass-{VERSION}.dist-info/METADATA").decode()
        assert "Requires-Dist" not in metadata and f"\nVersion: {VERSION}\n" in metadata
        for name in re.findall(r"^License-File: (.+)$", metadata, re.MULTILINE):
            assert f"h5bypass-{VERSION}.dist-info/licenses/{name}" in names
    # Without the tables of debuggers. It was 50 MB with them.
    assert wheel.stat().st_size < 15_000_000


def test_one_wheel_for_all_pythons_where_its_glibc_is(wheel, plugin_dir):
    tag = re.fullmatch(rf"h5bypass-{VERSION}-py3-none-manylinux_2_(\d+)_\w+\.whl", wheel.name)
    assert tag
    # An independent reader of the same tables.
    needed = [0]
    for name in [*PLUGINS, "h5bypass"]:
        listed = subprocess.run(["objdump", "-T", str(plugin_dir / name)], capture_output=True, text=True, check=True).stdout
        needed += [int(minor) for minor in re.findall(r"GLIBC_2\.(\d+)", listed)]
    assert int(tag.group(1)) == max(17, *needed)


def test_licences_allow_it(wheel):
    with zipfile.ZipFile(wheel) as archive:
        bill = json.loads(archive.read(f"h5bypass-{VERSION}.dist-info/sboms/h5bypass.cdx.json"))
        texts = archive.read(f"h5bypass-{VERSION}.dist-info/licenses/THIRD-PARTY.txt").decode()
    components = {component["name"]: component for component in bill["components"]}
    assert {"zstd-sys", "lz4-sys", "libdeflater", "clap"} <= components.keys()
    # Tools of tests and benchmarks are not in it.
    assert not components.keys() & {"proptest", "shuttle", "arbitrary"}
    for name, component in components.items():
        [licence] = component["licenses"]
        ways = [part.strip("() ") for part in re.split(r"\bOR\b", licence["expression"])]
        allowed = [way for way in ways if way in ALSO_PERMISSIVE or set(re.split(r" AND ", way.strip("() "))) <= PERMISSIVE]
        assert allowed, f"{name}: {licence}"
        assert f"{name} {component['version']} (" in texts
    assert "Yann Collet" in texts and "Eric Biggers" in texts


def test_everything_of_it_says_the_same_version(installation, tmp_path):
    assert installation.run("h5bypass", "--version", cwd=tmp_path).stdout == f"h5bypass {VERSION}\n"
    told = installation.told(
        "import ctypes, json, h5bypass, os\n"
        "versions = [h5bypass.__version__]\n"
        "take = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t)\n"
        "keep = take(lambda context, good, text, length: versions.append(ctypes.string_at(text, length).decode()))\n"
        "for name in sorted(os.listdir(h5bypass.plugin_path())):\n"
        "    ctypes.CDLL(os.path.join(h5bypass.plugin_path(), name)).h5bypass_ask(b'version', keep, None)\n"
        "print(json.dumps(versions))",
        tmp_path,
    )
    assert told == [VERSION] * 5


def test_the_command_finds_plugins_and_libraries_by_itself(installation, tmp_path):
    """As in a shell in which no environment is active."""
    command = str(installation.folder / "bin" / "h5bypass")
    done = installation.run(command, "doctor", "--json", cwd=tmp_path, PATH=clean()["PATH"])
    diagnosis = json.loads(done.stdout)
    assert Path(diagnosis["plugin"]["path"]).parent == installation.packages / "h5bypass" / "plugin"
    verdicts = {Path(library["path"]).parent.name: library["verdict"] for library in diagnosis["libraries"]}
    assert verdicts.items() >= {"h5py.libs": "ok", "netcdf4.libs": "ok", "tables.libs": "ok"}.items()
    module = installation.run(str(installation.python), "-m", "h5bypass", "--version", cwd=tmp_path)
    assert module.stdout == f"h5bypass {VERSION}\n"


def test_it_describes_itself_to_man_and_to_shells(installation, tmp_path):
    page = installation.run("h5bypass", "man", cwd=tmp_path).stdout
    installation.run("h5bypass", "man", "pages", cwd=tmp_path)
    assert "connector loaded" in (tmp_path / "pages" / "h5bypass-run.1").read_text()
    for text in [page, (tmp_path / "pages" / "h5bypass.1").read_text()]:
        # Commands that the program starts itself with are nobody's business.
        assert "h5bypass\\-run(1)" in text and "probe" not in text and "worker" not in text
    (tmp_path / "complete").write_text(installation.run("h5bypass", "completions", "bash", cwd=tmp_path).stdout)
    ask = "source ./complete; COMP_WORDS=(h5bypass do); COMP_CWORD=1; _h5bypass h5bypass do h5bypass; echo ${COMPREPLY[*]}"
    assert installation.run("bash", "-c", ask, cwd=tmp_path).stdout == "doctor\n"
    assert installation.run("h5bypass", "completions", "zsh", cwd=tmp_path).stdout.startswith("#compdef h5bypass")


def test_help_says_what_to_type_next(installation, tmp_path):
    said = installation.run("h5bypass", "--help", cwd=tmp_path).stdout
    assert said.splitlines()[0] == "Makes HDF5 use all cores. Start with `h5bypass doctor`, then `h5bypass run -- python x.py`."
    # The program alone has no Python.
    program = installation.packages / "h5bypass" / "bin" / "h5bypass"
    alone = installation.run(str(program), "env", "enable", "--force", cwd=tmp_path, code=2)
    assert "python -m h5bypass env enable --force" in alone.stderr


def test_uninstalling_leaves_nothing(wheel, python, tmp_path):
    made = Installation(tmp_path / "venv", python)
    before = made.files()
    made.pip("install", "--no-index", "--quiet", str(wheel))
    made.run("h5bypass", "env", "enable", cwd=tmp_path)
    assert "bin/h5bypass" in made.files() and any(name.endswith("h5bypass-enabled.pth") for name in made.files())
    made.pip("uninstall", "--yes", "--quiet", "h5bypass")
    assert made.files() == before


def test_the_same_sources_give_the_same_wheel(wheel, plugin_dir, tmp_path):
    assert build("wheel", plugin_dir, tmp_path).read_bytes() == wheel.read_bytes()


def test_the_sources_are_complete(plugin_dir, tmp_path):
    """Cargo accepts the workspace in the archive, and the backend in it packs the same wheel."""
    archive = build("sdist", plugin_dir, tmp_path)
    assert archive.name == f"h5bypass-{VERSION}.tar.gz"
    subprocess.run(["tar", "-xzf", str(archive), "-C", str(tmp_path)], check=True)
    source = tmp_path / f"h5bypass-{VERSION}"
    assert {"PKG-INFO", "pyproject.toml", "workspace", "src", "backend"} <= {path.name for path in source.iterdir()}
    for folder, manifest in [(source / "workspace", "Cargo.toml"), (source / "workspace", "Cargo.lock")]:
        assert (folder / manifest).is_file()
    env = {**os.environ, "H5BYPASS_BUILT": str(plugin_dir), "PYTHONDONTWRITEBYTECODE": "1"}
    again = subprocess.run(
        ["python3", str(source / "backend" / "h5bypass_build.py"), "wheel", str(tmp_path / "again")], env=env, capture_output=True, text=True
    )
    assert again.returncode == 0, again.stderr
    # Every file that cargo names must be there: it looks at all members' manifests and their targets.
    listed = json.loads(
        subprocess.run(
            ["cargo", "metadata", "--no-deps", "--format-version", "1", "--offline"], cwd=source / "workspace", capture_output=True, text=True, check=True
        ).stdout
    )
    missing = [target["src_path"] for package in listed["packages"] for target in package["targets"] if not Path(target["src_path"]).is_file()]
    assert not missing


def test_without_rust_it_says_what_is_needed(tmp_path):
    env = {**clean(), "CARGO": "no-such-cargo"}
    done = subprocess.run(["python3", str(BACKEND), "wheel", str(tmp_path)], env=env, capture_output=True, text=True)
    assert done.returncode == 1 and "https://rustup.rs" in done.stderr


@pytest.mark.parametrize("minor", range(9, 16))
def test_other_versions_of_python(minor, wheel, tmp_path):
    """The module itself, without clients, with each Python that this machine has."""
    version = f"3.{minor}"
    interpreter = next(
        (found for name in [f"python{version}"] if (found := shutil.which(name)) and works(found, version)),
        next(map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/python3")), None),
    )
    if interpreter is None:
        pytest.skip(f"there is no Python {version}")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    program = (
        "import h5bypass, os; assert not h5bypass.enabled(); h5bypass.stats()\n"
        "with h5bypass.enable(threads=2): assert h5bypass.enabled() and os.environ['HDF5_PLUGIN_PATH'] == h5bypass.plugin_path()\n"
        "assert not h5bypass.enabled() and 'HDF5_VOL_CONNECTOR' not in os.environ\n"
        "print(h5bypass.stats()._repr_html_())"
    )
    done = subprocess.run([interpreter, "-W", "error", "-c", program], cwd=tmp_path, env=clean(), capture_output=True, text=True)
    assert done.returncode == 0 and "0 files opened" in done.stdout, done.stderr


def works(interpreter: str, version: str) -> bool:
    """Whether it is there and not only a name, as pyenv has them for versions that are not chosen."""
    program = "import sys; print('%d.%d' % sys.version_info[:2])"
    return subprocess.run([interpreter, "-c", program], capture_output=True, text=True).stdout.strip() == version
