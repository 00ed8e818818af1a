"""What is written through the connector, with every filter, is read natively by all hosts; and what was written natively can be changed.

clients/writes_codecs.py writes and changes the same datasets natively and through the connector.
"""

from __future__ import annotations

import shutil
import sys

import pytest
from helpers.reads import run_reads
from helpers.run_client import CLIENTS
from helpers.writes import WriteCounters, all_hosts, with_filters

sys.path.append(str(CLIENTS))
from writes_codecs import CASES, CHANGES, right  # noqa: E402

# Pipelines that a host cannot write, or not read: it lacks the filter.
LACKING = {"h5py": (), "netCDF4": ("lzf",), "tables": ("lzf", "szip")}
# HDF5 1.14.6 cannot read all chunks of its own scaleoffset filter, nor change them.
UNSOUND = {"tables": ("scaleoffset",)}


def most(pipeline, kind):
    """How many times native's bytes gzip may need at the same level: shuffled data is what gzip is used for."""
    if "shuffle" not in pipeline:
        return 1.16
    return 1.05 if kind == "big-endian" else 1.03


class Files:
    """Runs the client with one host after another in one folder."""

    def __init__(self, python, plugin_dir, empty_dir, folder) -> None:
        self.python, self.folder = python, folder
        self.path = with_filters(python, plugin_dir, empty_dir)["HDF5_PLUGIN_PATH"]
        self.known: dict[tuple[str, str], dict] = {}

    def run(self, host, action, way, name):
        answer, stderr = run_reads(self.python, self.path, "writes_codecs", host, action, way, name, cwd=self.folder)
        assert answer["connector"] == way
        return answer["found"], stderr

    def read(self, host, name):
        """What a host reads natively in a file that nobody changes any more: read once."""
        if (host.name, name) not in self.known:
            self.known[host.name, name] = self.run(host, "read", "native", name)[0]
        return self.known[host.name, name]

    def read_changed_by_all(self, name):
        return {host.name: self.run(host, "read", "native", name)[0] for host in all_hosts()}


@pytest.fixture(scope="session")
def files(python, plugin_dir, empty_dir, tmp_path_factory):
    return Files(python, plugin_dir, empty_dir, tmp_path_factory.mktemp("codecs"))


@pytest.fixture(scope="session")
def written(files):
    """Both ways, once per host."""
    done = {}

    def by(host):
        if host.name not in done:
            files.run(host, "write", "native", f"native-{host.name}.h5")
            done[host.name] = files.run(host, "write", "bypass", f"bypass-{host.name}.h5")[1]
        return done[host.name]

    return by


def can(host_name, dataset):
    return not any(lacking in dataset.split(",")[0] for lacking in LACKING[host_name])


def sound(host_name, dataset):
    return not any(unsound in dataset.split(",")[0] for unsound in UNSOUND.get(host_name, ()))


def compare(written_by, native, ours, expected, unknown=()):
    """What is wrong in what the hosts read, by name of the dataset. `unknown`: pipelines that are not compared."""
    wrong = []
    for reader, found in ours.items():
        should = [name for name, _, _ in CASES if can(written_by, name) and can(reader, name)]
        assert set(should) <= found.keys(), f"{reader} does not find {set(should) - found.keys()}"
        for name, (digest, _) in found.items():
            if name.split(",")[0] in unknown:
                continue
            if not sound(reader, name) and native[reader][name][0] != digest:
                # Not even the native file is read; the other hosts tell.
                continue
            if digest != native[reader][name][0]:
                wrong.append(f"{reader} reads {name} as {digest}, the native file as {native[reader][name][0]}")
            elif name in expected and digest != expected[name] and sound(reader, name) and sound(written_by, name):
                wrong.append(f"{reader} reads {name} as {digest}, should be {expected[name]}")
    return wrong


def test_written_by_us(host, files, written):
    counters = WriteCounters.of(written(host))
    names = (f"{way}-{host.name}.h5" for way in ("native", "bypass"))
    native, ours = ({reader.name: files.read(reader, name) for reader in all_hosts()} for name in names)
    wrong = compare(host.name, native, ours, right(False))
    assert not wrong, f"{len(wrong)} of {len(ours[host.name])}\n" + "\n".join(wrong[:10])
    assert counters.bypassed >= len(ours[host.name]) and not counters.reasons, counters


def test_sizes_of_gzip(host, files, written):
    written(host)
    native, ours = (files.read(host, f"{way}-{host.name}.h5") for way in ("native", "bypass"))
    allowed = {name: most(pipeline, kind) for name, pipeline, kind in CASES if "gzip" in pipeline}
    assert len(allowed) > 60
    larger = {name: (ours[name][1], native[name][1]) for name in allowed if ours[name][1] > allowed[name] * native[name][1]}
    assert not larger, f"ours, native: {larger}"


def test_sizes_of_others(host, files, written):
    """Filters that only rearrange must give the same number of bytes; the others about the same."""
    written(host)
    native, ours = (files.read(host, f"{way}-{host.name}.h5") for way in ("native", "bypass"))
    exact = ("unfiltered", "shuffle", "fletcher32", "nbit", "scaleoffset", "scaleoffset bits", "scaleoffset digits", "bitshuffle")
    wrong = {}
    for name, pipeline, _ in CASES:
        if name in ours and "gzip" not in pipeline:
            if ours[name][1] > (1 if pipeline in exact else 1.1) * native[name][1]:
                wrong[name] = (ours[name][1], native[name][1])
    assert not wrong, f"ours, native: {wrong}"


def test_changed_by_us(host, files, written):
    """Parts of what was written natively, by the same host and by another; and natively, parts of what was written by us."""
    written(host)
    for origin in ("native", "bypass"):
        for way in ("native", "bypass"):
            shutil.copy(files.folder / f"{origin}-{host.name}.h5", files.folder / f"{way}-changed-{host.name}.h5")
        files.run(host, "change", "native", f"native-changed-{host.name}.h5")
        _, stderr = files.run(host, "change", "bypass", f"bypass-changed-{host.name}.h5")
        native, ours = (files.read_changed_by_all(f"{way}-changed-{host.name}.h5") for way in ("native", "bypass"))
        # What is lost with so few bits depends on how often a chunk was encoded, which is up to the caches, natively too.
        wrong = compare(host.name, native, ours, right(True), unknown=("scaleoffset bits",))
        assert not wrong, f"{len(wrong)} of {len(ours[host.name])}, written first by {origin}\n" + "\n".join(wrong[:10])
        counters = WriteCounters.of(stderr)
        assert counters.bypassed % len(CHANGES) == 0 and counters.bypassed > 250 * len(CHANGES), counters
        assert not counters.reasons, counters


def test_read_back_through_the_connector(host, files, written):
    written(host)
    native = files.read(host, f"bypass-{host.name}.h5")
    ours, stderr = files.run(host, "read", "bypass", f"bypass-{host.name}.h5")
    differ = {name: (native[name], ours[name]) for name in native if native[name] != ours[name] and sound(host.name, name)}
    assert not differ, differ
    assert WriteCounters.of(stderr).reads >= len(native)
