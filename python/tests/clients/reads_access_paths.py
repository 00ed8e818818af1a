"""Every way to reach a dataset's data, natively and through the connector, each in a process of its own.

    reads_access_paths.py HOST

A case is a function of the library and a file access list; it writes its files natively and returns what it read. Its decorator
says what the connector must have counted. The last line of output is JSON: per case what both ways returned, and the counters.
"""

import reads_external  # noqa: F401
import reads_multi  # noqa: F401
import reads_opened  # noqa: F401
import reads_passed_on  # noqa: F401
import reads_regressions  # noqa: F401
from access_paths import CASES

if __name__ == "__main__":
    CASES.main(filters=False)
