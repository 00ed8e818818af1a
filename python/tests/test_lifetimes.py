"""How a process may end or the library go away: no crash, no hang, nothing lost that native keeps."""

import pytest
from helpers.compare import dump_difference, text_difference

MODES = [
    "leave_open",
    "dont_atexit",
    "exit_in_thread",
    "thread_running",
    "reload_closed",
    "reload_open",
    "reopen_library",
    "fork_exit",
    "fork__exit",
    "fork_exit_writable",
    "quick_exit",
]
# Natively these leave files unflushed: nothing to compare on disk.
LEAVES_RUINS = {"dont_atexit", "quick_exit"}


@pytest.mark.parametrize("mode", MODES)
def test_same_end_as_native(mode, host, stack, run_c, native_runs, dump, tmp_path):
    native = native_runs("lifetimes", host, mode=mode)
    ours = run_c("lifetimes", host, tmp_path / "ours", mode=mode, stack=stack).succeeded().served_by(stack.name)
    difference = text_difference(native.stdout, ours.stdout)
    assert not difference, f"{ours}\n{difference}"
    if mode not in LEAVES_RUINS:
        difference = dump_difference(dump(native.directory), dump(ours.directory))
        assert not difference, f"{ours.command}\n{difference}"


def test_ends_many_times(host, bypass, run_c, tmp_path):
    """Races at exit show themselves once in a while."""
    for i in range(15):
        run_c("lifetimes", host, tmp_path / str(i), mode="thread_running", stack=bypass).succeeded().served_by(bypass.name)


def test_connector_closed_while_in_use(host, stack, run_c, dump, tmp_path):
    run = run_c("lifetimes", host, tmp_path, stack.name, stack.info, mode="connector_closed", plugins=True)
    run.succeeded().served_by(stack.name)
    assert run.stdout.splitlines().count("sum 499500") == 2, run
    assert sum(dump(tmp_path)["closed.h5"]["root"]["links"]["d"]["values"]) == 499500
