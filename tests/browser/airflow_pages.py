"""Takes the picture of docs/nightly.md: the form that starts a run.

``python -m tests.browser.airflow_pages FOLDER`` needs the services of ``make up``.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from tests.browser import chromium
from tests.browser.mlflow_pages import save
from tools.layout import here

HOME = "http://127.0.0.1:8080"
PATIENCE = 60
"""Seconds for each page."""

DIALOG = (
    "[...document.querySelectorAll('[role=dialog]')].find(d => d.innerText.includes('Root seed'))"
)
AREA = f"(({{x, y, width, height}}) => ({{x, y, width, height}}))({DIALOG}.getBoundingClientRect())"


def main(folder: Path) -> None:
    """Sign in, open the form of the DAG `benchmark`, and take its picture."""
    with (
        tempfile.TemporaryDirectory() as files,
        chromium.running(str(chromium.find()), Path(files)) as browser,
    ):
        tab = chromium.Tab(browser)
        tab.size(1280, 1200)
        sign_in(tab)
        tab.open(f"{HOME}/dags/benchmark")
        press(tab, "Trigger")
        wait_for(tab, f"{DIALOG} !== undefined")
        time.sleep(1)  # it moves in
        save(tab.picture(**tab.ask(AREA)), folder / "trigger-form.png")


def sign_in(tab: chromium.Tab) -> None:
    """Sign in as the user of ``make up``."""
    passwords = json.loads((here().services / "airflow-passwords.json").read_text())
    tab.open(HOME)
    for name, text in (("username", "admin"), ("password", passwords["admin"])):
        field = f"document.querySelector('input[name={name}]')"
        wait_for(tab, f"{field} !== null")
        tab.ask(f"{field}.focus()")
        tab.send("Input.insertText", text=text)
    press(tab, "Sign in")
    wait_for(tab, "document.body?.innerText.includes('Dags')")


def press(tab: chromium.Tab, label: str) -> None:
    """Press the first button with this label."""
    button = f"[...document.querySelectorAll('button')].find(b => b.innerText.trim() === '{label}')"
    wait_for(tab, f"{button} !== undefined")
    tab.ask(f"{button}.click()")


def wait_for(tab: chromium.Tab, condition: str) -> None:
    """Wait until a condition in JavaScript holds; the page fills itself."""
    deadline = time.monotonic() + PATIENCE
    while not tab.ask(condition):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{condition} in {tab.ask('document.body.innerText')}")
        time.sleep(0.3)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
