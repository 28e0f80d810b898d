"""A headless Chromium, driven over two pipes: it opens no port, and needs no further package.

It speaks the Chrome DevTools Protocol: JSON messages, each ended by a zero byte.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SWITCHES = (
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--hide-scrollbars",
    "--font-render-hinting=none",
)
PATIENCE = 60.0
"""Seconds for a response; a busy machine is slow."""


def find() -> str | None:
    """Path of a browser, None where there is none; ``GROUPSCALE_CHROMIUM`` names another."""
    path = os.environ.get("GROUPSCALE_CHROMIUM")
    return path or next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """A running browser.

    Parameters
    ----------
    folder
        Where it may keep its files.
    """

    def __init__(self, program: str, folder: Path) -> None:
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        # Its sandbox refuses to work for root.
        free = ["--no-sandbox"] if os.geteuid() == 0 else []
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "tests.browser.wire", str(theirs_in), str(theirs_out)),
                *(program, *SWITCHES, *free, f"--user-data-dir={folder}"),
            ],
            pass_fds=(theirs_in, theirs_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # Certificates and bookmarks go there, not into the user's home.
            env=os.environ | {"HOME": str(folder)},
            cwd=Path(__file__).parents[2],
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._bytes = b""
        self._last = 0
        self.events: list[dict[str, Any]] = []

    def close(self) -> None:
        """End it, and wait for its end."""
        try:
            self.send("Browser.close")
        except (OSError, EOFError):
            self._process.kill()
        self._process.wait(timeout=PATIENCE)
        os.close(self._out)
        os.close(self._in)

    def send(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        """Send a request and return the response; events in between go to ``events``."""
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        content = json.dumps(message).encode() + b"\0"
        while content:
            content = content[os.write(self._out, content) :]
        while True:
            answer = self._next()
            if answer.get("id") == self._last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def wait_for(self, method: str, session: str) -> None:
        """Wait until an event of that name has come since the list was last emptied."""
        while not any(
            event.get("method") == method and event.get("sessionId") == session
            for event in self.events
        ):
            self.events.append(self._next())

    def _next(self) -> dict[str, Any]:
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self._bytes:
            ready, _, _ = select.select([self._in], [], [], max(deadline - time.monotonic(), 0))
            if not ready:
                raise TimeoutError(f"the browser is silent for {PATIENCE:g} s")
            part = os.read(self._in, 1 << 20)
            if not part:
                raise EOFError("the browser has ended")
            self._bytes += part
        first, self._bytes = self._bytes.split(b"\0", 1)
        message: dict[str, Any] = json.loads(first)
        return message


class Tab:
    """A page in its own tab, with its console messages and requests since it was opened."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        target = browser.send("Target.createTarget", url="about:blank")["targetId"]
        session = browser.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = str(session["sessionId"])
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        return self._browser.send(method, self._session, **params)

    def size(self, width: int, height: int, scale: float = 1.0) -> None:
        self.send(
            "Emulation.setDeviceMetricsOverride",
            **{"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False},
        )

    def media(self, scheme: str = "light", kind: str = "") -> None:
        """Colour scheme that the reader prefers, and ``print`` where the page is for paper."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.send("Emulation.setEmulatedMedia", media=kind, features=features)

    def open(self, address: str) -> None:
        self._browser.events.clear()
        self.send("Page.navigate", url=address)
        self._browser.wait_for("Page.loadEventFired", self._session)

    def ask(self, script: str) -> Any:
        """Value of an expression of JavaScript."""
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key, **_CODES.get(key, {}))

    def point_at(self, x: float, y: float) -> None:
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def picture(self, **area: float) -> bytes:
        """The visible part as PNG, or an area of the page (x, y, width, height)."""
        clip = {"clip": area | {"scale": 1}, "captureBeyondViewport": True} if area else {}
        return base64.b64decode(self.send("Page.captureScreenshot", format="png", **clip)["data"])

    def pdf(self) -> bytes:
        answer = self.send("Page.printToPDF", printBackground=False, preferCSSPageSize=False)
        return base64.b64decode(answer["data"])

    def complaints(self) -> list[str]:
        """Errors and warnings in the console, and scripts that failed."""
        self.ask("0")  # all earlier messages of the page arrive before the response
        return [text for event in self._mine() if (text := _complaint(event))]

    def requests(self) -> list[str]:
        """Addresses that the page requested."""
        sent = [event for event in self._mine() if event["method"] == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]

    def _mine(self) -> Iterator[dict[str, Any]]:
        return (e for e in self._browser.events if e.get("sessionId") == self._session)


_CODES: dict[str, dict[str, Any]] = {
    "Tab": {"windowsVirtualKeyCode": 9},
    "Escape": {"windowsVirtualKeyCode": 27},
    "ArrowRight": {"windowsVirtualKeyCode": 39},
    "End": {"windowsVirtualKeyCode": 35},
}


def _complaint(event: dict[str, Any]) -> str:
    params = event.get("params", {})
    if event["method"] == "Runtime.exceptionThrown":
        return str(params["exceptionDetails"])
    if event["method"] == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
        return str(params["entry"]["text"])
    if event["method"] == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
        return str(params["args"])
    return ""


@contextmanager
def running(program: str, folder: Path) -> Iterator[Browser]:
    """A browser for as long as the block lasts."""
    browser = Browser(program, folder)
    try:
        yield browser
    finally:
        browser.close()
