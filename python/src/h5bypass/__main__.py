"""The command `h5bypass`, and `python -m h5bypass`."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

# The command looks for a libhdf5 in the environment of this interpreter, if no other environment is active.
INTERPRETER = "H5BYPASS_INTERPRETER"


def main() -> "NoReturn":
    """Becomes the program, which knows nothing of Python, except for `env`."""
    from ._installed import program

    if sys.argv[1:2] == ["env"]:
        from ._virtual_environment import main as env

        sys.exit(env(sys.argv[2:]))
    try:
        path = program()
    except FileNotFoundError as error:
        sys.exit(f"h5bypass: {error}")
    if sys.argv[1:2] != ["run"]:
        os.environ.setdefault(INTERPRETER, sys.executable)
    os.execv(path, ["h5bypass", *sys.argv[1:]])


if __name__ == "__main__":
    main()
