"""What an application's transfer list says holds in all of its calls, also in those in which the connector asks questions."""

from helpers.compare import text_difference
from helpers.connectors import STATS
from helpers.reads import Counters


def test_lists_hold_in_every_call(host, stack, run_c, native_runs, tmp_path):
    native = native_runs("contexts", host)
    ours = run_c("contexts", host, tmp_path / "ours", stack=stack, env=STATS)
    difference = text_difference(native.stdout, ours.stdout)
    assert not difference, f"{ours}\n{difference[:4000]}"
    ours.succeeded().served_by(stack.name)
    # The datasets were looked at, which is what this is about.
    reasons = Counters.of(ours.stderr).reasons
    assert reasons["value-memory"] > 50 and "filter-callback" in reasons, ours.stderr
