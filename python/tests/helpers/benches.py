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
