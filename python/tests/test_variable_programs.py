"""Random programs with variable-length data in files that are open for writing: as natively, and mostly by the connector.

The programs are in clients/variable_programs.py, which says how to run more of them.
"""

from __future__ import annotations

import sys

import pytest
from helpers.both_ways import same_answers
from helpers.reads import Counters
from helpers.run_client import CLIENTS

sys.path.append(str(CLIENTS))
from variable_programs import CASES  # noqa: E402

CLIENT, TIMEOUT = "variable_programs", 3000


@pytest.mark.parametrize("kind", CASES)
def test_programs(kind, host, results):
    result = results(host)[kind]
    stderr = same_answers(result)
    reads = sum(step.startswith("read") for program in result["bypass"]["answer"] for step in program)
    counters = Counters.of(stderr)
    # The last reads of each program are native ones.
    assert counters.bypassed > reads * 0.4, (counters, reads)
