"""Where it was measured, without naming folders: results are kept."""

import os
import platform
import re


def first_match(path, pattern):
    try:
        with open(path) as lines:
            found = re.search(pattern, lines.read(), re.MULTILINE)
    except OSError:
        return None
    return found and found.group(1)


def describe():
    return {
        "processor": first_match("/proc/cpuinfo", r"^model name\s*: (.*)$") or platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.release()}",
    }


def version():
    """Of h5bypass."""
    workspace = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Cargo.toml")
    return first_match(workspace, r'^version = "(.*)"$') or "unknown"
