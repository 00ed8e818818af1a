"""Errors through the connector, and with the plugin merely lying in the plugin folder.

h5py takes errno and its exception classes from native's entries, users read the rest: they must all be there, in order.
"""

import re
import shutil

import pytest
from helpers.compare import entry_text, missing_entries, show_stack

# Calls whose stack is made of too little to count as a test of anything.
MAY_BE_EMPTY = {"H5Fopen good, stack after it", "H5Fis_accessible not HDF5"}

# Calls in which not native HDF5 but the Bypass VOL finds what is wrong, and what it says then.
DECODED_BY_US = {
    "H5Dread broken deflate": re.compile(r"dataset '/broken' of file 'good.h5': filter deflate .*chunk at \[0\]"),
    "H5Dread wrong checksum": re.compile(r"dataset '/checksum' of file 'good.h5': filter fletcher32 .*chunk at \[0\]"),
}


@pytest.fixture(scope="session")
def error_runs(run_c, tmp_path_factory):
    """The calls of errors.c per host in a given environment, each on fresh copies of the same files."""
    prepared = {}
    done = {}

    def run(host, label, **how):
        key = (host.name, label)
        if key not in done:
            if host.name not in prepared:
                prepared[host.name] = tmp_path_factory.mktemp(f"errors_{host.name}")
                run_c("errors", host, prepared[host.name], mode="prepare").succeeded()
            directory = tmp_path_factory.mktemp(f"errors_{host.name}_{label}") / "files"
            shutil.copytree(prepared[host.name], directory)
            done[key] = run_c("errors", host, directory, mode="run", **how).succeeded()
        return done[key]

    return run


def by_call(run):
    calls = {line["call"]: line for line in run.json_lines()}
    assert len(calls) > 50, run
    return calls


def test_native_stacks_say_something(host, error_runs):
    native = by_call(error_runs(host, "native").served_by("native"))
    for call, answer in native.items():
        assert answer["stack"] or call in MAY_BE_EMPTY, call
        assert answer["return"] == -1 or call in MAY_BE_EMPTY, call


def test_merely_present(host, error_runs, plugin_file):
    """A failed H5Fopen makes HDF5 try every plugin it finds: that must not change what the application is told."""
    native = by_call(error_runs(host, "native"))
    run = error_runs(host, "present", plugins=True).served_by("native")
    assert plugin_file in run.notes.get("plugin", []), f"{run}\nthe plugin was not even tried"
    present = by_call(run)
    wrong = []
    for call, expected in native.items():
        got = present[call]
        same = expected["return"] == got["return"] and [entry_text(e) for e in expected["stack"][:1]] == [
            entry_text(e) for e in got["stack"][:1]
        ]
        if not same:
            wrong.append(f"{call}: native {expected['return']}\n{show_stack(expected['stack'])}")
            wrong.append(f"  with the plugin present {got['return']}\n{show_stack(got['stack'])}")
    assert not wrong, "\n".join(wrong)


def test_through_the_connector(host, stack, error_runs):
    native = by_call(error_runs(host, "native"))
    ours = by_call(error_runs(host, stack.label, stack=stack).served_by(stack.name))
    assert list(native) == list(ours)
    wrong = []
    for call, expected in native.items():
        got = ours[call]
        if expected["return"] != got["return"]:
            wrong.append(f"{call}: returns {got['return']}, native {expected['return']}\n{show_stack(got['stack'])}")
        lost = missing_entries(expected["stack"], got["stack"])
        if call in DECODED_BY_US and "bypass" in stack.label:
            # What the filters of native HDF5 say is not to be expected, but the file, the dataset and the filter are.
            lost = [] if DECODED_BY_US[call].search(show_stack(got["stack"])) else lost
        if lost:
            wrong.append("\n".join([f"{call}: lost", *(f"    {text}" for text in lost), "  of", show_stack(got["stack"])]))
        if not expected["stack"] and got["stack"]:
            wrong.append(f"{call}: native leaves no error, we leave\n{show_stack(got['stack'])}")
    assert not wrong, f"{len(wrong)} of {len(native)} calls\n" + "\n".join(wrong)
