"""Algorithms can be distinguished in figures, also by colour-blind readers (dichromats)."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from algorithms.assignment import registry
from pipeline.experiments.assignment.sections.figures import style
from pipeline.experiments.assignment.sections.figures.algorithm_style import (
    _FURTHER,
    _LOOKS,
    KAFKA,
    look,
)
from pipeline.reporting.drawing import svg
from pipeline.reporting.drawing.looks import Look
from tests import vision
from tests.vision import SIGHTS, Lab

pytestmark = pytest.mark.unit

FAR = 10.0
"""CIEDE2000 between colours that alone tell two algorithms apart; 1 is just noticeable."""

PACKING = [name for name in registry.names() if registry.parameter_of(name) is None]
FURTHER = [Look("teal", mark, filled, not filled, True) for mark, filled in _FURTHER]
EVERY = {
    **{name: look(name) for name in PACKING},
    **{f"further {number}": found for number, found in enumerate(FURTHER)},
    "kd": KAFKA,
}


def palette(theme: int) -> dict[str, str]:
    block = re.findall(r"\{[^{}]*--paper[^{}]*\}", style())[theme]
    return dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block))


def too_near(theme: int, sight: str, pairs: list[tuple[str, str]]) -> dict[str, float]:
    colours = palette(theme)
    distances = {}
    for one, other in pairs:
        seen = [vision.seen(colours[EVERY[name].colour], sight) for name in (one, other)]
        distances[f"{one} and {other}"] = vision.distance(*seen)
    return {names: round(apart, 1) for names, apart in distances.items() if apart < FAR}


each_sight = pytest.mark.parametrize("sight", SIGHTS)
each_theme = pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])


@each_sight
@each_theme
def test_points_differ_in_mark_or_filling_or_else_clearly_in_colour(theme: int, sight: str) -> None:
    alike = [
        (one, other)
        for one, other in combinations(EVERY, 2)
        if (EVERY[one].mark, EVERY[one].filled) == (EVERY[other].mark, EVERY[other].filled)
    ]
    assert alike
    assert too_near(theme, sight, alike) == {}


@each_sight
@each_theme
def test_lines_differ_in_style_or_weight_or_else_clearly_in_colour(theme: int, sight: str) -> None:
    """Those of the paper's algorithms, which are drawn without marks as well."""
    alike = [
        (one, other)
        for one, other in combinations(_LOOKS, 2)
        if shape(EVERY[one]) == shape(EVERY[other])
    ]
    assert alike
    assert too_near(theme, sight, alike) == {}


def shape(appearance: Look) -> set[str]:
    return set(appearance.line.split()) - {f"s-{appearance.colour}"}


def test_marks_are_drawn_differently() -> None:
    drawn = {mark: svg.marker(mark, 0, 0, "") for mark in {each.mark for each in EVERY.values()}}
    assert len(set(drawn.values())) == len(drawn)


def test_algorithms_that_are_added_get_marks_of_their_own() -> None:
    taken = {(each.mark, each.filled) for each in (*_LOOKS.values(), KAFKA)}
    assert taken.isdisjoint(_FURTHER)
    assert len(set(_FURTHER)) == len(_FURTHER) == 10
    added = [look(name) for name in PACKING if name not in _LOOKS]
    assert len({(each.mark, each.filled) for each in added}) == len(added)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 2.49, -0.001), (50, -2.49, 0.0009), 7.1792),
        ((50, -1, 2), (50, 0, 0), 2.3669),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((2.0776, 0.0795, -1.135), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_distance_is_that_of_the_published_examples(
    one: tuple[float, float, float], other: tuple[float, float, float], expected: float
) -> None:
    """Pairs 1, 14, 7, 17, 25 and 34 of Sharma, Wu and Dalal."""
    assert vision.distance(Lab(*one), Lab(*other)) == pytest.approx(expected, abs=5e-5)
    assert vision.distance(Lab(*other), Lab(*one)) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize("sight", SIGHTS)
def test_greys_look_the_same_to_everybody(sight: str) -> None:
    grey = vision.seen("#808080", sight)
    assert grey.lightness == pytest.approx(53.585, abs=0.01)
    assert abs(grey.a) < 0.1
    assert abs(grey.b) < 0.1


def test_red_and_green_are_near_for_those_who_lack_one_of_their_cones() -> None:
    def apart(sight: str) -> float:
        return vision.distance(vision.seen("#b83a00", sight), vision.seen("#6b7000", sight))

    assert apart("deuteranopia") < 0.5 * apart(vision.NORMAL)
    assert apart("tritanopia") > 0.5 * apart(vision.NORMAL)
