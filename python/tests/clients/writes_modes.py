"""Ways to open and to reach what is written: drivers, access modes, links, several openings of one file, other processes.

    writes_modes.py HOST [CASE ...]

Each case runs natively and through the connector (cases.py) and returns what it found, in the end by opening the files natively. The
number in its decorator is how many writes the connector must have bypassed, None if only some.
"""

import ctypes
import hashlib
import os
import struct
import subprocess
import sys

from cases import Cases
from hdf5lib import Library

CASES = Cases()
case = CASES.case
DIMS, CHUNK, COUNT = [40, 60], [16, 25], 2400
LAYOUTS = ("contiguous", "chunked", "gzip")
DRIVER = "driver"
SWMR = "swmr-writer"
READ = "import sys; sys.path.insert(0, sys.argv[1]); import writes_modes; writes_modes.elsewhere(*sys.argv[2:])"


def ints(count, first):
    return struct.pack(f"<{count}i", *range(first, first + count))


def digest(data):
    return data and hashlib.sha1(data).hexdigest()[:12]


def create(h5, where, name, layout, maxdims=None, dcpl=None):
    own = h5.plist("DATASET_CREATE") if dcpl is None else dcpl
    if layout != "contiguous":
        h5.H5Pset_chunk.must(own, 2, CHUNK)
    if layout == "gzip":
        h5.H5Pset_shuffle.must(own)
        h5.H5Pset_deflate.must(own, 4)
    dset = h5.H5Dcreate2.must(where, name.encode(), h5.type("STD_I32LE"), h5.space(DIMS, maxdims), 0, own, 0)
    h5.H5Pclose(own)
    return dset


def write(h5, dset, start=None, count=None, first=0):
    """All of it, or a block."""
    if start is None:
        return h5.H5Dwrite(dset, h5.type("STD_I32LE"), 0, 0, 0, ints(COUNT, first))
    space = h5.slab(DIMS, start, count)
    result = h5.H5Dwrite(dset, h5.type("STD_I32LE"), h5.BLOCK, space, 0, ints(count[0] * count[1], first))
    h5.H5Sclose(space)
    return result


def fill(h5, file):
    """The three datasets, each with two writes; results and digests. Left open."""
    found = []
    for number, layout in enumerate(LAYOUTS):
        dset = create(h5, file, layout, layout)
        found += [write(h5, dset, first=number * 10_000), write(h5, dset, [3, 7], [30, 40], 500_000)]
        found.append(digest(h5.read(dset, COUNT)))
        h5.H5Dclose.must(dset)
    return found


def filled(h5, fapl):
    """A new file with them, which is left open."""
    file = h5.create("a.h5", fapl)
    return file, fill(h5, file)


def change(h5, file, names=LAYOUTS):
    """Blocks of the three datasets again."""
    found = []
    for name in names:
        dset = h5.H5Dopen2.must(file, name.encode(), 0)
        found += [write(h5, dset, [20, 0], [10, 60], 900_000), write(h5, dset, [0, 59], [40, 1], 1_000_000)]
        h5.H5Dclose.must(dset)
    return found


def contents(h5, path, fapl=None, names=LAYOUTS):
    """What is in a file, natively."""
    file = h5.open(path, fapl or h5.native)
    found = whole(h5, file, names)
    h5.H5Fclose.must(file)
    return found


def whole(h5, where, names=LAYOUTS):
    found = []
    for name in names:
        dset = h5.H5Dopen2.must(where, name.encode(), 0)
        found.append(digest(h5.read(dset, COUNT)))
        h5.H5Dclose.must(dset)
    return found


def twice(h5, path, fapl, fcpl=0, natively=None):
    """Made, closed, opened again, changed, closed, looked at."""
    file = h5.create(path, fapl, fcpl)
    found = fill(h5, file)
    h5.H5Fclose.must(file)
    file = h5.open(path, fapl, h5.RDWR)
    found += change(h5, file) + whole(h5, file)
    h5.H5Fclose.must(file)
    return found + contents(h5, path, natively)


def elsewhere(host, path, flags="0"):
    """The main function of other processes: what they read, natively."""
    h5 = Library(host)
    print(contents_or_failure(h5, path, int(flags)))


def contents_or_failure(h5, path, flags):
    file = h5.H5Fopen(os.fsencode(path), flags, h5.native)
    if file < 0:
        return f"cannot be opened: {h5.errors()[0]}"
    return " ".join(str(text) for text in whole(h5, file))


def in_another_process(path, flags=0):
    host = sys.argv[1]
    env = {key: value for key, value in os.environ.items() if not key.startswith("BYPASS_")} | {"HDF5_USE_FILE_LOCKING": "FALSE"}
    command = [sys.executable, "-B", "-c", READ, os.path.dirname(os.path.abspath(__file__)), host, path, str(flags)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=15)
    return done.stdout.strip() or done.stderr[-500:]


def copied(h5, fapl):
    return h5.H5Pcopy.must(fapl)


@case(None)
def by_default(h5, fapl):
    return twice(h5, "a.h5", fapl)


@case(None)
def newest_format(h5, fapl):
    access = copied(h5, fapl)
    latest = next(bound for bound in (6, 5, 4) if h5.H5Pset_libver_bounds(access, bound, bound) >= 0)
    h5.H5Pset_libver_bounds.must(access, latest, latest)
    return twice(h5, "a.h5", access)


@case(None)
def user_block(h5, fapl):
    fcpl = h5.plist("FILE_CREATE")
    h5.H5Pset_userblock.must(fcpl, 2048)
    return twice(h5, "a.h5", fapl, fcpl)


@case(0, [DRIVER])
def in_memory(h5, fapl):
    """The core driver, with a file behind it."""
    access = copied(h5, fapl)
    h5.H5Pset_fapl_core.must(access, ctypes.c_size_t(1 << 16), 1)
    return twice(h5, "a.h5", access)


@case(0, [DRIVER])
def family(h5, fapl):
    access, native = copied(h5, fapl), copied(h5, h5.native)
    for one in (access, native):
        h5.H5Pset_fapl_family.must(one, 9000, 0)
    return twice(h5, "a%d.h5", access, natively=native)


@case(0, [DRIVER])
def split(h5, fapl):
    access, native = copied(h5, fapl), copied(h5, h5.native)
    for one in (access, native):
        h5.H5Pset_fapl_split.must(one, b".meta", 0, b".raw", 0)
    return twice(h5, "a", access, natively=native)


@case(0, [DRIVER])
def stdio(h5, fapl):
    access = copied(h5, fapl)
    h5.H5Pset_fapl_stdio.must(access)
    return twice(h5, "a.h5", access)


@case(None)
def paged(h5, fapl):
    """Space in pages, without a page buffer."""
    fcpl = h5.plist("FILE_CREATE")
    h5.H5Pset_file_space_strategy.must(fcpl, 1, 1, 1)
    return twice(h5, "a.h5", fapl, fcpl)


@case(0, ["page-buffer"])
def page_buffer(h5, fapl):
    fcpl, access = h5.plist("FILE_CREATE"), copied(h5, fapl)
    h5.H5Pset_file_space_strategy.must(fcpl, 1, 1, 1)
    h5.H5Pset_page_buffer_size.must(access, ctypes.c_size_t(1 << 16), 0, 0)
    return twice(h5, "a.h5", access, fcpl)


@case(None)
def no_chunk_cache_and_no_sieve(h5, fapl):
    access = copied(h5, fapl)
    h5.H5Pset_cache.must(access, 0, ctypes.c_size_t(0), ctypes.c_size_t(0), ctypes.c_double(0))
    h5.H5Pset_sieve_buf_size.must(access, ctypes.c_size_t(0))
    return twice(h5, "a.h5", access)


@case(None)
def opened_twice(h5, fapl):
    """What is written by one is read by the other, also after the first is closed."""
    one, found = filled(h5, fapl)
    two, three = h5.open("a.h5", fapl, h5.RDWR), h5.H5Freopen.must(one)
    found += whole(h5, two) + change(h5, two) + whole(h5, one) + whole(h5, three)
    dset = h5.H5Dopen2.must(two, b"gzip", 0)
    h5.H5Fclose.must(one)
    found += [write(h5, dset, [1, 1], [2, 2], 77), *whole(h5, three)]
    h5.H5Fclose.must(two)
    found += [write(h5, dset, [30, 30], [2, 2], 99), *whole(h5, three)]
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(three)
    return found + contents(h5, "a.h5")


@case(None)
def opened_for_reading_too(h5, fapl):
    one, found = filled(h5, fapl)
    two = h5.open("a.h5", fapl, h5.RDONLY)
    dset = h5.H5Dopen2.must(two, b"gzip", 0)
    found += [write(h5, dset, [0, 0], [1, 1]), *whole(h5, two), *change(h5, one), *whole(h5, two)]
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(one)
    found += whole(h5, two)
    h5.H5Fclose.must(two)
    return found + contents(h5, "a.h5")


@case(None)
def seen_by_others_after_a_flush(h5, fapl):
    file, found = filled(h5, fapl)
    h5.H5Fflush.must(file, 1)
    found.append(in_another_process("a.h5"))
    found += change(h5, file)
    for layout in LAYOUTS:
        dset = h5.H5Dopen2.must(file, layout.encode(), 0)
        h5.H5Dflush.must(dset)
        h5.H5Dclose.must(dset)
    h5.H5Fflush.must(file, 0)
    found.append(in_another_process("a.h5"))
    h5.H5Fclose.must(file)
    return found + contents(h5, "a.h5")


@case(None)
def image_of_a_file(h5, fapl):
    """H5Fget_file_image: the file as it is after a flush."""
    file, found = filled(h5, fapl)
    h5.H5Fflush.must(file, 1)
    h5.H5Fget_file_image.function.restype = ctypes.c_ssize_t
    size = h5.H5Fget_file_image(file, None, ctypes.c_size_t(0))
    image = ctypes.create_string_buffer(size)
    h5.H5Fget_file_image(file, image, ctypes.c_size_t(size))
    with open("image.h5", "wb") as copy:
        copy.write(image.raw)
    h5.H5Fclose.must(file)
    return found + contents(h5, "image.h5") + contents(h5, "a.h5")


@case(2)
def data_in_external_files(h5, fapl):
    file = h5.create("a.h5", fapl)
    dcpl = h5.plist("DATASET_CREATE")
    for number, size in enumerate((3000, 6600)):
        h5.H5Pset_external.must(dcpl, f"raw{number}".encode(), 100, size)
    dset = create(h5, file, "d", "contiguous", dcpl=dcpl)
    found = [write(h5, dset), write(h5, dset, [3, 7], [30, 40], 500_000), digest(h5.read(dset, COUNT))]
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    found += contents(h5, "a.h5", names=["d"])
    return found + [digest(open(f"raw{number}", "rb").read()) for number in range(2)]


@case(None)
def through_external_links(h5, fapl):
    """The data is in a file that only the link opens."""
    target = h5.create("b.h5")
    fill(h5, target)
    h5.H5Fclose.must(target)
    file = h5.create("a.h5", fapl)
    h5.H5Lcreate_external.must(b"b.h5", b"/", file, b"x", 0, 0)
    found = []
    for layout in LAYOUTS:
        dset = h5.H5Dopen2.must(file, f"x/{layout}".encode(), 0)
        found += [write(h5, dset, [5, 5], [20, 30], 700_000), digest(h5.read(dset, COUNT))]
        h5.H5Dclose.must(dset)
    h5.H5Fflush.must(file, 1)
    opened = h5.open("b.h5", fapl, h5.RDWR)
    found += whole(h5, opened) + change(h5, opened)
    found += [text for layout in LAYOUTS for text in whole(h5, file, [f"x/{layout}"])]
    h5.H5Fclose.must(opened)
    h5.H5Fclose.must(file)
    return found + contents(h5, "b.h5")


@case(None)
def mounted(h5, fapl):
    for name in ("a.h5", "b.h5"):
        file = h5.create(name)
        h5.H5Gclose(h5.H5Gcreate2.must(file, b"point", 0, 0, 0))
        h5.H5Fclose.must(file)
    child = h5.open("b.h5", fapl, h5.RDWR)
    found = fill(h5, child)
    parent = h5.open("a.h5", fapl, h5.RDWR)
    h5.H5Fmount.must(parent, b"point", child, 0)
    names = [f"point/{layout}" for layout in LAYOUTS]
    found += change(h5, parent, names) + whole(h5, parent, names)
    h5.H5Funmount.must(parent, b"point")
    found += whole(h5, child)
    h5.H5Fclose.must(child)
    h5.H5Fclose.must(parent)
    return found + contents(h5, "b.h5")


@case(None)
def without_a_name(h5, fapl):
    """An anonymous dataset, linked after it was written; one that is never linked."""
    file = h5.create("a.h5", fapl)
    found = []
    for name in (b"d", None):
        dcpl = h5.plist("DATASET_CREATE")
        h5.H5Pset_chunk.must(dcpl, 2, CHUNK)
        h5.H5Pset_deflate.must(dcpl, 1)
        dset = h5.H5Dcreate_anon.must(file, h5.type("STD_I32LE"), h5.space(DIMS), dcpl, 0)
        found += [write(h5, dset), write(h5, dset, [3, 7], [30, 40], 500_000), digest(h5.read(dset, COUNT))]
        name and h5.H5Olink.must(dset, file, name, 0, 0)
        h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return found + contents(h5, "a.h5", names=["d"])


@case(None)
def closed_with_the_file(h5, fapl):
    """H5F_CLOSE_STRONG takes open datasets with it."""
    access = copied(h5, fapl)
    h5.H5Pset_fclose_degree.must(access, 3)
    file = h5.create("a.h5", access)
    found = fill(h5, file)
    dsets = [h5.H5Dopen2.must(file, layout.encode(), 0) for layout in LAYOUTS]
    found += [write(h5, dset, [20, 0], [10, 60], 900_000) for dset in dsets]
    h5.H5Fclose.must(file)
    return found + [h5.H5Iis_valid(dset) for dset in dsets] + contents(h5, "a.h5")


@case(None)
def renamed_and_unlinked(h5, fapl):
    """The file's name goes while it is open."""
    file, found = filled(h5, fapl)
    os.rename("a.h5", "b.h5")
    found += change(h5, file)
    h5.H5Fflush.must(file, 1)
    found.append(in_another_process("b.h5"))
    os.link("b.h5", "c.h5")
    os.unlink("b.h5")
    dset = h5.H5Dopen2.must(file, b"gzip", 0)
    found.append(write(h5, dset, [1, 1], [5, 5], 3))
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return found + contents(h5, "c.h5")


@case(None)
def masks_of_chunks(h5, fapl):
    """Chunks stored without their filters, natively, are written over in part and as a whole, here and natively again."""
    file = h5.create("a.h5")
    h5.H5Dclose.must(create(h5, file, "gzip", "gzip"))
    dset = h5.H5Dopen2.must(file, b"gzip", 0)
    for row in (0, 16):
        raw = ints(CHUNK[0] * CHUNK[1], row)
        h5.H5Dwrite_chunk.must(dset, 0, 3, [row, 25], len(raw), raw)
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    found = []
    for access in (fapl, h5.native, fapl):
        file = h5.open("a.h5", access, h5.RDWR)
        dset = h5.H5Dopen2.must(file, b"gzip", 0)
        found += [write(h5, dset, [2, 20], [9, 9], len(found)), write(h5, dset, [16, 25], [16, 25], len(found))]
        h5.H5Dclose.must(dset)
        h5.H5Fclose.must(file)
        found += contents(h5, "a.h5", names=["gzip"])
    return found


def swmr_access(h5, fapl):
    access = copied(h5, fapl)
    latest = next(bound for bound in (6, 5, 4) if h5.H5Pset_libver_bounds(access, bound, bound) >= 0)
    h5.H5Pset_libver_bounds.must(access, latest, latest)
    return access


@case(None, [SWMR])
def single_writer(h5, fapl):
    """Writes before and after H5Fstart_swmr_write, with a reader in another process; before it, they may be ours."""
    access = swmr_access(h5, fapl)
    file = h5.create("a.h5", access)
    found = fill(h5, file)
    h5.H5Fstart_swmr_write.must(file)
    found += change(h5, file)
    h5.H5Fflush.must(file, 1)
    found.append(in_another_process("a.h5", h5.SWMR_READ))
    h5.H5Fclose.must(file)
    file = h5.open("a.h5", access, h5.RDWR | h5.SWMR_WRITE)
    dset = h5.H5Dopen2.must(file, b"gzip", 0)
    found += [write(h5, dset, [1, 1], [5, 5], 3), h5.H5Dflush(dset)]
    found.append(in_another_process("a.h5", h5.SWMR_READ))
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return found + contents(h5, "a.h5")


@case(None)
def strings_of_any_length(h5, fapl):
    """What is in a heap of the file is HDF5's; a dataset of numbers beside it is not."""
    file = h5.create("a.h5", fapl)
    kind = h5.H5Tcopy.must(h5.type("C_S1"))
    h5.H5Tset_size.must(kind, ctypes.c_size_t(-1).value)
    dset = h5.H5Dcreate2.must(file, b"s", kind, h5.space([30]), 0, 0, 0)
    words = (ctypes.c_char_p * 30)(*[b"word" * number for number in range(30)])
    found = [h5.H5Dwrite(dset, kind, 0, 0, 0, words)]
    back = (ctypes.c_char_p * 30)()
    found += [h5.H5Dread(dset, kind, 0, 0, 0, back), [word.decode() for word in back]]
    h5.H5Dclose.must(dset)
    found += fill(h5, file)
    h5.H5Fclose.must(file)
    return found + contents(h5, "a.h5")


if __name__ == "__main__":
    CASES.main()
