"""Random programs, one for each seed, that run natively and through the connector."""

import collections
import json
import sys

from hdf5lib import Library


class Report:
    def __init__(self):
        self.reads = self.failed = 0
        self.coverage = collections.Counter()
        self.differences = []


def run_seeds(one_seed):
    """SCRIPT HOST FIRST COUNT: the last line of output is JSON, what `one_seed` has noted for each seed."""
    host, first, seeds = sys.argv[1:]
    h5, report = Library(host), Report()
    for seed in range(int(first), int(first) + int(seeds)):
        one_seed(h5, seed, report)
        if len(report.differences) > 5:
            break
    print(json.dumps(vars(report)))
