"""Switching the connector on and off in this process."""

from __future__ import annotations

import os
import sys
import warnings
from types import TracebackType
from typing import TYPE_CHECKING, Callable, Dict, List, Optional, Type, Union

from . import _environment
from ._environment import names_us
from ._installed import BYPASS_FILE, plugin_path

if TYPE_CHECKING:
    from ._h5py_files import H5pyFiles
    from ._libhdf5 import LibHdf5

_h5py_files: "Optional[H5pyFiles]" = None


class Switch:
    """What `enable()` and `disable()` return: in a `with` statement, it puts things back at the end of the block."""

    def __init__(self) -> None:
        names = (_environment.CONNECTOR, _environment.PLUGINS)
        self._environment: Dict[str, Optional[str]] = {name: os.environ.get(name) for name in names}
        self._libraries = {library.package: _uses_us(library) for library in _libraries()}

    def __enter__(self) -> "Switch":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.back()

    def back(self) -> None:
        """Puts things back to what they were. Packages that were imported since do as the environment says."""
        _environment.restore(os.environ, self._environment)
        _tell(lambda library: self._libraries.get(library.package, names_us(os.environ)))


def enable(*, threads: Optional[int] = None, cache: Union[int, str, None] = None) -> Switch:
    """Files that are opened from now on go through the connector, in this process and in those that it starts.

    h5py, PyTables and netCDF4 may be imported before or after. If it is too late for one of them, a warning says what to do. Used in
    a `with` statement, it is for that block only.

    `threads` is the number of threads that work on one call, `cache` the size of the cache for decoded chunks (bytes, or a
    text such as "256M"). Both are fixed when the connector is loaded.
    """
    before = Switch()
    _set("BYPASS_VOL_NTHREADS", threads)
    _set("BYPASS_VOL_CACHE", cache)
    try:
        _environment.switch_on(os.environ)
        too_late = _tell(lambda library: True)
    except BaseException:
        before.back()
        raise
    for library in too_late:
        warnings.warn(
            f"{library.title} has started HDF5 without h5bypass and goes on without it: call h5bypass.enable() before "
            f"`import {library.package}`, or start the program with `h5bypass run -- python ...`",
            RuntimeWarning,
            stacklevel=2,
        )
    return before


def disable() -> Switch:
    """Files that are opened from now on go through native HDF5. Used in a `with` statement, it is for that block only."""
    before = Switch()
    if names_us(os.environ):
        os.environ.pop(_environment.CONNECTOR)
    for library in _tell(lambda library: False):
        warnings.warn(
            f"{library.title} has files open through h5bypass and goes on with it: close them before h5bypass.disable()",
            RuntimeWarning,
            stacklevel=2,
        )
    return before


def enabled() -> bool:
    """Whether files that are opened now go through the connector: with each of the packages that are imported, or else with the
    next that is."""
    libraries = _libraries()
    return all(map(_uses_us, libraries)) if libraries else names_us(os.environ)


def _libraries() -> "List[LibHdf5]":
    # Without a client of HDF5, ctypes need not be imported.
    if not any(name in sys.modules for name in ("h5py", "netCDF4", "tables")):
        return []
    from . import _libhdf5

    return _libhdf5.imported()


def _uses_us(library: "LibHdf5") -> bool:
    if library.package == "h5py" and _h5py_files and _h5py_files.wanted is not None:
        return _h5py_files.wanted
    return library.is_supported() and library.starts_with_us()


def _tell(wanted: "Callable[[LibHdf5], bool]") -> "List[LibHdf5]":
    """Tells the libraries what is wanted of each: those that cannot do it any more."""
    global _h5py_files
    too_late = []
    for library in _libraries():
        wants = wanted(library)
        if not library.is_supported():
            if wants:
                raise RuntimeError(
                    f"{library.title} has HDF5 {library.version_text()}, and h5bypass needs 1.14.0 or newer: upgrade {library.package}"
                )
        elif library.package == "h5py":
            starts_with_us = library.starts_with_us()
            if _h5py_files is None and starts_with_us != wants:
                from ._h5py_files import H5pyFiles

                _h5py_files = H5pyFiles(library)
            if _h5py_files:
                _h5py_files.wanted = None if starts_with_us == wants else wants
        elif library.starts_with_us() != wants and not _switch_default(library, wants):
            too_late.append(library)
    return too_late


def _switch_default(library: "LibHdf5", wants: bool) -> bool:
    """Changes what a library does by default; whether that could be done."""
    # A file that is written through the connector must not be opened natively as well.
    if not wants and library.open_files():
        return False
    library.connector(plugin_path())
    before = os.environ.get(_environment.CONNECTOR)
    try:
        if names_us(os.environ) != wants:
            os.environ[_environment.CONNECTOR] = _environment.VALUE if wants else "native"
        return library.follow_environment() and library.starts_with_us() == wants
    finally:
        _environment.restore(os.environ, {_environment.CONNECTOR: before})


def _set(variable: str, value: Union[int, str, None]) -> None:
    """Sets a variable that the connector reads when it is loaded."""
    if value is None or os.environ.get(variable) == str(value):
        return
    with open("/proc/self/maps") as maps:
        if BYPASS_FILE in maps.read():
            raise RuntimeError(f"{variable} cannot change any more, because the connector is loaded: call enable() with it at the beginning")
    os.environ[variable] = str(value)
