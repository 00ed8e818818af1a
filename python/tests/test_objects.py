"""Every way to reach an object, natively and through the connectors: same answers, same files.

The programs say what they do in tests/c; here only the comparison is made.
"""

import pytest
from helpers.compare import dump_difference, text_difference
from helpers.hosts import read_hosts

PROGRAMS = ["files", "links", "objects", "attributes", "types", "references", "chunks", "transfers", "swmr"]


@pytest.mark.parametrize("program", PROGRAMS)
def test_same_as_native(program, host, stack, run_c, native_runs, dump, tmp_path):
    native = native_runs(program, host)
    ours = run_c(program, host, tmp_path / "ours", stack=stack)
    difference = text_difference(native.stdout, ours.stdout)
    assert not difference, f"{ours}\n{difference}"
    ours.succeeded().served_by(stack.name)
    difference = dump_difference(dump(native.directory), dump(ours.directory))
    assert not difference, f"{ours.command}\n{difference}"


@pytest.mark.parametrize("program", PROGRAMS)
def test_hosts_agree_natively(program, host, native_runs):
    """The programs say the same under every host, apart from the functions a host lacks: they print results, not accidents."""
    first = read_hosts("H5_HOSTS_FILE")[0]
    texts = []
    for one in (first, host):
        lines = native_runs(program, one).stdout.splitlines()
        texts.append("\n".join(line for line in lines if not line.startswith("missing in this host")))
    assert len(texts[0].splitlines()) > 15
    assert not text_difference(*texts)
