"""HDF5 programs on Zarr beside other implementations of Zarr: speed of reading, writing, opening and listing.

    python3 bench/zarr/run.py --plugins target/release --folder DIR --json zarr.json [--rounds 3] [--small]

`cargo xtask bench zarr` runs it. Everybody reads the same files, which zarr-python has made, and writes the same array with the same
codec and level; what is read and written is compared. Each peer is a process of its own, and they take turns. Times of a machine that
does other things mean nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import importlib.metadata
import json
import os
import platform
import random
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "shared"))

import machine  # noqa: E402
import numpy  # noqa: E402
from cases import ARRAYS, CHUNK, CODECS, GROUPS, LARGE, SMALL, TASKS, walk  # noqa: E402
from peers import OURS, PEERS, ZarrPython, remove  # noqa: E402
from process import OURS as OUR_VARIABLES  # noqa: E402
from process import Process  # noqa: E402
from spread import ratio, spread  # noqa: E402
from worker import digest_of  # noqa: E402

FORMAT = 1
# What is done with the container of many arrays. tensorstore opens arrays, not containers.
MANY = {"one": "open it and read one array", "all": "open it and list names, shapes and types of all"}
MANY_PEERS = ("connector", "zarr-python")
# The small array is quick to read.
MORE_ROUNDS = 3


def make_arrays(folder: Path, peer: ZarrPython, sizes: list[int]) -> None:
    """What is read, made once."""
    for size in sizes:
        array = walk(size)
        numpy.save(folder / f"{size}.npy", array)
        for codec in CODECS:
            path = folder / f"{codec}-{size}.zarr"
            if not path.is_dir():
                unfinished = folder / "unfinished.zarr"
                remove(unfinished)
                peer.write(str(unfinished), array, codec)
                unfinished.rename(path)


def make_many(path: Path, peer: ZarrPython, groups: int, arrays: int) -> None:
    """A container of many arrays with consolidated metadata. All are copies of one: zarr-python takes long to make them."""
    if path.is_dir():
        return
    unfinished = path.with_name("unfinished-many.zarr")
    remove(unfinished)
    root = peer.zarr.create_group(str(unfinished))
    array = root.create_group("g0").create_array("a0", shape=(10, 10), dtype="f4", chunks=(5, 10))
    array[...] = numpy.arange(100).reshape(10, 10)
    array.attrs.update(units="K", long_name="temperature")
    group_document = (unfinished / "g0" / "zarr.json").read_bytes()
    files = [file.relative_to(unfinished / "g0" / "a0") for file in (unfinished / "g0" / "a0").rglob("*") if file.is_file()]
    contents = {file: (unfinished / "g0" / "a0" / file).read_bytes() for file in files}
    for group in range(groups):
        folder = unfinished / f"g{group}"
        folder.mkdir(exist_ok=True)
        (folder / "zarr.json").write_bytes(group_document)
        for number in range(arrays):
            for file, content in contents.items():
                place = folder / f"a{number}" / file
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content)
    with warnings.catch_warnings(action="ignore"):
        # Of consolidated metadata, which is not in the specification yet.
        peer.zarr.consolidate_metadata(str(unfinished))
    unfinished.rename(path)


class Bench:
    """Processes of all peers for an array of one size."""

    def __init__(self, folder: Path, plugins: Path, size: int, stack: contextlib.ExitStack) -> None:
        self.folder, self.processes, self.told = folder, {}, []
        for name, peer in PEERS.items():
            command = [sys.executable, str(HERE / "worker.py"), f"--peer={name}", f"--folder={folder}", f"--size={size}"]

            def environment(statistics: str, variables: dict = peer.variables) -> dict:
                return {**variables, "HDF5_PLUGIN_PATH": str(plugins), "ZARR_VOL_STATS": statistics} if variables else {}

            process = Process(command, environment, [str(folder)])
            self.processes[name] = process
            stack.callback(lambda process=process: self.told.extend(process.close()))

    def compare(self, task: str, codec: str, expected: str, reader: ZarrPython) -> None:
        """Fails if somebody reads or writes anything else."""
        for name, process in self.processes.items():
            found = process.ask(f"check {task} {codec}")
            if task == "write":
                codecs = json.loads(Path(found["written"], "data", "zarr.json").read_text())["codecs"]
                if codecs[-1] != CODECS[codec].zarr:
                    raise SystemExit(f"{name} writes with {codecs[-1]}, not with {CODECS[codec].zarr}")
                found = {"digest": digest_of(reader.read(found["written"]))}
            if found["digest"] != expected:
                raise SystemExit(f"{name}: {task} {codec} gives other elements")

    def rounds(self, order: str, count: int, names: tuple = tuple(PEERS)) -> dict[str, list[float]]:
        """Seconds of each peer, in turns."""
        seconds, digests = {name: [] for name in names}, set()
        for _ in range(count):
            for name in random.sample(names, len(names)):
                answer = self.processes[name].ask(order)
                seconds[name].append(answer["seconds"])
                digests.add(answer.get("digest"))
        if len(digests) > 1:
            raise SystemExit(f"{order}: not all find the same")
        return seconds


def lines(seconds: dict[str, list[float]]) -> list[dict]:
    ours = seconds[OURS]
    return [{"peer": name, "seconds": spread(found), "times_ours": ratio(found, ours)} for name, found in seconds.items()]


def show(what: str, found: list[dict]) -> None:
    figures = "; ".join(f"{one['peer']} {one['seconds']['median'] * 1e3:.1f} ms ({one['times_ours']['median']:.2f})" for one in found)
    print(f"{what}: {figures}", flush=True)


def measure(asked: argparse.Namespace, sizes: list[int]) -> dict:
    reader = ZarrPython()
    reader.prepare()
    asked.folder.mkdir(parents=True, exist_ok=True)
    make_arrays(asked.folder, reader, sizes)
    groups, arrays = (GROUPS, ARRAYS) if LARGE in sizes else (10, 10)
    many = asked.folder / f"{groups * arrays}-arrays.zarr"
    make_many(many, reader, groups, arrays)
    results = {"cases": [], "many": [], "arrays": groups * arrays}
    for size in sizes:
        array = numpy.load(asked.folder / f"{size}.npy")
        count = asked.rounds * (MORE_ROUNDS if size == SMALL else 1)
        with contextlib.ExitStack() as stack:
            bench = Bench(asked.folder, asked.plugins, size, stack)
            for task, (what, codecs, of_sizes) in TASKS.items():
                for codec in codecs if size in of_sizes else ():
                    if asked.only and f"{task}-{codec}" not in asked.only:
                        continue
                    bench.compare(task, codec, digest_of(array if task != "rows" else array[:64]), reader)
                    found = lines(bench.rounds(f"run {task} {codec}", asked.rounds if task == "rows" else count))
                    what_of = f"{what}, {CODECS[codec].what}"
                    results["cases"].append(
                        {"name": f"{task}-{codec}-{size}", "what": what_of, "mebibytes": size, "lines": found}
                    )
                    show(f"{what_of}, {size} MiB", found)
            if size == SMALL and not asked.only:
                for order, what in MANY.items():
                    found = lines(bench.rounds(f"{order} {many}", asked.rounds * MORE_ROUNDS, MANY_PEERS))
                    results["many"].append({"name": order, "what": what, "lines": found})
                    show(f"{groups * arrays} arrays: {what}", found)
        counters = [one for one in bench.told if one.get("connector") == "zarr"]
        if len(counters) != 1 or not counters[0]["chunks_read"] + counters[0]["chunks_written"]:
            raise SystemExit("the connector was not loaded")
    return results


def rounded(value):
    """Figures to six digits: more are noise."""
    match value:
        case float():
            return float(f"{value:.6g}")
        case list():
            return [rounded(item) for item in value]
        case dict():
            return {key: rounded(item) for key, item in value.items()}
    return value


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugins", type=Path, required=True, help="folder of libh5zarr_vol.so")
    parser.add_argument("--folder", type=Path, required=True, help="where arrays are kept and written")
    parser.add_argument("--json", type=Path, required=True, help="the file that the results go to")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--small", action="store_true", help=f"only the array of {SMALL} MiB, and few arrays")
    parser.add_argument("--only", action="append", help="such as read-gzip; may be repeated")
    asked = parser.parse_args()
    if asked.rounds < 1:
        parser.error(f"--rounds {asked.rounds}: must be at least 1")
    if not (asked.plugins / "libh5zarr_vol.so").is_file():
        parser.error(f"--plugins {asked.plugins}: there is no libh5zarr_vol.so")
    asked.plugins = asked.plugins.resolve()
    return asked


def main() -> None:
    asked = parse()
    for variable in [name for name in os.environ if name.startswith(OUR_VARIABLES)]:
        del os.environ[variable]
    import h5py

    load = os.getloadavg()[0]
    packages = sorted({package for peer in PEERS.values() for package in peer.packages})
    results = {
        "format": FORMAT,
        "command": f"cargo xtask bench zarr --rounds {asked.rounds}",
        "date": datetime.date.today().isoformat(),
        "machine": machine.describe(),
        "load": load,
        "version": machine.version(),
        "hdf5": h5py.version.hdf5_version,
        "python": platform.python_version(),
        "packages": {package: importlib.metadata.version(package) for package in packages},
        "chunk": list(CHUNK),
        "rounds": asked.rounds,
        "peers": [{"name": name, "what": peer.what} for name, peer in PEERS.items()],
        **measure(asked, [SMALL] if asked.small else [SMALL, LARGE]),
    }
    asked.json.write_text(json.dumps(rounded(results), indent=2) + "\n")
    print(f"written to {asked.json}")


if __name__ == "__main__":
    main()
