"""What is known about a dataset is kept when its handle is closed: it must not be taken for another one's."""

import subprocess

import pytest
from helpers.connectors import STATS, clean_env
from helpers.reads import Counters

# Datasets are created, read, deleted and copied in a file of few objects, so that their headers take each other's places.
DELETED = """
import sys, random, h5py, numpy
path, seed = sys.argv[1], int(sys.argv[2])
rng, places, reused = random.Random(seed), {}, 0
with h5py.File(path, "w", libver=rng.choice(["earliest", "latest"])) as file:
    for step in range(300):
        name = rng.choice("abcdef")
        if name in file:
            if rng.random() < 0.5:
                del file[name]
                continue
            if rng.random() < 0.2 and "copy" not in file:
                file.copy(name, "copy")
                print(step, "copied", file["copy"][...].sum())
                del file["copy"]
        else:
            shape = rng.choice([(400,), (20, 20), (3000,)])
            options = rng.choice([{}, {"chunks": (10,) * len(shape)}, {"chunks": (10,) * len(shape), "compression": 1}])
            dtype = rng.choice(["i4", "f8", ">i2"])
            made = file.create_dataset(name, shape, dtype, **options)
            # What of contiguous storage was never written reads natively as whatever was there before.
            if not options or rng.random() < 0.8:
                made[...] = numpy.arange(made.size).reshape(shape) % 1000 + step
            address = h5py.h5o.get_info(made.id).addr
            reused += address in places
            places[address] = name
        found = file[name]
        at = tuple(rng.randrange(size) for size in found.shape)
        if rng.random() < 0.5:
            found[at] = step
        print(step, name, found.dtype, found.shape, found[at], found[...].sum())
assert reused > 10, reused
"""

PREFIXES = """
import sys, pathlib, h5py, numpy
folder, mode = pathlib.Path(sys.argv[1]), sys.argv[2]
for number, name in enumerate("ab"):
    (folder / name).mkdir()
    numpy.full(20_000, number, "i4").tofile(folder / name / "raw.bin")
with h5py.File(folder / "file.h5", "w") as file:
    file.create_dataset("x", (20_000,), "i4", external=[("raw.bin", 0, h5py.h5f.UNLIMITED)])
with h5py.File(folder / "file.h5", mode) as file:
    for name in "abba":
        access = h5py.h5p.create(h5py.h5p.DATASET_ACCESS)
        access.set_efile_prefix(str(folder / name).encode())
        print(h5py.Dataset(h5py.h5d.open(file.id, b"x", access))[...].sum())
"""


def both_ways(python, plugin_dir, bypass, script, *arguments):
    """What a script prints natively and through the connector, and the connector's counters."""
    printed = []
    for label, env in {"native": {}, "bypass": {**bypass.env(), **STATS}}.items():
        command = [python, "-c", script, *(str(argument).format(label) for argument in arguments)]
        env = clean_env(plugin_dir, **env)
        env.pop("BYPASS_VOL_SMALL_READ", None)
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        printed.append(done.stdout)
    return (*printed, Counters.of(done.stderr))


@pytest.mark.parametrize("seed", range(4))
def test_deleted_datasets(python, plugin_dir, bypass, tmp_path, seed):
    native, ours, counters = both_ways(python, plugin_dir, bypass, DELETED, tmp_path / "{}.h5", seed)
    assert ours == native
    assert counters.bypassed > 100, counters


@pytest.mark.parametrize("mode", ["r", "r+"])
def test_prefixes_of_external_files(python, plugin_dir, bypass, tmp_path, mode):
    for label in ("native", "bypass"):
        (tmp_path / label).mkdir()
    native, ours, counters = both_ways(python, plugin_dir, bypass, PREFIXES, tmp_path / "{}", mode)
    assert native.split() == ["0", "20000", "20000", "0"]
    assert ours == native
    assert counters.bypassed == 4, counters
