"""Fixtures: hosts, connectors, compiled programs. Everything comes from `cargo xtask test` through the environment.

    H5_HOSTS_FILE        name<TAB>path of each stock libhdf5
    H5_OLD_HOST_FILE     the same for one libhdf5 that is too old for us
    H5BYPASS_PYTHON      the interpreter that has h5py, netCDF4, tables and xarray
    H5BYPASS_PLUGIN_DIR  the folder of libh5bypass_vol.so and libh5stats_vol.so
    H5BYPASS_BROWSER     a Chromium, or in H5BYPASS_NO_BROWSER why there is none

H5BYPASS_TEST_CONNECTOR and H5BYPASS_TEST_STATS (`name:value`) put other connectors in the place of ours, to try the tests
themselves: HDF5's own pass_through is `pass_through:1`.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from helpers.both_ways import both_ended_well
from helpers.browser import Browser
from helpers.connectors import Connector, Stack, clean_env
from helpers.event_sets import TWO
from helpers.filtered import filter_plugins
from helpers.hosts import HOW_TO_RUN, read_hosts, required
from helpers.reads import run_reads
from helpers.run_c import FLAGS, SOURCES, Programs, Runner
from helpers.run_client import Dumper, run_client
from helpers.writes import WriteCounters

NATIVE = Stack("native")


def _connector(variable: str, default: str) -> Connector:
    name, value = os.environ.get(variable, default).split(":")
    return Connector(name, int(value))


BYPASS = _connector("H5BYPASS_TEST_CONNECTOR", "bypass:518")
STATS = _connector("H5BYPASS_TEST_STATS", "h5stats:519")
STACKS = [Stack("bypass", (BYPASS,)), Stack("stats-bypass", (STATS, BYPASS)), Stack("bypass-bypass", (BYPASS, BYPASS))]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`host` runs over the stock hosts, `stack` over the ways connectors are stacked."""
    if "host" in metafunc.fixturenames:
        hosts = read_hosts("H5_HOSTS_FILE")
        metafunc.parametrize("host", hosts, ids=[host.name for host in hosts])
    if "stack" in metafunc.fixturenames:
        metafunc.parametrize("stack", STACKS, ids=[stack.label for stack in STACKS])


def pytest_sessionstart(session: pytest.Session) -> None:
    """Fails at once, with the reason, when the environment is not there."""
    try:
        read_hosts("H5_HOSTS_FILE")
        read_hosts("H5_OLD_HOST_FILE")
        required("H5BYPASS_PYTHON")
        required("H5BYPASS_PLUGIN_DIR")
    except RuntimeError as missing:
        pytest.exit(str(missing), returncode=4)


@pytest.fixture(scope="session")
def python() -> str:
    """The interpreter of the clients."""
    return required("H5BYPASS_PYTHON")


@pytest.fixture(scope="session")
def plugin_dir() -> Path:
    """Where our plugins are."""
    return Path(required("H5BYPASS_PLUGIN_DIR"))


@pytest.fixture(scope="session")
def plugin_file(plugin_dir: Path) -> str:
    """The name of our plugin's file; it must be where it is looked for."""
    assert (plugin_dir / "libh5bypass_vol.so").is_file(), f"no libh5bypass_vol.so in {plugin_dir}: {HOW_TO_RUN}"
    return "libh5bypass_vol.so"


@pytest.fixture(scope="session")
def filter_program(plugin_dir: Path) -> Path:
    """The program that runs chunks through our codecs."""
    program = plugin_dir / "examples" / "filter"
    assert program.is_file(), f"no {program}: {HOW_TO_RUN}, or cargo build --release --package codecs --example filter"
    return program


@pytest.fixture(scope="session")
def zarr_program(plugin_dir: Path) -> Path:
    """The program that runs our crate for Zarr."""
    program = plugin_dir / "examples" / "containers"
    assert program.is_file(), f"no {program}: {HOW_TO_RUN}, or cargo build --release --package zarr --example containers"
    return program


@pytest.fixture(scope="session")
def empty_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plugin folder without plugins: native's default folder may exist on the machine and hold anything."""
    return tmp_path_factory.mktemp("no_plugins")


@pytest.fixture(scope="session")
def bypass() -> Stack:
    """Our connector over native."""
    return STACKS[0]


@pytest.fixture(scope="session")
def stats_over_bypass() -> Stack:
    """The counting connector over ours over native."""
    return STACKS[1]


@pytest.fixture(scope="session")
def run_c(tmp_path_factory: pytest.TempPathFactory, plugin_dir: Path, empty_dir: Path) -> Runner:
    """Runs the C programs, each compiled once."""
    return Runner(Programs(tmp_path_factory.mktemp("programs")), plugin_dir, empty_dir)


@pytest.fixture(scope="session")
def preloaded(tmp_path_factory):
    """The variable that puts a library of tests/c/preload between a program and the system, each compiled once."""
    folder = tmp_path_factory.mktemp("preload")

    def variable(name: str) -> dict[str, str]:
        library = folder / f"{name}.so"
        if not library.exists():
            source = SOURCES / "preload" / f"{name}.c"
            subprocess.run(["cc", *FLAGS, "-shared", "-fPIC", str(source), "-o", str(library), "-ldl"], check=True)
        return {"LD_PRELOAD": os.pathsep.join(filter(None, [str(library), os.environ.get("LD_PRELOAD")]))}

    return variable


@pytest.fixture(scope="session")
def faults(preloaded):
    """The library that makes positional writes fail."""
    return preloaded("pwrite_faults")


@pytest.fixture
def c_both_ways(run_c, host, tmp_path, bypass):
    """Runs a C program natively and through the connector: both print the same. Gives the run through the connector and its counts."""

    def run(program: str, mode: str, *arguments: str, stack: Stack | None = None, env=None, native_env=None):
        native = run_c(program, host, tmp_path / "native", *arguments, mode=mode, env=native_env).succeeded()
        counts = tmp_path / f"{len(list(tmp_path.iterdir()))}.json"
        env = {**TWO, "BYPASS_VOL_STATS": str(counts), **(env or {})}
        ours = run_c(program, host, tmp_path / "connector", *arguments, mode=mode, stack=stack or bypass, env=env).succeeded()
        assert ours.stdout == native.stdout, f"{native}\n{ours}"
        ours.counts, ours.native = json.loads(counts.read_text()), native
        return ours

    return run


@pytest.fixture(scope="session")
def native_runs(run_c: Runner, tmp_path_factory: pytest.TempPathFactory):
    """Native runs, made once per host, program and mode: what the others are compared with."""
    runs = {}

    def native(program, host, *arguments, mode="run"):
        key = (program, host.name, mode, arguments)
        if key not in runs:
            directory = tmp_path_factory.mktemp(f"native_{program}_{host.name}")
            runs[key] = run_c(program, host, directory, *arguments, mode=mode).succeeded().served_by("native")
        return runs[key]

    return native


@pytest.fixture(scope="session")
def dump(python: str, empty_dir: Path):
    """Reads folders of HDF5 files natively."""
    dumper = Dumper(python, clean_env(empty_dir))
    yield dumper
    dumper.close()


@pytest.fixture(scope="session")
def client(python: str, plugin_dir: Path, empty_dir: Path):
    """Runs a Python client through a stack (or natively)."""

    def run(script, *arguments, cwd, stack=NATIVE, env=None, code=0):
        folder = plugin_dir if stack.layers else empty_dir
        environment = clean_env(folder, **stack.env(), **(env or {}))
        return run_client(python, script, *arguments, env=environment, cwd=cwd, code=code)

    return run


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory):
    """Opens pages. Where the system has no browser and none can be had, tests of pages are skipped, for that reason."""
    reason = os.environ.get("H5BYPASS_NO_BROWSER")
    if reason:
        pytest.skip(reason)
    browser = Browser(required("H5BYPASS_BROWSER"), tmp_path_factory.mktemp("browser"))
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def results_of(python: str, plugin_dir: Path, empty_dir: Path, tmp_path_factory: pytest.TempPathFactory):
    """All cases of a client with a host, run once: what they returned natively and through the connector.

    `filters` has hdf5plugin's filters beside our plugins.
    """
    results = {}

    def of(script, host, filters=False, timeout=120, **settings):
        key = script, host.name, tuple(sorted(settings.items()))
        if key not in results:
            path = os.pathsep.join([str(plugin_dir), filter_plugins(python, empty_dir)]) if filters else plugin_dir
            folder = tmp_path_factory.mktemp(f"{script}_{host.name}")
            results[key], _ = run_reads(python, path, script, host, cwd=folder, timeout=timeout, env=settings)
        return results[key]

    return of


@pytest.fixture
def results(request, results_of):
    """The same of the client that a test module names: CLIENT, which has TIMEOUT seconds."""
    return lambda host: results_of(request.module.CLIENT, host, timeout=request.module.TIMEOUT)


@pytest.fixture
def as_native(both_ways):
    """Runs a case with a host: it must return the same natively and through the connector."""

    def run(script, case, host, **settings):
        native, ours = both_ways(script, case, host, **settings)
        assert ours == native

    return run


@pytest.fixture
def both_ways(python, plugin_dir, tmp_path):
    """Runs a case with a host: what it returned natively and through the connector. The counters must be as it says."""

    def run(script, case, host, **settings):
        results, _ = run_reads(python, plugin_dir, script.__name__, host, case, cwd=tmp_path, timeout=60, env=settings)
        native, ours, expected = (results[case][key] for key in ("native", "bypass", "expected"))
        counters = WriteCounters.of(both_ended_well(results[case]))
        if expected["bypassed"] is None:
            assert counters.bypassed > 0, counters
        else:
            assert counters.bypassed == expected["bypassed"], counters
            assert counters.reasons == expected["reasons"], counters
        return native["answer"], ours["answer"]

    return run
