"""What is installed beside this module: the plugins and the command."""

from __future__ import annotations

import os

_HERE = os.path.dirname(os.path.abspath(__file__))
# Names another directory with plugins, here as for the command.
PLUGIN_DIR = "H5BYPASS_PLUGIN_DIR"
BYPASS_FILE = "libh5bypass_vol.so"


def plugin_path() -> str:
    """The directory of the plugins: what `HDF5_PLUGIN_PATH` must contain."""
    folder = os.environ.get(PLUGIN_DIR) or os.path.join(_HERE, "plugin")
    if not os.path.isfile(os.path.join(folder, BYPASS_FILE)):
        raise FileNotFoundError(f"there is no {BYPASS_FILE} in {folder}: install h5bypass again, or name its directory in {PLUGIN_DIR}")
    return os.path.abspath(folder)


def program() -> str:
    """The command `h5bypass` itself, which is not a Python program."""
    folders = [os.path.join(_HERE, "bin"), os.environ.get(PLUGIN_DIR) or _HERE]
    for folder in folders:
        path = os.path.join(folder, "h5bypass")
        if os.access(path, os.X_OK):
            return path
    raise FileNotFoundError(f"there is no program h5bypass in {' or '.join(folders)}: install h5bypass again")
