"""Compiles and runs the C programs of tests/c.

The programs print what is to be compared on stdout, and on stderr a line `@connector NAME` for every file they opened:
HDF5 falls back to native silently when a connector does not load, so every run is asked who served it.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from helpers.connectors import Stack, clean_env
from helpers.hosts import Host

SOURCES = Path(__file__).resolve().parents[3] / "tests" / "c"
FLAGS = ["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"]
# Longest time any program may take; a hang is a failure of its own.
TIMEOUT = 20


class Programs:
    """The programs of tests/c, by name, each compiled when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __getitem__(self, name: str) -> Path:
        shared, program = self.folder / "h5api.o", self.folder / name
        if not shared.exists():
            subprocess.run(["cc", *FLAGS, "-c", str(SOURCES / "h5api.c"), "-o", str(shared)], check=True)
        if not program.exists():
            source = SOURCES / f"{name}.c"
            subprocess.run(["cc", *FLAGS, str(source), str(shared), "-o", str(program), "-ldl"], check=True)
        return program


@dataclass
class Run:
    """One finished run of a program."""

    code: int
    stdout: str
    stderr: str
    directory: Path
    command: str
    notes: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for line in self.stderr.splitlines():
            if line.startswith("@"):
                key, _, value = line[1:].partition(" ")
                self.notes.setdefault(key, []).append(value)

    def succeeded(self) -> Run:
        """The run itself, if it ended well."""
        assert self.code == 0, f"{self}\nexit code {self.code}"
        return self

    def served_by(self, name: str) -> Run:
        """The run itself, if it opened files and the connector `name` served all of them."""
        served = self.notes.get("connector", [])
        assert served, f"{self}\nopened no file"
        assert set(served) == {name}, f"{self}\nfiles were served by {sorted(set(served))}, not by {name}"
        return self

    def json_lines(self) -> list[dict]:
        """stdout as one JSON value per line."""
        return [json.loads(line) for line in self.stdout.splitlines()]

    def __str__(self) -> str:
        return f"{self.command}\n--- stdout\n{self.stdout[-3000:]}\n--- stderr\n{self.stderr[-6000:]}"


class Runner:
    """Runs the compiled programs, each in a folder of its own."""

    def __init__(self, programs: Programs, plugin_dir: Path, empty_dir: Path) -> None:
        self.programs = programs
        self.plugin_dir = plugin_dir
        self.empty_dir = empty_dir

    def __call__(
        self,
        program: str,
        host: Host,
        directory: Path,
        *arguments: str,
        stack: Stack | None = None,
        mode: str = "run",
        plugins: bool | None = None,
        env: dict[str, str] | None = None,
        under: Sequence[str] = (),
        patience: int = TIMEOUT,
    ) -> Run:
        """Runs `program HOST MODE DIRECTORY ARGUMENTS`.

        `stack` None or empty runs natively, with no plugin to be found unless `plugins` says so. `under` is a command that runs the
        program: valgrind, for example.
        """
        chosen = stack.env() if stack else {}
        if plugins is None:
            plugins = bool(chosen)
        directory.mkdir(parents=True, exist_ok=True)
        command = [*under, str(self.programs[program]), str(host.path), mode, str(directory), *arguments]
        environment = clean_env(self.plugin_dir if plugins else self.empty_dir, **{**chosen, **(env or {})})
        shown = {key: value for key, value in environment.items() if key.startswith(("HDF5_", "BYPASS_"))}
        text = f"{shown} {' '.join(command)}"
        try:
            done = subprocess.run(command, env=environment, capture_output=True, timeout=patience, errors="replace")
        except subprocess.TimeoutExpired as late:
            raise AssertionError(f"{text}\nstill running after {patience} s\n{late.stdout}\n{late.stderr}") from None
        # The folder is each run's own: it must not look like a difference.
        stdout, stderr = (output.replace(str(directory), "DIR") for output in (done.stdout, done.stderr))
        return Run(done.returncode, stdout, stderr, directory, text)
