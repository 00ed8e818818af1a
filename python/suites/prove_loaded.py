"""Proof that a client's own libhdf5 runs through the connector we think it does.

HDF5 falls back to its native connector without a word when a plugin cannot be loaded, and a suite that
was meant to test the connector would then pass for the wrong reason. So the process under test asks its
own libhdf5, at the start and at the end of the session, and writes the answers down for `cargo xtask`,
which does not believe a run without them.

Used as a pytest plugin (`-p prove_loaded`) and, by run_tables.py, as a plain module. Environment:

  H5BYPASS_EXPECT   the connectors expected, outermost first: `native`, `bypass` or `h5stats,bypass`
  H5BYPASS_CLIENTS  the clients under test: any of `h5py`, `netCDF4`, `tables`, comma separated
  H5BYPASS_PROOF    file to append the answers to, as lines `when <TAB> client <TAB> connector <TAB> library`
"""

import ctypes
import os
import re
import tempfile

LIBS_FOLDER = {"h5py": "h5py.libs", "netCDF4": "netcdf4.libs", "tables": "tables.libs"}


class NotProven(Exception):
    """The process does not run through the connectors it was started with."""


class Host:
    """One libhdf5 already mapped into this process. Never loads a second copy."""

    def __init__(self, path):
        self.path = path
        self.lib = ctypes.CDLL(path, mode=os.RTLD_NOLOAD | os.RTLD_NOW)
        self._declare("H5Fopen", ctypes.c_int64, ctypes.c_char_p, ctypes.c_uint, ctypes.c_int64)
        self._declare("H5Fclose", ctypes.c_int, ctypes.c_int64)
        self._declare(
            "H5VLget_connector_name", ctypes.c_ssize_t, ctypes.c_int64, ctypes.c_char_p, ctypes.c_size_t
        )
        self._declare("H5VLis_connector_registered_by_name", ctypes.c_int, ctypes.c_char_p)

    def _declare(self, name, result, *arguments):
        function = getattr(self.lib, name)
        function.restype, function.argtypes = result, arguments

    @classmethod
    def of(cls, client):
        """The libhdf5 that came with `client`, which must have been imported."""
        with open("/proc/self/maps") as maps:
            found = set(re.findall(rf"/\S*/{LIBS_FOLDER[client]}/libhdf5-[^/\s]*", maps.read()))
        if len(found) != 1:
            raise NotProven(f"{client}: expected one libhdf5 of its own in this process, found {sorted(found)}")
        return cls(found.pop())

    def connector_of(self, file_id):
        """The name of the outermost connector of an open file."""
        name = ctypes.create_string_buffer(64)
        if self.lib.H5VLget_connector_name(file_id, name, len(name)) < 0:
            raise NotProven(f"{self.path}: H5VLget_connector_name failed")
        return name.value.decode()

    def connector_of_default_open(self, path):
        """The name of the connector that H5Fopen with default properties takes."""
        file_id = self.lib.H5Fopen(os.fsencode(path), 0, 0)
        if file_id < 0:
            raise NotProven(f"{self.path}: H5Fopen failed")
        try:
            return self.connector_of(file_id)
        finally:
            self.lib.H5Fclose(file_id)

    def has_registered(self, connector):
        return self.lib.H5VLis_connector_registered_by_name(connector.encode()) > 0


def _through_h5py(path):
    import h5py

    with h5py.File(path, "w") as file:
        host = Host.of("h5py")
        return host, host.connector_of(file.id.id)


def _through_netcdf4(path):
    # netCDF4 shows no HDF5 ids, so its libhdf5 is asked directly: it reads the same environment.
    import netCDF4

    netCDF4.Dataset(path, "w", format="NETCDF4").close()
    host = Host.of("netCDF4")
    return host, host.connector_of_default_open(path)


def _through_tables(path):
    import tables

    with tables.open_file(path, "w") as file:
        host = Host.of("tables")
        return host, host.connector_of(file._get_file_id())


OPEN_WITH = {"h5py": _through_h5py, "netCDF4": _through_netcdf4, "tables": _through_tables}


def connector_used_by(client):
    """Creates a file with `client`: its host and the outermost connector the file was opened through."""
    with tempfile.TemporaryDirectory(prefix="prove-loaded-") as folder:
        return OPEN_WITH[client](os.path.join(folder, "probe.h5"))


def check(client, expected):
    """Raises NotProven unless `client` opens files through the connectors `expected`, outermost first."""
    host, used = connector_used_by(client)
    if used != expected[0]:
        raise NotProven(
            f"{client}: files open through '{used}', expected '{expected[0]}' "
            f"(HDF5_VOL_CONNECTOR={os.environ.get('HDF5_VOL_CONNECTOR')!r}, "
            f"HDF5_PLUGIN_PATH={os.environ.get('HDF5_PLUGIN_PATH')!r}, {host.path})"
        )
    for connector in expected:
        if not host.has_registered(connector):
            raise NotProven(f"{client}: connector '{connector}' is not registered in {host.path}")
    if expected == ["native"]:
        for connector in ("bypass", "h5stats"):
            if host.has_registered(connector):
                raise NotProven(f"{client}: '{connector}' got into a native run ({host.path})")
    return host, used


def check_all(when):
    """Checks every client of the environment and writes the answers down."""
    expected = os.environ["H5BYPASS_EXPECT"].split(",")
    for client in os.environ["H5BYPASS_CLIENTS"].split(","):
        host, used = check(client, expected)
        with open(os.environ["H5BYPASS_PROOF"], "a") as proof:
            proof.write(f"{when}\t{client}\t{used}\t{host.path}\n")


def pytest_sessionstart(session):
    check_all("start")


def pytest_sessionfinish(session, exitstatus):
    check_all("end")
