"""Writes down how every test ended, one line per test, as it happens.

Used as a pytest plugin (`-p outcomes`) and by run_tables.py. The file named by H5BYPASS_OUTCOMES gets lines
`outcome <TAB> test id`; a line `started` that no other follows means that the process died in that test.
"""

import os

# What counts for more when a test reports in several phases (setup, call, teardown).
RANK = {"started": 0, "passed": 1, "skipped": 2, "xfailed": 3, "xpassed": 4, "failed": 5, "error": 6}


class Recorder:
    """An append-only, line-buffered file of outcomes."""

    def __init__(self, path):
        self._file = open(path, "a", buffering=1, encoding="utf-8", errors="backslashreplace")

    def write(self, outcome, test):
        self._file.write(f"{outcome}\t{test.encode('unicode_escape').decode('ascii')}\n")

    def close(self):
        self._file.close()


def worse(one, other):
    return one if RANK[one] >= RANK[other] else other


_recorder = None
_outcome = "started"


def pytest_configure(config):
    global _recorder
    _recorder = Recorder(os.environ["H5BYPASS_OUTCOMES"])


def pytest_unconfigure(config):
    _recorder.close()


def pytest_runtest_logstart(nodeid, location):
    global _outcome
    _outcome = "started"
    _recorder.write("started", nodeid)


def _of(report):
    if hasattr(report, "wasxfail"):
        return "xpassed" if report.passed else "xfailed"
    if report.failed and report.when != "call":
        return "error"
    if report.when != "call" and report.passed:
        return "started"
    return report.outcome


def pytest_runtest_logreport(report):
    global _outcome
    _outcome = worse(_of(report), _outcome)


def pytest_runtest_logfinish(nodeid, location):
    _recorder.write(_outcome, nodeid)


def pytest_collectreport(report):
    # A file that cannot even be imported would otherwise look like a smaller suite.
    if report.failed:
        _recorder.write("error", f"{report.nodeid} (collection)")
