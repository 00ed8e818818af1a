"""Connectors, stacks of them, and the environments that choose them."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

# What HDF5, our plugins or h5py would take from the environment of whoever runs the tests.
OURS = ("HDF5_", "BYPASS_VOL_", "H5STATS_")


def _link_to_stderr() -> str:
    folder = tempfile.mkdtemp(prefix="h5bypass-stats-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    link = os.path.join(folder, "stderr.json")
    os.symlink("/proc/self/fd/2", link)
    return link


# Makes the connector write its counters, as JSON, on the stderr of each process, which must be a pipe: see clients/counted.py.
STATS = {"BYPASS_VOL_STATS": _link_to_stderr()}


@dataclass(frozen=True)
class Connector:
    """A connector as HDF5 knows it."""

    name: str
    value: int


@dataclass(frozen=True)
class Stack:
    """Connectors from the application's side down; native lies below the last. An empty stack is native itself."""

    label: str
    layers: tuple[Connector, ...] = ()

    @property
    def name(self) -> str:
        """What H5VLget_connector_name says of a file opened through the stack."""
        return self.layers[0].name if self.layers else "native"

    @property
    def info(self) -> str:
        """The info string of the topmost connector, with those of the lower ones nested in it."""
        text = ""
        for under in reversed((*self.layers[1:], Connector("native", 0))):
            text = f"under_vol={under.value};under_info={{{text}}}"
        return text

    def env(self) -> dict[str, str]:
        """The variable that makes the stack the default of a process."""
        return {"HDF5_VOL_CONNECTOR": f"{self.name} {self.info}"} if self.layers else {}


def clean_env(plugin_dir: Path, **extra: str) -> dict[str, str]:
    """The caller's environment without anything that speaks to HDF5, with one plugin folder and `extra`."""
    env = {key: value for key, value in os.environ.items() if not key.startswith(OURS)}
    env["HDF5_PLUGIN_PATH"] = str(plugin_dir)
    # By default small reads are left to native HDF5; the tests want to see every one bypassed.
    env["BYPASS_VOL_SMALL_READ"] = "0"
    env.update(extra)
    return env
