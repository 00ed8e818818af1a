"""Sources of virtual datasets that the connector opens without HDF5, and those that it must not.

    virtual_plain.py HOST [CASE ...]

What a case is: cases.py. The number of a case says how many sources must have been opened without HDF5.
"""

import fcntl
import os
import subprocess
import sys

from access_paths import ints, list_with, opened, simple
from cases import Cases
from virtual_cases import map_to, read_mapped, read_rows

CASES = Cases()
case = CASES.case
OLDEST, V18, LATEST_OF_ALL = 0, 1, 3


def bounds(h5, low, high):
    return list_with(h5, "FILE_ACCESS", "H5Pset_libver_bounds", low, high)


def make(h5, path, first, name="d", fapl=None, fcpl=0, others=0, **how):
    """A file with a dataset of 100 ints, in the groups that its name has, besides others."""
    file = h5.create(path, fapl, fcpl)
    *groups, name = name.split("/")
    where, made = file, []
    for group in groups:
        where = h5.H5Gcreate2.must(where, group.encode(), 0, 0, 0)
        made.append(where)
    for number in range(others):
        h5.make(where, f"other{number:03}", [10], ints(10))
    h5.make(where, name, [100], ints(100, first), **how)
    for group in made:
        h5.H5Gclose.must(group)
    h5.H5Fclose.must(file)


def read_one(h5, fapl, name="d", path="s.h5", **how):
    return read_mapped(h5, fapl, [(path, name)], **how)


@case(3)
def several(h5, fapl):
    for number in range(3):
        simple(h5, f"s{number}.h5", first=1000 * number)
    return read_mapped(h5, fapl, [(f"s{number}.h5", "d") for number in range(3)])


@case(2)
def old_and_new_formats(h5, fapl):
    make(h5, "old.h5", 100, fapl=bounds(h5, OLDEST, LATEST_OF_ALL))
    make(h5, "new.h5", 200, fapl=bounds(h5, V18, LATEST_OF_ALL))
    return read_mapped(h5, fapl, [("old.h5", "d"), ("new.h5", "d")])


@case(1)
def the_latest_format(h5, fapl):
    """A superblock of version 3 is certain to be valid if the file of the virtual dataset has one."""
    latest = bounds(h5, LATEST_OF_ALL, LATEST_OF_ALL)
    make(h5, "s.h5", 200, fapl=latest)
    map_to(h5, "v.h5", [("s.h5", "d")], fapl=latest)
    with opened(h5, "v.h5", fapl) as file:
        dset = h5.H5Dopen2.must(file, b"v", 0)
        got = read_rows(h5, dset, 1)
        h5.H5Dclose.must(dset)
    return got


@case(2)
def nested_groups(h5, fapl):
    for path, low in (("old.h5", OLDEST), ("new.h5", V18)):
        make(h5, path, 100 + low, name="a/bc/def", fapl=bounds(h5, low, LATEST_OF_ALL))
    return read_mapped(h5, fapl, [("old.h5", "/a//bc/def"), ("new.h5", "a/bc/def")])


@case(2)
def groups_with_many_members(h5, fapl):
    """The tree of an old group has several levels."""
    for number, name in enumerate(("middle", "other299z")):
        make(h5, f"s{number}.h5", 100 * number, name=name, others=300, fapl=bounds(h5, OLDEST, LATEST_OF_ALL))
    return read_mapped(h5, fapl, [("s0.h5", "middle"), ("s1.h5", "other299z")])


@case(0)
def new_groups_with_many_members(h5, fapl):
    make(h5, "s.h5", 100, others=30, fapl=bounds(h5, V18, LATEST_OF_ALL))
    return read_one(h5, fapl)


@case(1)
def many_attributes(h5, fapl):
    """The header has several pieces."""
    make(h5, "s.h5", 100, fapl=bounds(h5, OLDEST, LATEST_OF_ALL))
    file = h5.open("s.h5", h5.native, h5.RDWR)
    dset = h5.H5Dopen2.must(file, b"d", 0)
    for number in range(20):
        attribute = h5.H5Acreate2.must(dset, f"attribute {number}".encode(), h5.type("STD_I32LE"), h5.space([5]), 0, 0)
        h5.H5Awrite.must(attribute, h5.type("STD_I32LE"), ints(5))
        h5.H5Aclose.must(attribute)
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    return read_one(h5, fapl)


@case(0)
def other_layouts(h5, fapl):
    """Each is the only source of a virtual dataset: one that is not plain keeps the others from being looked at."""
    compact = list_with(h5, "DATASET_CREATE", "H5Pset_layout", 0)
    external = list_with(h5, "DATASET_CREATE", "H5Pset_external", b"raw", 0, 400)
    got = []
    for number, how in enumerate(({"chunk": [30]}, {"dcpl": compact}, {"dcpl": external}, {"type": "STD_I32BE"}, {"type": "STD_I16LE"})):
        make(h5, f"s{number}.h5", 100 * number, **how)
        got.append(read_one(h5, fapl, path=f"s{number}.h5"))
        os.remove("v.h5")
    file = h5.create("empty.h5")
    h5.make(file, "d", [100], None)
    h5.H5Fclose.must(file)
    return got, read_one(h5, fapl, path="empty.h5")


@case(0)
def a_user_block(h5, fapl):
    make(h5, "s.h5", 100, fcpl=list_with(h5, "FILE_CREATE", "H5Pset_userblock", 512))
    return read_one(h5, fapl)


@case(0)
def links(h5, fapl):
    simple(h5, "target.h5", first=700)
    make(h5, "s.h5", 100)
    file = h5.open("s.h5", h5.native, h5.RDWR)
    h5.H5Lcreate_soft.must(b"/d", file, b"soft", 0, 0)
    h5.H5Lcreate_external.must(b"target.h5", b"d", file, b"away", 0, 0)
    h5.H5Fclose.must(file)
    got = []
    for name in ("soft", "away", "./d"):
        got.append(read_one(h5, fapl, name=name))
        os.remove("v.h5")
    return got


@case(0)
def committed_type(h5, fapl):
    file = h5.create("s.h5")
    kind = h5.H5Tcopy.must(h5.type("STD_I32LE"))
    h5.H5Tcommit2.must(file, b"kind", kind, 0, 0, 0)
    h5.make(file, "d", [100], ints(100, 50), type=kind)
    h5.H5Fclose.must(file)
    return read_one(h5, fapl)


@case(1)
def a_part_of_a_large_one(h5, fapl):
    """Its elements are not near each other, and not converted."""
    file = h5.create("s.h5")
    h5.make(file, "d", [300, 500], ints(150_000))
    h5.H5Fclose.must(file)
    dcpl = h5.plist("DATASET_CREATE")
    h5.H5Pset_virtual.must(dcpl, h5.slab([1, 100], [0, 0], [1, 100]), b"s.h5", b"d", h5.slab([300, 500], [7, 11], [10, 10], stride=[20, 30]))
    file = h5.create("v.h5")
    h5.make(file, "v", [1, 100], None, dcpl=dcpl)
    h5.H5Fclose.must(file)
    with opened(h5, "v.h5", fapl) as file:
        dset = h5.H5Dopen2.must(file, b"v", 0)
        got = [list(h5.read(dset, 100)), list(h5.read(dset, 100, type="IEEE_F64BE", size=8))]
        h5.H5Dclose.must(dset)
    return got


def use_open(h5, fapl, then):
    """Reads two sources, does something with the files while they are open, reads again, and closes everything."""
    for number in range(2):
        simple(h5, f"s{number}.h5", first=1000 * number)
    map_to(h5, "v.h5", [(f"s{number}.h5", "d") for number in range(2)])
    file = h5.open("v.h5", fapl)
    dset = h5.H5Dopen2.must(file, b"v", 0)
    got = [read_rows(h5, dset, 2)]
    got += then()
    got.append(read_rows(h5, dset, 2))
    h5.H5Dclose.must(dset)
    h5.H5Fclose.must(file)
    # Nothing is left open.
    for number in range(2):
        writable = h5.H5Fopen(f"s{number}.h5".encode(), h5.RDWR, fapl)
        got.append((writable < 0, writable >= 0 and h5.H5Fclose(writable), len(open(f"s{number}.h5", "rb").read()) > 400))
    return got


def tried(h5, file):
    """Whether a file could be opened, which is closed again, and the first error."""
    return [file >= 0, h5.H5Fclose(file) if file >= 0 else h5.errors()[0]]


@case(2)
def opened_for_writing(h5, fapl):
    return use_open(h5, fapl, lambda: tried(h5, h5.H5Fopen(b"s1.h5", h5.RDWR, fapl)))


@case(2)
def opened_for_reading(h5, fapl):
    def then():
        file = h5.open("s1.h5", fapl)
        dset = h5.H5Dopen2.must(file, b"d", 0)
        got = [list(h5.read(dset, 100))[:8]]
        h5.H5Dclose.must(dset)
        h5.H5Fclose.must(file)
        return got

    return use_open(h5, fapl, then)


@case(2)
def opened_with_another_close_degree(h5, fapl):
    strong = h5.H5Pcopy.must(fapl)
    h5.H5Pset_fclose_degree.must(strong, 3)
    return use_open(h5, fapl, lambda: tried(h5, h5.H5Fopen(b"s1.h5", h5.RDONLY, strong)))


@case(2)
def created_anew(h5, fapl):
    """Native HDF5 refuses to truncate a file that is open, and so its contents stay."""
    return use_open(h5, fapl, lambda: tried(h5, h5.H5Fcreate(b"s1.h5", h5.TRUNC, 0, fapl)))


@case(2)
def another_file_is_written(h5, fapl):
    def then():
        file = h5.H5Fcreate.must(b"other.h5", h5.TRUNC, 0, fapl)
        h5.make(file, "d", [100], ints(100))
        h5.H5Fclose.must(file)
        return []

    return use_open(h5, fapl, then)


@case(2)
def unlocked(h5, fapl):
    """What native HDF5 refuses does not depend on locks."""
    h5.H5Pset_file_locking.must(fapl, False, True)
    return use_open(h5, fapl, lambda: tried(h5, h5.H5Fopen(b"s1.h5", h5.RDWR, fapl)) + tried(h5, h5.H5Fcreate(b"s0.h5", h5.TRUNC, 0, fapl)))


LOCKED = "import fcntl, sys; f = open(sys.argv[1], 'rb'); fcntl.flock(f, int(sys.argv[2]) | fcntl.LOCK_NB); print('locked')"


def lock(path, kind):
    """Whether another process gets a lock."""
    done = subprocess.run([sys.executable, "-c", LOCKED, path, str(kind)], capture_output=True, text=True)
    return done.stdout.strip()


@case(2)
def locked_by_us(h5, fapl):
    return use_open(h5, fapl, lambda: [lock("s1.h5", fcntl.LOCK_EX), lock("s1.h5", fcntl.LOCK_SH)])


@case(0)
def locked_by_others(h5, fapl):
    simple(h5, "s.h5", first=100)
    with open("s.h5", "rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return read_one(h5, fapl)


@case(1)
def opened_before(h5, fapl):
    """The application has one of the sources open: that one is HDF5's, and keeps later ones from being looked at."""
    for number in range(2):
        simple(h5, f"s{number}.h5", first=1000 * number)
    file = h5.open("s1.h5", fapl)
    got = read_mapped(h5, fapl, [("s0.h5", "d"), ("s1.h5", "d")])
    h5.H5Fclose.must(file)
    return got


def changed(path, place, given):
    with open(path, "r+b") as raw:
        raw.seek(place)
        raw.write(given)


@case(0)
def not_closed_properly(h5, fapl):
    """Somebody writes it, or has not closed it: its first bytes say so. In the second file the checksum does not fit."""
    got = []
    for number, place in enumerate((20, 11)):
        make(h5, "s.h5", 100, fapl=bounds(h5, V18 if number else OLDEST, LATEST_OF_ALL))
        changed("s.h5", place, b"\x01")
        got.append(read_one(h5, fapl))
        os.remove("v.h5")
    return got


@case(0)
def cut_short(h5, fapl):
    simple(h5, "s.h5", first=100)
    os.truncate("s.h5", os.path.getsize("s.h5") - 1)
    return read_one(h5, fapl)


@case(0)
def its_own_source_by_name(h5, fapl):
    map_to(h5, "v.h5", [("v.h5", "d")])
    file = h5.open("v.h5", h5.native, h5.RDWR)
    h5.make(file, "d", [100], ints(100, 60))
    h5.H5Fclose.must(file)
    with opened(h5, "v.h5", fapl) as file:
        dset = h5.H5Dopen2.must(file, b"v", 0)
        got = read_rows(h5, dset, 1)
        h5.H5Dclose.must(dset)
    return got


if __name__ == "__main__":
    CASES.main()
