"""Nobody hears of questions that the connector asks: what is printed, and how often the program's own function for errors is
called, is as natively, in calls that succeed and in calls that fail.

HDF5 prints the error stack whenever one of its public functions fails. The connector asks HDF5 questions inside the
application's calls, some of which HDF5 can answer only by failing. The clients switch printing off, so this is for C programs.
"""

import re

import pytest
from helpers.compare import VOLATILE, text_difference
from helpers.connectors import STATS
from helpers.reads import without
from helpers.writes import WriteCounters

PROGRAMS = ["files", "links", "objects", "attributes", "types", "references", "chunks", "transfers", "swmr"]

# The first line of a printed entry; what kind of error it is follows in two more.
ENTRY = re.compile(r"^  #\d+: (.*) line \d+ in (\w+)\((.*)$")

# Questions about files that are not open must be put to a public function, which adds what it says itself.
ALSO_SAID = {"H5VLfile_specific", "H5VL__file_specific"}


def printed(text):
    """What HDF5 printed in a run, and after which call, without what differs between any two runs. Entries of our own error
    class are left out."""
    lines, is_ours, is_left_out = [], False, False
    for line in without(text).splitlines():
        # Notes of the program, among them stacks that it prints itself.
        if line.startswith("@") or " failed: [" in line:
            continue
        if "-DIAG: Error detected in" in line:
            is_ours = not line.startswith("HDF5-DIAG")
            lines.extend([] if is_ours else [re.sub(r"thread .*:", "thread *:", line)])
            continue
        entry = ENTRY.match(line)
        if entry:
            is_left_out = is_ours or entry[2] in ALSO_SAID
            line = f"  #: {entry[1]} in {entry[2]}({entry[3]}"
        elif not line.startswith("    "):
            is_ours = is_left_out = False
        if is_left_out:
            continue
        for pattern, replacement in VOLATILE:
            line = pattern.sub(replacement, line)
        lines.append(line)
    return "\n".join(lines)


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_print_the_same(program, host, bypass, run_c, tmp_path):
    prints = {"H5_TEST_PRINTS": "1"}
    native = run_c(program, host, tmp_path / "native", env=prints).succeeded().served_by("native")
    ours = run_c(program, host, tmp_path / "ours", stack=bypass, env=prints).succeeded().served_by(bypass.name)
    difference = text_difference(printed(native.stderr), printed(ours.stderr))
    assert not difference, f"{ours.command}\n{difference[:6000]}"


@pytest.mark.parametrize("mode", ["default", "function", "old"])
def test_transfers(mode, host, bypass, run_c, tmp_path):
    """Reads and writes of all kinds, with all kinds of transfer lists."""
    settings = {"H5_TEST_PRINTS": "1"}
    native = run_c("printing", host, tmp_path / "native", mode=mode, env=settings).succeeded().served_by("native")
    ours = run_c("printing", host, tmp_path / "ours", mode=mode, stack=bypass, env=settings | STATS)
    ours.succeeded().served_by(bypass.name)
    difference = text_difference(native.stdout, ours.stdout)
    assert not difference, f"{ours.command}\n{difference[:6000]}"
    difference = text_difference(printed(native.stderr), printed(ours.stderr))
    assert not difference, f"{ours.command}\n{difference[:6000]}"
    assert "after contiguous, new list, everything, read" in native.stderr
    counted = WriteCounters.of(ours.stderr)
    assert counted.reads > 100 and counted.bypassed > 100, counted
