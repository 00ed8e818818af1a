"""Files that h5py opens after it was imported: they get a connector through their access property list.

`h5py.File` makes such a list and hands it to `make_fid` of the module h5py._hl.files, in all versions 3.x. We stand before that function.
"""

from __future__ import annotations

import os
import sys
from typing import Any, Optional

from ._installed import plugin_path
from ._libhdf5 import LibHdf5


class H5pyFiles:
    """Chooses the connector for files that h5py opens."""

    def __init__(self, library: LibHdf5):
        self._h5py: Any = sys.modules["h5py"]
        self._library = library
        # True: the connector; False: native HDF5; None: what HDF5 does by itself.
        self.wanted: Optional[bool] = None
        self._ours, self._native = library.connector(plugin_path()), library.native()
        files: Any = sys.modules["h5py._hl.files"]
        self._make_fid = files.make_fid
        files.make_fid = self._chosen_make_fid

    def _chosen_make_fid(self, name: Any, *arguments: Any, **named: Any) -> Any:
        # h5py holds its lock.
        for value in (*arguments, *named.values()):
            if isinstance(value, self._h5py.h5p.PropFAID):
                self._choose(name, value.id)
        return self._make_fid(name, *arguments, **named)

    def _choose(self, name: Any, access: int) -> None:
        if self.wanted is not None:
            self._library.choose(access, self._ours if self.wanted else self._native)
        before = self._connector_of_open_file(name)
        if before is None:
            return
        # One file through two connectors at a time: HDF5 cannot do that, and crashes when the file is closed.
        chosen = self._library.connector_in(access)
        if not self._library.is_same(before, chosen):
            self._library.choose(access, before)
        self._library.release(chosen)
        self._library.release(before)

    def _connector_of_open_file(self, name: Any) -> Optional[int]:
        """The connector of a file that is open already."""
        try:
            there = os.stat(name)
        except (OSError, TypeError, ValueError):
            return None
        h5f = self._h5py.h5f
        for file in h5f.get_obj_ids(h5f.OBJ_ALL, h5f.OBJ_FILE):
            try:
                is_it = os.path.samestat(os.stat(h5f.get_name(file)), there)
            except OSError:
                continue
            if is_it:
                return self._library.connector_of(file.id)
        return None
