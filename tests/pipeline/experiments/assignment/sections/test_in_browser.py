"""The report in a real browser, opened from disk: in light, dark, on a phone and in print."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.experiments.assignment import sections
from pipeline.experiments.assignment.sections.figures import FIGURES
from tests.browser import chromium
from tests.pipeline.experiments.assignment import recorded_case, report_cases

PROGRAM = chromium.find()

pytestmark = [
    pytest.mark.unit,
    pytest.mark.slow,
    pytest.mark.skipif(
        PROGRAM is None, reason="needs a Chromium: install Debian's chromium, or Google's Chrome"
    ),
]

PAGE_WIDTH, PAGE_HEIGHT = 718, 979
"""Pixels of 96 per inch within Chromium's margins of 1 cm: as wide as A4, as high as Letter."""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Browser]:
    with chromium.running(str(PROGRAM), tmp_path_factory.mktemp("browser")) as instance:
        yield instance


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Addresses of reports on disk: of the paper's experiment, of one with long names, and of one
    in which data waits for hours."""
    folder = tmp_path_factory.mktemp("reports")
    addresses = {}
    long = "a-recorded-trace-with-quite-a-long-name-" * 4 + ".json"
    names = ("BFD", "BFD+M+P", "SR_inf", *(f"kd_{n}" for n in range(1, 7)))
    for name, results in {
        "paper": report_cases.with_differences(report_cases.paper()),
        "trace": report_cases.trace(name=long),
        "late": recorded_case.of(20.0 * recorded_case.daily(), names),
    }.items():
        file = folder / f"{name}.html"
        file.write_text(sections.build(results), encoding="utf-8")
        addresses[name] = file.as_uri()
    return addresses


@pytest.fixture
def tab(browser: chromium.Browser) -> chromium.Tab:
    return chromium.Tab(browser)


VIEWS = {
    "light": (1200, "light", ""),
    "dark": (1200, "dark", ""),
    "phone": (360, "light", ""),
    "small phone, dark": (320, "dark", ""),
    "print": (PAGE_WIDTH, "light", "print"),
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("page", ["paper", "trace"])
def test_page_is_quiet_and_fits(
    tab: chromium.Tab, pages: dict[str, str], page: str, view: str
) -> None:
    width, scheme, kind = VIEWS[view]
    tab.size(width, 800)
    tab.media(scheme, kind)
    tab.open(pages[page])
    assert tab.complaints() == []
    assert tab.requests() == [pages[page]]
    assert tab.ask("document.documentElement.scrollWidth") <= width
    assert tab.ask("getComputedStyle(document.body).backgroundColor") == (
        "rgb(21, 25, 30)" if scheme == "dark" else "rgb(255, 255, 255)"
    )
    # Words are written, not squeezed: no figure is shown smaller than it was drawn by much.
    drawn = tab.ask(
        "[...document.querySelectorAll('.plot > div > svg')].filter(e => e.clientWidth)"
        ".map(e => e.getBoundingClientRect().width / e.viewBox.baseVal.width)"
    )
    assert drawn
    assert min(drawn) >= (0.68 if kind == "print" else 0.8)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_tables_of_algorithms_fit(tab: chromium.Tab, pages: dict[str, str], scheme: str) -> None:
    """That of the answer within the text, with data that waits for hours; none scrolls."""
    tab.size(1280, 900)
    tab.media(scheme, "")
    tab.open(pages["late"])
    cell = "document.querySelector('#answer .numbers tbody tr:last-child td:last-child')"
    assert re.fullmatch(r"\d+.h \d\d.min", tab.ask(f"{cell}.innerText"))
    assert tab.ask("document.querySelector('#answer .numbers').offsetWidth") <= 760
    hidden = tab.ask(
        "[...document.querySelectorAll('.numbers')].map(e => e.parentElement)"
        ".filter(e => e.scrollWidth > e.clientWidth).length"
    )
    assert hidden == 0
    assert tab.ask("document.documentElement.scrollWidth") <= 1280


def test_each_figure_fits_on_a_page_with_heading_and_caption(
    tab: chromium.Tab, pages: dict[str, str]
) -> None:
    tab.size(PAGE_WIDTH, PAGE_HEIGHT)
    tab.media("light", "print")
    tab.open(pages["paper"])
    heights = tab.ask("[...document.querySelectorAll('figure')].map(e => e.offsetHeight)")
    assert len(heights) == len(FIGURES)
    assert max(heights) <= PAGE_HEIGHT
    paper = tab.pdf()
    assert paper.startswith(b"%PDF")
    assert 8 <= len(re.findall(rb"/Type\s*/Page\b", paper)) <= 40


def test_a_script_that_the_policy_does_not_name_is_refused(
    tab: chromium.Tab, tmp_path: Path
) -> None:
    """The net that the tests above rely on: a page like ours, with a foreign script."""
    file = tmp_path / "sections.html"
    broken = "<script>document.title = 'taken'</script><img src='https://localhost:9/x.png'>"
    file.write_text(sections.build(report_cases.small()).replace("</body>", broken + "</body>"))
    tab.open(file.as_uri())
    assert len(tab.complaints()) >= 2
    assert tab.ask("document.title").startswith("Groupscale report")


MARKS = ".wide .front-panel:first-of-type .point"


def test_marks_tell_their_numbers(tab: chromium.Tab, pages: dict[str, str]) -> None:
    tab.size(1200, 900)
    tab.media()
    tab.open(pages["paper"])
    assert tab.ask("document.querySelector('.tip').hidden")
    tab.ask(
        "document.querySelector('#figure-12-pareto .pick').scrollIntoView({behavior: 'instant'})"
    )
    x, y = tab.ask(
        f"(b => [b.x + b.width / 2, b.y + b.height / 2])(document.querySelector('{MARKS}"
        "[data-name=MWF] .mark').getBoundingClientRect())"
    )
    tab.point_at(x + 3, y + 2)
    words = tab.ask("document.querySelector('.tip').innerText")
    assert re.match(r"MWF, δ = 5\nCBS 11\.\d\d.%\s\(95.% interval 1\d.+\nmean Rscore ", words)
    tab.press("Escape")
    assert tab.ask("document.querySelector('.tip').hidden")
    assert tab.complaints() == []


def test_marks_can_be_reached_with_the_keyboard(tab: chromium.Tab, pages: dict[str, str]) -> None:
    tab.size(1200, 900)
    tab.open(pages["paper"])
    tab.ask("document.querySelector('#figure-12-pareto .pick button').focus()")
    tab.press("Tab")
    first = tab.ask("document.activeElement.getAttribute('aria-label')")
    assert first == tab.ask(f"document.querySelector('{MARKS}[tabindex=\"0\"]').dataset.tip")
    tab.press("ArrowRight")
    second = tab.ask("document.activeElement.dataset.name")
    assert not first.startswith(f"{second}:")
    assert tab.ask("document.querySelector('.tip b').innerText") == f"{second}, δ = 5"
    tab.press("End")
    assert tab.ask("document.activeElement.dataset.name") == "NF"
    tab.press("Tab")
    assert tab.ask("document.activeElement.closest('.front-panel').dataset.where") == "δ = 10"


FRONT = "document.querySelector('.wide .front-panel .front').getAttribute('points')"
SHOWN = "document.querySelectorAll('.wide .point[data-name=MWF]:not(.off)').length"


def test_front_is_that_of_the_chosen_algorithms(tab: chromium.Tab, pages: dict[str, str]) -> None:
    tab.size(1200, 900)
    tab.open(pages["paper"])
    html = Path(pages["paper"].removeprefix("file://")).read_text(encoding="utf-8")
    static = re.search(r'polyline points="([^"]*)" class="front"', html)
    assert static is not None
    before = tab.ask(FRONT)
    assert corners(before) == pytest.approx(corners(static[1]), abs=0.2)
    assert tab.ask(SHOWN) == 5
    tab.ask("document.querySelector('.pick input[value=MWF]').click()")
    assert tab.ask(SHOWN) == 0
    assert len(corners(tab.ask(FRONT))) < len(corners(before))
    assert tab.ask("document.querySelectorAll('.wide .off .published').length") == 5
    tab.ask("document.querySelector('.pick button').click()")
    assert tab.ask(FRONT) == before
    assert tab.complaints() == []


def corners(points: str) -> list[float]:
    """Coordinates of a line without the corners that add nothing to it."""
    pairs = [tuple(map(float, pair.split(","))) for pair in points.split()]
    kept = [pair for before, pair in zip([None, *pairs], pairs, strict=False) if pair != before]
    return [coordinate for pair in kept for coordinate in pair]
