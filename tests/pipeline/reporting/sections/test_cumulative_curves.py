"""Cumulative curves of times."""

from __future__ import annotations

import re

import numpy as np
import pytest

from pipeline.reporting.drawing.figure import compose
from pipeline.reporting.drawing.looks import Look
from pipeline.reporting.sections import cumulative_curves
from pipeline.reporting.sections.cumulative_curves import Curve
from tests.sentence_facts import facts_in

pytestmark = pytest.mark.unit

CURVES = {
    "few": Curve("few", Look("grey", "circle")),
    "none": Curve("none", Look("red", "up")),
    "many": Curve("many", Look("blue", "up", dashed=True)),
}
TIMES_S = {"many": np.array([2.0, 0.5, 0.0001, 1.0]), "few": np.array([0.1])}


def test_samples_are_those_with_times_in_the_order_of_the_curves() -> None:
    few, many = cumulative_curves.samples(CURVES, TIMES_S)
    assert (few.curve.words, many.curve.words) == ("few", "many")
    assert many.times_s.tolist() == [0.0001, 0.5, 1.0, 2.0]
    facts = ["few", "0.100 s", "many", "0.750 s"]
    assert facts_in(cumulative_curves.alt([few, many]), *facts) == facts


def test_staircases_climb_by_equal_steps_to_all_of_the_sample() -> None:
    """Axis from 0.01 to 10 s, three decades wide; what is shorter climbs at its left end."""
    drawn = cumulative_curves.samples(CURVES, TIMES_S)
    parts, height = cumulative_curves.draw(drawn, 0.01, "time, s", "share", 376.0)
    left, right = 58.0, 360.0
    assert height == 296.0 + 44.0
    few, many = (re.findall(r"[\d.]+,[\d.]+", part) for part in parts if "<polyline" in part)
    tenth = f"{left + (right - left) / 3:.1f}"
    assert few == ["58,296", f"{tenth},296", f"{tenth},76", "360,76"]
    assert [point.partition(",")[2] for point in many] == [
        *("296", "296", "241", "241", "186", "186", "131", "131", "76", "76")
    ]
    assert many[0] == many[1] == "58,296"
    assert any("many (4)" in part for part in parts)


def test_both_widths_have_all_curves() -> None:
    drawn = cumulative_curves.samples(CURVES, TIMES_S)
    alt = cumulative_curves.alt(drawn)
    figure = compose(
        *("name", 1, "Times", "How long.", alt),
        lambda width: cumulative_curves.draw(drawn, 0.01, "time, s", "share", width),
    )
    assert figure.wide.count("<polyline") == figure.narrow.count("<polyline") == 2
