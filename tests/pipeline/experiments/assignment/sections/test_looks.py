"""How a report looks: legible and distinguishable colours, readable numbers."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from algorithms.assignment import registry
from pipeline.experiments.assignment.sections.figures import style
from pipeline.experiments.assignment.sections.figures.algorithm_style import look
from pipeline.reporting.sections import numbers, page_shell

pytestmark = pytest.mark.unit


def test_looks_tell_the_papers_algorithms_apart() -> None:
    looks = [look(name) for name in registry.reference_set()]
    assert len(set(looks)) == len(looks)
    # Without colour as well: mark, filling and weight.
    shapes = Counter((one.mark, one.filled, one.strong) for one in looks)
    assert max(shapes.values()) == 1


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_colours_can_be_read(theme: int) -> None:
    """Contrast of at least 4.5 with the background (WCAG 2.1, 1.4.3)."""
    block = re.findall(r"\{[^{}]*--paper[^{}]*\}", style())[theme]
    colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block))
    paper, _ = colours.pop("paper"), colours.pop("rule")
    assert len(colours) == 11
    assert {name: c for name, c in colours.items() if contrast(c, paper) < 4.5} == {}


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_words_on_the_page_can_be_read(theme: int) -> None:
    css = (page_shell.TEMPLATES / "report.css").read_text()
    block = re.findall(r":root \{[^{}]*--page[^{}]*\}", css)[theme]
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
    for name in ("text", "soft-text", "link"):
        assert contrast(colours[name], colours["page"]) >= 4.5
    for name in ("good", "bad", "open"):
        assert contrast(colours[name], colours[f"{name}-back"]) >= 4.5


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (numbers.percent(0.118), "11.8\u00a0%"),
        (numbers.percent(0.0), "0.0\u00a0%"),
        (numbers.percent(0.0001), "<\u00a00.1\u00a0%"),
        (numbers.seconds(217.33), "217\u00a0s"),
        (numbers.seconds(4.5163), "4.52\u00a0s"),
        (numbers.seconds(0.0), "0\u00a0s"),
        (numbers.seconds(0.0004), "<\u00a01\u00a0ms"),
        (numbers.seconds(float("inf")), "unbounded"),
        (numbers.count(3946980.0), "3,946,980"),
        (numbers.duration(59.96), "1\u00a0min 00\u00a0s"),
        (numbers.duration(7265.0), "2\u00a0h 01\u00a0min"),
        (numbers.plain(0.00012345), "0.000123"),
        (numbers.plain(123456.7), "123,457"),
        (numbers.plain(float("nan")), "–"),
        (numbers.listing(["a", "b", "c"]), "a, b and c"),
    ],
)
def test_numbers_are_written_for_readers(written: str, expected: str) -> None:
    assert written == expected
