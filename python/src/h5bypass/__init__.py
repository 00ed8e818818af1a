"""Makes HDF5 use all cores.

    import h5bypass
    h5bypass.enable()       # before or after `import h5py`

From then on, files that h5py, PyTables, netCDF4 and what stands on them open are read and written by the h5bypass connector.
`stats()` tells what it did, and `explain(file)` what it does with each dataset of a file.
"""

from __future__ import annotations

from ._explanation import Explanation, explain
from ._installed import plugin_path
from ._statistics import Calls, Reason, Statistics, stats
from ._switch import Switch, disable, enable, enabled
from ._trace import trace

__all__ = [
    "Calls",
    "Explanation",
    "Reason",
    "Statistics",
    "Switch",
    "__version__",
    "disable",
    "enable",
    "enabled",
    "explain",
    "plugin_path",
    "stats",
    "trace",
]


def __getattr__(name: str) -> str:
    # Reading metadata takes longer than importing everything else, and few ask for it.
    if name == "__version__":
        from importlib.metadata import version

        return version("h5bypass")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
