"""The guides in docs/: each program and each command as they are printed there, with what they print."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from helpers.connectors import clean_env
from helpers.installed import Installation, wheel  # noqa: F401

DOCS = Path(__file__).resolve().parents[2] / "docs"
# What users follow with the installed package. Others are for those who have built it.
GUIDES = sorted(path.name for path in (DOCS / "guides").glob("*.md"))
# Has its commands executed by test_readme.py, with other headers and libraries.
IN_C = "c-and-fortran.md"


@pytest.fixture
def follow(python, plugin_dir, tmp_path):
    """Runs everything in a guide, in order."""

    def guide(name, **variables):
        text = (DOCS / name).read_text()
        programs = re.findall(r"```python\n# (\w+\.py)\n(.*?)```", text, re.DOTALL)
        assert len(programs) == text.count("```python") > 0
        for program, content in programs:
            (tmp_path / program).write_text(content)
        (tmp_path / "target").mkdir()
        (tmp_path / "target" / "release").symlink_to(plugin_dir)
        assert (plugin_dir / "h5bypass").is_file()
        runs = re.findall(r"```sh\n(.*?)```\n\n```text\n(.*?)```", text, re.DOTALL)
        assert len(runs) == text.count("```sh") > 0
        env = clean_env(plugin_dir, **variables)
        env["PATH"] = f"{Path(python).parent}{os.pathsep}{env['PATH']}"
        for commands, expected in runs:
            done = subprocess.run(["sh", "-e", "-c", commands], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300)
            assert done.returncode == 0, done.stderr
            assert done.stdout == expected

    return guide


def test_copy_and_compare(follow, plugin_dir):
    follow("copy-and-compare.md", H5BYPASS_PLUGIN_DIR=str(plugin_dir))


def test_mirror(follow):
    follow("mirror.md")


def test_zarr(follow, tmp_path):
    follow("zarr.md", ZARR_VOL_STATS=str(tmp_path / "counters-%p.json"))
    assert (tmp_path / "weather.zarr" / "temperature" / "c").is_dir()
    counted = [json.loads(counters.read_text()) for counters in tmp_path.glob("counters-*.json")]
    assert sum(counters["created"] for counters in counted) == 3 and sum(counters["chunks_read"] for counters in counted) > 0


@pytest.mark.parametrize("name", [name for name in GUIDES if name != IN_C])
def test_guide_of_the_package(name, wheel, python, tmp_path):
    """To the letter, from `pip install` on, in an empty directory and a fresh environment.

    The index of pip is a folder with our wheel; the clients are those of the tests. Blocks marked `console` and `py` are not executed, and
    the guide says so.
    """
    user = Installation(tmp_path / "venv", python)
    pip = user.folder / "bin" / "pip"
    pip.write_text(f'#!/bin/sh\nexec "{user.python}" -m pip "$@"\n')
    pip.chmod(0o755)
    variables = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheel.parent), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    text = (DOCS / "guides" / name).read_text()
    empty = tmp_path / "empty"
    empty.mkdir()
    if "pip install" not in "".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL)):
        user.run(str(pip), "install", "--quiet", "h5bypass", cwd=empty, **variables)
    programs = re.findall(r"```python\n# (\w+\.py)\n(.*?)```", text, re.DOTALL)
    assert len(programs) == text.count("```python")
    for program, content in programs:
        (empty / program).write_text(content)
    runs = re.findall(r"```sh\n(.*?)```\n\n```text\n(.*?)```", text, re.DOTALL)
    assert len(runs) == text.count("```sh")
    if not runs:
        assert "```console" in text and "The tests do not" in text
    for commands, expected in runs:
        done = user.run("sh", "-e", "-c", commands, cwd=empty, **variables)
        assert (done.stdout, done.stderr) == (expected, ""), commands
