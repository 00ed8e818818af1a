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


def processor_model():
    """Numbers that tell processors of the same name apart, or None; virtual machines often give only a vague name."""
    keys = {"family": "cpu family", "model": "model", "stepping": "stepping"}
    found = {name: first_match("/proc/cpuinfo", rf"^{key}\s*: (\d+)$") for name, key in keys.items()}
    return ", ".join(f"{name} {number}" for name, number in found.items()) if all(found.values()) else None


def describe():
    return {
        "processor": first_match("/proc/cpuinfo", r"^model name\s*: (.*)$") or platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.release()}",
    }


def file_system(folder):
    """The kind of the file system that a folder is on: that of the longest mount point above it."""
    folder, best, kind = os.path.realpath(folder), "", "unknown"
    with open("/proc/self/mounts") as mounts:
        for line in mounts:
            _, point, found, *_ = line.split()
            above = point.rstrip("/") + "/"
            if f"{folder}/".startswith(above) and len(above) >= len(best):
                best, kind = above, found
    return kind


def version():
    """Of h5bypass."""
    workspace = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Cargo.toml")
    return first_match(workspace, r'^version = "(.*)"$') or "unknown"
