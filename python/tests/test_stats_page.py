"""The page of the statistics connector (H5STATS_OUT=x.html): what it shows, in a browser where there is one, and for forked processes."""

from __future__ import annotations

import json
import re
import subprocess
from html.parser import HTMLParser

import pytest

from helpers.connectors import clean_env
from test_page import CONTRASTS, EMPTY_PICTURES, LEAVING, SCHEMES, WIDTHS

NASTY = "<script>document.title='hit'<script>"
PROGRAM = f"""
import h5py, numpy, os, sys, time
with h5py.File("x.h5", "w") as file:
    data = file.create_dataset("g/large", (1000, 1000), "f8", chunks=(100, 1000))
    for row in range(0, 1000, 100):
        data[row : row + 100] = row
        time.sleep(0.01)
    file[{NASTY!r}] = numpy.arange(50)
    for number in range(40):
        file["g/large"][number, :8]
    if "fork" in sys.argv:
        if not os.fork():
            file["g/large"][...]
            file.close()
            sys.exit(0)
        os.wait()
"""
VOID = {"meta", "br"}


class Tags(HTMLParser):
    """Fails at a tag that is not closed in its place."""

    def __init__(self):
        super().__init__()
        self.open: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture
def run(python, plugin_dir, tmp_path):
    def run(out, *arguments):
        env = clean_env(plugin_dir, HDF5_VOL_CONNECTOR="h5stats under_vol=0;under_info={}", H5STATS_OUT=out)
        done = subprocess.run([python, "-c", PROGRAM, *arguments], env=env, cwd=tmp_path, capture_output=True, text=True, timeout=90)
        assert done.returncode == 0 and done.stderr == "", done.stderr
        return tmp_path / out

    return run


def test_markup(run):
    """Well formed, without addresses; names are text."""
    page = run("x.html").read_text()
    tags = Tags()
    tags.feed(page)
    assert tags.open == [] and not re.search(r"https?://", page) and "<script" not in page
    text = " ".join(tags.text)
    assert NASTY in text and "/g/large" in text and "7.6 MiB" in text and "Calls over time" in text
    for section in ("time", "sizes", "datasets", "callbacks", "about"):
        assert f'<section id="{section}">' in page
    assert page.count("<rect") > 15


def test_the_figures_are_those_of_the_json(run):
    told = json.loads(run("x.json").read_text())
    spans, sizes = told["timeline"]["spans"], told["sizes"]
    assert sum(span["writes"] for span in spans) == 11 and sum(span["reads"] for span in spans) == 40
    assert sum(span["bytes_written"] for span in spans) == 8_000_000 + 400 and sum(span["bytes_read"] for span in spans) == 40 * 64
    # Ten writes with pauses of 10 ms are not all in one span.
    assert sum(span["writes"] > 0 for span in spans) > 3
    assert [one for one in sizes["reads"] if one["calls"]] == [{"bytes": 64, "calls": 40}]
    assert {one["bytes"]: one["calls"] for one in sizes["writes"] if one["calls"]} == {256: 1, 524288: 10}
    calls = sum(one["calls"] for one in told["callbacks"])
    assert 51 < sum(span["reads"] + span["writes"] + span["others"] for span in spans) < calls


def test_forked_processes_have_pages_of_their_own(run, tmp_path):
    own = run("x.html", "fork")
    [child] = [path for path in tmp_path.glob("x.*.html")]
    assert "/g/large" in child.read_text() and "7.6 MiB read, 0 B written" in child.read_text()
    assert "2.5 KiB read, 7.6 MiB written" in own.read_text()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_in_a_browser(width, scheme, run, browser):
    with browser.open(run("x.html"), *WIDTHS[width], scheme) as page:
        assert page.messages() == [] and len(page.requests()) == 1
        assert page.evaluate("document.scrollingElement.scrollWidth") <= page.width
        assert page.evaluate(LEAVING) == [] and page.evaluate(EMPTY_PICTURES) == []
        assert page.evaluate("document.querySelectorAll('svg[role=img]').length") >= 4
        assert [one for one in page.evaluate(CONTRASTS) if one[1] < 4.5] == []
        assert page.evaluate("document.title") != "hit"
