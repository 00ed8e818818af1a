"""Objects that outlive the handle of the file through which they were reached.

    closed_files.py HOST [CASE ...]

Each case returns what its calls returned and what is in the file, looked at natively in the end. It says how many reads and writes
must be bypassed, and why others are not.
"""

import os

from cases import Cases
from writes_regressions_calls import NO_STORAGE, contents, create, get, ints, put

CASES = Cases()
SIZE, CHUNK = 1000, 100
LINKED = "link-writable"
FOUND = "no-handle"
NAMES = ("contiguous", "chunked", "deflated")


def case(reads, writes=0, reasons=None):
    return CASES.case([reads, writes], reasons)


def make(h5, path, first=0):
    """A file with a dataset of each kind, and an empty group."""
    file = h5.create(path)
    for number, name in enumerate(NAMES):
        data = ints(SIZE, first + 10_000 * number)
        if number == 0:
            h5.make(file, name, [SIZE], data)
        else:
            dset = create(h5, file, name, deflate=number == 2, maxdims=[h5.UNLIMITED])
            h5.H5Dwrite.must(dset, h5.type("STD_I32LE"), 0, 0, 0, data)
            h5.H5Dclose.must(dset)
    h5.H5Gclose(h5.H5Gcreate2.must(file, b"group", 0, 0, 0))
    h5.H5Fclose.must(file)


def open_all(h5, file, prefix=""):
    return [h5.H5Dopen2.must(file, (prefix + name).encode(), 0) for name in NAMES]


def read_all(h5, dsets):
    return [sum(get(h5, dset, 0, SIZE)) for dset in dsets]


def close_all(h5, dsets):
    return [h5.H5Dclose(dset) for dset in dsets]


def is_released(h5, path):
    """Whether nobody has the file open: HDF5 would not let it be created again."""
    return h5.H5Fclose(h5.H5Fcreate(os.fsencode(path), h5.TRUNC, 0, h5.native))


def descriptors():
    return len(os.listdir("/proc/self/fd"))


@case(6)
def read_only(h5, fapl):
    """What `h5py.File(name)["x"][:]` does; the first read comes when the handle is closed."""
    make(h5, "a.h5")
    before = descriptors()
    found = []
    for name in NAMES:
        file = h5.open("a.h5", fapl)
        dset = h5.H5Dopen2.must(file, name.encode(), 0)
        found += [h5.H5Fclose(file), read_all(h5, [dset]), get(h5, dset, 990, 10), h5.H5Dclose(dset)]
    return [*found, is_released(h5, "a.h5"), descriptors() - before]


@case(3)
def through_a_group(h5, fapl):
    """Nothing but a group is left; datasets are opened afterwards."""
    make(h5, "a.h5")
    file = h5.open("a.h5", fapl)
    group = h5.H5Gopen2.must(file, b"group", 0)
    found = [h5.H5Fclose(file)]
    dsets = open_all(h5, group, "/")
    found += [h5.H5Gclose(group), read_all(h5, dsets), close_all(h5, dsets)]
    return [*found, is_released(h5, "a.h5")]


@case(6, 6)
def written(h5, fapl):
    """Written, read, grown and written again after the only handle is closed."""
    make(h5, "a.h5")
    file = h5.open("a.h5", fapl, h5.RDWR)
    dsets = open_all(h5, file)
    found = [h5.H5Fclose(file)]
    for dset in dsets:
        found += [put(h5, dset, 5, [1, 2, 3]), get(h5, dset, 0, 10)]
    for dset in dsets:
        size = SIZE if dset == dsets[0] else SIZE + CHUNK
        if size > SIZE:
            found.append(h5.H5Dset_extent(dset, [size]))
        found += [put(h5, dset, size - 5, [9, 8, 7], size), get(h5, dset, size - 10, 10, size)]
    found.append(close_all(h5, dsets))
    found += [contents(h5, "a.h5", name, SIZE + CHUNK * (name != "contiguous")) for name in NAMES]
    return [*found, is_released(h5, "a.h5")]


@case(2, 4)
def two_handles_closed(h5, fapl):
    """Of two handles each has left a dataset. When both are closed, nothing keeps the file open."""
    make(h5, "a.h5")
    files = [h5.open("a.h5", fapl, h5.RDWR) for _ in range(2)]
    dsets = [h5.H5Dopen2.must(file, name, 0) for file, name in zip(files, (b"chunked", b"deflated"))]
    found = [put(h5, dset, 0, [4]) for dset in dsets]
    found += [h5.H5Fclose(file) for file in files]
    found += [put(h5, dset, 1, [5, 6]) for dset in dsets]
    found += [get(h5, dset, 0, 5) for dset in dsets]
    found.append(close_all(h5, dsets))
    found += [contents(h5, "a.h5", name) for name in NAMES]
    return [*found, is_released(h5, "a.h5")]


@case(3)
def reopened(h5, fapl):
    make(h5, "a.h5")
    file = h5.open("a.h5", fapl)
    again = h5.H5Freopen.must(file)
    dsets = open_all(h5, again)
    found = [h5.H5Fclose(file), h5.H5Fclose(again), read_all(h5, dsets), close_all(h5, dsets)]
    return [*found, is_released(h5, "a.h5")]


@case(5, 2)
def beside_a_writer(h5, fapl):
    """A handle that was opened read-only while another can write is closed; its dataset sees what is written, and can be written."""
    make(h5, "a.h5")
    writer, reader = h5.open("a.h5", fapl, h5.RDWR), h5.open("a.h5", fapl)
    [mine, _, _], theirs = dsets = open_all(h5, writer), h5.H5Dopen2.must(reader, b"contiguous", 0)
    found = [h5.H5Fclose(reader), put(h5, mine, 0, [1]), get(h5, theirs, 0, 2), put(h5, theirs, 1, [2]), get(h5, mine, 0, 3)]
    found += [h5.H5Fclose(writer), get(h5, theirs, 0, 3), get(h5, mine, 0, 3), get(h5, dsets[0][2], 0, 3)]
    found += [close_all(h5, dsets[0]), h5.H5Dclose(theirs), contents(h5, "a.h5", "contiguous")]
    return [*found, is_released(h5, "a.h5")]


def link(h5):
    make(h5, "target.h5", 500)
    make(h5, "a.h5")
    file = h5.open("a.h5", h5.native, h5.RDWR)
    h5.H5Lcreate_external.must(b"target.h5", b"/", file, b"link", 0, 0)
    h5.H5Fclose.must(file)


@case(3)
def behind_a_link(h5, fapl):
    """The file with the link is closed before anything is read."""
    link(h5)
    file = h5.open("a.h5", fapl)
    dsets = open_all(h5, file, "link/")
    found = [h5.H5Fclose(file), read_all(h5, dsets), close_all(h5, dsets)]
    return [*found, is_released(h5, "target.h5"), is_released(h5, "a.h5")]


@case(0, 0, {LINKED: 3})
def behind_a_link_for_writing(h5, fapl):
    """Here the reason is true."""
    link(h5)
    file = h5.open("a.h5", fapl, h5.RDWR)
    dsets = open_all(h5, file, "link/")
    found = [h5.H5Fclose(file), read_all(h5, dsets), close_all(h5, dsets)]
    return [*found, is_released(h5, "target.h5"), is_released(h5, "a.h5")]


@case(3)
def mounted(h5, fapl):
    """Both files are closed before anything is read."""
    make(h5, "child.h5", 700)
    make(h5, "a.h5")
    file, child = h5.open("a.h5", fapl), h5.open("child.h5", fapl)
    found = [h5.H5Fmount(file, b"group", child, 0), h5.H5Fclose(child)]
    dsets = open_all(h5, file, "group/")
    found += [h5.H5Fclose(file), read_all(h5, dsets), close_all(h5, dsets)]
    return [*found, is_released(h5, "child.h5"), is_released(h5, "a.h5")]


def ask_for_the_file(h5, dset):
    """The file of a dataset, for which HDF5 has to make an identifier."""
    return h5.H5Iget_file_id.must(dset)


def found_by_a_dataset(h5, fapl, name, flags=0):
    """A dataset whose file was closed, and the file as it is found from there."""
    file = h5.open("a.h5", fapl, flags)
    dset = h5.H5Dopen2.must(file, name, 0)
    h5.H5Fclose.must(file)
    return dset, ask_for_the_file(h5, dset)


@case(1, 0, {FOUND: 1})
def found_behind_a_link(h5, fapl):
    """An identifier for a file that was reached through a link must stay good when the dataset is closed."""
    link(h5)
    file = h5.open("a.h5", fapl)
    first, second = h5.H5Dopen2.must(file, b"link/chunked", 0), h5.H5Dopen2.must(file, b"link/deflated", 0)
    found = [read_all(h5, [second]), h5.H5Dclose(second)]
    target = ask_for_the_file(h5, first)
    found += [read_all(h5, [first]), h5.H5Dclose(first)]
    group = h5.H5Gopen2.must(target, b"group", 0)
    found += [h5.H5Gclose(group), h5.H5Fclose(target), h5.H5Fclose(file)]
    return [*found, is_released(h5, "target.h5"), is_released(h5, "a.h5")]


@case(3, 0, {FOUND: 1})
def found_after_closing(h5, fapl):
    """What is opened through such an identifier is ours as long as an object of the closed handle is left."""
    make(h5, "a.h5")
    dset, target = found_by_a_dataset(h5, fapl, b"contiguous")
    other = h5.H5Dopen2.must(target, b"chunked", 0)
    found = [read_all(h5, [dset, other]), h5.H5Dclose(dset), read_all(h5, [other]), h5.H5Dclose(other)]
    other = h5.H5Dopen2.must(target, b"deflated", 0)
    found += [read_all(h5, [other]), h5.H5Dclose(other), h5.H5Fclose(target)]
    return [*found, is_released(h5, "a.h5")]


@case(2, 2)
def found_and_written(h5, fapl):
    make(h5, "a.h5")
    dset, target = found_by_a_dataset(h5, fapl, b"chunked", h5.RDWR)
    found = [put(h5, dset, 0, [7, 8]), get(h5, dset, 0, 3), h5.H5Dset_extent(dset, [SIZE + CHUNK])]
    found += [put(h5, dset, SIZE, [9], SIZE + CHUNK), get(h5, dset, SIZE, 3, SIZE + CHUNK), h5.H5Dclose(dset)]
    group = h5.H5Gopen2.must(target, b"group", 0)
    found += [h5.H5Gclose(group), h5.H5Fclose(target), contents(h5, "a.h5", "chunked", SIZE + CHUNK)]
    return [*found, is_released(h5, "a.h5")]


@case(0, 1, {FOUND: 1})
def found_for_writing(h5, fapl):
    """Nothing of the closed handle is left when the second dataset is opened."""
    make(h5, "a.h5")
    dset, target = found_by_a_dataset(h5, fapl, b"deflated", h5.RDWR)
    found = [put(h5, dset, 0, [7, 8]), h5.H5Dclose(dset)]
    other = h5.H5Dopen2.must(target, b"deflated", 0)
    found += [put(h5, other, 1, [9, 10]), h5.H5Dclose(other), h5.H5Fclose(target)]
    return [*found, contents(h5, "a.h5", "deflated"), is_released(h5, "a.h5")]


@case(3)
def other_close_degrees(h5, fapl):
    """A strong close takes the datasets along, one that is neither is refused as long as there are some."""
    make(h5, "a.h5")
    found = []
    for degree in (2, 3):
        access = h5.H5Pcopy.must(fapl)
        h5.H5Pset_fclose_degree.must(access, degree)
        file = h5.open("a.h5", access)
        dsets = open_all(h5, file)
        found.append(h5.H5Fclose(file))
        found += [h5.read(dset, SIZE) is None for dset in dsets]
        if degree == 2:
            found.append(close_all(h5, dsets))
        found += [h5.H5Fclose(file) if degree == 2 else None, h5.H5Pclose(access)]
    return [*found, is_released(h5, "a.h5")]


@case(0, 1, {NO_STORAGE: 1})
def created(h5, fapl):
    """A new file that is closed before its dataset is written."""
    file = h5.create("a.h5", fapl)
    space = h5.space([SIZE])
    plain = h5.H5Dcreate2.must(file, b"contiguous", h5.type("STD_I32LE"), space, 0, 0, 0)
    chunked = create(h5, file, "chunked")
    found = [h5.H5Fclose(file), put(h5, plain, 0, range(SIZE)), put(h5, chunked, 0, range(SIZE))]
    found += [close_all(h5, [plain, chunked]), contents(h5, "a.h5", "contiguous"), contents(h5, "a.h5", "chunked")]
    return [*found, is_released(h5, "a.h5")]


if __name__ == "__main__":
    CASES.main()
