"""Several threads at once. Hosts that are not thread-safe are used under the application's own mutex."""

import pytest
from helpers.compare import text_difference
from helpers.connectors import STATS
from helpers.hosts import read_hosts
from helpers.reads import summaries


@pytest.mark.parametrize("mode", ["separate", "same", "strings", "churn"])
def test_threads(mode, host, stack, run_c, native_runs, tmp_path):
    native = native_runs("threads", host, mode=mode)
    for i in range(3):
        ours = run_c("threads", host, tmp_path / str(i), mode=mode, stack=stack).succeeded().served_by(stack.name)
        difference = text_difference(native.stdout, ours.stdout)
        assert not difference, f"{ours}\n{difference}"


def test_strings_are_ours(host, bypass, run_c, tmp_path):
    """Else the other test says nothing about them."""
    ours = run_c("threads", host, tmp_path, mode="strings", stack=bypass, env=STATS).succeeded()
    (told,) = summaries(ours.stderr)
    assert told["reads"]["bypassed"] > 50 and told["writes"]["bypassed"] > 50, told


def test_one_host_is_thread_safe(native_runs):
    """Without one the other test would only ever see one thread in the library."""
    hosts = read_hosts("H5_HOSTS_FILE")
    answers = {host.name: native_runs("threads", host, mode="churn").notes["threadsafe"] for host in hosts}
    assert answers["tables"] == ["1"], answers
