"""Elements that were never written, in datasets whose storage was given free by others before.

HDF5 leaves such storage as it is. Natively old data is often not there, because it never left native HDF5's caches; our data
is in the file at once. So the connector clears it, whoever writes first, and whether storage is taken when a dataset is made
or when it is written.
"""

import re

from helpers.connectors import STATS
from helpers.writes import WriteCounters


def test_every_second_column(host, bypass, run_c, tmp_path):
    native = run_c("reused", host, tmp_path / "native", mode="columns").succeeded().served_by("native")
    ours = run_c("reused", host, tmp_path / "ours", mode="columns", stack=bypass, env=STATS).succeeded().served_by(bypass.name)
    assert "never written and are not zero: 0\n" in native.stdout, native
    assert ours.stdout == native.stdout, ours
    assert WriteCounters.of(ours.stderr).bypassed == 2, ours


def test_random_programs(host, bypass, run_c, tmp_path):
    """Where native shows no old data, the results are native's; and old data is shown in none."""

    def results(run):
        found = re.findall(r"(\d+): old (\d+), sum (\w+)", run.succeeded().stdout)
        return {seed: (int(old), total) for seed, old, total in found}

    first, count = "1000", "150"
    native = results(run_c("reused", host, tmp_path / "native", first, count, mode="random").served_by("native"))
    run = run_c("reused", host, tmp_path / "ours", first, count, mode="random", stack=bypass, env=STATS)
    ours = results(run.served_by(bypass.name))
    assert len(native) == len(ours) == int(count)
    clean = [seed for seed, (old, _) in native.items() if old == 0]
    assert len(clean) > 50
    assert {seed: ours[seed] for seed in clean} == {seed: native[seed] for seed in clean}
    assert not [seed for seed, (old, _) in ours.items() if old]
    assert WriteCounters.of(run.stderr).bypassed > 300, run
