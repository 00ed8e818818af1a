"""What the connector does with the datasets of a file: `h5bypass explain`, from Python."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Optional, Tuple


class Explanation:
    """What `explain()` returns. Prints as the command does; `datasets` is for programs."""

    def __init__(self, document: Dict[str, Any], text: str):
        #: The whole of what `h5bypass explain --json` prints.
        self.document = document
        self._text = text

    @property
    def datasets(self) -> List[Dict[str, Any]]:
        """One entry for each dataset: `path`, `bypassed`, and if not, `code` and `reason`, among others."""
        return list(self.document.get("datasets", self.document.get("arrays", [])))

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(self._text)}</pre>"


def explain(file_or_dataset: Any, *datasets: str) -> Explanation:
    """Tells for each dataset of a file whether it is bypassed, and if not, why and what would change that.

    Takes the name of a file or Zarr directory (and of datasets in it), or a file, group or dataset of h5py, or anything else that
    has `file.filename` and `name`. No data is read. A file that is open for writing must be closed first.
    """
    import json

    name, inside = _place(file_or_dataset)
    command = ["explain", *_library(), name, *inside, *datasets]
    return Explanation(json.loads(_run([*command, "--json"])), _run(command))


def _place(what: Any) -> Tuple[str, List[str]]:
    """The file, and the dataset in it."""
    if isinstance(what, (str, bytes, os.PathLike)):
        return os.fsdecode(what), []
    file = getattr(what, "file", None)
    filename = getattr(file, "filename", None) or getattr(what, "filename", None)
    if filename is None:
        raise TypeError(f"explain() takes the name of a file, or a file or dataset of h5py, not {type(what).__name__}")
    if getattr(file, "mode", "r") == "r+":
        raise RuntimeError(f"{os.fsdecode(filename)} is open for writing: close it, or open it to read only, before explain()")
    is_dataset = hasattr(what, "shape") and hasattr(what, "dtype")
    return os.fsdecode(filename), [what.name] if is_dataset else []


def _library() -> List[str]:
    """h5py's own libhdf5, if it is here: what the file will be opened with."""
    import sys

    if "h5py" not in sys.modules:
        return []
    from ._libhdf5 import imported

    path: Optional[str] = next(library.path() for library in imported() if library.package == "h5py")
    return ["--lib", path] if path and os.path.basename(path).startswith("libhdf5") else []


def _run(arguments: List[str]) -> str:
    import subprocess

    from ._installed import PLUGIN_DIR, plugin_path, program

    # What it must not inherit: it has its own idea of connectors.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("HDF5_VOL", "BYPASS_VOL_"))}
    environment[PLUGIN_DIR] = plugin_path()
    done = subprocess.run([program(), *arguments], env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError((done.stderr or done.stdout).strip())
    return done.stdout
