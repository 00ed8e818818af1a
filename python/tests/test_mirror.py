"""The mirror connector: what an application writes is on every side, a side that fails is an error or is left out and marked, and a
marked side does not pass as good.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from helpers.connectors import clean_env
from helpers.run_client import run_client

NATIVE = "{under_vol=0;under_info={}}"
BYPASS = "{under_vol=518;under_info={}}"
# What stands below the first side, and the other sides.
SIDES = {
    "bare": "",
    "native and native": f"a={NATIVE};b={NATIVE}",
    "bypass and native": f"a={BYPASS};b={NATIVE}",
    "native and bypass": f"a={NATIVE};b={BYPASS}",
    "three sides": f"a={NATIVE};b={NATIVE};c={{under_vol=518;under_info={{}};name={{name}}.2}}",
}


@pytest.fixture
def run(python, plugin_dir, tmp_path):
    """Runs a program of clients/mirror_program.py through the connector; its answer."""
    assert (plugin_dir / "libh5mirror_vol.so").is_file()

    def runner(what, name="x.h5", *more, info="", code=0):
        env = clean_env(plugin_dir, HDF5_VOL_CONNECTOR=f"mirror {info}".strip())
        return run_client(python, "mirror_program", what, name, *more, env=env, cwd=tmp_path, code=code)

    return runner


@pytest.fixture
def natively(python, plugin_dir, tmp_path):
    """Runs a snippet with h5py and native HDF5; what it prints."""

    def runner(program):
        done = subprocess.run([python, "-c", program], env=clean_env(plugin_dir), cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return runner


def journals(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.glob("*.mirror"))


@pytest.mark.parametrize("sides", SIDES)
def test_all_sides_have_everything(sides, run, dump, tmp_path):
    """Compared by the connector itself at each close and opening, and by native h5py afterwards."""
    info = ";".join(part for part in (SIDES[sides], "verify=both") if part)
    assert run("all", info=info) == {"result": None}
    others = ["x.h5.bak", "x.h5.2"] if sides == "three sides" else ["x.h5.bak"]
    first = (tmp_path / "x.h5").read_bytes()
    assert len(first) > 20000
    assert journals(tmp_path) == []
    told = dump(tmp_path)
    for other in others:
        assert told[other] == told["x.h5"], other
        assert "pairs" in str(told[other]) and "from source" in str(told[other])


@pytest.mark.parametrize("name", ["x.h5", "x.h5.bak"])
def test_references_lead_to_the_same_objects(name, run, natively):
    """Of objects and of regions, alone, in compounds, in attributes, in sequences."""
    run("all")
    told = natively(f"""
import h5py
f = h5py.File({name!r})
print(f[f["refs"][0, 0]].name, f[f["refs"][2, 1]].name, f[f["pairs"][1]["r"]].name, f[f["pairs"][2]["r"]].name)
print(f[f.attrs["ref"]].name, f["g/d"].dims[0]["rows"].name, f[f["regions"][0]][f["regions"][0]].tolist())
print(f["scale"].attrs["REFERENCE_LIST"][0][1], f[f["scale"].attrs["REFERENCE_LIST"][0][0]] == f["g/d"])
""")
    assert told == "/g /late /late /hard\n/late /scale [[705, 706], [805, 806]]\n0 True"


def test_addresses_differ(run, natively):
    """What makes the test above worth something: the dimension's reference is another number on the other side."""
    run("all")
    numbers = natively("""
import h5py
for name in "x.h5", "x.h5.bak":
    f = h5py.File(name)
    print(h5py.h5o.get_info(f["scale"].id).addr)
""").split()
    assert numbers[0] != numbers[1]


@pytest.mark.parametrize("client", ["tables", "netcdf"])
def test_other_clients(client, run, dump, tmp_path):
    assert run(client, info="verify=both") == {"result": None}
    told = dump(tmp_path)
    assert told["x.h5.bak"] == told["x.h5"] and len(told["x.h5"]) > 0


def test_zarr_as_another_side(run, natively):
    """The other side may be of another format."""
    zarr = "b={under_vol=520;under_info={};name={stem}.zarr}"
    assert run("simple", info=zarr) == {"result": None}
    assert run("simple", "x.h5", "r+", info=zarr) == {"result": None}
    assert natively("import zarr; print(zarr.open('x.zarr')['d1'][-1])") == "4999"


def test_names_by_patterns(run, tmp_path):
    (tmp_path / "copies").mkdir()
    assert run("simple", info="b={name=copies/{base}};c={name={folder}/{stem}-2.h5}") == {"result": None}
    sizes = {(tmp_path / name).stat().st_size for name in ("x.h5", "copies/x.h5", "x-2.h5")}
    assert len(sizes) == 1 and sizes.pop() > 40000


@pytest.mark.parametrize("info, message", [
    ("b={name=one.h5}", "gives every file the same name"),
    ("b={name={name}}", "gives the side the name of the file itself"),
    ("on_error=ignore", "must be fail or degrade"),
    ("under_vol=0;a={}", "the connector below is given twice"),
])
def test_wrong_settings(info, message, run):
    assert message in run("simple", info=info)["error"]


def missing_folder(folder):
    return "b={name=missing/{base}}"


def folder_at_the_name(folder):
    (folder / "x.h5.bak").mkdir()
    return ""


def full_disk(folder):
    (folder / "x.h5.bak").symlink_to("/dev/full")
    return ""


FAULTS = [missing_folder, folder_at_the_name, full_disk]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_failing_side_is_an_error(fault, run, tmp_path):
    answer = run("simple", info=fault(tmp_path))
    assert "side b" in answer["error"], answer


@pytest.mark.parametrize("fault", FAULTS)
def test_a_failing_side_is_left_out(fault, run, natively, tmp_path):
    info = f"{fault(tmp_path)};on_error=degrade".strip(";")
    assert run("simple", info=info) == {"result": None}
    assert natively("import h5py; f = h5py.File('x.h5'); print(f['d0'][...].sum(), f.attrs['a0'])") == "12497500 text"
    if fault is not missing_folder:
        assert "incomplete: " in (tmp_path / "x.h5.bak.mirror").read_text()
        # It does not pass as good: neither as a side, ...
        assert "side b (x.h5.bak): it is incomplete" in run("simple", "x.h5", "r+")["error"]
        # ... unless the file may be opened without it.
        assert run("simple", "x.h5", "r+", info="incomplete=warn") == {"result": None}


@pytest.mark.parametrize("fault", ["missing folder", "full disk"])
def test_a_failing_first_side(fault, run, tmp_path):
    """The application sees it, as without the connector."""
    if fault == "full disk":
        (tmp_path / "x.h5").symlink_to("/dev/full")
        assert "error" in run("simple", info="on_error=degrade")
    else:
        assert "error" in run("simple", "missing/x.h5", info="b={name={base}.bak};on_error=degrade")
        assert not (tmp_path / "x.h5.bak").exists()


def test_an_incomplete_side_is_marked_in_its_root(python, plugin_dir, run, natively, tmp_path):
    """A side that lacks an object: the next call on it fails, and the file itself says so from then on."""
    run("simple")
    natively("import h5py; f = h5py.File('x.h5', 'r+'); f['g/only'] = 1; f.close(); f = h5py.File('x.h5.bak', 'r+'); f.create_group('g')")
    program = "import h5py; f = h5py.File('x.h5', 'r+'); print(f['g/only'][()]); f['g/only'][...] = 5; f.close()"
    env = clean_env(plugin_dir, HDF5_VOL_CONNECTOR="mirror on_error=degrade")
    done = subprocess.run([python, "-c", program], env=env, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == "1\n", done.stderr
    assert "mirror: side b (x.h5.bak): H5Oopen: " in done.stderr and "left out and marked" in done.stderr
    assert natively("import h5py; print(h5py.File('x.h5')['g/only'][()])") == "5"
    mark = natively("import h5py; print(h5py.File('x.h5.bak').attrs['MIRROR_INCOMPLETE'])")
    assert "H5Oopen" in mark
    os.remove(tmp_path / "x.h5.bak.mirror")
    assert "it is marked as incomplete" in run("simple", "x.h5", "r+")["error"]


def test_a_side_with_other_content(run, natively):
    run("simple")
    natively("import h5py; f = h5py.File('x.h5.bak', 'r+'); f['more'] = 1")
    assert "not the same as the first side" in run("simple", "x.h5", "r+")["error"]


def test_values_that_differ_are_found_by_verify(run, natively, tmp_path):
    run("simple")
    natively("import h5py; f = h5py.File('x.h5.bak', 'r+'); f['d0'][77] = 1")
    assert "/d0: rows from 0: element 77 differs" in run("simple", "x.h5", "r+", info="verify=open")["error"]
    answer = run("simple", "x.h5", "r+", info="verify=close")
    assert "side b (x.h5.bak): comparing at close: /d0: rows from 0: element 77 differs" in answer["error"]
    told = (tmp_path / "x.h5.bak.mirror").read_text()
    assert "comparing at close: /d0: rows from 0: element 77 differs" in told
    # Found once, it does not pass as good any more.
    assert "it is incomplete" in run("simple", "x.h5", "r+")["error"]


def test_a_difference_at_close_with_degrade(run, natively, tmp_path):
    """The close succeeds; the side is marked all the same."""
    run("simple")
    natively("import h5py; f = h5py.File('x.h5.bak', 'r+'); f['d0'][77] = 1")
    assert run("simple", "x.h5", "r+", info="verify=close;on_error=degrade") == {"result": None}
    assert "MIRROR_INCOMPLETE" in natively("import h5py; print(list(h5py.File('x.h5.bak').attrs))")
    assert "it is incomplete" in run("simple", "x.h5", "r+")["error"]


def test_a_killed_writer(run, natively, tmp_path):
    """The journal says that the side was not closed. It is compared when the file is opened again."""
    assert run("kill", code=-9) is None
    assert journals(tmp_path) == ["x.h5.bak.mirror"]
    assert natively("import h5py; print(list(h5py.File('x.h5')))") == "['d']"
    assert run("simple", "x.h5", "r+") == {"result": None}
    assert journals(tmp_path) == []
    assert run("kill", code=-9) is None
    natively("import h5py; f = h5py.File('x.h5.bak', 'r+'); f['d'][3] = 77")
    assert "/d: rows from 0: element 3 differs" in run("simple", "x.h5", "r+")["error"]


def test_reading_falls_back(run, tmp_path):
    run("simple")
    assert run("read") == {"result": [12497500, "text"]}
    os.remove(tmp_path / "x.h5")
    assert "error" in run("read")
    assert run("read", info="read=fallback") == {"result": [12497500, "text"]}


def test_a_file_that_is_read_needs_no_other_side(run, tmp_path):
    run("simple")
    os.remove(tmp_path / "x.h5.bak")
    assert run("read") == {"result": [12497500, "text"]}
    assert run("read", info="read=fallback") == {"result": [12497500, "text"]}
    assert "side b (x.h5.bak): opening: " in run("simple", "x.h5", "r+")["error"]


def test_statistics_above(python, plugin_dir, tmp_path):
    """A connector above: it is not the outermost one that HDF5 notes in files."""
    env = clean_env(plugin_dir, H5STATS_OUT=str(tmp_path / "out.json"),
                    HDF5_VOL_CONNECTOR="h5stats under_vol=521;under_info={verify=both}")
    assert run_client(python, "mirror_program", "all", "x.h5", env=env, cwd=tmp_path) == {"result": None}
    assert (tmp_path / "x.h5.bak").exists() and "/g/d" in (tmp_path / "out.json").read_text()
