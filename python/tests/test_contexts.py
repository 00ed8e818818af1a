"""What an application's transfer list says holds in all of its calls, also in those in which the connector asks questions."""

import re

from compare import text_difference


def test_lists_hold_in_every_call(host, stack, run_c, native_runs, tmp_path):
    native = native_runs("contexts", host)
    ours = run_c("contexts", host, tmp_path / "ours", stack=stack, env={"BYPASS_VOL_STATS": "1"})
    difference = text_difference(native.stdout, ours.stdout)
    assert not difference, f"{ours}\n{difference[:4000]}"
    ours.succeeded().served_by(stack.name)
    # The datasets were looked at, which is what this is about.
    reasons = re.findall(r"(\d+) reads passed on: (.*)", ours.stderr)
    assert any(reason == "variable-length data" and int(count) > 50 for count, reason in reasons), ours.stderr
    assert "a function for failures of filters is set in the transfer property list" in ours.stderr
