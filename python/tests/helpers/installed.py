"""The wheel, built from the plugins under test and installed into an environment of its own, beside the stock clients."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from helpers.connectors import OURS

ROOT = Path(__file__).resolve().parents[3]
BACKEND = ROOT / "python" / "backend" / "h5bypass_build.py"


def clean() -> dict[str, str]:
    """The environment of a user who has set nothing."""
    unwanted = (*OURS, "H5BYPASS_", "PYTHON", "VIRTUAL_ENV", "CONDA_PREFIX")
    return {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}


def build(kind: str, plugins: Path, folder: Path) -> Path:
    """Packs a wheel or the sources."""
    env = {**os.environ, "H5BYPASS_BUILT": str(plugins), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, str(BACKEND), kind, str(folder)], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip())


class Installation:
    """An environment with h5bypass; the clients are those of the tests' own environment."""

    def __init__(self, folder: Path, clients: str | None):
        venv.create(folder, with_pip=False, symlinks=True)
        self.folder, self.python = folder, folder / "bin" / "python"
        self.env = {**clean(), "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}
        [self.packages] = (folder / "lib").glob("python3.*/site-packages")
        if clients:
            done = subprocess.run([clients, "-c", "import sysconfig; print(sysconfig.get_path('platlib'))"], capture_output=True, text=True)
            (self.packages / "clients.pth").write_text(done.stdout)

    def pip(self, *arguments: str) -> None:
        """Runs the tests' own pip for this environment."""
        command = [sys.executable, "-m", "pip", "--python", str(self.python), "--disable-pip-version-check", *arguments]
        done = subprocess.run(command, env=clean(), capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr

    def files(self) -> set[str]:
        """Everything in the environment, except for what Python compiles."""
        files = (path for path in self.folder.rglob("*") if "__pycache__" not in path.parts)
        return {str(path.relative_to(self.folder)) for path in files}

    def run(self, *command: str, cwd: Path, code: int = 0, **variables: str) -> subprocess.CompletedProcess:
        """Runs a command of the environment."""
        env = {**self.env, **variables}
        done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=300)
        assert done.returncode == code, f"{command}\n{done.stdout}\n{done.stderr}"
        return done

    def script(self, program: str, cwd: Path, *arguments: str, code: int = 0, **variables: str) -> subprocess.CompletedProcess:
        """Runs a Python program in a fresh process."""
        return self.run(str(self.python), "-c", program, *arguments, cwd=cwd, code=code, **variables)

    def told(self, program: str, cwd: Path, **variables: str):
        """What a Python program prints last, as JSON. It must print nothing to stderr."""
        done = self.script(program, cwd, **variables)
        assert done.stderr == "", done.stderr
        return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def wheel(plugin_dir, tmp_path_factory) -> Path:
    """The wheel of the plugins under test."""
    return build("wheel", plugin_dir, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installation(wheel, python, tmp_path_factory) -> Installation:
    """h5bypass and the clients."""
    made = Installation(tmp_path_factory.mktemp("user") / "venv", python)
    made.pip("install", "--no-index", "--quiet", str(wheel))
    return made
