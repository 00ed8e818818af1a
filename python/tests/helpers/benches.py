"""What tests of the benchmarks in bench/ share."""

from __future__ import annotations

import subprocess
from pathlib import Path


def refused(python: str, script: Path, plugin_dir: Path, folder: Path, options: list[str], message: str) -> None:
    """A benchmark must refuse these options, with this message, before it writes anything to the folder."""
    needed = ["--folder", ".", "--plugins", str(plugin_dir), "--json", "out.json"]
    command = [python, str(script), *([] if "is missing" in message else needed), *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 2, done
    assert message in done.stderr, done.stderr
    assert list(folder.iterdir()) == []


def keys_of(value, place: str = "") -> set[str]:
    """The keys of results, with where they are. Those that are names of packages or peers do not count."""
    if isinstance(value, list):
        return set().union(*(keys_of(item, place) for item in value))
    if not isinstance(value, dict) or place.endswith((".versions", ".left_out", ".packages")):
        return set()
    places = {f"{place}.{key}": below for key, below in value.items()}
    return places.keys() | set().union(*(keys_of(below, inner) for inner, below in places.items()))
