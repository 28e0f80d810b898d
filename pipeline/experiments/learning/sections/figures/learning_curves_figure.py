"""Learning curves: score on held-out episodes after each training episode, all seeds."""

from __future__ import annotations

import math
from typing import NamedTuple

import pandas as pd

from pipeline.experiments.learning.results.learning_study import Curve, Study
from pipeline.reporting.drawing import svg
from pipeline.reporting.drawing.axes import TEXT_SIZE, Panel, Scale
from pipeline.reporting.drawing.figure import WIDE, Figure, compose
from pipeline.reporting.drawing.looks import Look
from pipeline.reporting.sections import numbers

TITLE = "Learning curves"

LEAST = -1.0
"""Lower end of the axis; lower scores are drawn there."""

LOOKS = {
    "dqn": Look("blue", "circle", strong=True),
    "double_dqn": Look("red", "square", strong=True, dashed=True),
}

PANEL_HEIGHT, GAP, KEY_ROW = 190.0, 92.0, 26.0


class Room(NamedTuple):
    """Pixels of a panel."""

    left: float
    top: float
    right: float


def learning_curves(study: Study, number: int) -> Figure | None:
    """Curves of the experiment's first variant, a panel per reward."""
    name, variant = f"learning-curves-{number}", study.setting["variants"][0]
    curves = [curve for curve in study.curves(variant) if len(curve.scores)]
    if not curves:
        return None
    caption = (
        f"Experiment {study.name}, {variant}. Score on held-out episodes after each training "
        "episode, acting greedily: 0 is random, 1 the exact optimum; the dotted line is at 0.95, "
        "from which a seed succeeds. Strong lines are medians, faint ones all seeds. Scores below "
        "-1 are drawn at the edge."
    )
    return compose(name, number, TITLE, caption, _alt(curves), lambda w: _draw(curves, w))


def _alt(curves: list[Curve]) -> str:
    parts = []
    for curve in curves:
        last = curve.scores.iloc[:, -1]
        parts.append(
            f"{curve.agent}, reward {curve.reward}: median {numbers.fixed(last.median(), 2)}, from "
            f"{numbers.fixed(last.min(), 2)} to {numbers.fixed(last.max(), 2)}"
        )
    # Not every episode has scores.
    last = sorted({int(curve.scores.columns.max()) for curve in curves})
    return f"Scores after episode {numbers.listing(list(map(str, last)))}. {'; '.join(parts)}."


def _draw(curves: list[Curve], width: float) -> tuple[list[str], float]:
    rewards = list(dict.fromkeys(curve.reward for curve in curves))
    columns = len(rewards) if width >= WIDE else 1
    parts = _key(list(dict.fromkeys(curve.agent for curve in curves)))
    height = KEY_ROW
    for place, reward in enumerate(rewards):
        row, column = divmod(place, columns)
        left = 44.0 + column * width / columns
        top = KEY_ROW + 40.0 + row * (PANEL_HEIGHT + GAP)
        room = Room(left, top, (column + 1) * width / columns - 12.0)
        parts += _panel([c for c in curves if c.reward == reward], reward, room)
        height = top + PANEL_HEIGHT + 48.0
    return parts, height


def _panel(curves: list[Curve], reward: str, room: Room) -> list[str]:
    episodes = max(int(curve.scores.columns.max()) for curve in curves)
    bottom = room.top + PANEL_HEIGHT
    panel = Panel(
        room.left,
        room.top,
        room.right,
        bottom,
        Scale(0.0, float(episodes), room.left, room.right),
        Scale(LEAST, 1.05, bottom, room.top),
    )
    panel.axes("training episode", "", "{:g}".format, "{:g}".format)
    # The label of an axis would be at the figure's left edge, whatever its panel.
    panel.add(svg.text(room.left - 30.0, room.top - 12.0, f"score, reward {reward}", "label"))
    success = panel.y(0.95)
    panel.add(svg.line(room.left, success, room.right, success, "axis dotted"))
    for curve in curves:
        colour = LOOKS[curve.agent].colour
        for _, scores in curve.scores.iterrows():
            panel.add(svg.polyline(_points(panel, scores), f"line faint s-{colour}"))
    for curve in curves:
        median = curve.scores.median()
        panel.add(svg.polyline(_points(panel, median), LOOKS[curve.agent].line))
    return panel.parts


def _points(panel: Panel, scores: pd.Series) -> list[svg.Point]:
    return [
        panel.at(float(str(episode)), float(score))
        for episode, score in scores.items()
        if math.isfinite(score)
    ]


def _key(agents: list[str]) -> list[str]:
    drawn = []
    for i, agent in enumerate(agents):
        x = 8.0 + 130.0 * i
        drawn.append(svg.line(x, 10.0, x + 22.0, 10.0, LOOKS[agent].line))
        drawn.append(svg.text(x + 28.0, 10.0 + TEXT_SIZE * 0.35, agent))
    return drawn
