"""Learning curves of agents on a group: reward on the validation parts, all seeds."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from pipeline.experiments.learning.results.group_study import GroupStudy, written
from pipeline.experiments.learning.sections.figures.learning_curves_figure import (
    GAP,
    LOOKS,
    PANEL_HEIGHT,
    Room,
)
from pipeline.reporting.drawing import svg
from pipeline.reporting.drawing.axes import Panel, Scale
from pipeline.reporting.drawing.figure import WIDE, Figure, compose
from pipeline.reporting.sections import numbers

TITLE = "Learning curves on a group"

COLUMNS = 3
"""Panels side by side in a wide drawing."""


class Curve(NamedTuple):
    """Rewards of an agent's variant on the validation parts: rows are seeds, columns episodes."""

    name: str
    agent: str
    rewards: pd.DataFrame


def group_curves(study: GroupStudy, number: int) -> Figure | None:
    """A panel per agent and variant at the middle weight."""
    name, curves = f"group-curves-{number}", curves_of(study)
    if not curves:
        return None
    caption = (
        f"Experiment {study.name}, at weight {_middle(study):g}. Sum of rewards on the validation "
        "parts, acting greedily, each time that agents are judged; 0 is the most. Strong lines are "
        "medians, faint ones all seeds. The best of these weights are kept for each seed."
    )
    return compose(name, number, TITLE, caption, _alt(curves), lambda width: _draw(curves, width))


def curves_of(study: GroupStudy) -> list[Curve]:
    """Curves of the middle weight, agents and variants in the order of the experiment."""
    curves = {}
    for row, trainings in study.agents():
        if row["weight"] == _middle(study) and len(trainings):
            rewards = trainings.pivot_table(index="seed", columns="episode", values="greedy_reward")
            key = (row["policy"], row["parameters"])
            curves[key] = Curve(written(row), str(row["policy"]), rewards)
    order = [(a, v) for a in study.setting["agents"] for v in study.setting["variants"]]
    return [curves[key] for key in order if key in curves]


def _middle(study: GroupStudy) -> float:
    weights = study.weights()
    return weights[len(weights) // 2]


def _alt(curves: list[Curve]) -> str:
    parts = []
    for curve in curves:
        first, last = curve.rewards.iloc[:, 0], curve.rewards.iloc[:, -1]
        parts.append(
            f"{curve.name}: median {numbers.fixed(first.median(), 1)}, at the end "
            f"{numbers.fixed(last.median(), 1)}, from {numbers.fixed(last.min(), 1)} to "
            f"{numbers.fixed(last.max(), 1)}"
        )
    return f"Rewards at the first judgement and at the end. {'; '.join(parts)}."


def _draw(curves: list[Curve], width: float) -> tuple[list[str], float]:
    columns = min(COLUMNS, len(curves)) if width >= WIDE else 1
    parts: list[str] = []
    height = 0.0
    for place, curve in enumerate(curves):
        row, column = divmod(place, columns)
        top = 40.0 + row * (PANEL_HEIGHT + GAP)
        room = Room(56.0 + column * width / columns, top, (column + 1) * width / columns - 12.0)
        parts += _panel(curve, _lowest(curves), room)
        height = top + PANEL_HEIGHT + 48.0
    return parts, height


def _lowest(curves: list[Curve]) -> float:
    """Lower end of all axes, so that panels compare."""
    lowest = min(float(curve.rewards.min().min()) for curve in curves)
    return 1.05 * lowest if lowest < 0.0 else -1.0


def _panel(curve: Curve, lowest: float, room: Room) -> list[str]:
    bottom = room.top + PANEL_HEIGHT
    episodes = [int(str(episode)) for episode in curve.rewards.columns]
    x = Scale(0.0, float(max(episodes)), room.left, room.right)
    y = Scale(lowest, 0.0, bottom, room.top)
    panel = Panel(room.left, room.top, room.right, bottom, x, y)
    panel.axes("judgement", "", "{:g}".format, "{:g}".format)
    panel.add(svg.text(room.left - 42.0, room.top - 12.0, curve.name, "label"))
    for _, rewards in curve.rewards.iterrows():
        points = [panel.at(*pair) for pair in zip(episodes, rewards.tolist(), strict=True)]
        panel.add(svg.polyline(points, f"line faint s-{LOOKS[curve.agent].colour}"))
    medians = zip(episodes, curve.rewards.median().tolist(), strict=True)
    points = [panel.at(*pair) for pair in medians]
    panel.add(svg.polyline(points, LOOKS[curve.agent].line))
    if len(points) == 1:
        panel.add(svg.marker(LOOKS[curve.agent].mark, *points[0], LOOKS[curve.agent].point))
    return panel.parts
