"""A trace of all threads, for ui.perfetto.dev or chrome://tracing."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import Iterator, Union


@contextmanager
def trace(path: "Union[str, os.PathLike[str]]") -> Iterator[None]:
    """Records what the connector does in this block, and writes it to a file, which must not exist.

    Files must be opened through the connector in the block, or before it.
    """
    from ._plugin import ask

    file = os.path.abspath(os.fspath(path))
    if os.path.exists(file):
        raise FileExistsError(f"{file} exists; h5bypass.trace() does not overwrite it")
    ask(f"start trace {file}")
    try:
        yield
    finally:
        ask("stop trace")
