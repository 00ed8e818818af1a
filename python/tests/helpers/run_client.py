"""Runs the Python clients of python/tests/clients in processes of their own.

Which libhdf5 is loaded, and when, and with which environment, is decided at import: only a fresh process can tell.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

CLIENTS = Path(__file__).resolve().parents[1] / "clients"
TIMEOUT = 90


def run_client(python: str, script: str, *arguments: str, env: dict[str, str], cwd: Path, code: int = 0) -> Any:
    """Runs `clients/SCRIPT.py ARGUMENTS`; the JSON of its last line of output."""
    cwd.mkdir(parents=True, exist_ok=True)
    command = [python, str(CLIENTS / f"{script}.py"), *arguments]
    try:
        done = subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired as late:
        raise AssertionError(f"{command} still running after {TIMEOUT} s\n{late.stdout!r}\n{late.stderr!r}") from None
    shown = {key: value for key, value in env.items() if key.startswith(("HDF5_", "BYPASS_", "H5STATS_"))}
    report = f"{shown} {' '.join(command)}\n--- stdout\n{done.stdout[-3000:]}\n--- stderr\n{done.stderr[-6000:]}"
    assert done.returncode == code, f"{report}\nexit code {done.returncode}, expected {code}"
    lines = done.stdout.splitlines()
    return json.loads(lines[-1]) if lines else None


class Dumper:
    """One native h5py process that turns HDF5 files into comparable text, for the whole session."""

    def __init__(self, python: str, env: dict[str, str]) -> None:
        command = [python, str(CLIENTS / "dump.py")]
        self.process = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, directory: Path) -> dict[str, Any]:
        """What is in every file of a folder, by file name."""
        self.process.stdin.write(f"{directory}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the dumper died on {directory}"
        return json.loads(line)

    def close(self) -> None:
        """Ends the process."""
        self.process.terminate()
        self.process.wait(10)
