"""The libhdf5 of a Python package that was imported: called through ctypes, by the public C functions only.

Each wheel has a libhdf5 of its own, and a process may have several. Looking a function up in a package's extension module finds it
in that package's library, because the loader searches what the module was linked with.
"""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import nullcontext
from typing import Any, List, Optional, Tuple

from ._environment import names_us

Id = ctypes.c_int64
# A package, what people call it, and one of its extension modules that is linked with libhdf5.
PACKAGES = (("h5py", "h5py", "h5py.h5f"), ("netCDF4", "netCDF4", "netCDF4._netCDF4"), ("tables", "PyTables", "tables.hdf5extension"))
OLDEST = (1, 14, 0)
_H5I_VOL, _H5F_OBJ_FILE, _H5F_OBJ_ALL = 9, 0x1, 0x1F
_VISIT = ctypes.CFUNCTYPE(ctypes.c_int, Id, ctypes.c_void_p)


class LibHdf5:
    """The libhdf5 of one package."""

    def __init__(self, package: str, title: str, file: str):
        self.package, self.title = package, title
        # PyDLL: other Python threads, which may be about to call HDF5, wait.
        self._library = ctypes.PyDLL(file)
        # h5py gives Python's lock up while it reads, and holds its own.
        self._lock: Any = sys.modules["h5py._objects"].phil if package == "h5py" else nullcontext()

    def version(self) -> Tuple[int, ...]:
        """Its version. Does not start the library."""
        numbers = [ctypes.c_uint() for _ in range(3)]
        self._library.H5get_libversion(*map(ctypes.byref, numbers))
        return tuple(number.value for number in numbers)

    def is_supported(self) -> bool:
        """Whether the connector can be loaded into it."""
        return self.version() >= OLDEST

    def version_text(self) -> str:
        """Its version, for people."""
        return ".".join(map(str, self.version()))

    def path(self) -> Optional[str]:
        """The file that it was loaded from."""
        address = ctypes.cast(self._library.H5get_libversion, ctypes.c_void_p).value or 0
        with open("/proc/self/maps") as maps:
            for line in maps:
                begin, _, end = line.split(maxsplit=1)[0].partition("-")
                if int(begin, 16) <= address < int(end, 16):
                    return line.split(maxsplit=5)[5].rstrip("\n")
        return None

    def starts_with_us(self) -> bool:
        """Whether files are opened through the connector by default, or one that stands on it. Starts the library if nobody has used
        it yet."""
        self._call("H5open")
        native, default = self.native(), self.connector_in(Id.in_dll(self._library, "H5P_LST_FILE_ACCESS_ID_g").value)
        try:
            if self.is_same(native, default):
                return False
            return self._is_ours(default) or names_us(os.environ)
        finally:
            self.release(native)
            self.release(default)

    def follow_environment(self) -> bool:
        """From now on files are opened as HDF5_VOL_CONNECTOR says; whether that could be done.

        HDF5 reads the variable when it starts, and has a function that reads it again, for its own tests. All shared libraries from
        1.14 to 2.2 export it. It needs what surrounds a call of HDF5 (its lock, its context), so it is called in the midst of one.
        """
        again = getattr(self._library, "H5VL__reparse_def_vol_conn_variable_test", None)
        if again is None:
            return False
        results: List[int] = []

        def visit(_id: int, _data: object) -> int:
            results.append(again())
            return 1

        # There is at least one: the connector itself.
        self._call("H5Iiterate", ctypes.c_int(_H5I_VOL), _VISIT(visit), None)
        return results == [0]

    def open_files(self) -> int:
        """How many files it has open."""
        return self._call("H5Fget_obj_count", Id(_H5F_OBJ_ALL), ctypes.c_uint(_H5F_OBJ_FILE), result=ctypes.c_ssize_t)

    def connector(self, plugin_path: str) -> int:
        """Loads the connector: its identifier, which stays valid."""
        self._call("H5PLprepend", plugin_path.encode())
        return self._call("H5VLregister_connector_by_name", b"bypass", Id(0), result=Id)

    def native(self) -> int:
        """The identifier of native HDF5. To be released."""
        return self._call("H5VLget_connector_id_by_name", b"native", result=Id)

    def connector_of(self, file: int) -> int:
        """The identifier of the connector that an object was opened through. To be released."""
        return self._call("H5VLget_connector_id", Id(file), result=Id)

    def connector_in(self, access_list: int) -> int:
        """The identifier of the connector in an access list. To be released."""
        chosen = Id()
        self._call("H5Pget_vol_id", Id(access_list), ctypes.byref(chosen))
        return chosen.value

    def release(self, connector: int) -> None:
        """Gives an identifier of a connector back."""
        self._call("H5VLclose", Id(connector))

    def is_same(self, one: int, other: int) -> bool:
        """Whether two identifiers are of the same connector."""
        difference = ctypes.c_int()
        self._call("H5VLcmp_connector_cls", ctypes.byref(difference), Id(one), Id(other))
        return difference.value == 0

    def choose(self, access_list: int, connector: int) -> None:
        """Files are opened through this connector, if this list is given."""
        self._call("H5Pset_vol", Id(access_list), Id(connector), None)

    def _is_ours(self, connector: int) -> bool:
        if self._call("H5VLis_connector_registered_by_name", b"bypass") == 0:
            return False
        ours = self._call("H5VLget_connector_id_by_name", b"bypass", result=Id)
        try:
            return self.is_same(connector, ours)
        finally:
            self.release(ours)

    def _call(self, name: str, *arguments: object, result: type = ctypes.c_int) -> int:
        function = getattr(self._library, name)
        function.restype = result
        with self._lock:
            returned = function(*arguments)
        if returned < 0:
            raise RuntimeError(f"{name} of {self.title}'s HDF5 failed; run `h5bypass doctor` to find out why")
        return int(returned)


def imported() -> List[LibHdf5]:
    """Those of the packages that are imported."""
    found = []
    for package, title, module in PACKAGES:
        file = getattr(sys.modules.get(module), "__file__", None)
        if file:
            found.append(LibHdf5(package, title, file))
    return found
