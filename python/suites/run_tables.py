"""Runs one shard of PyTables' own suite: `run_tables.py SHARD SHARDS`.

The tests are those of `python -m tables.tests.test_all`, dealt out class by class so that several processes
share them. That is safe when each process has its own TMPDIR and working directory: the suite makes all its
files by `tempfile` or in the working directory, and no class depends on another. How each test ended goes to
the file named by H5BYPASS_OUTCOMES (see outcomes.py); prove_loaded.py guards start and end.
"""

import collections
import faulthandler
import itertools
import os
import sys
import unittest

import prove_loaded
from outcomes import Recorder, worse


def flatten(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flatten(test)
        else:
            yield test


def numbered(tests):
    """Pairs of unique name and test: the suite runs some tests more than once."""
    seen = collections.Counter()
    for test in tests:
        name = test.id()
        seen[name] += 1
        yield (name if seen[name] == 1 else f"{name} #{seen[name]}", test)


def shard_of(tests, shard, shards):
    """Every `shards`-th run of consecutive tests of one class."""
    classes = itertools.groupby(tests, key=lambda pair: type(pair[1]))
    for number, (_, pairs) in enumerate(classes):
        if number % shards == shard:
            yield from pairs
        else:
            collections.deque(pairs, maxlen=0)


# PyTables makes chunks of Blosc2 as large as the processor's last cache. Some processors say that it has hundreds of MiB, and
# then the suite takes hours, natively too. All machines get those of an ordinary processor.
CACHES = {"l2_cache_size": 1 << 20, "l3_cache_size": 8 << 20}


class RecordingResult(unittest.TextTestResult):
    """The usual text result, which also writes every outcome down."""

    names = {}
    recorder = None

    def startTest(self, test):
        super().startTest(test)
        self._outcome = "started"
        self.recorder.write("started", self.names[id(test)])

    def stopTest(self, test):
        self.recorder.write(self._outcome, self.names[id(test)])
        super().stopTest(test)

    def _note(self, outcome):
        self._outcome = worse(outcome, self._outcome)

    def addSuccess(self, test):
        super().addSuccess(test)
        self._note("passed")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._note("skipped")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._note("failed")

    def addError(self, test, err):
        super().addError(test, err)
        self._note("error")

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self._note("xfailed")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self._note("xpassed")

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._note("failed")


def main():
    shard, shards = int(sys.argv[1]), int(sys.argv[2])
    faulthandler.enable()
    prove_loaded.check_all("start")

    from tables import leaf
    from tables.tests import common, test_suite

    leaf.get_cpu_info = lambda: CACHES
    common.print_versions()
    # The tests stay referenced until the end, so that ids of objects stay unique.
    chosen = list(shard_of(numbered(flatten(test_suite.suite())), shard, shards))
    RecordingResult.names = {id(test): name for name, test in chosen}
    RecordingResult.recorder = Recorder(os.environ["H5BYPASS_OUTCOMES"])
    runner = unittest.TextTestRunner(resultclass=RecordingResult)
    result = runner.run(unittest.TestSuite(test for _, test in chosen))
    prove_loaded.check_all("end")
    sys.exit(0 if result.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
