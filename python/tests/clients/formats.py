"""What an h5py program does with a file, for formats behind a shadow: each case makes a file, closes it, opens it again and tells
what is in it. The same cases run natively. Arguments: the name of a file that does not exist, with `{}` for the name of the case.
The last line of output is JSON: what each case has told.
"""

from __future__ import annotations

import json
import os
import sys
import zlib

import h5py
import numpy as np

CASES = {}


def case(function):
    """Registers a case: a function of the file's name."""
    CASES[function.__name__] = function
    return function


def told(value):
    """A value as JSON."""
    if isinstance(value, np.ndarray):
        return [str(value.dtype), list(value.shape), told(value.tolist())]
    if isinstance(value, np.generic):
        return [str(value.dtype), told(value.item())]
    if isinstance(value, bytes):
        return "bytes " + value.hex()
    if isinstance(value, (list, tuple)):
        return [told(item) for item in value]
    if isinstance(value, dict):
        return {str(key): told(item) for key, item in value.items()}
    if isinstance(value, (h5py.Reference, h5py.RegionReference)):
        return f"reference {bool(value)}"
    if isinstance(value, float) and value != value:
        return "nan"
    return value if isinstance(value, (int, float, str, bool, type(None))) else repr(value)


def tree(file):
    """Everything in a file that h5py shows."""
    found = {}

    def visit(name, thing):
        found[name] = [type(thing).__name__, told(dict(thing.attrs))]
        if isinstance(thing, h5py.Dataset):
            found[name] += [str(thing.dtype), list(thing.shape or ()), told(thing.maxshape), told(thing.chunks),
                            thing.compression, thing.shuffle, thing.fletcher32, told(thing[()])]

    file.visititems(visit)
    return [told(dict(file.attrs)), list(file), found]


def written(name, make):
    """Makes a file, and what is in it before and after it was closed."""
    with h5py.File(name, "w") as file:
        make(file)
        before = tree(file)
    with h5py.File(name, "r") as file:
        after = tree(file)
    return [before, after]


@case
def datasets(name):
    """Types, layouts and filters."""
    def make(file):
        for dtype in "?bBhHiIlLqQefdFD":
            file[f"type {dtype}"] = np.arange(12).reshape(3, 4).astype(dtype)
            file[f"big {dtype}"] = np.arange(12).astype(np.dtype(dtype).newbyteorder(">"))
        file["scalar"] = 2.5
        file["empty"] = np.zeros((0, 3))
        file["null"] = h5py.Empty("f4")
        data = np.random.default_rng(1).integers(0, 9, (50, 40)).astype("i4")
        file.create_dataset("chunked", data=data, chunks=(7, 9))
        file.create_dataset("gzip", data=data, chunks=(16, 16), compression="gzip", shuffle=True)
        file.create_dataset("lzf", data=data, chunks=(16, 16), compression="lzf", fletcher32=True)
        file.create_dataset("fill", (5, 5), "f8", chunks=(2, 2), fillvalue=7.5)[1:3] = 1
        file.create_dataset("never written", (3, 3), "i2", fillvalue=-3)
        file["fixed"] = np.array([b"one", b"three"])
        file["opaque"] = np.array([b"\x01\x00\x02"], "V3")
        kind = np.dtype([("a", "<i2"), ("b", ">f8"), ("c", "S4"), ("d", "i4", (2,))])
        file["compound"] = np.array([(1, 2.5, b"xy", (3, 4)), (-1, 0.5, b"zzzz", (5, 6))], kind)
        enum = h5py.enum_dtype({"RED": 0, "GREEN": 1}, "i1")
        file.create_dataset("enum", data=np.array([0, 1, 1], "i1"), dtype=enum)
    return written(name, make)


@case
def selections(name):
    """Parts of datasets, written and read, with and without conversion."""
    shape = (23, 31)
    rng = np.random.default_rng(2)
    with h5py.File(name, "w") as file:
        for layout, chunks in (("contiguous", None), ("chunked", (5, 8))):
            file.create_dataset(layout, shape, "<i4", chunks=chunks, fillvalue=4)
    results = []
    with h5py.File(name, "r+") as file:
        for layout in ("contiguous", "chunked"):
            dataset = file[layout]
            for _ in range(30):
                rows = slice(*sorted(rng.integers(0, shape[0] + 1, 2)), int(rng.integers(1, 4)))
                columns = slice(*sorted(rng.integers(0, shape[1] + 1, 2)), int(rng.integers(1, 4)))
                there = dataset[rows, columns].shape
                dtype = ["<i4", ">i4", "f8", "i2"][rng.integers(4)]
                dataset[rows, columns] = rng.integers(-99, 99, there).astype(dtype)
                results.append(told(dataset[rows, columns].sum()))
            dataset[[1, 5, 8], 3] = [7, 8, 9]
            mask = rng.integers(0, 2, shape).astype(bool)
            dataset[mask] = 11
            results.append(told(dataset[[0, 4, 9], 2:20:5]))
            results.append(told(dataset.astype("f4")[3]))
            results.append(told(dataset[mask].sum()))
    with h5py.File(name, "r") as file:
        return [results, told(file["contiguous"][()]), told(file["chunked"][()])]


@case
def members(name):
    """Single members of compounds."""
    kind = np.dtype([("a", "i4"), ("b", "f8")])
    with h5py.File(name, "w") as file:
        file.create_dataset("d", (10,), kind, chunks=(4,))["a"] = np.arange(10)
        file["d"]["b"] = np.arange(10) / 2
    with h5py.File(name, "r") as file:
        return [told(file["d"][()]), told(file["d"]["b"]), told(file["d"]["a", 2:4])]


@case
def attributes(name):
    """Attributes of all kinds, changed and deleted."""
    def make(file):
        group = file.create_group("g", track_order=True)
        for place in (file, group, file.create_dataset("d", data=[1, 2])):
            place.attrs["number"] = 5
            place.attrs["array"] = np.arange(6.0).reshape(2, 3)
            place.attrs["text"] = "häßlich"
            place.attrs["texts"] = ["a", "", "bcd"]
            place.attrs["bytes"] = np.bytes_(b"abc")
            place.attrs["null"] = h5py.Empty("i4")
            place.attrs["gone"] = 1
            place.attrs["number"] = 6
            place.attrs.modify("array", np.arange(6.0, 12).reshape(2, 3))
            del place.attrs["gone"]
            place.attrs.create("enum", 1, dtype=h5py.enum_dtype({"A": 1, "B": 2}))
            place.attrs["struct"] = np.array([(1, 2.5)], [("x", "i4"), ("y", "f4")])
    return written(name, make)


@case
def strings(name):
    """Strings and sequences of variable length."""
    def make(file):
        file.create_dataset("text", data=["one", "", "drei ü"], dtype=h5py.string_dtype())
        file.create_dataset("ascii", data=[b"one", b"two"], dtype=h5py.string_dtype("ascii"), chunks=(1,), maxshape=(None,))
        file["ascii"].resize((3,))
        file["ascii"][2] = b"three"
        ragged = file.create_dataset("ragged", (3,), h5py.vlen_dtype("i4"))
        ragged[0], ragged[2] = [1, 2, 3], [4]
        kind = np.dtype([("id", "i4"), ("name", h5py.string_dtype())])
        table = file.create_dataset("table", (2,), kind)
        table[0], table[1] = (1, "first"), (2, "second")
        file.create_dataset("never written", (2,), h5py.string_dtype())
    return written(name, make)


@case
def references(name):
    """References to objects and regions, in attributes and datasets."""
    with h5py.File(name, "w") as file:
        file["far/away/target"] = np.arange(20).reshape(4, 5)
        file["group/inside"] = [1, 2]
        refs = file.create_dataset("refs", (3,), h5py.ref_dtype)
        refs[0], refs[1] = file["far/away/target"].ref, file["group"].ref
        file.attrs["root"] = file.ref
        file["group"].attrs["to"] = file["far/away/target"].ref
        regions = file.create_dataset("regions", (2,), h5py.regionref_dtype)
        regions[0] = file["far/away/target"].regionref[1:3, ::2]
        kind = np.dtype([("n", "i4"), ("to", h5py.ref_dtype)])
        file.create_dataset("table", (1,), kind)[0] = (5, file["group/inside"].ref)
    with h5py.File(name, "r") as file:
        refs = file["refs"]
        region = file["regions"][0]
        return [file[refs[0]].name, file[refs[1]].name, bool(refs[2]), file[file.attrs["root"]].name,
                file[file["group"].attrs["to"]].name, told(file[file["group"].attrs["to"]][()]), file[region].name,
                told(file[region][region]), bool(file["regions"][1]), file[file["table"][0]["to"]].name]


@case
def links(name):
    """Links of all kinds, moves and deletes."""
    def make(file):
        file["a/b/c"] = [1, 2, 3]
        file["hard"] = file["a/b/c"]
        file["soft"] = h5py.SoftLink("/a/b/c")
        file["dangling"] = h5py.SoftLink("/nowhere")
        file["outside"] = h5py.ExternalLink("other file.h5", "/x")
        file.move("a/b", "moved")
        file["deep"] = np.arange(4)
        file["x/y/z"] = 1
        del file["x"]
        file["x"] = 2
        del file["soft"]
        file["soft"] = h5py.SoftLink("/moved/c")
        file.create_group("anonymous later")
        del file["anonymous later"]
    told_trees = written(name, make)
    with h5py.File(name, "r") as file:
        kinds = {link: type(file.get(link, getlink=True)).__name__ for link in file}
        outside = file.get("outside", getlink=True)
        return [told_trees, kinds, outside.filename, outside.path, told(file["soft"][()]), file["hard"] == file["moved/c"],
                "dangling" in file, file.get("dangling", getlink=True).path]


@case
def deleted_while_open(name):
    """An open dataset whose link is deleted can still be used."""
    with h5py.File(name, "w") as file:
        file["d"] = np.arange(5)
        dataset = file["d"]
        file.flush()
        del file["d"]
        file.flush()
        dataset[0] = 9
        values = told(dataset[()])
        file["d"] = [1.5]
        file["again"] = dataset
        file["new"] = np.arange(3)
    with h5py.File(name, "r") as file:
        return [values, tree(file)]


@case
def copies(name):
    """Copies of datasets and groups."""
    def make(file):
        file["g/d"] = np.arange(10)
        file["g/h/e"] = ["text", "more"]
        file["g"].attrs["a"] = 1
        file.create_dataset("g/z", data=np.arange(30), chunks=(7,), compression="gzip")
        file.copy("g", "whole")
        file.copy(file["g/d"], file, "single")
        file["whole/d"][0] = 99
        file.copy("g/z", "compressed")
    return written(name, make)


@case
def resizing(name):
    """Datasets that grow and shrink."""
    results = []
    with h5py.File(name, "w") as file:
        dataset = file.create_dataset("d", (4, 6), "i4", chunks=(3, 4), maxshape=(None, 20), fillvalue=-1)
        dataset[...] = np.arange(24).reshape(4, 6)
        for shape in ((2, 6), (5, 3), (7, 9), (0, 9), (3, 9), (1, 1), (6, 6)):
            dataset.resize(shape)
            results.append(told(dataset[()]))
            if shape == (7, 9):
                dataset[5:, 5:] = 3
                file.flush()
    with h5py.File(name, "a") as file:
        file["d"].resize((8, 8))
        results.append(told(file["d"][()]))
        file["d"][7, 7] = 5
        file["d"].resize((7, 8))
        file["d"].resize((8, 8))
    with h5py.File(name, "r") as file:
        return [results, told(file["d"][()])]


@case
def order(name):
    """Creation order, iteration and visits."""
    def make(file):
        group = file.create_group("tracked", track_order=True)
        for link in "zebra", "apple", "mango":
            group[link] = len(link)
            group.attrs[link] = link
        plain = file.create_group("plain")
        for link in "zebra", "apple", "mango":
            plain[link] = len(link)
    trees = written(name, make)
    with h5py.File(name, "r") as file:
        return [trees, list(file["tracked"]), list(file["tracked"].attrs), list(file["plain"]), list(reversed(file["tracked"])),
                len(file["tracked"])]


@case
def committed(name):
    """Committed datatypes."""
    with h5py.File(name, "w") as file:
        file["types/point"] = np.dtype([("x", "f4"), ("y", "f4")])
        file["types/point"].attrs["about"] = "a point"
        file.create_dataset("points", (2,), file["types/point"])[0] = (1, 2)
        file.attrs.create("origin", np.zeros((), file["types/point"].dtype), dtype=file["types/point"])
    with h5py.File(name, "r") as file:
        kind = file["points"].id.get_type()
        return [str(file["types/point"].dtype), told(dict(file["types/point"].attrs)), told(file["points"][()]),
                kind.committed(), told(file.attrs["origin"])]


@case
def several_handles(name):
    """Several openings of one file see each other's changes."""
    first = h5py.File(name, "w")
    first["d"] = np.arange(4)
    second = h5py.File(name, "r+")
    second["d"][1] = 7
    second["e"] = 3
    values = [told(first["d"][()]), sorted(first), first == second]
    dataset = second["d"]
    first.close()
    second.close()
    values.append(told(dataset[()]) if dataset else "closed")
    with h5py.File(name, "r") as file:
        values.append(tree(file))
        for action in (lambda: file.create_group("x"), lambda: file["d"].__setitem__(0, 1),
                       lambda: file.attrs.__setitem__("a", 1), lambda: file.__delitem__("d")):
            try:
                action()
                values.append("no error")
            except (OSError, ValueError, KeyError, RuntimeError) as error:
                values.append(type(error).__name__)
    return values


def beside(name):
    """The name of another file in the same folder, of the same kind."""
    stem, extension = os.path.splitext(name)
    return f"{stem}-beside{extension}"


@case
def other_files(name):
    """External links to other containers and to native files."""
    with h5py.File(beside(name), "w") as file:
        file["group/data"] = np.arange(6)
        file["group"].attrs["a"] = 1
        file["onward"] = h5py.ExternalLink(os.path.basename(name), "/here")
    native = os.path.splitext(name)[0] + "-native.h5"
    with h5py.File(native, "w") as file:
        file["data"] = np.arange(4)
    results = []
    with h5py.File(name, "w") as file:
        file["here"] = 5
        file["link"] = h5py.ExternalLink(os.path.basename(beside(name)), "/group")
        file["native"] = h5py.ExternalLink(os.path.basename(native), "/data")
        file["back"] = h5py.ExternalLink(os.path.basename(beside(name)), "/onward")
        file["nowhere"] = h5py.ExternalLink("missing", "/x")
        results.append([told(file["link/data"][()]), told(dict(file["link"].attrs)), told(file["native"][()]), told(file["back"][()])])
        file["link/data"][0] = 7
    with h5py.File(name, "r") as file:
        group = file["link"]
        results.append([told(group["data"][()]), list(group), os.path.basename(group.file.filename) == os.path.basename(beside(name)),
                        "link/data" in file, "link/none" in file, file.get("link/data", getclass=True).__name__])
        try:
            results.append(told(file["nowhere"][()]))
        except KeyError:
            results.append("KeyError")
    results.append(told(group["data"][()]) if group else "closed")
    return results


@case
def virtual(name):
    """Virtual datasets, whose sources are in the same and in another file."""
    with h5py.File(beside(name), "w") as file:
        file.create_dataset("data", data=np.arange(20).reshape(4, 5), chunks=(2, 2), compression="gzip")
    with h5py.File(name, "w") as file:
        file["own"] = np.arange(5) * 10
        layout = h5py.VirtualLayout((6, 5), "i4")
        layout[:4] = h5py.VirtualSource(os.path.basename(beside(name)), "data", (4, 5))
        layout[4, 1:4] = h5py.VirtualSource(".", "own", (5,))[:3]
        file.create_virtual_dataset("virtual", layout, fillvalue=-1)
        before = told(file["virtual"][()])
    with h5py.File(name, "r") as file:
        dataset = file["virtual"]
        return [before, told(dataset[()]), told(dataset[3:5, ::2]), told(dataset.astype("f8")[1]), dataset.is_virtual]


@case
def stored_chunks(name):
    """Chunks that are written and read as they are stored."""
    data = np.arange(24, dtype="<i4").reshape(4, 6)
    with h5py.File(name, "w") as file:
        dataset = file.create_dataset("d", (4, 6), "<i4", chunks=(2, 3), compression="gzip")
        for row in 0, 2:
            for column in 0, 3:
                piece = np.ascontiguousarray(data[row:row + 2, column:column + 3])
                dataset.id.write_direct_chunk((row, column), zlib.compress(piece.tobytes()))
        plain = file.create_dataset("plain", (4,), "<i4", chunks=(2,))
        plain.id.write_direct_chunk((2,), np.array([8, 9], "<i4").tobytes())
    with h5py.File(name, "r") as file:
        masks, parts = zip(*(file["d"].id.read_direct_chunk((row, column)) for row in (0, 2) for column in (0, 3)))
        return [told(file["d"][()]), list(masks), [zlib.decompress(part).hex() for part in parts], told(file["plain"][()]),
                file["plain"].id.read_direct_chunk((2,))[1].hex()]


@case
def kinds(name):
    """Datatypes that few other formats have."""
    def make(file):
        bits = h5py.h5t.STD_B16BE.copy()
        few = h5py.h5t.STD_U32LE.copy()
        few.set_precision(11)
        few.set_offset(5)
        half = h5py.h5t.IEEE_F32LE.copy()
        half.set_fields(15, 10, 5, 0, 10)
        half.set_size(2)
        half.set_ebias(15)
        opaque = h5py.h5t.create(h5py.h5t.OPAQUE, 7)
        opaque.set_tag(b"a tag")
        for label, datatype in (("bits", bits), ("few", few), ("half", half), ("tagged", opaque)):
            made = h5py.h5d.create(file.id, label.encode(), datatype, h5py.h5s.create_simple((3,)))
            made.write(h5py.h5s.ALL, h5py.h5s.ALL, np.frombuffer(bytes(range(3 * datatype.get_size())), f"V{datatype.get_size()}"),
                       mtype=datatype)
        padded = np.dtype({"names": ["a", "b"], "formats": ["i2", "f8"], "offsets": [3, 16], "itemsize": 40})
        values = np.zeros(4, padded)
        values["a"], values["b"] = range(4), np.arange(4) / 8
        file.create_dataset("padded", data=values, chunks=(3,), compression="gzip")
        file["nested"] = np.zeros(2, [("p", [("x", "i4"), ("y", [("z", "S3")], (2,))]), ("q", "f4", (2, 3))])
        file["wide enum"] = np.array([5, -1], h5py.enum_dtype({"FIVE": 5, "ÄHM": -1}, "i8"))
        file["spaces"] = np.array([b"a"], h5py.string_dtype("ascii", 6))
        file["utf-8"] = np.array(["ä".encode()], h5py.string_dtype("utf-8", 4))

    def types(file):
        return [file[label].id.get_type().encode().hex() for label in sorted(file)]

    shown = []
    with h5py.File(name, "w") as file:
        make(file)
        shown.append(types(file))
    with h5py.File(name, "r") as file:
        shown.append(types(file))
        shown += [told([file[label][()] for label in ("padded", "nested", "wide enum", "spaces", "utf-8")])]
        for label in ("bits", "few", "half", "tagged"):
            dataset = file[label].id
            found = np.zeros(3, f"V{dataset.get_type().get_size()}")
            dataset.read(h5py.h5s.ALL, h5py.h5s.ALL, found, mtype=dataset.get_type())
            shown.append(found.tobytes().hex())
    return shown


@case
def neuroscience(name):
    """A file like those of NWB: references in tables and attributes, links, strings, regions of tables, growing data."""
    text = h5py.string_dtype()

    def make(file):
        file.attrs.update({"nwb_version": "2.7.0", "namespace": "core", "object_id": "0-1-2"})
        file.create_dataset("session_description", data="a mouse", dtype=text)
        device = file.create_group("general/devices/probe")
        device.attrs["description"] = "a probe"
        table = file.create_group("general/extracellular_ephys/electrodes")
        table.attrs.create("colnames", ["x", "group", "label"], dtype=text)
        table["id"] = np.arange(6)
        table["x"] = np.linspace(0, 1, 6)
        table.create_dataset("label", data=["loc%d" % number for number in range(6)], dtype=text, maxshape=(None,))
        groups = table.create_dataset("group", (6,), h5py.ref_dtype)
        groups[...] = [device.ref] * 6
        series = file.create_group("acquisition/ElectricalSeries")
        data = series.create_dataset("data", data=np.arange(600, dtype="i2").reshape(100, 6), chunks=(32, 6), maxshape=(None, 6),
                                     compression="gzip", shuffle=True)
        data.attrs.update({"unit": "volts", "conversion": 1e-6, "resolution": np.float32(-1)})
        series["timestamps"] = np.arange(100) / 1000
        series["timestamps"].attrs["interval"] = np.int32(1)
        series["electrodes"] = np.arange(3)
        series["electrodes"].attrs["table"] = table.ref
        series["electrodes_region"] = np.array(table["x"].regionref[1:4], dtype=h5py.regionref_dtype)
        other = file.create_group("processing/behavior/Position")
        other["timestamps"] = series["timestamps"]
        other["data"] = h5py.SoftLink("/acquisition/ElectricalSeries/data")
        row = np.dtype([("start", "i4"), ("count", "i4"), ("series", h5py.ref_dtype), ("why", text)])
        epochs = file.create_dataset("intervals/epochs/timeseries", (2,), row, maxshape=(None,), chunks=(4,))
        epochs[0], epochs[1] = (0, 50, series.ref, "first"), (50, 50, other.ref, "")
        spikes = file.create_dataset("units/spike_times", (3,), h5py.vlen_dtype("f8"))
        spikes[0], spikes[2] = [0.1, 0.2], [0.5]
        file["specifications"] = np.dtype([("a", "i4"), ("b", "S3")])

    def followed(file):
        table = file["general/extracellular_ephys/electrodes"]
        epochs = file["intervals/epochs/timeseries"]
        region = file["acquisition/ElectricalSeries/electrodes_region"][()]
        return [file[table["group"][3]].name, [file[row["series"]].name for row in epochs[...]], [row["why"] for row in epochs[...]],
                file[file["acquisition/ElectricalSeries/electrodes"].attrs["table"]].name, told(file[region][region]),
                file["processing/behavior/Position/timestamps"] == file["acquisition/ElectricalSeries/timestamps"],
                told([list(times) for times in file["units/spike_times"][...]])]

    shown = written(name, make)
    with h5py.File(name, "r+") as file:
        shown.append(told(followed(file)))
        data = file["acquisition/ElectricalSeries/data"]
        data.resize((120, 6))
        data[100:] = -1
        epochs = file["intervals/epochs/timeseries"]
        epochs.resize((3,))
        epochs[2] = (100, 20, file["units"].ref, "appended")
        del file["processing/behavior/Position/data"]
        file.move("units", "sorted units")
    with h5py.File(name, "r") as file:
        return told([*shown, tree(file), followed_again(file)])


def followed_again(file):
    """After the last changes: a reference follows what it refers to."""
    return [file[file["intervals/epochs/timeseries"][2]["series"]].name, int(file["acquisition/ElectricalSeries/data"][119, 5])]


@case
def large(name):
    """More than is kept in memory before it is stored."""
    data = np.random.default_rng(3).integers(0, 1 << 30, 20 << 20, dtype="i8")
    with h5py.File(name, "w") as file:
        file.create_dataset("d", data=data, chunks=(1 << 18,))
        file.create_dataset("unlinked", data=data[:10])
    with h5py.File(name, "r") as file:
        return [bool((file["d"][()] == data).all()), told(file["d"][123456:123460]), list(file)]


def main():
    """Runs all cases."""
    pattern = sys.argv[1]
    results = {}
    for name, function in CASES.items():
        if len(sys.argv) > 2 and name not in sys.argv[2:]:
            continue
        try:
            results[name] = function(pattern.format(name))
        except Exception as error:  # noqa: BLE001
            import traceback
            results[name] = f"{type(error).__name__}: {error}\n{traceback.format_exc()}"
    print(json.dumps(results))


if __name__ == "__main__":
    main()
