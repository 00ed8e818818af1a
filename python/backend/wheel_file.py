"""A wheel: an archive that lists the digests of its files. The same content gives the same bytes."""

from __future__ import annotations

import base64
import hashlib
import os
import time
import zipfile
from pathlib import Path

# The earliest time that a ZIP archive can hold.
EPOCH = 315532800


def moment() -> int:
    """The time that all files in an archive have: SOURCE_DATE_EPOCH, or always the same."""
    return max(int(os.environ.get("SOURCE_DATE_EPOCH", EPOCH)), EPOCH)


class WheelFile:
    """Collects files, then writes them."""

    def __init__(self, path: Path, info: str):
        self.path, self.info = path, info
        self.files: list[tuple[str, bytes, bool]] = []

    def add(self, name: str, content: bytes, executable: bool = False) -> None:
        """Adds a file."""
        self.files.append((name, content, executable))

    def add_info(self, name: str, text: str) -> None:
        """Adds a file about the wheel itself."""
        self.add(f"{self.info}/{name}", text.encode())

    def write(self) -> str:
        """Writes the archive, with RECORD at its end: its name."""
        record = f"{self.info}/RECORD"
        lines = [f"{name},sha256={_digest(content)},{len(content)}" for name, content, _ in self.files]
        self.add(record, "".join(f"{line}\n" for line in [*lines, f"{record},,"]).encode())
        with zipfile.ZipFile(self.path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name, content, executable in self.files:
                entry = zipfile.ZipInfo(name, time.gmtime(moment())[:6])
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = (0o100755 if executable else 0o100644) << 16
                archive.writestr(entry, content)
        return self.path.name


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
