"""Choosing the connector: by name, by value, by environment, with and without info, again and again."""

import pytest
from helpers.connectors import Connector, Stack

NUMBERS = "through the connector: 5 6 7"


def arguments(stack):
    top = stack.layers[0]
    return top.name, str(top.value), stack.info


@pytest.mark.parametrize("mode", ["by_name", "by_value", "null_info"])
def test_registered(mode, host, bypass, run_c, tmp_path):
    run = run_c("select", host, tmp_path, *arguments(bypass), mode=mode, plugins=True).succeeded().served_by(bypass.name)
    lines = run.stdout.splitlines()
    assert lines.count(f"connector: {bypass.name}") == 3, run
    assert "all the same class: 1" in lines, run
    assert "the list names the connector: 1" in lines, run
    assert "the file's list names its connector: 1" in lines, run
    assert NUMBERS in lines and "by the default list: 5 6 7" in lines, run


def test_info_of_every_depth(host, stack, run_c, tmp_path):
    """A nested info, given by H5Pset_vol instead of the environment."""
    run = run_c("select", host, tmp_path, *arguments(stack), mode="by_name", plugins=True)
    run.succeeded().served_by(stack.name)
    assert NUMBERS in run.stdout, run


def test_environment(host, stack, run_c, tmp_path):
    run = run_c("select", host, tmp_path, *arguments(stack), mode="env", stack=stack).succeeded().served_by(stack.name)
    assert NUMBERS in run.stdout, run


def test_environment_without_info(host, bypass, run_c, tmp_path):
    """Bare HDF5_VOL_CONNECTOR=bypass means over native."""
    run = run_c(
        "select",
        host,
        tmp_path,
        *arguments(bypass),
        mode="env",
        plugins=True,
        env={"HDF5_VOL_CONNECTOR": bypass.name},
    )
    run.succeeded().served_by(bypass.name)
    assert NUMBERS in run.stdout, run


def test_registered_again_and_again(host, bypass, run_c, tmp_path):
    run = run_c("select", host, tmp_path, *arguments(bypass), mode="again", plugins=True)
    run.succeeded().served_by(bypass.name)
    lines = run.stdout.splitlines()
    assert lines[0] == "failures: 0", run
    assert lines[1] == "h5.H5VLis_connector_registered_by_name(name) = 0", f"{run}\nstill registered after the last close"
    assert NUMBERS in lines, run


def test_info_round_trip(host, stack, run_c, tmp_path):
    """Text to info to text gives the same text: h5dump and netCDF-C hand infos on that way."""
    run = run_c("select", host, tmp_path, *arguments(stack), mode="round_trip", plugins=True)
    run.succeeded().served_by(stack.name)
    for label in ("text", "text through a list", "text of the text"):
        assert f"{label}: {stack.info}" in run.stdout.splitlines(), run


def test_property_lists_compare_infos(host, bypass, run_c, tmp_path):
    twice = Stack("twice", (*bypass.layers, *bypass.layers))
    run = run_c("select", host, tmp_path, *arguments(bypass), twice.info, mode="equal", plugins=True)
    run.succeeded().served_by(bypass.name)
    lines = run.stdout.splitlines()
    assert [line for line in lines if line.startswith(("equal infos", "a copy", "different infos", "native:"))] == [
        "equal infos: 1",
        "a copy: 1",
        "different infos: 0",
        "native: 0",
    ], run


def test_announces_what_native_announces(host, stack, run_c, native_runs, tmp_path):
    """Optional operations are native's; capabilities include native's."""
    unused = ("-", "0", "-")
    native = native_runs("select", host, *unused, mode="query")
    ours = run_c("select", host, tmp_path, *unused, mode="query", stack=stack).succeeded().served_by(stack.name)
    assert [line for line in ours.stdout.splitlines() if line.startswith("class")] == [
        line for line in native.stdout.splitlines() if line.startswith("class")
    ], ours
    assert "native object: 1" in ours.stdout, f"{ours}\nfiles are native files to h5py and netCDF-C"
    wanted, got = (int(run.notes["capabilities"][0], 16) for run in (native, ours))
    assert got & wanted == wanted, f"{ours}\ncapabilities {got:x} lack {wanted & ~got:x} of native's"


def test_the_proof_can_fail(host, run_c, tmp_path):
    """A connector that does not exist must not look like one that serves: the tests lean on this."""
    run = run_c("select", host, tmp_path, "nobody", "777", "", mode="by_name", plugins=True)
    assert run.code == 1
    with pytest.raises(AssertionError):
        run.served_by("nobody")
    assert Connector("a", 1) != Connector("b", 1)
