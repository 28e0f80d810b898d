"""The page of autoscaling in a real browser, opened from disk: light, dark, phone and print."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pipeline.experiments.autoscaling.sections import scaling_page
from tests.browser import chromium
from tests.pipeline.experiments.autoscaling.sections import report_inputs

PROGRAM = chromium.find()

pytestmark = [
    pytest.mark.unit,
    pytest.mark.slow,
    pytest.mark.skipif(
        PROGRAM is None, reason="needs a Chromium: install Debian's chromium, or Google's Chrome"
    ),
]

PAGE_WIDTH, PAGE_HEIGHT = 718, 979
"""Pixels of 96 per inch within margins of 1 cm: as wide as A4, as high as Letter."""

VIEWS = {
    "light": (1200, "light", ""),
    "dark": (1200, "dark", ""),
    "phone": (360, "light", ""),
    "small phone, dark": (320, "dark", ""),
    "print": (PAGE_WIDTH, "light", "print"),
}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Browser]:
    with chromium.running(str(PROGRAM), tmp_path_factory.mktemp("browser")) as running:
        yield running


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("reports") / "report.html"
    file.write_text(scaling_page.build(report_inputs.both()), encoding="utf-8")
    return file.as_uri()


@pytest.mark.parametrize("view", VIEWS)
def test_page_is_quiet_and_fits(browser: chromium.Browser, address: str, view: str) -> None:
    width, scheme, kind = VIEWS[view]
    tab = chromium.Tab(browser)
    tab.size(width, 800)
    tab.media(scheme, kind)
    tab.open(address)
    assert tab.complaints() == []
    assert tab.requests() == [address]
    assert tab.ask("document.documentElement.scrollWidth") <= width
    drawn = tab.ask(
        "[...document.querySelectorAll('.plot > div > svg')].filter(e => e.clientWidth)"
        ".map(e => e.getBoundingClientRect().width / e.viewBox.baseVal.width)"
    )
    # The overview, and the figures of the first experiment; in print, of all.
    assert len(drawn) >= 4
    assert min(drawn) >= (0.68 if kind == "print" else 0.8)


def test_each_figure_fits_on_a_page(browser: chromium.Browser, address: str) -> None:
    tab = chromium.Tab(browser)
    tab.size(PAGE_WIDTH, PAGE_HEIGHT)
    tab.media("light", "print")
    tab.open(address)
    heights = tab.ask("[...document.querySelectorAll('figure')].map(e => e.offsetHeight)")
    assert len(heights) == 10
    assert min(heights) > 100
    assert max(heights) <= PAGE_HEIGHT
