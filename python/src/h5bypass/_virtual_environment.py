"""`h5bypass env`: switches the connector on for every program of a Python environment, by a file that Python reads when it starts."""

from __future__ import annotations

import json
import os
import site
import subprocess
import sys
from typing import List

from ._environment import CONNECTOR, names_us
from ._installed import program

NAME = "h5bypass-enabled.pth"
# Python executes lines that begin with `import`. Without h5bypass it must not complain.
LINE = 'import sys; exec("try:\\n import h5bypass._environment as e\\n e.at_start()\\nexcept ImportError: pass")\n'
USAGE = """\
Switches h5bypass on for all programs of this Python environment.

Usage: h5bypass env enable [--force]   every Python program here uses the connector from now on
       h5bypass env disable            no longer
       h5bypass env status [--json]

The environment is that of {executable}.
`enable` tests the HDF5 libraries of the environment first, and refuses if one does not work; --force does without.
HDF5_VOL_CONNECTOR=native starts one program without the connector."""


def main(arguments: List[str]) -> int:
    """Runs the command: its exit code."""
    try:
        file = os.path.join(_site_directory(), NAME)
        if arguments in (["status"], ["status", "--json"]):
            return status(file, "--json" in arguments)
        if arguments == ["disable"]:
            return disable(file)
        if arguments in (["enable"], ["enable", "--force"]):
            return enable(file, "--force" in arguments)
    except OSError as error:
        print(f"h5bypass: {error}", file=sys.stderr)
        return 2
    is_help = arguments in ([], ["--help"], ["-h"], ["help"])
    print(USAGE.format(executable=sys.executable), file=sys.stdout if is_help else sys.stderr)
    return 0 if is_help else 2


def enable(file: str, force: bool) -> int:
    """Writes the file."""
    if not force:
        failing = failing_libraries()
        if failing:
            for path, reason in failing:
                print(f"h5bypass: {path}: {reason}", file=sys.stderr)
            print("h5bypass: not switched on; `h5bypass doctor` has the details, and --force does it anyway", file=sys.stderr)
            return 1
    with open(file, "w") as writing:
        writing.write(LINE)
    _record(os.path.basename(file))
    print(f"h5bypass is on for {sys.prefix}: all Python programs of this environment use it ({file})")
    return 0


def disable(file: str) -> int:
    """Removes the file."""
    try:
        os.remove(file)
    except FileNotFoundError:
        pass
    print(f"h5bypass is off for {sys.prefix}")
    return 0


def status(file: str, as_json: bool) -> int:
    """Tells whether it is on, for the environment and for a program that is started now. The exit code is 0 if it is on."""
    is_on = os.path.isfile(file)
    if as_json:
        print(json.dumps({"enabled": is_on, "environment": sys.prefix, "file": file, "connector": os.environ.get(CONNECTOR)}))
        return 0 if is_on else 1
    print(f"h5bypass is {'on' if is_on else 'off'} for {sys.prefix}")
    if os.environ.get(CONNECTOR) and not names_us(os.environ):
        print(f"but {CONNECTOR} is '{os.environ[CONNECTOR]}', which programs started from here get instead")
    return 0 if is_on else 1


def failing_libraries() -> "list[tuple[str, str]]":
    """The HDF5 libraries of this environment that do not work with the connector, and why."""
    command = [program(), "doctor", "--json", "--python", sys.executable]
    done = subprocess.run(command, capture_output=True, text=True)
    if not done.stdout:
        return [("doctor", done.stderr.strip())]
    prefix = os.path.realpath(sys.prefix) + os.sep
    libraries = json.loads(done.stdout)["libraries"]
    inside = [library for library in libraries if os.path.realpath(library["path"]).startswith(prefix)]
    return [(library["path"], library.get("reason") or library["verdict"]) for library in inside if library["verdict"] != "ok"]


def _site_directory() -> str:
    """Where h5bypass is installed. Python reads such files only in its own directories for packages."""
    active = os.environ.get("VIRTUAL_ENV")
    if active and os.path.realpath(active) != os.path.realpath(sys.prefix):
        raise OSError(f"this h5bypass belongs to {sys.prefix}, and the active environment is {active}: install h5bypass there, too")
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folders = [*site.getsitepackages(), site.getusersitepackages()]
    if not any(os.path.realpath(here) == os.path.realpath(folder) for folder in folders):
        raise OSError(f"h5bypass is installed in {here}, where Python reads no .pth files: set the variables of `h5bypass run --print-env`")
    return here


def _record(name: str) -> None:
    """Adds the file to what is installed, so that uninstalling h5bypass removes it."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        installed = distribution("h5bypass")
    except PackageNotFoundError:
        return
    record = next((file for file in installed.files or [] if file.name == "RECORD"), None)
    if record is None or any(file.name == name for file in installed.files or []):
        return
    with open(str(record.locate()), "a") as listing:
        listing.write(f"{name},,\n")
