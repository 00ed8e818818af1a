"""Runs `h5bypass copy` and `h5bypass compare`."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from helpers.connectors import clean_env
from helpers.hosts import read_hosts

CLIENTS = Path(__file__).resolve().parents[1] / "clients"
TIMEOUT = 120


class Exchange:
    """The program, with one libhdf5, in one folder."""

    def __init__(self, plugin_dir: Path, folder: Path, host: str = "h5py"):
        self.folder = folder
        self.program = str(plugin_dir / "h5bypass")
        self.env = clean_env(plugin_dir, H5BYPASS_PLUGIN_DIR=str(plugin_dir))
        self.lib = next(str(found.path) for found in read_hosts("H5_HOSTS_FILE") if found.name == host)

    def command(self, command: str, *arguments: object) -> list[str]:
        return [self.program, command, "--lib", self.lib, *map(str, arguments)]

    def run(self, command: str, *arguments: object, code: int = 0, **env: str) -> subprocess.CompletedProcess[str]:
        """Runs it, and looks at the exit code."""
        done = subprocess.run(
            self.command(command, *arguments), cwd=self.folder, env={**self.env, **env}, capture_output=True, text=True, timeout=TIMEOUT
        )
        assert done.returncode == code, f"{arguments}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def copy(self, *arguments: object, code: int = 0, **env: str) -> str:
        """What it printed, on standard error if it failed."""
        done = self.run("copy", *arguments, code=code, **env)
        return done.stdout if code == 0 else done.stderr

    def compare(self, *arguments: object, equal: bool = True) -> dict:
        """The report; both must be equal, or not."""
        report = json.loads(self.run("compare", "--json", *arguments, code=0 if equal else 1).stdout)
        assert report["equal"] is equal
        return report

    def differences(self, *arguments: object) -> list[tuple[str, str]]:
        """Kinds and paths of all differences, in the order in which they are told."""
        report = self.compare(*arguments, equal=False)
        return [(found["kind"], found["path"] + (f"@{found['attribute']}" if found["attribute"] else "")) for found in report["differences"]]


def make_corpus(python: str, plugin_dir: Path, folder: Path) -> list[str]:
    """Files with every kind of object, made natively. Their names."""
    folder.mkdir(parents=True, exist_ok=True)
    env = clean_env(plugin_dir)
    names: set[str] = set()
    for package in ("h5py", "netCDF4", "tables"):
        command = [python, str(CLIENTS / "exchange_corpus.py"), package]
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=TIMEOUT)
        assert done.returncode == 0, done.stderr
        names.update(json.loads(done.stdout.splitlines()[-1]))
    return sorted(name for name in names if not name.endswith(".bin"))


def left_over(folder: Path) -> list[str]:
    """Temporary files that are still there."""
    return sorted(name for name in os.listdir(folder) if "h5bypass-" in name)
