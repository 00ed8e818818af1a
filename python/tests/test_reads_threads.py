"""Threads, fork and exit: tests/c/reads_threads.c checks every value it reads; the counters tell who read it."""

from __future__ import annotations

import pytest
from helpers.hosts import read_hosts
from helpers.connectors import STATS
from helpers.reads import Counters, summaries

SETTINGS = [
    {},
    {"BYPASS_VOL_NTHREADS": "1"},
    {"BYPASS_VOL_NTHREADS": "64"},
    {"BYPASS_VOL_NO_TPOOL": "true"},
    {"BYPASS_VOL_IO_SIZE": "4096"},
    {"BYPASS_VOL_IO_SIZE": str(1 << 50)},
]


@pytest.fixture
def thread_safe():
    """The host that lets several threads in."""
    return next(host for host in read_hosts("H5_HOSTS_FILE") if host.name == "tables")


@pytest.mark.parametrize("threads", [None, "1", "4", "64"])
def test_storm(threads, thread_safe, bypass, run_c, tmp_path):
    env = STATS | ({"BYPASS_VOL_NTHREADS": threads} if threads else {})
    run = run_c("reads_threads", thread_safe, tmp_path, "1200", mode="storm", stack=bypass, env=env)
    run.succeeded().served_by(bypass.name)
    counters = Counters.of(run.stderr)
    assert counters.passed_on == 0 and counters.bypassed == int(run.notes["reads"][0]) > 200, run


def test_closed_by_another_thread(thread_safe, bypass, run_c, tmp_path):
    run = run_c("reads_threads", thread_safe, tmp_path, mode="close", stack=bypass, env=STATS).succeeded().served_by(bypass.name)
    counters = Counters.of(run.stderr)
    assert counters.passed_on == 0 and counters.bypassed >= int(run.notes["reads"][0]) > 400, run


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: ",".join(f"{key[11:]}={value}" for key, value in setting.items()) or "default")
def test_settings(setting, host, bypass, run_c, tmp_path):
    run = run_c("reads_threads", host, tmp_path, mode="once", stack=bypass, env=STATS | setting).succeeded().served_by(bypass.name)
    counters = Counters.of(run.stderr)
    assert (counters.bypassed, counters.passed_on) == (24, 0), run


def test_switched_off(host, bypass, run_c, tmp_path):
    run = run_c("reads_threads", host, tmp_path, mode="once", stack=bypass, env=STATS | {"BYPASS_VOL_DISABLE": "1"})
    counters = Counters.of(run.succeeded().served_by(bypass.name).stderr)
    assert (counters.bypassed, counters.reasons) == (0, {"disabled": 24}), run


def test_fork(host, bypass, run_c, tmp_path):
    """Children read, with a pool of their own, and end normally; the parent goes on."""
    run = run_c("reads_threads", host, tmp_path, mode="fork", stack=bypass, env=STATS).succeeded().served_by(bypass.name)
    assert [line for line in run.stdout.splitlines() if line.startswith("child")] == [f"child {i}: 0" for i in range(3)], run
    reads = [told["reads"] for told in summaries(run.stderr)]
    assert len(reads) == 4 and {told["passed_on"] for told in reads} == {0}, run
    assert reads[-1]["bypassed"] == 48, run


def test_exit_while_reading(host, bypass, run_c, tmp_path):
    for i in range(3):
        run = run_c("reads_threads", host, tmp_path / str(i), mode="exit", stack=bypass, env=STATS).succeeded().served_by(bypass.name)
        assert run.stdout == "leaving\n" and Counters.of(run.stderr).bypassed >= 2, run
