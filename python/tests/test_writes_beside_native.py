"""Corners of writing where native HDF5 and the connector could miss what the other has: each script is run natively and
through the connector in h5py's host, and must print the same.
"""

import subprocess

import pytest
from helpers.connectors import STATS, clean_env
from helpers.writes import WriteCounters

COMMON = """
import sys
import h5py, numpy
folder = sys.argv[1] + "/"
def create(name, **options):
    with h5py.File(folder + name, "w") as file:
        file.create_dataset("d", data=numpy.zeros(1000, "i4"), chunks=(100,), **options)
"""

# A link in a file that is open read-only leads to one that is open for writing, and has changed chunks in memory.
LINK = """
create("b.h5", compression="gzip")
with h5py.File(folder + "a.h5", "w") as file:
    file["l"] = h5py.ExternalLink(folder + "b.h5", "d")
writer, reader = h5py.File(folder + "b.h5", "r+"), h5py.File(folder + "a.h5", "r")
for place in range(3, 9):
    writer["d"][place] = place
    dataset = reader["l"]
    print(reader["l"][:10], dataset[:10], dataset[:10], dataset[...].sum())
"""

# The same for the sources of a virtual dataset.
VIRTUAL = """
create("b.h5", compression="gzip")
create("c.h5")
with h5py.File(folder + "a.h5", "w", libver="latest") as file:
    layout = h5py.VirtualLayout((2, 1000), "i4")
    for number, name in enumerate(("b.h5", "c.h5")):
        layout[number] = h5py.VirtualSource(folder + name, "d", (1000,))
    file.create_virtual_dataset("v", layout)
writers = [h5py.File(folder + name, "r+") for name in ("b.h5", "c.h5")]
sources = [writer["d"] for writer in writers]
reader = h5py.File(folder + "a.h5", "r")
virtual = reader["v"]
for place in range(3, 9):
    for source in sources:
        source[place] = place
    print(virtual[:, :10], reader["v"][:, :10], virtual[...].sum())
"""

# The file is closed, its dataset is not, and takes storage that was not there before.
CLOSED = """
for options in ({}, {"compression": "gzip"}):
    create("a.h5", maxshape=(None,), **options)
    file = h5py.h5f.open((folder + "a.h5").encode(), h5py.h5f.ACC_RDWR)
    dataset = h5py.h5d.open(file, b"d")
    dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, numpy.arange(1000, dtype="i4"))
    file.close()
    dataset.set_extent((100_000,))
    data = numpy.random.default_rng(1).integers(0, 1 << 30, 100_000).astype("i4")
    for part in range(2):
        dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, data[::-1].copy() if part else data)
        back = numpy.empty_like(data)
        dataset.read(h5py.h5s.ALL, h5py.h5s.ALL, back)
        print(back[:5], back.sum())
    dataset.close()
    with h5py.File(folder + "a.h5") as file:
        print(file["d"][:5], file["d"][...].sum())
"""

# Native HDF5 fills the last chunk in its own cache before anything was read or written through the handle.
SHRUNK = """
for options in ({}, {"compression": "gzip"}):
    create("a.h5", maxshape=(None,), **options)
    with h5py.File(folder + "a.h5", "r+") as file:
        dataset = file["d"]
        dataset.resize((550,))
        dataset[545] = 7
        dataset[549] = 8
        dataset.resize((547,))
        dataset.resize((560,))
        print(dataset[540:560])
    with h5py.File(folder + "a.h5") as file:
        print(file["d"][540:560])
"""

# Filters that give up leave a mask behind, which HDF5 forgets to change.
MASKS = """
noise = numpy.random.default_rng(1).integers(0, 2**31, 100, dtype="i4")
for size in (1000, 100):
    with h5py.File(folder + "a.h5", "w") as file:
        file.create_dataset("d", (size,), "i4", chunks=(100,), compression="lzf")[:100] = noise
    with h5py.File(folder + "a.h5", "r+") as file:
        dataset = file["d"]
        dataset[:100] = 7
        dataset[3] = 8
        print(dataset[:6], dataset.id.get_chunk_info(0).filter_mask)
        dataset[:100] = noise
        dataset[3] = 9
        print(dataset[:6], dataset.id.get_chunk_info(0).filter_mask)
    with h5py.File(folder + "a.h5") as file:
        print(file["d"][:6])
"""

# Nothing is closed: HDF5 does that when the process ends, and what is newer in memory is written then.
LEFT_OPEN = """
if len(sys.argv) == 2:
    file = h5py.File(folder + "a.h5", "w")
    for name, options in (("p", {}), ("z", {"compression": "gzip"})):
        dataset = file.create_dataset(name, (1000, 100), "i4", chunks=(64, 100), maxshape=(None, 100), **options)
        dataset[3:7] = 5
        dataset[100:900, 3] = 8
        globals()[name] = dataset
else:
    with h5py.File(folder + "a.h5") as file:
        print([(name, file[name][3:7].sum(), file[name][...].sum()) for name in ("p", "z")])
"""

# A chunk that cannot be stored is a matter of its own file, and is stored when there is room again.
FULL = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
def attempt(name, call):
    try:
        print(name, call(), flush=True)
    except Exception as error:
        print(name, type(error).__name__, flush=True)
create("b.h5")
one = h5py.File(folder + "a.h5", "w", rdcc_nbytes=64 << 20)
dataset = one.create_dataset("d", (4, 1 << 18), "f8", chunks=(4, 1 << 18), compression="gzip")
one.flush()
other = h5py.File(folder + "b.h5", "r+")
dataset[:2] = numpy.random.default_rng(0).random((2, 1 << 18))
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, resource.RLIM_INFINITY))
attempt("flush", other.flush)
attempt("visit", lambda: other.visit(lambda name: None))
attempt("size", lambda: other.id.get_filesize() > 0)
attempt("copy", lambda: other.copy("d", "e"))
attempt("close", other.id.close)
attempt("exists", lambda: h5py.h5o.exists_by_name(one.id, b"d"))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
attempt("flush", one.flush)
attempt("sum", lambda: dataset[0].sum())
one.close()
with h5py.File(folder + "a.h5") as file:
    print(file["d"][0].sum())
"""

# A part of each of many chunks is written by one call: not all of them are kept in memory.
MANY = """
import resource
with h5py.File(folder + "a.h5", "w") as file:
    dataset = file.create_dataset("d", (256, 300 * 1024), "f4", chunks=(256, 1024), compression=1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    dataset[3] = numpy.arange(300 * 1024, dtype="f4")
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10
    print(grown < 200 or grown, dataset[3].sum(), dataset[2].sum())
"""

SCRIPTS = {"link": LINK, "virtual": VIRTUAL, "closed": CLOSED, "shrunk": SHRUNK, "masks": MASKS, "left_open": LEFT_OPEN}
SCRIPTS |= {"full": FULL, "many": MANY}


@pytest.mark.parametrize("name", SCRIPTS)
def test_same_as_native(name, python, plugin_dir, bypass, tmp_path):
    printed = {}
    for way in ("native", "bypass"):
        folder = tmp_path / way
        folder.mkdir()
        extra = {**bypass.env(), **STATS} if way == "bypass" else {}
        env = clean_env(plugin_dir, **extra)
        # Small reads, too, as they are without a test.
        env.pop("BYPASS_VOL_SMALL_READ", None)
        run = [python, "-c", COMMON + SCRIPTS[name], str(folder)]
        runs = [subprocess.run(run, env=env, capture_output=True, text=True, timeout=120)]
        if name == "left_open":
            runs.append(subprocess.run([*run, "look"], env=env, capture_output=True, text=True, timeout=120))
        for done in runs:
            assert done.returncode == 0, done.stderr
        printed[way] = "".join(done.stdout for done in runs)
        if way == "bypass":
            assert WriteCounters.of(runs[0].stderr).bypassed, runs[0].stderr
    assert printed["bypass"] == printed["native"]
