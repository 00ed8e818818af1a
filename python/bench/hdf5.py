"""A stock libhdf5, called through ctypes, and liblimit next to it.

Nothing of the client the library came with is loaded: the benchmark calls HDF5's C functions with ids it has
prepared, so that between two calls there is as little else as possible.
"""

import ctypes
import os

import numpy

PAGE = 4096
# They must live as long as the process: HDF5's plugin cache keeps the caller's pointer, not a copy.
BYPASS, BYPASS_INFO = b"bypass", b"under_vol=0;under_info={}"
CLOSE_STRONG = 3
COMPOUND = 6
WRITABLE, TRUNCATE = 1, 2
UNLIMITED = 2**64 - 1
# A filter that may leave a chunk as it is.
OPTIONAL = 1
# HDF5's names of stored datatypes, by NumPy's.
STORED = {"<f4": "IEEE_F32LE", ">f4": "IEEE_F32BE", "<f8": "IEEE_F64LE", "<i4": "STD_I32LE"}

hid, size, string = ctypes.c_int64, ctypes.c_size_t, ctypes.c_char_p
status, address = ctypes.c_int, ctypes.c_void_p
sizes, ids = ctypes.POINTER(ctypes.c_uint64), ctypes.POINTER(hid)

FUNCTIONS = {
    "H5open": (status,),
    "H5Pcreate": (hid, hid),
    "H5Pclose": (status, hid),
    "H5Pset_fclose_degree": (status, hid, status),
    "H5Pset_vol": (status, hid, hid, address),
    "H5Pset_chunk": (status, hid, status, sizes),
    "H5Pset_filter": (status, hid, ctypes.c_int, ctypes.c_uint, size, ctypes.POINTER(ctypes.c_uint)),
    "H5VLregister_connector_by_name": (hid, string, hid),
    "H5VLconnector_str_to_info": (status, string, hid, ctypes.POINTER(address)),
    "H5VLfree_connector_info": (status, hid, address),
    "H5VLget_connector_name": (ctypes.c_ssize_t, hid, string, size),
    "H5VLclose": (status, hid),
    "H5Fopen": (hid, string, ctypes.c_uint, hid),
    "H5Fcreate": (hid, string, ctypes.c_uint, hid, hid),
    "H5Fclose": (status, hid),
    "H5Dopen2": (hid, hid, string, hid),
    "H5Dcreate2": (hid, hid, string, hid, hid, hid, hid, hid),
    "H5Dset_extent": (status, hid, sizes),
    "H5Dclose": (status, hid),
    "H5Dread": (status, hid, hid, hid, hid, hid, address),
    "H5Dread_multi": (status, size, ids, ids, ids, ids, hid, ctypes.POINTER(address)),
    "H5Dwrite": (status, hid, hid, hid, hid, hid, address),
    "H5Dwrite_multi": (status, size, ids, ids, ids, ids, hid, ctypes.POINTER(address)),
    "H5Dget_offset": (ctypes.c_uint64, hid),
    "H5Screate_simple": (hid, status, sizes, sizes),
    "H5Sselect_hyperslab": (status, hid, status, sizes, sizes, sizes, sizes),
    "H5Sclose": (status, hid),
    "H5Tcreate": (hid, status, size),
    "H5Tinsert": (status, hid, string, size, hid),
    "H5PLappend": (status, string),
    "H5Zfilter_avail": (status, ctypes.c_int),
    "H5get_libversion": (status, *[ctypes.POINTER(ctypes.c_uint)] * 3),
}


class Failed(Exception):
    """A call of HDF5 that must succeed did not."""


class Step(ctypes.Structure):
    """The arguments of one H5Dread or H5Dwrite, as liblimit takes them."""

    _fields_ = [("dataset", hid), ("datatype", hid), ("memory", hid), ("file", hid), ("buffer", address)]


class Chunk(ctypes.Structure):
    """A stored chunk, as liblimit takes it: its place and bytes in the file, its place in memory."""

    _fields_ = [("offset", ctypes.c_uint64), ("stored", size), ("target", size)]


class Shape(ctypes.Structure):
    """Of a chunk, as liblimit takes it: rows, bytes of one, and from one to the next in memory."""

    _fields_ = [("rows", size), ("row", size), ("distance", size)]


class Piece(ctypes.Structure):
    """Rows of a chunk that one read asks for, as liblimit takes them: whose, from and to where, how many, how long."""

    _fields_ = [("chunk", size), ("start", size), ("to", size), ("rows", size), ("row", size)]


class Library:
    """One libhdf5."""

    def __init__(self, path, limit):
        self.path = path
        self.lib = ctypes.CDLL(path, mode=os.RTLD_LOCAL | os.RTLD_NOW)
        for name, (result, *arguments) in FUNCTIONS.items():
            function = getattr(self.lib, name)
            function.restype, function.argtypes = result, arguments
        self.call("H5open")
        self.float = hid.in_dll(self.lib, "H5T_NATIVE_FLOAT_g").value
        self.limit = ctypes.CDLL(limit)
        self.limit.limit_repeat.argtypes = [address, ctypes.POINTER(Step), size, size]
        self.limit.limit_share.argtypes = [address, ctypes.POINTER(Step), size, size]
        self.limit.limit_pread.argtypes = [status, ctypes.c_uint64, size, address, size, size]
        chunks, shape = ctypes.POINTER(Chunk), ctypes.POINTER(Shape)
        form, output = (status, size, size), (address, size, size)
        self.limit.limit_decode.argtypes = [status, *form, chunks, size, shape, *output]
        pieces = ctypes.POINTER(Piece)
        self.limit.limit_copy.argtypes = [status, *form, chunks, size, shape, pieces, size, *output]
        self.limit.limit_convert.argtypes = [status, ctypes.c_uint64, status, size, size, address, size, size]
        self.limit.limit_pwrite.argtypes = [status, ctypes.c_uint64, size, address, size, size]
        self.limit.limit_encode.argtypes = [status, status, status, size, shape, address, size, size]
        self.read, self.write = (ctypes.cast(function, address) for function in (self.lib.H5Dread, self.lib.H5Dwrite))
        self.access = {"native": self._access(), "bypass": self._access(BYPASS, BYPASS_INFO)}

    def call(self, name, *arguments):
        """Calls a function of HDF5 whose result is negative when it fails."""
        result = getattr(self.lib, name)(*arguments)
        if result < 0:
            raise Failed(f"{name}{arguments} failed")
        return result

    def _access(self, connector=None, info=None):
        """A file access property list."""
        access = self.call("H5Pcreate", hid.in_dll(self.lib, "H5P_CLS_FILE_ACCESS_ID_g"))
        self.call("H5Pset_fclose_degree", access, CLOSE_STRONG)
        if connector is not None:
            registered = self.call("H5VLregister_connector_by_name", connector, 0)
            converted = address()
            self.call("H5VLconnector_str_to_info", info, registered, ctypes.byref(converted))
            self.call("H5Pset_vol", access, registered, converted)
            self.call("H5VLfree_connector_info", registered, converted)
            self.call("H5VLclose", registered)
        return access

    def add_plugins(self, folder):
        """Lets the library look for plugins there, too, after where HDF5_PLUGIN_PATH says."""
        self.call("H5PLappend", os.fsencode(folder))

    def has_filter(self, number):
        return self.call("H5Zfilter_avail", number) > 0

    def bind_filter(self, plugin):
        """Tells a filter of hdf5plugin which libhdf5 is its own, for those whose set-up calls back into it."""
        if ctypes.CDLL(plugin).init_filter(os.fsencode(self.path)) < 0:
            raise Failed(f"{plugin} does not take to {self.path}")

    def version(self):
        numbers = [ctypes.c_uint() for _ in range(3)]
        self.call("H5get_libversion", *map(ctypes.byref, numbers))
        return ".".join(str(number.value) for number in numbers)

    def open_file(self, path, way, mode=0):
        """Opens a file, read-only unless `mode` is another, and makes sure that the connector `way` serves it."""
        file = self.call("H5Fopen", os.fsencode(path), mode, self.access[way])
        self._make_sure(file, path, way)
        return file

    def create_file(self, path, way):
        file = self.call("H5Fcreate", os.fsencode(path), TRUNCATE, 0, self.access[way])
        self._make_sure(file, path, way)
        return file

    def _make_sure(self, file, path, way):
        name = ctypes.create_string_buffer(64)
        self.call("H5VLget_connector_name", file, name, len(name))
        if name.value.decode() != way:
            raise Failed(f"{path} was opened through '{name.value.decode()}', not '{way}'")

    def open_dataset(self, file, name):
        return self.call("H5Dopen2", file, name.encode(), 0)

    def stored(self, name):
        """A stored datatype, by NumPy's name."""
        return hid.in_dll(self.lib, f"H5T_{STORED[name]}_g").value

    def creation(self, chunks, filters):
        """A dataset creation property list. `filters`: (number, options) of each, in the order of writing."""
        creation = self.call("H5Pcreate", hid.in_dll(self.lib, "H5P_CLS_DATASET_CREATE_ID_g"))
        if chunks:
            self.call("H5Pset_chunk", creation, len(chunks), array(chunks))
        for number, options in filters:
            options = (ctypes.c_uint * len(options))(*options)
            self.call("H5Pset_filter", creation, number, OPTIONAL, len(options), options)
        return creation

    def create_dataset(self, file, name, datatype, space, creation):
        return self.call("H5Dcreate2", file, name.encode(), datatype, space, 0, creation, 0)

    def space(self, extent, start=None, count=None, stride=None, most=None):
        """A dataspace, with a hyperslab selected if one is given; `most`: how large it may become."""
        space = self.call("H5Screate_simple", len(extent), array(extent), array(most))
        if count is not None:
            arrays = map(array, (start, stride, count, None))
            self.call("H5Sselect_hyperslab", space, 0, *arrays)
        return space

    def field(self, name):
        """The datatype of one float of a compound, alone in memory."""
        datatype = self.call("H5Tcreate", COMPOUND, ctypes.sizeof(ctypes.c_float))
        self.call("H5Tinsert", datatype, name.encode(), 0, self.float)
        return datatype

    def repeat(self, steps, times):
        """Makes all the reads, `times` times over, without Python in between."""
        if self.limit.limit_repeat(self.read, steps, len(steps), times) < 0:
            raise Failed("a read failed")

    def write_all(self, steps):
        """Makes all the writes, without Python in between."""
        if self.limit.limit_repeat(self.write, steps, len(steps), 1) < 0:
            raise Failed("a write failed")

    def write_in_threads(self, steps, threads):
        """Makes all the writes, so many at a time."""
        if self.limit.limit_share(self.write, steps, len(steps), threads) < 0:
            raise Failed("a write failed")


def array(values):
    """What HDF5 takes as sizes, or nothing."""
    return values and (ctypes.c_uint64 * len(values))(*values)


class Buffer:
    """Memory at a given place in a page. Its pages exist: the application's memory is warm."""

    def __init__(self, length, page_offset):
        self.whole = numpy.ones(length + 2 * PAGE, numpy.uint8)
        skip = (page_offset - self.whole.ctypes.data) % PAGE
        self.bytes = self.whole[skip : skip + length]
        self.address = self.bytes.ctypes.data
