"""H5Ocopy between files that stand on different connectors: h5py's `copy` does what it does between two HDF5 files natively."""

from __future__ import annotations

import json
import re
import subprocess

import pytest

from helpers.connectors import clean_env
from helpers.exchange import Exchange, make_corpus
from helpers.run_client import run_client

NATIVE = "under_vol=0;under_info={}"
BYPASS = "under_vol=518;under_info={}"
STATS = "under_vol=519;under_info={}"
# The outermost connector is the same, what is below it is not.
STACKS = {
    "h5stats": (f"h5stats {BYPASS}", f"h5stats {NATIVE}"),
    "h5stats, the other way": (f"h5stats {NATIVE}", f"h5stats {BYPASS}"),
    "bypass": (f"bypass {STATS}", f"bypass {NATIVE}"),
    "mirror": (f"mirror a={{{BYPASS}}};b={{{NATIVE}}}", f"mirror a={{{NATIVE}}};b={{{BYPASS}}};verify=close"),
    "two levels": (f"h5stats under_vol=518;under_info={{{STATS}}}", f"h5stats {BYPASS}"),
}
FLAGS = ["none", "shallow", "expand_soft", "without_attrs", "merge", "expand_refs"]
# References inside of other types: HDF5 copies their bytes, so that they lead nowhere in another file.
NESTED = re.compile(r"references/(inside|ragged)|DIMENSION_LIST|REFERENCE_LIST")


@pytest.fixture(scope="module")
def corpus(python, plugin_dir, tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    make_corpus(python, plugin_dir, folder)
    program = """
import h5py
for name in ("latest.h5", "ordered.h5", "earliest.h5"):
    with h5py.File(name, "r+") as file:
        # What cannot be read natively either, and links at which HDF5 itself fails.
        del file["layouts/unknown_filter"], file["links/dangling"], file["links/relative"], file["layouts/huge_sparse"]
        file["links/nowhere"] = h5py.SoftLink("/types/nowhere")
with h5py.File("other file.h5", "w") as file:
    file["x"] = [1, 2, 3]
"""
    subprocess.run([python, "-c", program], env=clean_env(plugin_dir), cwd=folder, check=True)
    return folder


@pytest.fixture
def copies(python, plugin_dir, corpus, tmp_path):
    """Makes copies into a new file; what each of them said, None if it worked."""

    def run(source, target, stack, orders, out="stats.json"):
        env = clean_env(plugin_dir, H5STATS_OUT=str(tmp_path / out))
        given = {"source": stack[0], "target": stack[1], "mode": "w", "orders": orders}
        told = run_client(python, "across", str(corpus / source), str(tmp_path / target), json.dumps(given), env=env, cwd=tmp_path)
        assert told["open"] == [0, 0], "something was left open"
        return told["errors"]

    return run


@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize("stacked", STACKS)
def test_copies_are_those_of_native_hdf5(stacked, flag, copies, plugin_dir, tmp_path):
    flags = {} if flag == "none" else {flag: True}
    orders = [
        ["/", "all", flags],
        ["layouts/gzip", "deep/er/one", flags],
        ["zz_type", "type", flags],
        ["types/committed", "in a group", {**flags, "group": "g"}],
        ["links", "all", flags],
        ["nothing", "n", flags],
    ]
    natively = copies("ordered.h5", "native.h5", (None, None), orders)
    across = copies("ordered.h5", "across.h5", STACKS[stacked], orders)
    assert [bool(error) for error in across] == [bool(error) for error in natively] == [False] * 4 + [True] * 2
    assert "there is an object of this name already" in across[4] and "'nothing' doesn't exist" in across[5]
    run = Exchange(plugin_dir, tmp_path)
    report = json.loads(subprocess.run(
        run.command("compare", "--json", "--properties", "--order", "native.h5", "across.h5"),
        cwd=tmp_path, env=run.env, capture_output=True, text=True, timeout=120,
    ).stdout)
    odd = [found["path"] + (found["attribute"] or "") for found in report["differences"]]
    odd = [path for path in odd if not NESTED.search(path)]
    if flag == "expand_refs":
        # Copies that only references lead to have the address of the copy in their names.
        odd = [path for path in odd if "~obj_pointed_by" not in path and not path.startswith("/all/references/objects")]
    assert odd == []
    if "h5stats" in stacked:
        counted = {one["callback"]: one["calls"] for one in json.loads((tmp_path / "stats.json").read_text())["callbacks"]}
        assert counted["object_copy"] == 6 and counted["dataset_create"] >= 2


def test_sides_of_a_mirror_get_the_copy(copies, plugin_dir, tmp_path):
    assert copies("latest.h5", "x.h5", STACKS["mirror"], [["types", "t", {}], ["links", "l", {}]]) == [None, None]
    Exchange(plugin_dir, tmp_path).compare("--properties", "x.h5", "x.h5.bak")
    assert not list(tmp_path.glob("*.mirror"))


def test_referenced_objects_are_copied(copies, python, plugin_dir, tmp_path):
    """With and without the flag: null, or leading to copies in the root, as native HDF5 makes them."""
    orders = [["references", "with", {"expand_refs": True}], ["references", "without", {}]]
    for target, stack in (("native.h5", (None, None)), ("across.h5", STACKS["h5stats"])):
        assert copies("latest.h5", target, stack, orders) == [None, None]
    program = """
import h5py, json
def told(name):
    with h5py.File(name) as file:
        with_ = file["with"]
        return [
            [bool(ref) for ref in file["without/objects"]], [bool(ref) for ref in file["without/regions"]], bool(file["without"].attrs["to"]),
            [len(file[ref]) if isinstance(file[ref], h5py.Group) else str(file[ref].dtype) for ref in with_["objects"][:3]],
            [file[ref][ref].tolist() for ref in with_["regions"][:2]], file[with_.attrs["to"]][...].tolist(),
            sum(name.startswith("~obj_pointed_by_") for name in file),
        ]
native, across = told("native.h5"), told("across.h5")
assert native[6] >= 2
print(json.dumps([native[:6], across[:6]]))
"""
    done = subprocess.run([python, "-c", program], env=clean_env(plugin_dir), cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    native, across = json.loads(done.stdout)
    assert native == across and not any(across[0] + across[1]) and across[2] is False


def test_what_is_behind_external_links(copies, corpus, tmp_path, plugin_dir):
    """A name may lead through one. What links in a group lead to cannot be copied, and nothing of the group is left."""
    orders = [["links/external", "x", {}], ["links", "new/l", {"expand_external": True}], ["links", "l", {}]]
    through, expanded, plain = copies("latest.h5", "across.h5", STACKS["h5stats"], orders)
    assert through is None and plain is None
    assert "H5O_COPY_EXPAND_EXT_LINK_FLAG" in expanded
    run = Exchange(plugin_dir, tmp_path)
    run.compare("across.h5:/x", f"{corpus / 'other file.h5'}:/x")
    run.run("compare", "across.h5:/new", "across.h5:/x", code=2)


MIXED = """
import h5py, numpy as np, sys
with h5py.File("plain.h5", "w") as file:
    group = file.create_group("g")
    group.create_dataset("gzip", data=np.arange(1000).reshape(25, 40), chunks=(7, 9), compression="gzip", shuffle=True)
    group.create_dataset("sparse", (100,), chunks=(10,), dtype="i2", fillvalue=7)[35] = 1
    group["plain"] = np.arange(10.0)
    group["texts"] = ["x", "yy"]
    group["sub/again"] = group["plain"]
    group["soft"] = h5py.SoftLink("/g/plain")
    group.attrs["a"] = 5
"""


@pytest.mark.parametrize("info", [NATIVE, BYPASS], ids=["native below", "bypass below"])
@pytest.mark.parametrize("above", ["zarr {}", "h5stats under_vol=520;under_info={{{}}}"], ids=["zarr", "h5stats over zarr"])
def test_zarr_and_plain_files(above, info, python, plugin_dir, tmp_path):
    """One program, all files through one connector: there and back again."""
    subprocess.run([python, "-c", MIXED], env=clean_env(plugin_dir), cwd=tmp_path, check=True)
    program = """
import h5py
with h5py.File("plain.h5") as plain, h5py.File("out.zarr", "w") as zarr:
    plain.copy("g", zarr, "there")
    plain.copy(plain["g/gzip"], zarr, "one")
    plain.copy("g", zarr, "expanded", expand_soft=True, expand_refs=True)
with h5py.File("out.zarr") as zarr, h5py.File("back.h5", "w") as plain:
    zarr.copy("there", plain, "g")
    zarr.copy("expanded", plain, "e", expand_refs=True)
    assert isinstance(plain.get("e/soft", getlink=True), h5py.HardLink)
"""
    env = clean_env(plugin_dir, HDF5_VOL_CONNECTOR=above.format(info), H5STATS_OUT=str(tmp_path / "s.json"),
                    ZARR_VOL_STATS=str(tmp_path / "zarr.json"))
    done = subprocess.run([python, "-c", program], env=env, cwd=tmp_path, capture_output=True, text=True, timeout=90)
    assert done.returncode == 0, done.stderr
    run = Exchange(plugin_dir, tmp_path)
    run.compare("plain.h5:/g", "out.zarr:/there")
    run.compare("plain.h5:/g/gzip", "out.zarr:/one")
    run.compare("--properties", "plain.h5:/g", "back.h5:/g")
    assert json.loads((tmp_path / "zarr.json").read_text())["created"] == 1


def test_a_failed_copy_leaves_nothing(copies, tmp_path, python, plugin_dir):
    """A chunk that cannot be decoded, found when other objects have been copied already."""
    program = """
import h5py, numpy as np
with h5py.File("bad.h5", "w") as file:
    file["g/first"] = np.arange(10)
    bad = file.create_dataset("g/second", (10,), chunks=(10,), dtype="i4", compression="gzip")
    bad.id.write_direct_chunk((0,), b"not compressed at all")
"""
    subprocess.run([python, "-c", program], env=clean_env(plugin_dir), cwd=tmp_path, check=True)
    [error, good] = copies(tmp_path / "bad.h5", "across.h5", STACKS["bypass"], [["g", "new/in/it", {}], ["g/first", "ok", {}]])
    assert "bad.h5:/second" in error and good is None
    listed = subprocess.run([python, "-c", "import h5py; print(list(h5py.File('across.h5')))"], env=clean_env(plugin_dir), cwd=tmp_path,
                            capture_output=True, text=True, check=True)
    assert listed.stdout.strip() == "['ok']"
