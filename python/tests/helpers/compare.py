"""Comparisons between a native run and one through a connector."""

from __future__ import annotations

import difflib
import re
from typing import Any

# Parts of error descriptions that differ from run to run without meaning anything.
VOLATILE = [
    (re.compile(r"time = [^,]*"), "time = *"),
    (re.compile(r"file descriptor = \d+"), "file descriptor = *"),
    (re.compile(r"0x[0-9a-fA-F]+"), "0x*"),
    (re.compile(r"\bbuf = [^,]*"), "buf = *"),
]


def entry_text(entry: dict[str, str]) -> str:
    """One entry of an error stack without what varies, and without the function: native functions are inlined
    differently between builds, and what counts is what the application shows its user."""
    description = entry["description"]
    for pattern, replacement in VOLATILE:
        description = pattern.sub(replacement, description)
    return f"{entry['class']} | {entry['major']} | {entry['minor']} | {description}"


def missing_entries(native: list[dict[str, str]], connector: list[dict[str, str]]) -> list[str]:
    """Entries of native's stack that are not in the connector's stack in the same order."""
    rest = [entry_text(entry) for entry in connector]
    missing = []
    for text in (entry_text(entry) for entry in native):
        if text in rest:
            del rest[: rest.index(text) + 1]
        else:
            missing.append(text)
    return missing


def show_stack(stack: list[dict[str, str]]) -> str:
    """A stack for a failure message, innermost first."""
    return "\n".join(f"    {entry_text(entry)}  [{entry['function']}]" for entry in stack) or "    (empty)"


def text_difference(native: str, connector: str) -> str:
    """A unified diff, empty when equal."""
    lines = difflib.unified_diff(native.splitlines(), connector.splitlines(), "native", "connector", lineterm="", n=2)
    return "\n".join(lines)


def dump_difference(native: dict[str, Any], connector: dict[str, Any]) -> str:
    """What differs between two folders of files as dumped, empty when nothing does."""
    found = []
    for name in sorted({*native, *connector}):
        if name not in connector:
            found.append(f"{name}: missing")
        elif name not in native:
            found.append(f"{name}: not made natively")
        elif native[name] != connector[name]:
            found.append(f"{name}: native {native[name]}\n{name}: connector {connector[name]}")
    return "\n".join(found)
