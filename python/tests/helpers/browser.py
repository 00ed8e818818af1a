"""A headless Chromium, spoken to through a pipe in the language of its developer tools.

It reaches no network: a page that needed any would be seen without it.
"""

from __future__ import annotations

import base64
import json
import os
import select
import struct
import subprocess
import time
import zlib
from pathlib import Path

import numpy

# Seconds for what takes one, on a machine that is busy.
PATIENCE = 90

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--proxy-server=http://127.0.0.1:9",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--remote-debugging-pipe",
)

# Chromium reads commands from descriptor 3 and answers on 4.
START = 'exec "$@" 3<&0 4>&1 </dev/null >/dev/null'


class Browser:
    """The program; its pages are opened by `open`."""

    def __init__(self, program: str, folder: Path):
        self._log = folder / "log"
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", START, "sh", program, *FLAGS, f"--user-data-dir={folder / 'profile'}"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
            )
        self._number, self._unread = 0, b""
        # By page, in order.
        self.events: dict[str, list[dict]] = {}

    def call(self, method: str, page: str | None = None, **parameters: object) -> dict:
        """The result of a command."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if page:
            message["sessionId"] = page
        self._process.stdin.write(json.dumps(message).encode() + b"\0")
        self._process.stdin.flush()
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self._next(deadline, method)
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]

    def wait_for(self, event: str, page: str) -> None:
        """Until a page has told of an event, or if it has."""
        deadline = time.monotonic() + PATIENCE
        while all(told["method"] != event for told in self.events[page]):
            self._next(deadline, event)

    def _next(self, deadline: float, awaited: str) -> dict:
        """The next message; events are kept."""
        while b"\0" not in self._unread:
            ready, _, _ = select.select([self._process.stdout], [], [], max(0, deadline - time.monotonic()))
            data = os.read(self._process.stdout.fileno(), 1 << 20) if ready else b""
            assert data, f"no answer to {awaited}: {self._log.read_text(errors='replace')[-2000:]}"
            self._unread += data
        text, self._unread = self._unread.split(b"\0", 1)
        message = json.loads(text)
        if "method" in message and "sessionId" in message:
            self.events.setdefault(message["sessionId"], []).append(message)
        return message

    def open(self, file: Path, width: int, height: int, scheme: str = "light", has_scripts: bool = True) -> Page:
        """Opens a page and waits until it is drawn."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        page = Page(self, target, self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"])
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(f"{domain}.enable")
        page.resize(width, height)
        page.choose(scheme)
        if not has_scripts:
            page.call("Emulation.setScriptExecutionDisabled", value=True)
        # What there was to say about the empty page.
        self.events[page.session] = []
        page.call("Page.navigate", url=file.as_uri())
        self.wait_for("Page.loadEventFired", page.session)
        page.settle()
        return page

    def close(self) -> None:
        self.call("Browser.close")
        self._process.communicate(timeout=PATIENCE)


class Page:
    """A page that is open."""

    def __init__(self, browser: Browser, target: str, session: str):
        self._browser, self._target, self.session, self.width = browser, target, session, 0

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self._browser.call("Target.closeTarget", targetId=self._target)

    def call(self, method: str, **parameters: object) -> dict:
        return self._browser.call(method, self.session, **parameters)

    def resize(self, width: int, height: int) -> None:
        self.width = width
        size = {"width": width, "height": height, "deviceScaleFactor": 1}
        self.call("Emulation.setDeviceMetricsOverride", **size, mobile=width < 600)

    def choose(self, scheme: str) -> None:
        """`light` or `dark`."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def evaluate(self, script: str) -> object:
        """The value of an expression, or of what it promises."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def settle(self) -> None:
        """Lets the page react to what was done to it: layout, observers, drawing."""
        for _ in range(2):
            self.call("Page.captureScreenshot", clip={"x": 0, "y": 0, "width": 8, "height": 8, "scale": 1})

    def messages(self) -> list[str]:
        """What is on the console."""
        found = []
        for event in self._browser.events[self.session]:
            details = event["params"]
            if event["method"] == "Runtime.consoleAPICalled":
                found.append(f"{details['type']}: {[part.get('value') for part in details['args']]}")
            elif event["method"] == "Runtime.exceptionThrown":
                found.append(f"exception: {details['exceptionDetails']}")
            elif event["method"] == "Log.entryAdded":
                found.append(f"{details['entry']['level']}: {details['entry']['text']}")
        return found

    def requests(self) -> list[str]:
        """All that was asked for, the page itself first."""
        events = self._browser.events[self.session]
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]

    def screenshot(self, selector: str | None = None) -> bytes:
        """A picture (PNG) of an element, or of the whole page."""
        box = json.dumps(selector or "html")
        place = self.evaluate(
            f"(() => {{ const box = document.querySelector({box}).getBoundingClientRect();"
            "return { x: box.x + scrollX, y: box.y + scrollY, width: box.width, height: box.height, scale: 1 }; })()"
        )
        picture = self.call("Page.captureScreenshot", clip=place, captureBeyondViewport=True)
        return base64.b64decode(picture["data"])

    def pixels(self, selector: str) -> numpy.ndarray:
        """Rows of pixels of an element: red, green, blue."""
        return decoded(self.screenshot(selector))


def decoded(png: bytes) -> numpy.ndarray:
    """The pixels of a PNG as browsers make them: 8 bits, not interlaced."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    at, header, packed = 8, b"", b""
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at : at + 8])
        content = png[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            header = content
        elif kind == b"IDAT":
            packed += content
        at += length + 12
    width, height, bits, colour, _, _, interlaced = struct.unpack(">IIBBBBB", header)
    assert (bits, interlaced) == (8, 0) and colour in (2, 6)
    channels = 3 if colour == 2 else 4
    lines = numpy.frombuffer(zlib.decompress(packed), "u1").reshape(height, 1 + width * channels)
    pixels = numpy.zeros((height + 1, width + 1, channels), "u1")
    for row in range(height):
        _undo_filter(lines[row, 0], lines[row, 1:].reshape(width, channels), pixels[row], pixels[row + 1])
    return pixels[1:, 1:, :3]


def _undo_filter(kind: int, line: numpy.ndarray, above: numpy.ndarray, out: numpy.ndarray) -> None:
    """One row of a PNG; the first pixel of `above` and of `out` is the nothing before the row."""
    if kind == 0:
        out[1:] = line
    elif kind == 1:
        out[1:] = line.cumsum(axis=0, dtype="u1")
    elif kind == 2:
        out[1:] = line + above[1:]
    else:
        before, corners, over = [0] * line.shape[1], above[:-1].tolist(), above[1:].tolist()
        for place, values in enumerate(line.tolist()):
            for channel, value in enumerate(values):
                left, top, corner = before[channel], over[place][channel], corners[place][channel]
                guess = (left + top) // 2 if kind == 3 else _paeth(left, top, corner)
                before[channel] = value + guess & 255
            out[place + 1] = before


def _paeth(left: int, top: int, corner: int) -> int:
    sum_of_both = left + top - corner
    return min((left, top, corner), key=lambda value: abs(sum_of_both - value))
