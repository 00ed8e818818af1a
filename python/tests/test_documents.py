"""Documents link only to what exists, and name only files that exist: moving a file must not make the map wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# PERFORMANCE.md is generated, and checked where that is done.
DOCUMENTS = [*ROOT.glob("*.md"), *(path for path in (ROOT / "docs").rglob("*.md") if path.name != "PERFORMANCE.md")]
# Where files are that are named without a folder.
FOLDERS = ["", "connectors/bypass/src", "python/tests", "python/tests/helpers"]
SOURCE = re.compile(r"`([\w./-]+\.(?:rs|py|c))(?=[`:])")
# HDF5's own files, and the one of a reader's own connector, which are not here.
FOREIGN = re.compile(r"build\.rs|H5\w+\.c|select_io_dset\.c|tmisc\.c|dsets\.c|set_extent\.c|vds\.c|objcopy\.c|mdset\.c")


def anchors(path: Path) -> set[str]:
    """What headings of a document are called in links."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_and_files_exist(document):
    text = re.sub(r"^```.*?^```", "", document.read_text(), flags=re.DOTALL | re.MULTILINE)
    wrong = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        target = document.parent / name if name else document
        if not target.exists() or (anchor and anchor not in anchors(target)):
            wrong.append(link)
    for name in SOURCE.findall(text):
        if not FOREIGN.fullmatch(name) and not any((ROOT / folder / name).is_file() for folder in FOLDERS):
            wrong.append(name)
    assert not wrong, f"{document.name}: {wrong}"


def test_files_in_the_map_exist():
    """The drawings of ARCHITECTURE.md name files, too."""
    text = (ROOT / "ARCHITECTURE.md").read_text()
    drawings = "".join(re.findall(r"^```(.*?)^```", text, re.DOTALL | re.MULTILINE))
    names = re.findall(r"[\w./-]+\.rs\b", drawings)
    assert len(names) > 20
    assert not [name for name in names if not any((ROOT / folder / name).is_file() for folder in FOLDERS)]


def test_bugs_have_tests():
    """Every entry of correctness_issues.md names a test, and the cases that it names exist."""
    rows = re.findall(r"^\| \*\*.*$", (ROOT / "docs/correctness_issues.md").read_text(), re.MULTILINE)
    assert len(rows) > 30
    clients = "".join(path.read_text() for path in (ROOT / "python/tests/clients").glob("*.py"))
    wrong = []
    for row in rows:
        tests = row.split(" | ")[-1]
        found = re.findall(r"`([\w./]+\.(?:py|rs|c))`(?: \(([^)]*)\))?", tests)
        if not found:
            wrong.append(row)
        for name, cases in found:
            path = next((ROOT / folder / name for folder in FOLDERS if (ROOT / folder / name).is_file()), None)
            text = clients + (path.read_text() if path else "")
            wrong += [case for case in cases.split(", ") if case and not re.search(rf"\b(?:test_)?{case}", text)]
    assert not wrong
