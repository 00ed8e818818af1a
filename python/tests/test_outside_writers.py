"""What is remembered about a dataset must not outlive its file, nor hide what native HDF5 would show.

Nobody should write a file that is open read-only without SWMR, but where locks are off it happens, and handles that are
opened afterwards then show the new state natively.
"""

import subprocess

import pytest
from helpers.connectors import STATS, clean_env
from helpers.writes import WriteCounters

COMMON = """
import ctypes, os, subprocess, sys
import h5py, numpy
folder = sys.argv[1]
def path(name): return os.path.join(folder, name)
def descriptors(name):
    links = [os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd") if os.path.lexists(f"/proc/self/fd/{fd}")]
    return sum(link == path(name) for link in links)
def elsewhere(script):
    env = {key: value for key, value in os.environ.items() if not key.startswith(("HDF5_", "BYPASS_"))}
    subprocess.run([sys.executable, "-c", "import h5py, numpy, sys\\n" + script, folder], check=True, env=env)
"""

LINKED = """
elsewhere('''
for name, link in (("b.h5", None), ("a.h5", "b.h5")):
    with h5py.File(sys.argv[1] + "/" + name, "w") as file:
        if link:
            file["x"] = h5py.ExternalLink(link, "/")
        else:
            file["c"] = numpy.arange(100.0)
            file.create_dataset("z", data=numpy.arange(10000.0), chunks=(1000,), compression="gzip")
''')
with h5py.File(path("a.h5")) as file:
    for name in ("c", "z"):
        print(name, file["x"][name][5:9], file["x"][name][...].sum())
    print("descriptors of the linked file while nothing in it is open:", descriptors("b.h5"))
print("descriptors:", descriptors("a.h5"), descriptors("b.h5"))
with h5py.File(path("b.h5"), "r+") as file:
    file["new"] = 1
with h5py.File(path("a.h5")) as file, h5py.File(path("b.h5")) as linked:
    print(file["x/c"][3], linked["c"][4], file["x/z"][3], linked["z"][4])
print("descriptors:", descriptors("a.h5"), descriptors("b.h5"))
dataset = h5py.File(path("a.h5"))["x/z"]
print(dataset[7])
"""

RESIZED = """
def write(count):
    elsewhere(f'''
with h5py.File(sys.argv[1] + "/r.h5", "a", locking=False) as file:
    if "z" not in file:
        file.create_dataset("z", data=numpy.arange(100000, dtype="i4"), chunks=(1000,), compression=1, maxshape=(None,))
    file["z"].resize(({count},))
''')
write(100000)
file = h5py.File(path("r.h5"), locking=False)
old = file["z"]
print(old[...].sum(), old[...].sum())
write(10)
old.refresh()
new = file["z"]
print(old.shape, new.shape)
lib = ctypes.CDLL([line.split()[-1] for line in open("/proc/self/maps") if "libhdf5-" in line][0])
kind = ctypes.c_int64.in_dll(lib, "H5T_NATIVE_INT_g").value
for dataset in (old, new):
    buffer = numpy.full(100000, -1, dtype="i4")
    identifiers = [ctypes.c_int64(one) for one in (dataset.id.id, kind, 0, 0, 0)]
    print(lib.H5Dread(*identifiers, ctypes.c_void_p(buffer.ctypes.data)), (buffer != -1).sum())
"""

REWRITTEN = """
def write(value):
    elsewhere(f'''
with h5py.File(sys.argv[1] + "/w.h5", "a", locking=False) as file:
    for name, kind in (("c", dict()), ("z", dict(chunks=(1000,), fletcher32=True))):
        if name not in file:
            file.create_dataset(name, (10000,), "i4", **kind)
        file[name][...] = {value}
''')
write(0)
file = h5py.File(path("w.h5"), locking=False)
for value in (1, 2):
    for name in "cz":
        dataset = file[name]
        print(name, [int(dataset[5:10].sum()) for _ in range(3)])
        del dataset
    write(value)
for name in "cz":
    print(name, [int(file[name][5:10].sum()) for _ in range(3)])
"""

INVALID = """
with h5py.File(path("i.h5"), "w") as file:
    file["d"] = numpy.arange(100.0)
file = h5py.File(path("i.h5"))
dataset = file["d"]
print(dataset[:3], dataset.astype("f4")[:3])
lib = ctypes.CDLL([line.split()[-1] for line in open("/proc/self/maps") if "libhdf5-" in line][0])
lib.H5Eset_auto2(ctypes.c_int64(0), None, None)
buffer = numpy.zeros(100)
for kind in (-1, 0, 12345):
    identifiers = [ctypes.c_int64(one) for one in (dataset.id.id, kind, 0, 0, 0)]
    print(lib.H5Dread(*identifiers, ctypes.c_void_p(buffer.ctypes.data)), buffer.any())
"""


@pytest.mark.parametrize("script", [LINKED, RESIZED, REWRITTEN, INVALID], ids=["linked", "resized", "rewritten", "invalid"])
@pytest.mark.parametrize("small", ["0", None], ids=["every read", "as by default"])
def test_as_native(python, plugin_dir, bypass, tmp_path, script, small):
    results = []
    for name, connector in (("native", {}), ("bypass", bypass.env())):
        folder = tmp_path / name
        folder.mkdir()
        env = clean_env(plugin_dir, **connector, **(STATS if connector else {}))
        if small is None:
            env.pop("BYPASS_VOL_SMALL_READ", None)
        done = subprocess.run([python, "-c", COMMON + script, str(folder)], env=env, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        results.append(done.stdout)
        if connector and small:
            assert WriteCounters.of(done.stderr).reads, done.stderr
    assert results[0] == results[1]
