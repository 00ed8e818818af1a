"""The page of `h5bypass bench --html` in a browser: what it shows, in which widths and colours, and that it needs nothing
else."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import h5py
import numpy
import pytest

from helpers.browser import Page
from helpers.connectors import OURS
from helpers.hosts import read_hosts

WIDTHS = {"desktop": (1280, 900), "tablet": (768, 1024), "phone": (360, 740)}
SCHEMES = ("light", "dark")

# Names that would become part of the page where they are not escaped; the slash makes a group of the first.
SCRIPT = "<script>document.title='hit'</script>"
IMAGE = "<img src=x onerror=\"document.title='hit'\">"
LONG = "a_name_without_any_place_to_break_it_" * 4
FILE = "<b id=hit>&amp;\"'.h5"

# Text that leaves its box or the window, except in tables, which can be scrolled.
LEAVING = """(() => {
  const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const inside = node.parentElement;
    if (!node.data.trim() || inside.closest("script, style, title, .scroll, [hidden]")) continue;
    const cell = inside.closest("svg") ? null : inside.closest(".pair > *, .bar > *");
    const box = cell || inside.closest(".card, .headline, figure, .canvas") || document.documentElement;
    const edge = box.getBoundingClientRect(), range = document.createRange();
    range.selectNodeContents(node);
    for (const part of range.getClientRects()) {
      if (part.right > edge.right + 1 || part.left < edge.left - 1) found.push(node.data.trim());
    }
  }
  return found;
})()"""

# Pictures that nobody would see: without a size, or without anything of a size in them.
EMPTY_PICTURES = """[...document.querySelectorAll("svg[role=img]")].filter((picture) => {
  const shapes = [...picture.querySelectorAll("rect, polyline, circle")].map((shape) => shape.getBoundingClientRect());
  const own = picture.getBoundingClientRect();
  return own.width < 40 || own.height < 10 || !shapes.some((shape) => shape.width >= 0.5 && shape.height >= 0.5);
}).map((picture) => picture.getAttribute("aria-label"))"""

# The contrast of text and ground as WCAG has it, at the elements that are chosen.
CONTRASTS = """(() => {
  // However a colour is written, it is red, green, blue, opacity as soon as it is drawn.
  const paper = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true }), known = new Map();
  const numbers = (colour) => {
    if (!known.has(colour)) {
      paper.clearRect(0, 0, 1, 1);
      paper.fillStyle = colour;
      paper.fillRect(0, 0, 1, 1);
      known.set(colour, [...paper.getImageData(0, 0, 1, 1).data]);
    }
    return known.get(colour);
  };
  const light = (colour) => {
    const [red, green, blue] = numbers(colour).map((one) => one / 255)
      .map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ground = (element) => {
    const own = getComputedStyle(element).backgroundColor;
    return numbers(own)[3] === 0 ? ground(element.parentElement) : own;
  };
  const texts = "h1, h2, h3, .lead, .key, .times, .speeds, .what, .figures, .figures b, small.bad, td b, th, td";
  return [...document.querySelectorAll(texts)]
    .map((element) => {
      const [low, high] = [light(getComputedStyle(element).color), light(ground(element))].sort((a, b) => a - b);
      return [element.className || element.localName, (high + 0.05) / (low + 0.05), light(ground(document.body))];
    });
})()"""


def matrix() -> numpy.ndarray:
    steps = numpy.random.default_rng(6).integers(-9, 9, (1024, 512))
    return steps.cumsum(axis=0).astype("<f4")


@pytest.fixture(scope="module")
def bench(plugin_dir: Path, tmp_path_factory):
    """Measures little, and gives the page."""
    hosts = [f"--host={host.name}={host.path}" for host in read_hosts("H5_HOSTS_FILE") if host.name != "netCDF4"]
    env = {key: value for key, value in os.environ.items() if not key.startswith(OURS)}
    env["H5BYPASS_PLUGIN_DIR"] = str(plugin_dir)

    def run(*arguments: object, code: int) -> Path:
        folder = tmp_path_factory.mktemp("page")
        options = ["--quick", "--rounds", "2", "--html", "page.html", *map(str, arguments)]
        command = [str(plugin_dir / "h5bypass"), "bench", *hosts, *options]
        done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == code, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
        return folder / "page.html"

    return run


@pytest.fixture(scope="module")
def suite(bench, tmp_path_factory) -> Path:
    """The page of some scenarios: bars, the matrix, lines over threads."""
    names = ("contiguous", "chunks-64KiB", "slabs", "second-rows", "read/pool/one-dataset", "scaling/pool/contiguous")
    only = [part for name in names for part in ("--only", name)]
    return bench("--size", "2", *only, "--folder", tmp_path_factory.mktemp("files"), code=0)


@pytest.fixture(scope="module")
def own(bench, tmp_path_factory) -> Path:
    """The page of a file with nasty names, a dataset that is not measured and one that is damaged; with a timeline."""
    path = tmp_path_factory.mktemp("own") / FILE
    with h5py.File(path, "w") as file:
        file.create_dataset(SCRIPT, data=matrix(), chunks=(64, 512), compression="gzip", shuffle=True)
        file.create_dataset(IMAGE, data=matrix())
        file.create_dataset(LONG, data=matrix(), chunks=(64, 64))
        file.create_dataset("text", data=["one", "two"], dtype=h5py.string_dtype())
        damaged = file.create_dataset("damaged", data=matrix(), chunks=(64, 512), compression="gzip")
        chunk = damaged.id.get_chunk_info(1).byte_offset
    with open(path, "r+b") as raw:
        raw.seek(chunk)
        raw.write(b"\xff" * 100)
    return bench(path, code=1)


@pytest.fixture(params=["suite", "own"])
def file(request) -> Path:
    return request.getfixturevalue(request.param)


def drawn(pixels: numpy.ndarray) -> float:
    """Which share of an area is of another colour than most of it."""
    _, counts = numpy.unique(pixels.reshape(-1, 3), axis=0, return_counts=True)
    return 1 - counts.max() / counts.sum()


def spans(page: Page) -> float:
    """Which share of the timeline has one of the colours that its legend tells of."""
    swatches = "[...document.querySelectorAll('#timeline .swatch')]"
    colours = page.evaluate(f"{swatches}.map((swatch) => getComputedStyle(swatch).backgroundColor)")
    colours = {tuple(map(int, re.findall(r"\d+", colour))) for colour in colours}
    pixels = page.pixels("canvas")
    return sum((pixels == colour).all(axis=2).mean() for colour in colours)


def faults(page: Page, file: Path, scheme: str) -> list[str]:
    """What is wrong with a page that is open, by a word for the kind and what it is."""
    found = [f"console: {message}" for message in page.messages()]
    found += [f"request: {url}" for url in page.requests() if url != file.as_uri()]
    if re.search(r"https?://", file.read_text()):
        found.append("request: the page names an address")
    width = page.evaluate("document.scrollingElement.scrollWidth")
    if width > page.width:
        found.append(f"width: {width} in a window of {page.width}")
    found += [f"leaving: {text}" for text in page.evaluate(LEAVING)]
    if not page.evaluate("document.querySelector('h1')?.checkVisibility() && document.querySelector('h1').innerText"):
        found.append("headline: none")
    figures = page.evaluate("[...document.querySelectorAll('.pair .times')].map((figure) => figure.innerText)")
    if not figures or not all(re.fullmatch(r"[\d.]+×", figure) for figure in figures):
        found.append("headline: no figures")
    if page.evaluate("document.querySelectorAll('svg[role=img]').length") < 5:
        found.append("pictures: too few")
    found += [f"pictures: nothing in {name}" for name in page.evaluate(EMPTY_PICTURES)]
    for name, contrast, ground in page.evaluate(CONTRASTS):
        if contrast < 4.5:
            found.append(f"contrast: {contrast:.1f} of {name}")
        if (ground < 0.2) != (scheme == "dark"):
            found.append("scheme: it is the other one")
            break
    if page.evaluate("document.title") == "hit" or page.evaluate("!!document.querySelector('#hit, img')"):
        found.append("name: it became part of the page")
    if page.evaluate("!!document.querySelector('#timeline')"):
        if not page.evaluate("document.querySelector('canvas').checkVisibility()"):
            found.append("timeline: hidden")
        elif spans(page) < 0.02:
            found.append("timeline: nothing is drawn")
    return found


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wrong(browser, file, width, scheme):
    with browser.open(file, *WIDTHS[width], scheme) as page:
        assert page.requests() == [file.as_uri()]
        assert faults(page, file, scheme) == []


def test_scenarios(browser, suite):
    with browser.open(suite, *WIDTHS["desktop"]) as page:
        text = page.evaluate("document.body.innerText")
        sections = page.evaluate("[...document.querySelectorAll('section')].map((section) => section.id)")
        assert {"scenarios", "matrix", "figures", "about"} <= set(sections)
        assert "What h5bypass gains over native HDF5" in text and "all of a contiguous matrix" in text
        assert re.search(r"Half of \d+ scenarios run at least [\d.]+× as fast", text)
        assert drawn(page.pixels("#matrix table")) > 0.1
        # A pool of one thread is no line yet.
        if len(os.sched_getaffinity(0)) > 1:
            assert drawn(page.pixels("#scaling svg")) > 0.01


def test_names_are_text(browser, own):
    with browser.open(own, *WIDTHS["phone"]) as page:
        assert page.evaluate("document.title") == f"h5bypass on {FILE}"
        assert page.evaluate("document.scripts.length") == 2
        text = page.evaluate("document.body.innerText")
        for name in (f"What h5bypass gains on {FILE}", f"/{SCRIPT}: ", f"/{IMAGE}: ", f"/{LONG}: "):
            assert name in text
        assert "skipped: its elements have variable length" in text and "failed: native HDF5" in text
        drawn_of = page.evaluate("document.querySelector('#timeline p').innerText")
        assert any(drawn_of.startswith(f"/{name}: ") for name in (SCRIPT, IMAGE, LONG)), drawn_of


def test_the_timeline_can_be_looked_at_closely(browser, own):
    with browser.open(own, *WIDTHS["desktop"]) as page:
        assert page.evaluate("[...document.querySelectorAll('#timeline .legend li')].map((one) => one.innerText)")
        whole = page.pixels("canvas")
        for zoom in ("document.querySelector('[data-zoom=\"2\"]').click()", key("+")):
            page.evaluate(zoom)
            assert (page.pixels("canvas") != whole).any(), zoom
            page.evaluate("document.querySelector('[data-zoom=\"0\"]').click()")
            assert (page.pixels("canvas") == whole).all()

        page.evaluate("document.querySelector('canvas').scrollIntoView()")
        left, top, width = page.evaluate(
            "(({ x, y, width }) => [x, y, width])(document.querySelector('canvas').getBoundingClientRect())"
        )
        tips = set()
        for tenth in range(10):
            # The uppermost spans of the first thread are below the axis and its name.
            page.call("Input.dispatchMouseEvent", type="mouseMoved", x=left + width * (tenth + 0.5) / 10, y=top + 50)
            tips.add(page.evaluate("document.querySelector('.tip:not([hidden])')?.innerText"))
        tips.discard(None)
        assert tips and all(re.fullmatch(r"[\w ]+: [\d.]+ (µs|ms|s), at [\d.]+ (µs|ms|s)", tip) for tip in tips), tips
        assert page.messages() == []


def key(name: str) -> str:
    return f"document.querySelector('canvas').dispatchEvent(new KeyboardEvent('keydown', {{ key: '{name}' }}))"


def test_the_timeline_follows_the_window_and_the_colours(browser, own):
    with browser.open(own, *WIDTHS["desktop"]) as page:
        light, wide = page.pixels("canvas"), page.evaluate("document.querySelector('canvas').width")
        page.choose("dark")
        page.settle()
        assert light.shape == page.pixels("canvas").shape and light.mean() > page.pixels("canvas").mean() + 100
        page.resize(*WIDTHS["phone"])
        page.settle()
        assert page.evaluate("document.querySelector('canvas').width") < wide / 2
        assert faults(page, own, "dark") == []


def test_without_scripts_only_the_drawing_is_missing(browser, own):
    with browser.open(own, *WIDTHS["desktop"], has_scripts=False) as page:
        assert faults(page, own, "light") == ["timeline: hidden"]


# What is changed in a page, and which fault that is.
BROKEN = {
    "script": ("console: log: ['here']", "</main>", "</main><script>console.log('here')</script>"),
    "exception": ("console: exception", '"use strict";', '"use strict"; nothing.here();'),
    "policy": ("console: error: Loading the image", "</main>", "</main><img src='more.png'>"),
    "request": ("request: file:", "</main>", "</main><script src='more.js'></script>"),
    "address": ("request: the page names", "</main>", "</main><a href='https://example.org'>more</a>"),
    "width": ("width", "</main>", "</main><div style='width:1500px;height:1px'></div>"),
    "width on a phone": ("width", "</main>", "</main><div style='width:400px;height:1px'></div>"),
    "no width on a phone": ("width", 'name="viewport"', 'name="nothing"'),
    "long text": ("leaving: more words", 'class="figures">', 'class="figures">more words than there is room for'),
    "long figure": ("leaving", "×</span><div>", "0000×</span><div>"),
    "no title": ("headline: none", "<h1>", "<h1 hidden>"),
    "no figure": ("headline: no figures", "×</span><div>", "NaN</span><div>"),
    "empty pictures": ("pictures: nothing", "<rect ", "<rect style='display:none' "),
    "no pictures": ("pictures: too few", 'role="img"', ""),
    "pale text": ("contrast", "--soft: #66625c", "--soft: #b6b2ac"),
    "other colours": ("scheme", "--ground: #f7f6f3", "--ground: #131415"),
    "name": ("name", "&lt;img src=x", "<img src=x"),
    "no spans": ("timeline: nothing is drawn", "paper.fillRect(left, top", "void (left, top"),
    "no timeline": ("timeline: hidden", "box.hidden = false;", ""),
}


@pytest.mark.parametrize("change", BROKEN)
def test_what_is_wrong_is_seen(browser, own, tmp_path, change):
    """The tests themselves."""
    fault, right, wrong = BROKEN[change]
    text = own.read_text()
    assert right in text
    if not fault.startswith("console"):
        # Else the page's own policy would keep some faults from happening.
        text = text.replace("Content-Security-Policy", "No-Policy")
    copy = tmp_path / "page.html"
    copy.write_text(text.replace(right, wrong))
    with browser.open(copy, *WIDTHS["phone" if "phone" in change else "desktop"]) as page:
        found = faults(page, copy, "light")
    assert any(one.startswith(fault) for one in found), found
