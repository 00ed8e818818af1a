"""Stubs: to clients that insist on regular files, a Zarr directory is one. Everything is compared with files of native HDF5."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest
from helpers.connectors import clean_env
from helpers.run_client import run_client

CASES = ["modes", "regular_files", "overwriting", "deleting", "names", "links", "locks", "times", "creation_order"]


@pytest.fixture(scope="session")
def stub_env(plugin_dir):
    """The environment of a program whose new files are Zarr directories behind stubs."""
    assert (plugin_dir / "libh5zarr_vol.so").is_file(), f"no libh5zarr_vol.so in {plugin_dir}"

    def env(settings="stub=1", **extra):
        return clean_env(plugin_dir, HDF5_VOL_CONNECTOR=f"zarr {settings}".strip(), **extra)

    return env


@pytest.fixture(scope="session")
def both_ways(python, plugin_dir, stub_env, tmp_path_factory):
    """What a client says natively and over stubs, the folder of the latter, and its counters."""

    def run(script):
        natively, folder = tmp_path_factory.mktemp(f"{script}-native"), tmp_path_factory.mktemp(script)
        counters = folder.with_suffix(".json")
        native = run_client(python, script, env=clean_env(plugin_dir), cwd=natively)
        stubs = run_client(python, script, env=stub_env(ZARR_VOL_STATS=str(counters)), cwd=folder)
        return native, stubs, folder, json.loads(counters.read_text())

    return run


@pytest.fixture(scope="session")
def regular(both_ways):
    return both_ways("stub_cases")


@pytest.mark.parametrize("case", CASES)
def test_a_stub_is_a_regular_file(case, regular):
    native, stubs, _, _ = regular
    assert sorted(native) == sorted(CASES)
    assert stubs[case] == native[case]


def test_containers_are_beside_their_stubs(regular):
    _, _, folder, counters = regular
    assert counters["created"] > 20 and counters["opened"] > 20 and counters["chunks_written"] > 20
    for name in ("modes.h5", "plain", "with blank.h5", "folder/y.h5"):
        assert (folder / name).stat().st_size == 4096, name
        assert (folder / f"{name}.zarr" / "zarr.json").is_file(), name
    assert not (folder / "deleted.h5.zarr").exists()
    assert not list(folder.rglob("*h5tmp*")), "temporary files are left"


@pytest.fixture(scope="session")
def clients(both_ways):
    return both_ways("stub_clients")


@pytest.mark.parametrize("client", ["pandas", "pytables", "netcdf", "late_coordinates"])
def test_clients(client, clients):
    native, stubs, _, counters = clients
    assert counters["connector"] == "zarr" and counters["chunks_written"] > 0
    assert stubs[client] == native[client]


def test_zarr_python_reads_what_netcdf4_wrote(python, plugin_dir, clients):
    folder = clients[2]
    program = """
import json, zarr
data = zarr.open_group("weather.nc.zarr", mode="r")
temperature = data["temperature"]
print(json.dumps({
    "title": data.attrs["title"], "units": temperature.attrs["units"], "shape": temperature.shape, "chunks": temperature.chunks,
    "dimensions": temperature.metadata.dimension_names, "row": temperature[10].tolist(), "names": data["name"][:].tolist(),
    "count": data["model/run/count"][5].tolist(), "note": data["model/run"].attrs["note"], "later": data["later"][:].tolist(),
    "codecs": [type(codec).__name__ for codec in temperature.metadata.codecs],
}))
"""
    done = subprocess.run([python, "-W", "ignore", "-c", program], cwd=folder, env=clean_env(plugin_dir), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "title": "Another title", "units": "K", "shape": [11, 4], "chunks": [5, 4], "dimensions": ["time", "station"],
        "row": [300.0] * 4, "names": ["Ä", "bee", "", "a longer name"], "count": [9] * 4, "note": "in a group",
        "later": list(range(12)), "codecs": ["BytesCodec", "BloscCodec"],
    }


WRITE = "import h5py, sys\nwith h5py.File(sys.argv[1], 'w') as f: f['x'] = [1, 2, 3]"
READ = "import h5py, sys\nprint(list(h5py.File(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else 'r')['x']))"


@pytest.fixture
def program(python, stub_env, tmp_path):
    """Runs a program with a file's name; its output, or the last line of its complaint."""

    def run(text, *arguments, settings="stub=1", env=None):
        command = [python, "-c", text, *arguments]
        env = stub_env(settings) if env is None else env
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60)
        assert done.returncode in (0, 1), done
        return done.stdout.strip() if done.returncode == 0 else done.stderr.strip().splitlines()[-1]

    return run


def test_both_are_moved_together(program, tmp_path):
    assert program(WRITE, "a.h5") == ""
    (tmp_path / "elsewhere").mkdir()
    for name in ("a.h5", "a.h5.zarr"):
        shutil.move(tmp_path / name, tmp_path / "elsewhere" / name)
    # An existing stub needs no setting.
    assert program(READ, "elsewhere/a.h5", settings="") == "[np.int64(1), np.int64(2), np.int64(3)]"
    # A file that is overwritten stays what it is.
    assert program(WRITE, "elsewhere/a.h5", settings="") == ""
    assert (tmp_path / "elsewhere/a.h5").stat().st_size == 4096
    # A stub alone is of no use, and says so.
    shutil.copy(tmp_path / "elsewhere/a.h5", tmp_path / "copy.h5")
    for mode in ("r", "r+", "a"):
        complaint = program(READ, "copy.h5", mode)
        assert "'copy.h5': it is a stub of" in complaint and "must be moved and copied together" in complaint
    # But a new file can be made there.
    assert program(WRITE, "copy.h5") == ""
    assert (tmp_path / "a.h5.zarr" / "zarr.json").is_file()


def test_names_that_end_in_zarr_are_directories(program, tmp_path):
    assert program(WRITE, "a.zarr", settings="all=1;stub=1") == ""
    assert (tmp_path / "a.zarr" / "zarr.json").is_file() and not (tmp_path / "a.zarr.zarr").exists()


def test_no_other_directory_is_overwritten(program, tmp_path):
    assert program(WRITE, "data.zarr") == ""
    complaint = program(WRITE, "data")
    assert "its data would be in" in complaint and "was not made for this file" in complaint
    assert not (tmp_path / "data").exists()
    assert "np.int64(3)" in program(READ, "data.zarr")
    # What a removed stub has left is.
    assert program(WRITE, "b.h5") == ""
    (tmp_path / "b.h5").unlink()
    assert program(WRITE, "b.h5") == ""
    shutil.move(tmp_path / "b.h5.zarr", tmp_path / "c.h5.zarr")
    assert "was not made for this file" in program(WRITE, "c.h5")


def test_a_stub_is_not_trusted(program, tmp_path):
    assert program(WRITE, "good.h5") == ""
    stub = (tmp_path / "good.h5").read_bytes()

    def complaint(text, name="bad.h5"):
        (tmp_path / name).write_bytes(text)
        return program(READ, name)

    leads = "leads only to a container beside it or in a folder beside it"
    for path in (b"../a.zarr\0", b"/tmp/a.zarr\0", b"a/../../b\0", b"\0"):
        assert leads in complaint(stub.replace(b"good.h5.zarr\0", path.ljust(13, b"\0"), 1)), path
    changed = bytearray(stub)
    changed[1500] ^= 1
    assert "bad.h5 is a damaged stub" in complaint(bytes(changed))
    assert "bad.h5 is a damaged stub" in complaint(stub.replace(b"good.h5.zarr", b"evil.h5.zarr", 1))
    assert "truncated file" in complaint(stub[:3000])
    assert "file signature not found" in complaint(bytes(4096))
    # A stub that leads to itself, and one that leads to a stub.
    shutil.rmtree(tmp_path / "good.h5.zarr")
    assert "where nothing is that the connector 'zarr' can open" in complaint(stub, "good.h5.zarr")
    assert "where nothing is that the connector 'zarr' can open" in program(READ, "good.h5")


def test_native_hdf5_opens_a_stub_and_says_where_the_data_is(program, plugin_dir, tmp_path):
    assert program(WRITE, "a.h5") == ""
    before = (tmp_path / "a.h5").read_bytes()
    text = """
import h5py, netCDF4, sys, tables
for libver in ("earliest", "latest"):
    with h5py.File(sys.argv[1], "r+", libver=libver) as file:
        said = {key: value.decode() for key, value in file.attrs.items()}
assert netCDF4.Dataset(sys.argv[1]).ncattrs() == ["about", "connector", "container"]
with tables.open_file(sys.argv[1]) as file:
    assert file.root._v_nchildren == 0
print(said["connector"], said["container"], "is not here" in said["about"], list(h5py.File(sys.argv[1])))
"""
    assert program(text, "a.h5", env=clean_env(plugin_dir)) == "zarr a.h5.zarr True []"
    assert (tmp_path / "a.h5").read_bytes() == before
    assert "np.int64(3)" in program(READ, "a.h5")


def test_bad_settings_are_refused(program):
    assert "'stub=2': valid are 0 and 1" in program(WRITE, "a.h5", settings="stub=2")
    assert "all, stub, transcode and compound are known" in program(WRITE, "a.h5", settings="stubs=1")
