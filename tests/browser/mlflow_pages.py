"""Takes the pictures of docs/mlflow.md: MLflow's pages about two small runs.

``python -m tests.browser.mlflow_pages FOLDER`` needs two runs in the store
that ``MLFLOW_TRACKING_URI`` names, in the MLflow experiment ``groupscale/smoke``.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image

from pipeline.reporting.tracking import client as tracking
from pipeline.reporting.tracking import runs_page
from tests.browser import chromium

PORT = 5057
HOME = f"http://127.0.0.1:{PORT}"
PATIENCE = 240
"""Seconds for the server, and for each page."""
COLOURS = 128
"""Enough for a page of text; a picture gets a third of its size."""


@contextmanager
def server(store: str) -> Iterator[None]:
    """MLflow's pages on the loopback address."""
    command = [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1"]
    command += ["--port", str(PORT), "--workers", "1", "--backend-store-uri", store]
    quiet = os.environ | {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
    process = subprocess.Popen(command, env=quiet)
    try:
        deadline = time.monotonic() + PATIENCE
        while not answers():
            if process.poll() is not None or time.monotonic() > deadline:
                raise TimeoutError(f"MLflow does not answer on port {PORT}")
            time.sleep(1)
        yield
    finally:
        process.terminate()
        process.wait()


CLOSE = """
for (const button of document.querySelectorAll('button, [role=button]')) {
  const label = button.getAttribute('aria-label') || '';
  if (/close/i.test(label) || /^Visualizations/.test(button.innerText.trim())) button.click();
}
"""
"""Leaves the table alone on the page."""


def answers() -> bool:
    """Whether the server is there."""
    try:
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(HOME, timeout=10).close()
    except OSError:
        return False
    return True


def main(folder: Path) -> None:
    """Take all pictures."""
    store = os.environ["MLFLOW_TRACKING_URI"]
    client = tracking.connect(store)
    home = client.get_experiment_by_name("groupscale/smoke").experiment_id
    program = str(chromium.find())
    with (
        tempfile.TemporaryDirectory() as files,
        server(store),
        chromium.running(program, Path(files)) as browser,
    ):
        tab = chromium.Tab(browser)
        for name, address, ready, height in pages(client, home):
            tab.size(1280, height)
            take(tab, address, ready)
            save(tab.picture(), folder / f"mlflow-{name}.png")


def pages(client: Any, home: str) -> Iterator[tuple[str, str, str, int]]:
    """Name of each picture, its address, words that show that it is complete, and its height."""
    parents = found(client, home, "tags.`groupscale.role` = 'parent'")[:2]
    newest = parents[0].data.tags["groupscale.run_id"]
    there = f"params.experiment = 'tradeoff' AND params.delta = '5' AND params.run = '{newest}'"
    pair = [r for r in found(client, home, there) if r.data.params["algorithm"] in ("MWF", "BFD")]
    runs = str(runs_page.address(HOME, home))
    yield "runs", runs, parents[0].info.run_name[:15], 560
    yield "nights", compare(home, parents), "Comparing 2 Runs", 1000
    yield "algorithms", compare(home, pair), "Comparing 2 Runs", 1000


def found(client: Any, home: str, condition: str) -> list[Any]:
    return list(client.search_runs([home], condition, order_by=["attributes.start_time DESC"]))


def compare(home: str, runs: list[Any]) -> str:
    return f"{HOME}/{runs_page.comparison(home, [run.info.run_id for run in runs])}"


def take(tab: chromium.Tab, address: str, ready: str) -> None:
    """Open a page of MLflow's, which fills itself, and wait for that."""
    deadline = time.monotonic() + PATIENCE
    tab.open("about:blank")  # else only the end of the address changes, and nothing is loaded
    tab.open(address)
    while ready not in tab.ask("document.body.innerText"):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{address}: no {ready!r} in {tab.ask('document.body.innerText')}")
        time.sleep(0.3)
    tab.ask(CLOSE)
    time.sleep(2)


def save(content: bytes, file: Path) -> None:
    picture = Image.open(io.BytesIO(content)).convert("RGB").quantize(COLOURS)
    picture.save(file, optimize=True)
    print(file, file.stat().st_size)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
