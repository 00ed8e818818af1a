"""The stock libhdf5 copies the tests run against.

`cargo xtask test` downloads the wheels and says in files where their libhdf5 is, one `name<TAB>path` a line.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

HOW_TO_RUN = "run through `cargo xtask test`"


@dataclass(frozen=True)
class Host:
    """One libhdf5: `name` is the Python package that brought it."""

    name: str
    path: Path


def required(variable: str) -> str:
    """The value of an environment variable the tests cannot do without.

    A missing one is a failure, never a skip: a suite that skips itself is green for the wrong reason.
    """
    value = os.environ.get(variable)
    if not value:
        raise RuntimeError(f"{variable} is not set: {HOW_TO_RUN}")
    return value


def read_hosts(variable: str) -> list[Host]:
    """The hosts listed in the file an environment variable names."""
    listing = Path(required(variable))
    hosts = []
    for line in listing.read_text().splitlines():
        if line.strip():
            name, path = line.split("\t")
            hosts.append(Host(name, Path(path)))
            if not hosts[-1].path.is_file():
                raise RuntimeError(f"{listing}: {path} does not exist: {HOW_TO_RUN}")
    if not hosts:
        raise RuntimeError(f"{listing} lists no host: {HOW_TO_RUN}")
    return hosts
