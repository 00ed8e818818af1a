"""Random programs on files that are open for writing: what the connector does is what native HDF5 does.

The same program (clients/writes_random.py) runs natively and through the connector, each in a process and a folder of its own. Whatever a
step returns is compared: digests of what was read, results of calls, numbers of chunks. At the end the files are compared natively.
H5BYPASS_WRITE_SEEDS=N runs N programs per host instead of the default, from H5BYPASS_WRITE_FIRST on.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import pytest
from helpers.run_client import CLIENTS
from helpers.settings import BY_NAME
from helpers.writes import WriteCounters, thread_safe, with_filters

SEEDS = int(os.environ.get("H5BYPASS_WRITE_SEEDS", 100))
FIRST = int(os.environ.get("H5BYPASS_WRITE_FIRST", 1))
STEPS = 100
# Seconds that may be spent on making a failing program shorter.
SHRINKING = 60
SETTINGS = ["no cache", "tiny cache", "one thread", "many threads, small cache", "no pool", "tiny pieces", "small reads to HDF5", "disabled"]
WANTED = ["contiguous", "chunked", "compact", "grown", "shrunk", "copied", "virtual", "through virtual", "multi", "direct reads"]
WANTED += ["direct writes", "read-only", "rename", "delete", "refresh", "flush_file", "flush_dataset", "again", "once_more", "transform"]
WANTED += [f"filter {number}" for number in (1, 2, 3, 5, 307, 32001, 32004, 32008, 32015, 32026)]


class Programs:
    """Runs programs with one host, in folders below one folder."""

    def __init__(self, python, plugin_dir, empty_dir, host, folder: Path, **settings: str) -> None:
        self.python, self.host, self.folder = python, host, folder
        self.env = with_filters(python, plugin_dir, empty_dir, PYTHONDONTWRITEBYTECODE="1")
        self.settings = settings

    def run(self, label: str, way: str, first: int, seeds: int, steps: str = ""):
        """The client's answer, the journal by seed, and its stderr."""
        cwd = self.folder / label / way
        cwd.mkdir(parents=True)
        command = [self.python, str(CLIENTS / "writes_random.py"), str(self.host.path), way, str(first), str(seeds), str(STEPS)]
        env = self.env | (self.settings if way == "bypass" else {})
        limit = 60 + 5 * seeds
        done = subprocess.run(command + [steps] * bool(steps), env=env, cwd=cwd, capture_output=True, errors="replace", timeout=limit)
        assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
        journal: dict[int, list[str]] = {}
        for line in (cwd / "journal").read_text().splitlines():
            if line:
                journal.setdefault(int(line[1:].split(",")[0]), []).append(line)
        return json.loads(done.stdout.splitlines()[-1]), journal, done.stderr

    def difference(self, label: str, first: int, seeds: int, steps: str = ""):
        """Runs both ways: (seed, native lines, our lines, what else is wrong) of the first program that differs, and the answers."""
        answers, journals, errors = zip(*(self.run(label, way, first, seeds, steps) for way in ("native", "bypass")))
        assert [answer["connector"] for answer in answers] == ["native", "bypass"]
        for seed in range(first, first + seeds):
            one, two = (journal.get(seed, []) for journal in journals)
            if any('"close", false' in line for line in one):
                # HDF5 could not store what it had taken: it fails over some filters.
                answers[0]["ended"][str(seed)] = "could not close its files"
            if str(seed) in answers[0]["ended"]:
                continue
            ended = answers[1]["ended"].get(str(seed))
            if one != two or ended:
                return (seed, one, two, f"our process ended with {ended}"), answers, errors
        compared = self.compare_files(label, self.files(label, answers))
        if compared["differences"]:
            name = compared["differences"][0][0]
            seed = int(name.split("/")[0][4:])
            wrong = [json.dumps(one)[:1500] for one in compared["differences"] if one[0] == name]
            return (seed, journals[0][seed], journals[1][seed], f"files differ, native first: {wrong}"), answers, errors
        assert compared["datasets"] > seeds or steps, compared
        return None, answers, errors

    def files(self, label: str, answers) -> list[str]:
        """Files of the programs that HDF5 itself survived."""
        native = self.folder / label / "native"
        names = sorted(str(path.relative_to(native)) for path in native.glob("seed*/*.h5"))
        return [name for name in names if name.split("/")[0][4:] not in answers[0]["ended"]]

    def compare_files(self, label: str, names: list[str]):
        folders = [str(self.folder / label / way) for way in ("native", "bypass")]
        command = [self.python, str(CLIENTS / "writes_dump.py"), str(self.host.path), *folders, *names]
        env = {key: value for key, value in self.env.items() if not key.startswith("BYPASS_")}
        done = subprocess.run(command, env=env, capture_output=True, errors="replace", timeout=120)
        assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
        return json.loads(done.stdout.splitlines()[-1])

    def shrink(self, seed: int, last: int) -> tuple[list[int], tuple]:
        """Steps up to `last` that still make a difference, and the difference: leaves out ever smaller parts for a while."""
        steps, end, tried = list(range(last + 1)), time.monotonic() + SHRINKING, 0
        found = None
        size = len(steps) // 2
        while size and time.monotonic() < end:
            start = 0
            while start < len(steps) and time.monotonic() < end:
                fewer = steps[:start] + steps[start + size:]
                tried += 1
                difference = self.difference(f"shrink{seed}.{tried}", seed, 1, ",".join(map(str, fewer)))[0] if fewer else None
                if difference:
                    steps, found = fewer, difference
                else:
                    start += size
            size //= 2
        return steps, found


def last_step(difference) -> int:
    """The number of the step at which the journals part."""
    _, one, two, _ = difference
    for number, (native, ours) in enumerate(zip(one, two)):
        if native != ours:
            return min(number, STEPS - 1)
    return min(len(one), len(two), STEPS - 1)


def told(programs: Programs, difference) -> str:
    """The failing program, made shorter if that can be done, with both journals from where they part."""
    seed = difference[0]
    steps, found = programs.shrink(seed, last_step(difference))
    _, one, two, wrong = found or difference
    part = next((number for number, (a, b) in enumerate(zip(one, two)) if a != b), min(len(one), len(two)))
    lines = [f"seed {seed} with {programs.host.name}, steps {','.join(map(str, steps))}; {wrong}"]
    lines += [line[:1500] for line in one[:part]]
    lines += [f"native: {line[:1500]}" for line in one[part:part + 1]] + [f"ours:   {line[:1500]}" for line in two[part:part + 1]]
    return "\n".join(lines)


def check(programs: Programs, label: str, first: int, seeds: int):
    """Runs and compares; the native answer and what the connector counted."""
    difference, answers, errors = programs.difference(label, first, seeds)
    if difference:
        pytest.fail(told(programs, difference))
    assert len(answers[0]["ended"]) <= seeds // 10, answers[0]["ended"]
    return answers[0], WriteCounters.of(errors[1])


def test_as_native(host, python, plugin_dir, empty_dir, tmp_path):
    programs = Programs(python, plugin_dir, empty_dir, host, tmp_path)
    answer, counters = check(programs, "all", FIRST, SEEDS)
    coverage = answer["coverage"]
    if SEEDS >= 100:
        assert not [what for what in WANTED if not coverage.get(what)], coverage
    # Some fail, and fail alike; most do not.
    assert 0 < coverage["writes failed"] < coverage["writes"] / 5, coverage
    assert counters.bypassed > coverage["writes"] / 2, counters


@pytest.mark.parametrize("setting", SETTINGS)
def test_settings(setting, python, plugin_dir, empty_dir, tmp_path):
    programs = Programs(python, plugin_dir, empty_dir, thread_safe(), tmp_path, **BY_NAME[setting])
    answer, counters = check(programs, "all", 5000, 12)
    if setting == "disabled":
        assert counters.bypassed == 0 and list(counters.reasons) == ["disabled"], counters
    else:
        assert counters.bypassed > answer["coverage"]["writes"] / 2, counters
