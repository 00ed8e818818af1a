"""The environment variables that make a libhdf5 load the connector when it starts."""

from __future__ import annotations

import os
from typing import Dict, MutableMapping, Optional

from ._installed import plugin_path

CONNECTOR = "HDF5_VOL_CONNECTOR"
PLUGINS = "HDF5_PLUGIN_PATH"
PRELOAD = "HDF5_PLUGIN_PRELOAD"
NAME = "bypass"
VALUE = "bypass under_vol=0;under_info={}"
# The number of the connector, in the strings of connectors that stand on it.
NUMBER = "under_vol=518"
# Where HDF5 looks for plugins by default. The variable hides these, so it must name them.
_DEFAULTS = ("/usr/local/hdf5/lib/plugin", "/usr/local/lib/plugin", "/usr/local/lib/hdf5/plugin")


def names_us(environment: MutableMapping[str, str]) -> bool:
    """Whether HDF5 is told to load the connector, alone or below others."""
    value = environment.get(CONNECTOR, "")
    return value.split()[:1] == [NAME] or NUMBER in value


def switch_on(environment: MutableMapping[str, str]) -> Dict[str, Optional[str]]:
    """Sets the variables: what they were before. Fails if they ask for something else."""
    before = {name: environment.get(name) for name in (CONNECTOR, PLUGINS)}
    if environment.get(PRELOAD) == "::":
        raise RuntimeError(f"{PRELOAD} is '::', so HDF5 loads no plugins at all: unset it")
    if not names_us(environment):
        if environment.get(CONNECTOR, "").strip():
            raise RuntimeError(f"{CONNECTOR} is already set to '{environment[CONNECTOR]}': unset it, or do without h5bypass")
        environment[CONNECTOR] = VALUE
    others = environment.get(PLUGINS)
    rest = others.split(":") if others is not None else [path for path in _DEFAULTS if os.path.isdir(path)]
    environment[PLUGINS] = ":".join(dict.fromkeys([plugin_path(), *filter(None, rest)]))
    return before


def restore(environment: MutableMapping[str, str], before: Dict[str, Optional[str]]) -> None:
    """Puts variables back to what they were."""
    for name, value in before.items():
        if value is None:
            environment.pop(name, None)
        else:
            environment[name] = value


def at_start() -> None:
    """When Python starts in an environment that is switched on (`h5bypass env enable`). Never fails: Python must start.

    Whoever has chosen a connector, `native` included, gets it.
    """
    try:
        if not os.environ.get(CONNECTOR):
            switch_on(os.environ)
    except (OSError, RuntimeError):
        pass
