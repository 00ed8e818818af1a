"""`h5bypass copy`: everything is there, h5py agrees, and nothing half is left."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path

import h5py
import numpy as np
import pytest

from helpers.exchange import Exchange, left_over, make_corpus

# Two ways through the objects, and the file's bytes.
WAYS = {"stored": (":/", ()), "repacked": ("", ("--repack",)), "bytes": ("", ())}


@pytest.fixture(scope="module")
def corpus(python, plugin_dir, tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    return folder, make_corpus(python, plugin_dir, folder)


@pytest.fixture
def run(plugin_dir, tmp_path):
    return Exchange(plugin_dir, tmp_path)


def seen(path: Path) -> dict:
    """What h5py sees of a file, without HDF5's identities."""
    found: dict = {}

    def value(of, item):
        if isinstance(item, h5py.RegionReference):
            return ("region", of[item].name, of[item][item].tolist()) if item else None
        if isinstance(item, h5py.Reference):
            return ("object", of[item].name) if item else None
        if isinstance(item, np.ndarray):
            return [value(of, each) for each in item.ravel()] if item.dtype.hasobject else (item.shape, item.tobytes())
        if isinstance(item, np.void) and item.dtype.hasobject:
            return [value(of, item[name]) for name in item.dtype.names]
        return repr(item)

    def attributes(of, node):
        order = list(node.attrs)
        return {name: (str(node.attrs.get_id(name).dtype), value(of, node.attrs[name])) for name in order}, order

    def visit(of, group, path):
        for name in group:
            below = f"{path}/{name!r}"
            link = group.get(name, getlink=True)
            if not isinstance(link, h5py.HardLink):
                found[below] = (type(link).__name__, getattr(link, "path", None), getattr(link, "filename", None))
                continue
            node = group[name]
            address = h5py.h5o.get_info(node.id).addr
            if address in addresses:
                found[below] = ("again", addresses[address])
                continue
            addresses[address] = below
            found[below] = (type(node).__name__, *attributes(of, node))
            if isinstance(node, h5py.Group):
                visit(of, node, below)
            elif isinstance(node, h5py.Dataset):
                kind = node.id.get_type()
                layout = node.id.get_create_plist()
                filters = [layout.get_filter(n)[:3] for n in range(layout.get_nfilters())]
                found[below] += (kind.committed(), node.shape, node.maxshape, node.chunks, layout.get_layout(), filters)
                name = below.rsplit("/", 1)[1]
                # Too large to read, and filters that h5py does not have.
                if name not in ("'huge_sparse'", "'unknown_filter'", "'time'", "'blosc'", "'bzip2'", "'lzo'", "'blosc2_zstd'"):
                    found[below] += (value(of, node[()]),)

    with h5py.File(path) as file:
        addresses = {h5py.h5o.get_info(file.id).addr: "/"}
        found["/"] = attributes(file, file)
        visit(file, file, "")
        found["user block"] = file.userblock_size
    return found


@pytest.mark.parametrize("way", WAYS)
def test_a_corpus_is_copied(plugin_dir, corpus, way, monkeypatch):
    folder, names = corpus
    monkeypatch.chdir(folder)
    run = Exchange(plugin_dir, folder)
    suffix, options = WAYS[way]
    for name in names:
        target = f"{way}-copy-of-{name}"
        summary = json.loads(run.copy("--json", f"{name}{suffix}", target, *options))
        assert summary["as_bytes"] is (way == "bytes") and summary["lost_references"] == 0
        if name in ("earliest.h5", "latest.h5"):
            assert way == "bytes" or summary["objects"] > 70
            # Chunks of the filter that nobody has are never decoded.
            assert {"bytes": lambda n: n == 0, "stored": lambda n: n > 100, "repacked": lambda n: n == 1}[way](summary["chunks_as_stored"])
        # Of a part of a file (":/") the user block is no part.
        properties = () if name == "user_block.h5" and suffix else ("--properties",)
        run.compare(name, target, "--order", *properties)
        if name == "names.h5":
            # h5py does not list such names.
            continue
        before, after = seen(folder / name), seen(folder / target)
        if not properties:
            before.pop("user block"), after.pop("user block")
        assert before.keys() == after.keys()
        for path in before:
            assert before[path] == after[path], f"{name} {path}"
    if not suffix:
        assert (folder / f"{way}-copy-of-user_block.h5").read_bytes()[:27] == b"#!/bin/sh\necho a user block"
    assert left_over(folder) == []


def test_h5diff_agrees(plugin_dir, corpus):
    """Debian's tools, where they are installed."""
    if not shutil.which("h5diff"):
        pytest.skip("h5diff is not installed")
    folder, names = corpus
    run = Exchange(plugin_dir, folder)
    # It reads on and on in a dataset that is nearly empty, and does not know the filters of PyTables and HDF5 2.
    for name in ("part0.h5", "virtual.h5", "weather.nc"):
        run.copy("--repack", name, f"diff-{name}")
        done = subprocess.run(["h5diff", name, f"diff-{name}"], cwd=folder, capture_output=True, text=True, timeout=60)
        # What it cannot compare it calls equal, and says so.
        assert done.returncode == 0 and "differences found" not in done.stdout, f"{name}: {done.stdout}{done.stderr}"


def test_every_library_copies(plugin_dir, corpus, host):
    folder, _ = corpus
    run = Exchange(plugin_dir, folder, host.name)
    run.copy("--repack", "ordered.h5", f"{host.name}-ordered.h5")
    run.compare("ordered.h5", f"{host.name}-ordered.h5", "--properties", "--order")


def test_filters_change(run, plugin_dir, tmp_path, monkeypatch):
    data = np.random.default_rng(3).integers(0, 40, (600, 500)).astype("<i4")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("gzip", data=data, chunks=(100, 100), compression="gzip", maxshape=(None, 500))
        file["contiguous"], file["small"] = data, np.arange(10)
        file.create_dataset("text", data=["x" * 100] * 500, dtype=h5py.string_dtype(), chunks=(50,))
        file.create_dataset("sparse", (10_000, 10_000), "<f8", chunks=(100, 100), compression="gzip", fillvalue=1)[5000:5010, :50] = 7

    def filters(name):
        with h5py.File(tmp_path / name) as file:
            lists = {key: file[key].id.get_create_plist() for key in file}
            return {key: ([lists[key].get_filter(n)[0] for n in range(lists[key].get_nfilters())], file[key].chunks) for key in lists}

    report = tmp_path / "statistics.json"
    run.copy("--filter", "shuffle,zstd:3", "a.h5", "b.h5", BYPASS_VOL_STATS=str(report))
    counted = json.loads(report.read_text())
    assert counted["reads"]["bypassed"] > 0 and counted["writes"]["bypassed"] > 0, counted
    found = filters("b.h5")
    assert found["gzip"] == ([2, 32015], (100, 100)) and found["sparse"] == ([2, 32015], (100, 100))
    assert found["contiguous"][0] == [2, 32015] and found["small"] == ([], None) and found["text"][0] == [2, 32015]
    run.compare("a.h5", "b.h5")
    run.copy("--filter", "none", "--chunks", "64x64", "b.h5", "c.h5")
    found = filters("c.h5")
    assert found["gzip"] == ([], (64, 64)) and found["contiguous"] == ([], (64, 64)) and found["text"] == ([], (50,))
    run.compare("a.h5", "c.h5")
    run.copy("--chunks", "700x700", "a.h5", "d.h5")
    assert filters("d.h5")["gzip"] == ([1], (700, 500)) and filters("d.h5")["contiguous"] == ([], (600, 500))
    run.compare("a.h5", "d.h5")
    with h5py.File(tmp_path / "d.h5") as file:
        assert (file["gzip"][()] == data).all() and file["sparse"][5005, 49] == 7 and file["sparse"][5010, 0] == 1
    assert (tmp_path / "b.h5").stat().st_size < 10 << 20, "what was never written is not written now"


def test_an_object_is_copied(run, tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        group = file.create_group("g")
        group["x"], group["again"] = np.arange(5), h5py.SoftLink("x")
        group["same"] = group["x"]
        file["type"] = np.dtype("<f4")
        group.create_dataset("typed", data=[1.5], dtype=file["type"])
        group.create_dataset("refs", data=np.array([group["x"].ref, file["type"].ref], h5py.ref_dtype))
        group["x"].make_scale()
    assert "1 reference leads out of what was copied" in run.copy("a.h5:/g", "group.h5")
    with h5py.File(tmp_path / "group.h5") as file:
        assert sorted(file) == ["again", "refs", "same", "typed", "x"]
        assert file["x"] == file["same"] == file["again"] and file[file["refs"][0]] == file["x"] and not file["refs"][1]
    assert run.differences("a.h5:/g", "group.h5") == [("value", "/refs")]
    run.copy("a.h5:/g/x", "one.h5")
    run.compare("a.h5:/g/x", "one.h5:/x")
    run.copy("a.h5:/g/x", "deep.h5:/a/b/c")
    run.compare("a.h5:/g/x", "deep.h5:/a/b/c")
    run.copy("a.h5:/g/typed", "deep.h5:/typed")
    run.compare("a.h5:/g/typed", "deep.h5:/typed")
    run.compare("a.h5:/g/x", "deep.h5:/a/b/c")
    run.copy("a.h5:/g", "a.h5:/h")
    run.compare("a.h5:/g/x", "a.h5:/h/x")
    assert "h5:/h" in run.copy("a.h5:/g", "a.h5:/h", code=2), "it is there already"
    run.compare("a.h5:/g/x", "a.h5:/h/x")
    assert left_over(tmp_path) == []


def test_dimension_scales_go_on_to_work(run, corpus, tmp_path):
    folder, _ = corpus
    run.copy("--repack", folder / "earliest.h5", "b.h5")
    with h5py.File(tmp_path / "b.h5", "r+") as file:
        for name in ("first", "second"):
            dims = file[f"scales/{name}"].dims
            assert dims[0][0] == file["scales/time"] and dims[1][0] == file["scales/x"] and dims[0].label == "t"
        assert {file[ref].name for ref, _ in file["scales/time"].attrs["REFERENCE_LIST"]} == {"/scales/first", "/scales/second"}
        file["scales/first"].dims[0].detach_scale(file["scales/time"])
        assert [file[ref].name for ref, _ in file["scales/time"].attrs["REFERENCE_LIST"]] == ["/scales/second"]


def test_to_zarr_and_back(run, plugin_dir, corpus, tmp_path):
    folder, _ = corpus
    shutil.copy(folder / "weather.nc", tmp_path)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.attrs["title"] = "both"
        data = file.create_dataset("x", data=np.arange(6000.0).reshape(60, 100), chunks=(25, 30), compression="gzip", maxshape=(None, 100))
        data.attrs["unit"] = "m"
        file["g/contiguous"], file["g/scalar"] = np.arange(50, dtype=">i2"), 5
        file.create_dataset("names", data=["a", "", "ccc"], dtype=h5py.string_dtype())
        file.create_dataset("lzf", data=np.arange(1000), compression="lzf")
        file["time"] = np.arange(60)
        file["time"].make_scale()
        data.dims[0].attach_scale(file["time"])
        file["g/alias"] = file["x"]
        file["soft"] = h5py.SoftLink("/x")
    for name in ("a.h5", "weather.nc"):
        run.copy(name, f"{name}.zarr")
        assert (tmp_path / f"{name}.zarr" / "zarr.json").is_file()
        run.compare(name, f"{name}.zarr")
        run.copy(f"{name}.zarr", f"back-{name}")
        run.compare(name, f"back-{name}")
    run.copy("a.h5.zarr", "b.zarr")
    run.compare("a.h5", "b.zarr")
    run.copy("--filter", "zstd:5", "a.h5:/x", "b.zarr", "--force")
    assert "zstd" in (tmp_path / "b.zarr" / "x" / "zarr.json").read_text()
    run.compare("a.h5:/x", "b.zarr:/x", "--exclude", "/@DIMENSION_LIST")
    assert left_over(tmp_path) == []


def test_a_dry_run_makes_nothing(run, tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("x", data=np.zeros((1000, 1000)), chunks=(100, 100), compression="gzip")
        file["y"] = 1
    assert "byte for byte" in run.copy("--dry-run", "a.h5", "b.h5")
    assert "/x  dataset, 7.6 MiB, chunks 100x100, gzip: chunks as they are stored" in run.copy("-n", "a.h5:/", "b.h5")
    assert "/x  dataset, 7.6 MiB, chunks 100x100, zstd: decoded and encoded" in run.copy("-n", "--filter", "zstd", "a.h5", "b.h5")
    steps = json.loads(run.copy("-n", "--json", "--chunks", "10x10", "a.h5", "b.h5"))
    assert [(step["path"], step["way"], step["chunk"]) for step in steps] == [
        ("/", None, None),
        ("/x", "encoded", [10, 10]),
        ("/y", "elements", None),
    ]
    assert os.listdir(tmp_path) == ["a.h5"]


def test_errors_name_what_is_wrong(run, tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["x"] = np.arange(5)
    (tmp_path / "text").write_text("text")
    (tmp_path / "folder").mkdir()
    for arguments, words in {
        ("none.h5", "b.h5"): "none.h5: no such file",
        ("a.h5", "text"): "text: exists; use --force",
        ("a.h5", "a.h5"): "the same file",
        ("--force", "a.h5", "a.h5"): "the same file",
        ("--force", "a.h5", "folder"): "refusing to replace it",
        ("a.h5", "nowhere/b.h5"): "there is no directory nowhere",
        ("a.h5:/none", "b.h5"): "a.h5:/none",
        ("text", "b.h5"): "text: is not an HDF5 file",
        ("--filter", "gzpi", "a.h5", "b.h5"): "there is no filter 'gzpi'",
        ("--filter", "gzip:11", "a.h5", "b.h5"): "levels from 0 to 9",
        ("--chunks", "0", "a.h5", "b.h5"): "such as 512x512",
        ("--repak", "a.h5", "b.h5"): "--repack",
        ("--dst-connector", "nosuch", "a.h5", "b.h5"): "nosuch",
        ("a.h5:/x", "a.h5:/x"): "a.h5:/x",
    }.items():
        assert words in run.copy(*arguments, code=2), arguments
    assert sorted(os.listdir(tmp_path)) == ["a.h5", "folder", "text"]
    run.copy("--force", "a.h5", "text")
    run.compare("a.h5", "text")


def large(path: Path) -> None:
    with h5py.File(path, "w") as file:
        data = np.random.default_rng(1).integers(0, 1 << 30, (4000, 1000))
        for name in "abcd":
            file.create_dataset(name, data=data, chunks=(40, 1000), compression="gzip", compression_opts=1)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_copy_leaves_nothing(run, tmp_path, number):
    large(tmp_path / "a.h5")
    before = sorted(os.listdir(tmp_path))
    started = subprocess.Popen(run.command("copy", "--filter", "gzip:9", "a.h5", "b.h5"), cwd=tmp_path, env=run.env, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while not left_over(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert left_over(tmp_path) and started.poll() is None, "it is at work"
    started.send_signal(number)
    started.communicate()
    assert started.returncode == (-9 if number == signal.SIGKILL else 128 + number)
    # A worker whose parent was killed stops by itself.
    while left_over(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.parametrize("options", [(), ("--filter", "none")], ids=["bytes", "objects"])
def test_a_full_disk_leaves_nothing(run, tmp_path, options):
    large(tmp_path / "a.h5")

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (20 << 20, 20 << 20))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    command = run.command("copy", *options, "a.h5", "b.h5")
    done = subprocess.run(command, cwd=tmp_path, env=run.env, capture_output=True, text=True, preexec_fn=limited, timeout=60)
    assert done.returncode == 2 and "b.h5" in done.stderr and "h5bypass-" not in done.stderr, done.stderr
    assert "File too large" in done.stderr and "nothing was copied" in done.stderr, done.stderr
    assert os.listdir(tmp_path) == ["a.h5"]
