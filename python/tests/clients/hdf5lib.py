"""A stock libhdf5 by ctypes: the C interface itself, native and through the connector in one process.

    h5 = Library(path)
    file = h5.H5Fopen(b"x.h5", h5.RDONLY, h5.bypass)     # or h5.native

Arguments: an int is passed as 64 bits (enough for every integer and id), a list as an array of hsize_t, None as NULL, bytes
and ctypes objects as they are. Functions that return an id, size or count are in LONG; all others return an int.
"""

import ctypes
import os

LONG = set(
    """H5Fcreate H5Fopen H5Freopen H5Gcreate2 H5Gopen2 H5Gcreate_anon H5Dcreate2 H5Dcreate_anon H5Dopen2 H5Dget_space H5Dget_type
    H5Dget_create_plist H5Dget_access_plist H5Dget_offset H5Dget_storage_size H5Oopen H5Oopen_by_token H5Oopen_by_idx H5Oopen_by_addr
    H5Pcreate H5Pcopy H5Pget_driver H5Fget_access_plist H5Screate H5Screate_simple H5Scopy H5Sget_select_npoints
    H5Sget_simple_extent_npoints H5Sget_select_elem_npoints H5Tcopy H5Tcreate H5Tget_super H5Tget_size H5Tarray_create2 H5Tvlen_create
    H5Tenum_create H5Tcomplex_create H5Topen2 H5VLregister_connector_by_name H5VLget_connector_id_by_name H5VLget_connector_name H5Iget_name H5Iget_file_id
    H5Ropen_object H5Ropen_region H5Rdereference2 H5Rget_region H5Fget_name H5Aopen H5Acreate2 H5Dopen_async H5EScreate
    H5Eget_current_stack H5Eget_msg H5Eget_class_name H5Eget_num H5Fget_obj_count H5Tdecode H5Aget_space""".split()
)


class H5Error(Exception):
    """A call failed that had to succeed."""


class ErrorEntry(ctypes.Structure):
    """H5E_error2_t"""

    _fields_ = [
        ("cls_id", ctypes.c_int64),
        ("maj_num", ctypes.c_int64),
        ("min_num", ctypes.c_int64),
        ("line", ctypes.c_uint),
        ("func_name", ctypes.c_char_p),
        ("file_name", ctypes.c_char_p),
        ("desc", ctypes.c_char_p),
    ]


WALK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint, ctypes.POINTER(ErrorEntry), ctypes.c_void_p)
# herr_t (*)(hid_t, const char *, const void *info, void *data)
VISIT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int64, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p)


def _argument(value):
    if type(value) is int:
        return ctypes.c_int64(value)
    if type(value) in (list, tuple):
        return (ctypes.c_uint64 * max(len(value), 1))(*[number & 0xFFFFFFFFFFFFFFFF for number in value])
    return value


class Function:
    """One function of the library; calling it returns its result, whatever it is. `must` raises on failure."""

    def __init__(self, library, name):
        self.library = library
        self.name = name
        self.function = getattr(library.dll, name)
        self.function.restype = ctypes.c_int64 if name in LONG else ctypes.c_int

    def __call__(self, *arguments):
        return self.function(*[_argument(value) for value in arguments])

    def must(self, *arguments):
        result = self(*arguments)
        if result < 0:
            raise H5Error(f"{self.name}{arguments}: {self.library.errors()}")
        return result


class Library:
    """The functions as attributes; `native` and `bypass` are file access lists, ids of types by `type("STD_I32LE")`."""

    RDONLY, RDWR, TRUNC, SWMR_WRITE, SWMR_READ = 0, 1, 2, 0x20, 0x40
    ALL, BLOCK, UNLIMITED = 0, 1, 0xFFFFFFFFFFFFFFFF
    SET, OR, AND, XOR, NOTB, NOTA = range(6)

    def __init__(self, path):
        self.dll = ctypes.CDLL(path)
        self.H5open.must()
        self.H5Eset_auto2.must(0, None, None)
        self.native = self.fapl()
        self._bypass = None

    def __getattr__(self, name):
        if not name.startswith("H5"):
            raise AttributeError(name)
        function = Function(self, name)
        setattr(self, name, function)
        return function

    def has(self, name):
        return hasattr(self.dll, name)

    def variable(self, name):
        return ctypes.c_int64.in_dll(self.dll, name).value

    def type(self, name):
        return self.variable(f"H5T_{name}_g")

    def plist(self, cls):
        return self.H5Pcreate.must(self.variable(f"H5P_CLS_{cls}_ID_g"))

    def fapl(self, connector=None):
        """A file access list for files the tests write and read, with the connector of this name or native."""
        fapl = self.plist("FILE_ACCESS")
        if connector:
            vol = self.H5VLregister_connector_by_name.must(connector.encode(), 0)
            info = ctypes.c_void_p()
            self.H5VLconnector_str_to_info.must(b"under_vol=0;under_info={}", vol, ctypes.byref(info))
            self.H5Pset_vol.must(fapl, vol, info)
            self.H5VLfree_connector_info(vol, info)
            self.H5VLclose(vol)
        return fapl

    @property
    def bypass(self):
        if self._bypass is None:
            self._bypass = self.fapl(os.environ.get("H5BYPASS_TEST_NAME", "bypass"))
        return self._bypass

    def connector(self, file):
        name = ctypes.create_string_buffer(64)
        self.H5VLget_connector_name.must(file, name, 64)
        return name.value.decode()

    def errors(self):
        """The error stack, innermost first, one text per entry; clears it."""
        found = []

        def walk(_number, entry, _data):
            found.append((entry.contents.desc or b"").decode("utf-8", "replace"))
            return 0

        stack = self.H5Eget_current_stack()
        self.H5Ewalk2(stack, 0, WALK(walk), None)
        self.H5Eclose_stack(stack)
        return found

    def space(self, dims, maxdims=None):
        """A simple dataspace, scalar for no dimensions, null for None."""
        if dims is None:
            return self.H5Screate.must(2)
        if len(dims) == 0:
            return self.H5Screate.must(0)
        return self.H5Screate_simple.must(len(dims), list(dims), None if maxdims is None else list(maxdims))

    def lets_threads_in(self):
        """Whether the library is thread-safe. In one that is not, threads without a lock see anything, natively too."""
        safe = ctypes.c_bool()
        self.H5is_library_threadsafe.must(ctypes.byref(safe))
        return safe.value

    def slab(self, dims, start, count, stride=None, block=None):
        """A dataspace with one hyperslab selected."""
        space = self.space(dims)
        self.H5Sselect_hyperslab.must(space, self.SET, start, stride, count, block)
        return space

    def create(self, path, fapl=None, fcpl=0):
        return self.H5Fcreate.must(os.fsencode(path), self.TRUNC, fcpl, fapl or self.native)

    def open(self, path, fapl, flags=0):
        return self.H5Fopen.must(os.fsencode(path), flags, fapl)

    def make(self, where, name, dims, values, type="STD_I32LE", chunk=None, dcpl=None, maxdims=None):
        """A dataset with bytes written to all of it; closed again."""
        own = dcpl is None
        if own:
            dcpl = self.plist("DATASET_CREATE")
        if chunk:
            self.H5Pset_chunk.must(dcpl, len(chunk), list(chunk))
        space = self.space(dims, maxdims)
        hid = self.type(type) if isinstance(type, str) else type
        data = self.H5Dcreate2.must(where, name.encode(), hid, space, 0, dcpl, 0)
        if values is not None:
            self.H5Dwrite.must(data, hid, 0, 0, 0, bytes(values))
        self.H5Dclose.must(data)
        self.H5Sclose(space)
        if own:
            self.H5Pclose(dcpl)

    def read(self, data, count, type="STD_I32LE", size=4, memory=0, file=0, dxpl=0):
        """`count` elements; None if the read fails."""
        buffer = (ctypes.c_ubyte * max(count * size, 1))(*b"\xa5" * 1)
        hid = self.type(type) if isinstance(type, str) else type
        return bytes(buffer) if self.H5Dread(data, hid, memory, file, dxpl, buffer) >= 0 else None
