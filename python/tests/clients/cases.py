"""Cases that run natively and through the connector, each in a process of its own.

A case is a function of the library and a file access list; it writes its files natively and returns what it read. Its decorator says
what the connector must have counted.
"""

import json
import os
import sys
from pathlib import Path

from children import run_child
from filters import settle
from hdf5lib import Library


class Cases(dict):
    """Functions by name, with what must be counted."""

    def case(self, bypassed, reasons=None, either=0):
        """Registers a case: reads that must have been bypassed, passed on for a reason, or either. None for `bypassed` leaves it open."""

        def register(function):
            self[function.__name__] = (function, {"bypassed": bypassed, "reasons": reasons or {}, "either": either})
            return function

        return register

    def main(self, filters=True):
        """SCRIPT HOST [CASE ...]: the last line of output is JSON, per case what both ways returned and how they ended.

        `filters` makes those of hdf5plugin work with the library.
        """
        host, *chosen = sys.argv[1:]
        results = {}
        for name, (function, expected) in self.items():
            if chosen and name not in chosen:
                continue
            results[name] = {"expected": expected}
            for way in ("native", "bypass"):
                folder = Path(name, way)
                folder.mkdir(parents=True)

                def work():
                    os.chdir(folder)
                    h5 = Library(host)
                    if filters:
                        settle(host)
                    return function(h5, getattr(h5, way))

                results[name][way] = run_child(work)
        print(json.dumps(results))
