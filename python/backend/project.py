"""What pyproject.toml and the workspace say about the project."""

from __future__ import annotations

import re
from pathlib import Path

NAME = "h5bypass"
HERE = Path(__file__).resolve().parents[1]


def workspace() -> Path:
    """The Rust workspace: beside us in an archive of the sources, around us in the repository."""
    packed = HERE / "workspace"
    return packed if packed.is_dir() else HERE.parent


def version() -> str:
    """The one version, of the workspace."""
    section = (workspace() / "Cargo.toml").read_text().split("[workspace.package]")[1]
    return re.search(r'^version = "(.+)"$', section, re.MULTILINE).group(1)


def _pyproject() -> str:
    return (HERE / "pyproject.toml").read_text()


def _text(key: str) -> str:
    return re.search(rf'^{key} = "(.+)"$', _pyproject().split("[project]")[1], re.MULTILINE).group(1)


def _list(key: str) -> list[str]:
    """A list of texts. Python 3.9 and 3.10 cannot read TOML."""
    content = re.search(rf"^{key} = \[(.*?)\]", _pyproject(), re.MULTILINE | re.DOTALL).group(1)
    return re.findall(r'"([^"]+)"', content)


def metadata() -> str:
    """METADATA of a wheel, PKG-INFO of an archive of the sources."""
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {NAME}",
        f"Version: {version()}",
        f"Summary: {_text('description')}",
        f"License-Expression: {_text('license')}",
        *(f"License-File: {name}" for name in ["LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY.txt"]),
        f"Keywords: {','.join(_list('keywords'))}",
        *(f"Classifier: {name}" for name in _list("classifiers")),
        f"Requires-Python: {_text('requires-python')}",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + (HERE / "README.md").read_text()


def entry_points() -> str:
    """The commands."""
    section = re.search(r"^\[project\.scripts\]\n(.*?)(?:\n\[|\Z)", _pyproject(), re.MULTILINE | re.DOTALL).group(1)
    return "[console_scripts]\n" + "".join(f"{name} = {what}\n" for name, what in re.findall(r'^(\w+) = "(.+)"$', section, re.MULTILINE))
