"""`h5bypass compare`: each kind of difference, what is equal, exit codes, and what is not read."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import h5py
import numpy as np
import pytest

from helpers.exchange import Exchange, make_corpus


@pytest.fixture(scope="module")
def corpus(python, plugin_dir, tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    return folder, make_corpus(python, plugin_dir, folder)


@pytest.fixture
def run(plugin_dir, tmp_path):
    return Exchange(plugin_dir, tmp_path)


def make(path):
    """A file with one of each."""
    with h5py.File(path, "w", track_order=True) as file:
        file["plain"] = np.arange(12.0).reshape(3, 4)
        file["soft"], file["external"] = h5py.SoftLink("/plain"), h5py.ExternalLink("x.h5", "/x")
        group = file.create_group("group", track_order=True)
        group["a"], group["b"] = 1, 2
        group.attrs["unit"] = "m"
        file["again"] = file["plain"]
        file["type"] = np.dtype("<i4")
        file.create_dataset("typed", data=[1, 2], dtype=file["type"])
        file["plain"].attrs["numbers"] = np.arange(5)
        file.create_dataset("growing", data=np.arange(20), maxshape=(None,), chunks=(5,), compression="gzip", fillvalue=3)
        file.create_dataset("text", data=["a", "b"], dtype=h5py.string_dtype())
        file.create_dataset("ragged", (2,), h5py.vlen_dtype("<i4"))[0] = [1, 2, 3]
        file["numbers"] = np.array([(1, 2.0), (3, 4.0)], [("i", "<i4"), ("f", "<f8")])
        file.create_dataset("to", data=np.array([file["plain"].ref, file["group"].ref], h5py.ref_dtype))
        file.create_dataset("regions", (1,), h5py.regionref_dtype)[0] = file["plain"].regionref[0:2, 1]
        file["null"], file["scalar"] = h5py.Empty("<f4"), 5.5


def replace(file, name, **options):
    old = file[name]
    options = {"data": old[()], "chunks": old.chunks, "compression": old.compression, "maxshape": old.maxshape, "fillvalue": old.fillvalue, **options}
    del file[name]
    file.create_dataset(name, **options)


def relink(file, name, link):
    del file[name]
    file[name] = link


def put(file, name, index, value):
    file[name][index] = value


# What is done to the second file, and what must be told: kind and path, with the options that are needed to see it.
DIFFERENCES = {
    "missing": (lambda f: f.__delitem__("plain"), [("only_in_a", "/plain")], ()),
    "more": (lambda f: f.__setitem__("new", 1), [("only_in_b", "/new")], ()),
    "missing below": (lambda f: f["group"].__delitem__("b"), [("only_in_a", "/group/b")], ()),
    "missing soft link": (lambda f: f.__delitem__("soft"), [("only_in_a", "/soft")], ()),
    "kind of object": (lambda f: (f.__delitem__("scalar"), f.create_group("scalar")), [("object_kind", "/scalar")], ()),
    "kind of link": (lambda f: relink(f, "soft", h5py.ExternalLink("y.h5", "/plain")), [("link_kind", "/soft")], ()),
    "hard for soft": (lambda f: relink(f, "soft", f["plain"]), [("link_kind", "/soft")], ()),
    "soft target": (lambda f: relink(f, "soft", h5py.SoftLink("/group")), [("link_target", "/soft")], ()),
    "external file": (lambda f: relink(f, "external", h5py.ExternalLink("y.h5", "/x")), [("link_target", "/external")], ()),
    "external object": (lambda f: relink(f, "external", h5py.ExternalLink("x.h5", "/y")), [("link_target", "/external")], ()),
    "not shared": (lambda f: relink(f, "again", np.arange(12.0).reshape(3, 4)), [("hard_link", "/plain")], ()),
    "value": (lambda f: put(f, "plain", (1, 2), 99), [("value", "/again")], ()),
    "value in a chunk": (lambda f: put(f, "growing", 7, 99), [("value", "/growing")], ()),
    "text": (lambda f: put(f, "text", 1, "c"), [("value", "/text")], ()),
    "length": (lambda f: put(f, "ragged", 0, [1, 2]), [("value", "/ragged")], ()),
    "member": (lambda f: put(f, "numbers", 1, (3, 4.5)), [("value", "/numbers")], ()),
    "scalar": (lambda f: put(f, "scalar", (), 6), [("value", "/scalar")], ()),
    "reference": (lambda f: put(f, "to", 1, f["typed"].ref), [("value", "/to")], ()),
    "null reference": (lambda f: put(f, "to", 1, h5py.Reference()), [("value", "/to")], ()),
    "region": (lambda f: put(f, "regions", 0, f["plain"].regionref[0:2, 2]), [("value", "/regions")], ()),
    "shape": (lambda f: f["growing"].resize((21,)), [("shape", "/growing")], ()),
    "maximum": (lambda f: replace(f, "growing", maxshape=(30,)), [("maximum_shape", "/growing")], ()),
    "null": (lambda f: (f.__delitem__("null"), f.__setitem__("null", np.float32(0))), [("shape", "/null")], ()),
    "type": (lambda f: replace(f, "plain", dtype="<f4"), [("type", "/plain")], ("--exclude", "/again")),
    "order of bytes": (lambda f: replace(f, "scalar", dtype=">f8"), [("type", "/scalar")], ()),
    "not comparable": (lambda f: (f.__delitem__("scalar"), f.__setitem__("scalar", "text")), [("type", "/scalar")], ("--convertible",)),
    "committed type": (lambda f: replace(f, "typed", dtype="<i4"), [("committed_type", "/typed")], ()),
    "attribute missing": (lambda f: f["group"].attrs.__delitem__("unit"), [("only_in_a", "/group@unit")], ()),
    "attribute more": (lambda f: f.attrs.__setitem__("new", 1), [("only_in_b", "/@new")], ()),
    "attribute value": (lambda f: f["group"].attrs.modify("unit", "km"), [("value", "/group@unit")], ()),
    "attribute shape": (lambda f: f["plain"].attrs.__setitem__("numbers", np.arange(6)), [("shape", "/again@numbers")], ()),
    "attribute type": (lambda f: f["plain"].attrs.__setitem__("numbers", np.arange(5, dtype="<i2")), [("type", "/again@numbers")], ()),
    "chunks": (lambda f: replace(f, "growing", chunks=(4,)), [("property", "/growing")], ("--properties",)),
    "filters": (lambda f: replace(f, "growing", compression=None), [("property", "/growing")], ("--properties",)),
    "fill value": (lambda f: replace(f, "growing", fillvalue=4), [("property", "/growing")], ("--properties",)),
    "order": (lambda f: f["group"].move("a", "c") or f["group"].move("c", "a"), [("order", "/group")], ("--order",)),
}


@pytest.mark.parametrize("name", DIFFERENCES)
def test_each_difference_is_found(run, tmp_path, name):
    change, expected, options = DIFFERENCES[name]
    for side in "ab":
        make(tmp_path / f"{side}.h5")
    run.compare("a.h5", "b.h5", "--properties", "--order")
    with h5py.File(tmp_path / "b.h5", "r+") as file:
        change(file)
    assert [found for found in run.differences("a.h5", "b.h5", *options) if found in expected] == expected
    # From the other side, too.
    mirrored = {"only_in_a": "only_in_b", "only_in_b": "only_in_a"}
    found = run.differences("b.h5", "a.h5", *options)
    assert all((mirrored.get(kind, kind), path) in found for kind, path in expected)
    if options in (("--properties",), ("--order",)):
        run.compare("a.h5", "b.h5")


def test_a_report_names_elements_and_counts_them(run, tmp_path):
    for side in "ab":
        with h5py.File(tmp_path / f"{side}.h5", "w") as file:
            file["x"] = np.arange(1000).reshape(10, 100)
            if side == "b":
                file["x"][3, 5:55] += 1
    report = run.compare("a.h5", "b.h5", "--max", 3, equal=False)
    (found,) = report["differences"]
    assert found["count"] == 50
    assert found["elements"] == [{"index": [3, 5 + n], "a": str(305 + n), "b": str(306 + n)} for n in range(3)]
    text = run.run("compare", "a.h5", "b.h5", code=1).stdout
    assert "/x: 50 values differ\n  [3, 5]  A: 305  B: 306\n" in text and text.count("A: ") == 10
    quiet = run.run("compare", "--quiet", "a.h5", "b.h5", code=1)
    assert quiet.stdout == quiet.stderr == ""
    part = run.compare("a.h5:/x", "b.h5:/x", equal=False)
    assert part["differences"][0]["path"] == "/" and part["a"] == "a.h5:/x"


def test_tolerances(run, tmp_path):
    base = np.array([1.0, np.nan, np.inf, -0.0, 1e300, 5e-324])
    for side, data in {"a": base, "b": base * (1 + 1e-9), "c": np.where(np.isinf(base), base, np.nextafter(base, 2)), "n": np.where(np.isnan(base), 0, base)}.items():
        with h5py.File(tmp_path / f"{side}.h5", "w") as file:
            file["x"] = data
            file["i"] = np.array([100, 101 if side == "b" else 100])
    run.compare("a.h5", "a.h5")
    assert {"value"} == {kind for kind, _ in run.differences("a.h5", "b.h5")}
    run.compare("a.h5", "b.h5", "--rtol", "0.02")
    assert run.differences("a.h5", "b.h5", "--rtol", "1e-8") == [("value", "/i")]
    run.compare("a.h5", "b.h5", "--rtol", "1e-8", "--atol", "1")
    assert run.differences("a.h5", "b.h5", "--rtol", "1e-10", "--atol", "1") == [("value", "/x")]
    run.compare("a.h5", "c.h5", "--ulp", "1")
    run.differences("a.h5", "c.h5")
    # NaN is never close to a number.
    assert run.differences("a.h5", "n.h5", "--rtol", "1", "--atol", "1e308", "--ulp", "999999999999") == [("value", "/x")]


def test_convertible_types(run, tmp_path):
    kinds = {
        "a": ("<i4", "S5", [("x", "<i2"), ("y", ">f4")]),
        "b": (">f8", h5py.string_dtype(), [("y", "<f8"), ("x", "<u8")]),
    }
    for side, (number, text, pair) in kinds.items():
        with h5py.File(tmp_path / f"{side}.h5", "w") as file:
            file.create_dataset("n", data=np.arange(5).astype(number))
            file.create_dataset("t", data=[b"ab", b"cde"], dtype=text)
            values = np.zeros(3, pair)
            values["x"], values["y"] = np.arange(3), 0.5
            file["p"] = values
    assert run.differences("a.h5", "b.h5") == [("type", "/n"), ("type", "/p"), ("type", "/t")]
    run.compare("a.h5", "b.h5", "--convertible")
    with h5py.File(tmp_path / "b.h5", "r+") as file:
        file["n"][2] = 2.25
        file["t"][0] = b"abc"
        pair = file["p"][1]
        pair["x"] = 70000
        file["p"][1] = pair
    assert run.differences("a.h5", "b.h5", "--convertible") == [("value", "/n"), ("value", "/p"), ("value", "/t")]


def test_exclusions(run, tmp_path):
    for side in "ab":
        make(tmp_path / f"{side}.h5")
    with h5py.File(tmp_path / "b.h5", "r+") as file:
        del file["group/a"]
        file["grouped"] = 1
        file["plain"].attrs["numbers"] = 5
    assert sorted(run.differences("a.h5", "b.h5", "--exclude", "/group")) == [("only_in_b", "/grouped"), ("shape", "/again@numbers")]
    run.compare("a.h5", "b.h5", "--exclude", "/group/", "--exclude", "/grouped", "--exclude", "/again@numbers")
    assert "begins with '/'" in run.run("compare", "a.h5", "b.h5", "--exclude", "group", code=2).stderr


def test_what_is_equal_is_not_decoded(run, tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for name, options in {"gzip": {"compression": "gzip"}, "raw": {}}.items():
            file.create_dataset(name, data=np.arange(100_000).reshape(100, 1000), chunks=(10, 100), **options)
    shutil.copy(tmp_path / "a.h5", tmp_path / "b.h5")
    found = run.compare("a.h5", "b.h5")["statistics"]
    assert found["chunks_equal_as_stored"] == 200 and found["bytes_read"] == 0 and found["bytes"] == 1_600_000
    with h5py.File(tmp_path / "b.h5", "r+") as file:
        file["gzip"][55, 555] = -1
    found = run.compare("a.h5", "b.h5", equal=False)
    assert found["statistics"]["chunks_equal_as_stored"] == 199 and 0 < found["statistics"]["bytes_read"] <= 800_000
    assert [element["index"] for element in found["differences"][0]["elements"]] == [[55, 555]]
    # The same values under other filters must be decoded.
    with h5py.File(tmp_path / "c.h5", "w") as file:
        for name in ("gzip", "raw"):
            file.create_dataset(name, data=np.arange(100_000).reshape(100, 1000), chunks=(7, 130), compression="lzf")
    found = run.compare("a.h5", "c.h5")["statistics"]
    assert found["bytes_read"] == 1_600_000 and found["chunks_equal_as_stored"] == 0
    same = run.compare("a.h5", "a.h5")["statistics"]
    assert same["objects"] == 0, "the same file is not even looked into"


def test_the_whole_corpus_equals_its_copy(plugin_dir, corpus, tmp_path):
    folder, names = corpus
    run = Exchange(plugin_dir, folder)
    for name in names:
        shutil.copy(folder / name, tmp_path / name)
    for name in names:
        report = run.compare(name, tmp_path / name, "--properties", "--order")
        if name in ("earliest.h5", "ordered.h5"):
            assert report["statistics"]["objects"] > 70 and report["statistics"]["attributes"] > 60


def test_every_library_compares(plugin_dir, corpus, tmp_path, host):
    folder, _ = corpus
    shutil.copy(folder / "earliest.h5", tmp_path / "b.h5")
    with h5py.File(tmp_path / "b.h5", "r+") as file:
        file["references/objects"][0] = file["types"].ref
    run = Exchange(plugin_dir, folder, host.name)
    assert run.differences("earliest.h5", tmp_path / "b.h5") == [("value", "/references/objects")]


def test_a_file_and_a_zarr_directory(run, plugin_dir, tmp_path):
    program = """
import sys, h5py, numpy as np
with h5py.File(sys.argv[1], "w") as file:
    file.attrs["title"] = "both"
    file.create_dataset("x", data=np.arange(1000.0).reshape(10, 100), chunks=(5, 50), compression="gzip").attrs["unit"] = "m"
    file.create_dataset("names", data=["a", "bb"], dtype=h5py.string_dtype())
    if len(sys.argv) > 2:
        file["x"][3, 4] = -1
"""
    for name, connector, more in (("a.h5", "native", ()), ("a.zarr", "zarr", ()), ("b.zarr", "zarr", ("x",))):
        env = {**run.env, "HDF5_VOL_CONNECTOR": connector}
        subprocess.run([sys.executable, "-c", program, name, *more], cwd=tmp_path, env=env, check=True)
    assert (tmp_path / "a.zarr" / "zarr.json").is_file()
    run.compare("a.h5", "a.zarr")
    assert run.differences("a.h5", "b.zarr") == [("value", "/x")]
    assert run.differences("b.zarr:/x", "a.h5:/x") == [("value", "/")]
    subprocess.run([run.program, "stub", "b.zarr"], cwd=tmp_path, env=run.env, check=True)
    assert run.differences("a.h5", "b.h5") == [("value", "/x")], "through the stub"


def test_references_are_compared_by_where_they_lead(run, tmp_path):
    """The same targets at other places of the file."""
    for side, first in (("a", "x"), ("b", "pad")):
        with h5py.File(tmp_path / f"{side}.h5", "w") as file:
            file[first] = np.arange(3)
            if side == "b":
                del file["pad"]
                file["other"] = 1
                file["x"] = np.arange(3)
                del file["other"]
            file["g/y"] = np.arange(10)
            file.create_dataset("refs", data=np.array([file["x"].ref, file["g"].ref, h5py.Reference()], h5py.ref_dtype))
            file.attrs["region"] = file["g/y"].regionref[2:5]
    with h5py.File(tmp_path / "a.h5") as a, h5py.File(tmp_path / "b.h5") as b:
        assert h5py.h5o.get_info(a["x"].id).addr != h5py.h5o.get_info(b["x"].id).addr
    run.compare("a.h5", "b.h5")


def test_errors_are_2_and_name_the_file(run, tmp_path):
    make(tmp_path / "a.h5")
    (tmp_path / "text").write_text("text")
    for arguments, words in {
        ("a.h5", "none.h5"): "none.h5: no such file",
        ("text", "a.h5"): "text: is not an HDF5 file",
        (".", "a.h5"): "not a Zarr directory",
        ("a.h5:/none", "a.h5"): "a.h5:/none",
        ("a.h5", "a.h5", "--rtol", "-1"): "not negative",
        ("a.h5", "a.h5", "--b-connector", "nosuch"): "nosuch",
        ("a.h5",): "<B>",
    }.items():
        assert words in run.run("compare", *arguments, code=2).stderr, arguments


def test_damage_is_a_difference(run, tmp_path):
    """What cannot be read cannot be compared."""
    for side in "ab":
        with h5py.File(tmp_path / f"{side}.h5", "w") as file:
            data = np.random.default_rng(1).integers(0, 9, 10_000)
            file.create_dataset("x", data=data, chunks=(1000,), compression="gzip", fletcher32=True)
            file["y"] = 1 if side == "a" else 2
            place = file["x"].id.get_chunk_info(4)
    with open(tmp_path / "b.h5", "r+b") as file:
        file.seek(place.byte_offset + 20)
        file.write(b"damage")
    report = run.compare("a.h5", "b.h5", equal=False)
    assert [(found["kind"], found["path"]) for found in report["differences"]] == [("not_comparable", "/x"), ("value", "/y")]
    assert "b.h5:/x" in report["differences"][0]["a"]


def test_json_has_no_control_characters(run, tmp_path):
    for side in "ab":
        with h5py.File(tmp_path / f"{side}.h5", "w") as file:
            file["name\nwith \x1b[31m"] = side
    text = run.run("compare", "a.h5", "b.h5", code=1).stdout
    assert "\x1b" not in text and "\\n" in text
    assert json.loads(run.run("compare", "--json", "a.h5", "b.h5", code=1).stdout)["differences"][0]["path"] == "/name\nwith \x1b[31m"
