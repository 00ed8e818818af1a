"""The archive of the sources (sdist): this folder at its top, and the whole workspace in `workspace/`, without tests' data."""

from __future__ import annotations

import gzip
import io
import subprocess
import tarfile
from pathlib import Path

import project
from wheel_file import moment

# Building needs none of these.
LEFT_OUT = ("python/", "fuzz/corpus/", "tests/", ".ci/", "docs/figures/")


def write(directory: Path) -> str:
    """Writes the archive: its name."""
    top = f"{project.NAME}-{project.version()}"
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.PAX_FORMAT) as archive:
        _add(archive, f"{top}/PKG-INFO", project.metadata().encode())
        for name in ["pyproject.toml", "README.md"]:
            _add(archive, f"{top}/{name}", (project.HERE / name).read_bytes())
        for folder in ["backend", "src"]:
            for path in sorted((project.HERE / folder).rglob("*")):
                if path.is_file() and "__pycache__" not in path.parts:
                    _add(archive, f"{top}/{path.relative_to(project.HERE).as_posix()}", path.read_bytes())
        for name in _sources():
            _add(archive, f"{top}/workspace/{name}", (project.workspace() / name).read_bytes())
    path = directory / f"{top}.tar.gz"
    with path.open("wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=moment()) as packed:
        packed.write(content.getvalue())
    return path.name


def _sources() -> list[str]:
    """The files of the workspace, by their names there."""
    root = project.workspace()
    if root.name == "workspace":
        # An archive of the sources that is packed again.
        names = [path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()]
        names = [name for name in names if not name.startswith("target/")]
    else:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True).stdout
        names = [name for name in listed.split("\0") if name and (root / name).is_file()]
    return sorted(name for name in names if not name.startswith(LEFT_OUT))


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mtime, entry.mode = len(content), moment(), 0o644
    archive.addfile(entry, io.BytesIO(content))
