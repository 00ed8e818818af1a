"""The cost of passing through a connector: stock h5py opens a file, reads a little and closes it.

All connectors take turns in one process, in blocks of a hundred repetitions, in an order drawn anew for
every round, so that whatever else the machine does meets all of them alike. Each round gives one ratio per
connector (its block's time over the native block's time); the median over the rounds is the result, with the
quartiles as its spread. `native` is measured twice in every round: its second ratio shows the noise. The same is
done for the processor time of the process, which other work on the machine disturbs less.

h5py has no call to choose a connector, so its own libhdf5 is asked to, by ctypes, on a property list that
h5py then opens the file with. HDF5_PLUGIN_PATH must name the folder of the plugins.
"""

import argparse
import ctypes
import json
import os
import platform
import random
import statistics
import sys
import time

import h5py
import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "suites"))
from prove_loaded import Host  # noqa: E402

BLOCK = 100
WARM_UP = 50

# Label, connector by name, its info string, and whether it must be there. The names must live as long as the
# process: HDF5's plugin cache keeps the caller's pointer, not a copy (H5PLplugin_cache.c), and compares the next
# name with whatever is there by then.
CONNECTORS = [
    ("bypass", b"bypass", b"under_vol=0;under_info={}", True),
    ("h5stats over bypass", b"h5stats", b"under_vol=518;under_info={under_vol=0;under_info={}}", True),
    ("HDF5's pass_through", b"pass_through", b"under_vol=0;under_info={}", False),
]


class Connectors:
    """Registers connectors in h5py's libhdf5 and makes access property lists that use them."""

    def __init__(self):
        h5py.h5.get_libversion()
        self.host = Host.of("h5py")
        lib, hid, string = self.host.lib, ctypes.c_int64, ctypes.c_char_p
        lib.H5VLregister_connector_by_name.restype = hid
        lib.H5VLregister_connector_by_name.argtypes = [string, hid]
        lib.H5VLconnector_str_to_info.argtypes = [string, hid, ctypes.POINTER(ctypes.c_void_p)]
        lib.H5VLfree_connector_info.argtypes = [hid, ctypes.c_void_p]
        lib.H5Pset_vol.argtypes = [hid, hid, ctypes.c_void_p]
        lib.H5VLclose.argtypes = [hid]

    def access_list(self, name=None, info=b""):
        """An access list for the native connector, or for the one named; None if that cannot be had."""
        access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
        access.set_fclose_degree(h5py.h5f.CLOSE_STRONG)
        if name is None:
            return access
        lib = self.host.lib
        connector = lib.H5VLregister_connector_by_name(name, 0)
        if connector < 0:
            return None
        converted = ctypes.c_void_p()
        if lib.H5VLconnector_str_to_info(info, connector, ctypes.byref(converted)) < 0:
            raise SystemExit(f"{name.decode()}: the info string {info.decode()} was refused")
        if lib.H5Pset_vol(access.id, connector, converted) < 0:
            raise SystemExit(f"{name.decode()}: H5Pset_vol failed")
        lib.H5VLfree_connector_info(connector, converted)
        lib.H5VLclose(connector)
        return access


def write(path):
    with h5py.File(path, "w") as file:
        file["small"] = numpy.arange(16.0)


def repeat(path, access, times):
    """Opens, reads 128 bytes and closes, `times` times; seconds for one, by the clock and of the processor."""
    path, name = os.fsencode(path), b"small"
    buffer = numpy.empty(16)
    all_of_it, read_only = h5py.h5s.ALL, h5py.h5f.ACC_RDONLY
    begin, begin_cpu = time.perf_counter(), time.process_time()
    for _ in range(times):
        file = h5py.h5f.open(path, read_only, access)
        h5py.h5d.open(file, name).read(all_of_it, all_of_it, buffer)
        file.close()
    seconds, cpu = time.perf_counter() - begin, time.process_time() - begin_cpu
    if buffer[15] != 15.0:
        raise SystemExit("wrong data were read")
    return seconds / times, cpu / times


def prove(host, path, access, expected):
    file = h5py.h5f.open(os.fsencode(path), h5py.h5f.ACC_RDONLY, access)
    used = host.connector_of(file.id)
    file.close()
    if used != expected:
        raise SystemExit(f"the file was opened through '{used}', not '{expected}'")


def measure(path, ways, rounds):
    times = {label: [] for label in ways}
    for access in ways.values():
        repeat(path, access, WARM_UP)
    for _ in range(rounds):
        order = list(ways)
        random.shuffle(order)
        for label in order:
            times[label].append(repeat(path, ways[label], BLOCK))
    return times


def summarise(times):
    summary = {}
    for label, own in times.items():
        summary[label] = {}
        for kind, which in (("clock", 0), ("cpu", 1)):
            ratios = [mine[which] / native[which] for mine, native in zip(own, times["native"])]
            low, middle, high = statistics.quantiles(ratios, n=4)
            summary[label][kind] = {
                "microseconds": statistics.median(pair[which] for pair in own) * 1e6,
                "ratio": middle,
                "ratio_quartiles": [low, high],
            }
    return summary


def print_table(summary):
    print(f"{'h5py: open, read 128 B, close':31}", end="")
    print("".join(f"{kind + ' us':>10}{'ratio':>8}  {'middle half':15}" for kind in ("clock", "cpu")))
    for label, kinds in summary.items():
        print(f"{label:31}", end="")
        for row in kinds.values():
            low, high = row["ratio_quartiles"]
            spread = "" if label == "native" else f"{low:.3f} .. {high:.3f}"
            print(f"{row['microseconds']:>10.1f}{row['ratio']:>8.3f}  {spread:15}", end="")
        print()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=120)
    parser.add_argument("--folder", required=True, help="where to put the file that is read")
    parser.add_argument("--output", required=True, help="the JSON file to write")
    args = parser.parse_args()

    connectors = Connectors()
    path = os.path.join(args.folder, "small.h5")
    write(path)
    ways = {"native": connectors.access_list(), "native, again": connectors.access_list()}
    proofs = {"native": "native", "native, again": "native"}
    for label, name, info, needed in CONNECTORS:
        access = connectors.access_list(name, info)
        if access is not None:
            ways[label], proofs[label] = access, name.decode()
        elif needed:
            path = os.environ.get("HDF5_PLUGIN_PATH")
            raise SystemExit(f"connector '{name.decode()}' could not be loaded (HDF5_PLUGIN_PATH={path})")
    for label, access in ways.items():
        prove(connectors.host, path, access, proofs[label])

    summary = summarise(measure(path, ways, args.rounds))
    print_table(summary)
    with open(args.output, "w") as output:
        about = {
            "what": "h5py: open a file, read 128 bytes, close it",
            "rounds": args.rounds,
            "repetitions_per_round": BLOCK,
            "h5py": h5py.__version__,
            "hdf5": h5py.version.hdf5_version,
            "machine": f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}",
        }
        json.dump({**about, "results": summary}, output, indent=2)
        output.write("\n")
    print(f"written to {args.output}")


if __name__ == "__main__":
    main()
