"""Runs C programs of tests/c under valgrind's memcheck, and tells what it found that is ours.

Memory that is used after it was freed, or outside of what was allocated, is an error wherever it happens: HDF5 may use what we gave it. Memory
that is lost counts if one of our plugins has allocated it. (The programs themselves lose some, and so does HDF5 when a read fails.)
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from helpers.connectors import Stack
from helpers.event_sets import TWO
from helpers.hosts import Host, read_hosts
from helpers.run_c import SOURCES, Run, Runner

OUR_LIBRARIES = ("libh5bypass_vol.so", "libh5stats_vol.so", "libh5zarr_vol.so")
# Who allocates for others.
ALLOCATORS = ("/vgpreload_", "/libc.so", "/libc-", "/libstdc++")
OPTIONS = [
    "--leak-check=full",
    "--show-leak-kinds=definite",
    # What was never written is compared with other tests. Codecs copy a few such bytes, and overwrite them.
    "--undef-value-errors=no",
    # Otherwise a thread that waits may keep others from running.
    "--fair-sched=yes",
    "--child-silent-after-fork=yes",
    "--num-callers=30",
    f"--suppressions={SOURCES / 'valgrind.supp'}",
]
# A program that takes a second takes half a minute then, and more if others use the machine.
PATIENCE = 280

# Names of Rust's closures tell all their types.
MOST_OF_A_NAME = 100

# All programs in all ways, or only a few.
IS_LONG = os.environ.get("H5BYPASS_MEMCHECK") == "all"


@dataclass(frozen=True)
class Case:
    """A mode of a program, and what it needs. `loses_requests`: HDF5 never frees a request, so it may be lost."""

    program: str
    mode: str
    layout: str
    env: dict[str, str] = field(default_factory=dict, hash=False)
    preload: str = ""
    loses_requests: bool = False

    def __str__(self) -> str:
        return f"{self.mode}-{self.layout}"


def hosts(chosen: str = "") -> list[Host]:
    """All hosts, or one of them if only a few programs are run."""
    return [host for host in read_hosts("H5_HOSTS_FILE") if IS_LONG or not chosen or host.name == chosen]


def found_in(report: str, may_lose: bool = False) -> list[str]:
    """What a report of valgrind (XML) says that is ours, one text for each."""
    errors = ElementTree.fromstring(report).iter("error")
    return [describe(error) for error in errors if is_ours(error, may_lose)]


def is_ours(error: ElementTree.Element, may_lose: bool) -> bool:
    if not (error.findtext("kind") or "").startswith("Leak_"):
        return True
    return not may_lose and allocated_by(error).endswith(OUR_LIBRARIES)


def allocated_by(error: ElementTree.Element) -> str:
    """The library that has allocated what was lost."""
    objects = (frame.findtext("obj") or "" for frame in frames(error))
    return next((name for name in objects if not any(allocator in name for allocator in ALLOCATORS)), "")


def frames(error: ElementTree.Element) -> Iterable[ElementTree.Element]:
    stack = error.find("stack")
    return () if stack is None else stack.iter("frame")


def describe(error: ElementTree.Element) -> str:
    what = error.findtext("what") or error.findtext("xwhat/text") or ""
    lines = [f"{error.findtext('kind')}: {what}"]
    for part in error:
        if part.tag == "auxwhat":
            lines.append(part.text or "")
        elif part.tag == "stack":
            lines.extend(f"    {place(frame)}" for frame in part.iter("frame"))
    return "\n".join(lines)


def place(frame: ElementTree.Element) -> str:
    where = f"{frame.findtext('file')}:{frame.findtext('line')}" if frame.find("file") is not None else frame.findtext("obj")
    return f"{(frame.findtext('fn') or frame.findtext('ip') or '')[:MOST_OF_A_NAME]} ({where})"


class Memcheck:
    """Runs cases natively, and under valgrind through the connector: both print the same, and valgrind finds nothing."""

    def __init__(self, run: Runner, folder: Path, preloaded) -> None:
        assert shutil.which("valgrind"), "valgrind is not installed"
        self.run, self.folder, self.preloaded = run, folder, preloaded

    def reports(self) -> Iterator[str]:
        for path in sorted(self.folder.glob("valgrind-*.xml")):
            text = path.read_text(errors="replace")
            # A process that was forked says nothing, and leaves an unfinished report.
            if text.rstrip().endswith("</valgrindoutput>"):
                yield text

    def __call__(self, case: Case, host: Host, stack: Stack) -> Run:
        env = {**case.env, **(self.preloaded(case.preload) if case.preload else {})}
        native = self.run(case.program, host, self.folder / "native", case.layout, mode=case.mode, env=env).succeeded()
        counts = self.folder / "counts.json"
        env = {**TWO, "BYPASS_VOL_STATS": str(counts), **env}
        ours = self.watched(case.program, host, case.layout, mode=case.mode, stack=stack, env=env, may_lose=case.loses_requests)
        assert ours.succeeded().stdout == native.stdout, f"{native}\n{ours}"
        ours.counts = json.loads(counts.read_text())
        return ours

    def watched(self, program: str, host: Host, *arguments: str, may_lose: bool = False, **how) -> Run:
        """A run under valgrind, which finds nothing."""
        under = ["valgrind", *OPTIONS, "--xml=yes", f"--xml-file={self.folder}/valgrind-%p.xml"]
        run = self.run(program, host, self.folder / "connector", *arguments, under=under, patience=PATIENCE, **how)
        reports = list(self.reports())
        assert reports, f"{run}\nvalgrind has written no report"
        found = [text for report in reports for text in found_in(report, may_lose)]
        assert not found, "\n\n".join([*found, str(run)])
        return run
