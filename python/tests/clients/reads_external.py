"""Raw data in external files."""

import os
from pathlib import Path

from access_paths import access_path, ints, list_with, opened, opened_dataset, values


def with_external(h5, path, name):
    """A file whose dataset's raw data is in the file `name`."""
    file = h5.create(path)
    h5.make(file, "d", [100], None, dcpl=list_with(h5, "DATASET_CREATE", "H5Pset_external", name.encode(), 0, 400))
    h5.H5Fclose.must(file)


def two_raw_files(h5, path):
    """Raw data in the folder "one", other raw data of the same name here, and a file that may mean either."""
    raw("one/raw.bin", 100)
    raw("raw.bin", 200)
    with_external(h5, path, "raw.bin")


def read_prefixed(h5, file, prefix):
    dset = h5.H5Dopen2.must(file, b"d", list_with(h5, "DATASET_ACCESS", "H5Pset_efile_prefix", prefix))
    got = values(h5.read(dset, 100))
    h5.H5Dclose.must(dset)
    return got and got[:2]


def raw(path, first):
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_bytes(ints(100, first))


@access_path(1)
def origin_of_a_symbolic_link(h5, fapl):
    """${ORIGIN} is the folder of the name that was opened, not of the file it leads to."""
    raw("real/raw.bin", 100)
    raw("linked/raw.bin", 200)
    with_external(h5, "real/a.h5", "raw.bin")
    os.symlink("../real/a.h5", "linked/a.h5")
    with opened(h5, "linked/a.h5", fapl) as file:
        return read_prefixed(h5, file, b"${ORIGIN}")


@access_path(1)
def origin_after_chdir(h5, fapl):
    """${ORIGIN} is settled when the file is opened."""
    for folder, first in (("one", 100), ("two", 200)):
        raw(f"{folder}/raw.bin", first)
        os.mkdir(f"{folder}/sub")
        raw(f"{folder}/sub/raw.bin", first + 50)
    with_external(h5, "one/a.h5", "raw.bin")
    with_external(h5, "two/a.h5", "raw.bin")
    os.chdir("one")
    with opened(h5, "a.h5", fapl) as file:
        os.chdir("../two")
        return read_prefixed(h5, file, b"${ORIGIN}/sub")


@access_path(1)
def origin_of_a_renamed_file(h5, fapl):
    two_raw_files(h5, "one/a.h5")
    with opened(h5, "one/a.h5", fapl) as file:
        os.rename("one/a.h5", "one/b.h5")
        return read_prefixed(h5, file, b"${ORIGIN}")


@access_path(1)
def prefix_from_a_late_environment(h5, fapl):
    """HDF5 asks for HDF5_EXTFILE_PREFIX once, when it starts."""
    two_raw_files(h5, "a.h5")
    os.environ["HDF5_EXTFILE_PREFIX"] = "one"
    with opened(h5, "a.h5", fapl) as file:
        return read_prefixed(h5, file, b"")


@access_path(2)
def external_file_replaced(h5, fapl):
    """Another raw file under the same name: native opens it at every read."""
    raw("raw.bin", 100)
    raw("new.bin", 200)
    with_external(h5, "a.h5", "raw.bin")
    with opened_dataset(h5, fapl) as (_, dset):
        got = [values(h5.read(dset, 100))[0]]
        os.replace("new.bin", "raw.bin")
        return [*got, values(h5.read(dset, 100))[0]]


@access_path(1, {"external-file": 1})
def external_file_comes_later(h5, fapl):
    """Absent at the first read, there at the second."""
    with_external(h5, "a.h5", "raw.bin")
    with opened_dataset(h5, fapl) as (_, dset):
        got = [h5.read(dset, 100) is None]
        raw("raw.bin", 100)
        return [*got, values(h5.read(dset, 100))[0]]
