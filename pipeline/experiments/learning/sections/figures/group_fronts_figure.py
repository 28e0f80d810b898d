"""Late events against replicas: agents on a group next to rules, a point per weight."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from algorithms.learning.learning_names import AGENTS
from pipeline.experiments.learning.kernels.group_kernel import CLAIRVOYANT, CONSTANT
from pipeline.experiments.learning.results.group_study import GroupStudy
from pipeline.experiments.learning.results.weight_fronts import without_weight
from pipeline.reporting.drawing import svg
from pipeline.reporting.drawing.axes import TEXT_SIZE, Panel, Scale, decade_above, room_above
from pipeline.reporting.drawing.figure import WIDE, Figure, compose
from pipeline.reporting.drawing.looks import Look
from pipeline.reporting.sections import numbers

TITLE = "Late events against replicas"

HEIGHT, KEY_ROW, LINE = 400.0, 20.0, 26.0
"""Height of the panel with its axes, of a row of the key, and length of a line in it, in pixels."""

_COLOURS = ("blue", "red", "purple", "teal", "amber")
_AGENT_MARKS = ("square", "circle", "diamond")
_RULE_COLOURS = ("green", "amber", "sky", "brown", "teal", "purple", "red", "blue", "green")
_RULE_MARKS = ("up", "down", "left", "right", "pentagon", "hexagon")


class Front(NamedTuple):
    """A strategy: its rows of `group_scores` over all test parts."""

    name: str
    look: Look
    is_agent: bool
    rows: list[dict[str, Any]]
    """By weight; of constant replicas by their number, since these do not depend on the weight."""


def late_against_replicas(study: GroupStudy, number: int) -> Figure | None:
    """Agents and rules of an experiment on a group."""
    name, fronts = f"group-fronts-{number}", fronts_of(study)
    if not fronts:
        return None
    weights = numbers.listing([f"{weight:g}" for weight in study.weights()])
    caption = (
        f"Experiment {study.name}. Down and left is better. Late events of all test parts, on a "
        "logarithmic axis, against mean paid replicas. Lines join the weights of late events "
        f"({weights}), or the numbers of constant replicas. Agents have strong lines and filled "
        "marks, means over their seeds; rules have the parameters that cost least on the "
        "validation parts. Hover over a mark to see its values."
    )
    return compose(name, number, TITLE, caption, _alt(fronts), lambda width: _draw(fronts, width))


def fronts_of(study: GroupStudy) -> list[Front]:
    """Agents, then rules, both in the order of the experiment, then the clairvoyant plan."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for weight in study.weights():
        for row in study.at(weight):
            if row["policy"] != CONSTANT:
                rows.setdefault(_name(row), []).append(row)
    constants = [row for row in study.every_at(study.weights()[0]) if row["policy"] == CONSTANT]
    if constants:
        rows[CONSTANT] = sorted(constants, key=lambda row: float(row["replicas"]))
    looks = _looks(study.setting)
    ordered = sorted(rows, key=list(looks).index)
    return [
        Front(name, looks[name], rows[name][0]["policy"] in AGENTS, rows[name]) for name in ordered
    ]


def _name(row: Mapping[str, Any]) -> str:
    policy, variant = str(row["policy"]), str(row["parameters"])
    return f"{policy}:{without_weight(variant)}" if policy in AGENTS else policy


def _looks(setting: Mapping[str, Any]) -> dict[str, Look]:
    agents = dict.fromkeys(
        f"{agent}:{without_weight(variant)}"
        for agent in setting["agents"]
        for variant in setting["variants"]
    )
    looks = {
        name: Look(
            _COLOURS[i % len(_COLOURS)],
            _AGENT_MARKS[i // len(_COLOURS) % len(_AGENT_MARKS)],
            strong=True,
        )
        for i, name in enumerate(agents)
    }
    for i, rule in enumerate(rule for rule in setting["rules"] if rule != CONSTANT):
        colour = _RULE_COLOURS[i % len(_RULE_COLOURS)]
        looks[rule] = Look(colour, _RULE_MARKS[i % len(_RULE_MARKS)], filled=False)
    looks[CONSTANT] = Look("grey", "circle", filled=False, dashed=True)
    looks[CLAIRVOYANT] = Look("ink", "cross", dotted=True)
    return looks


def _alt(fronts: Iterable[Front]) -> str:
    parts = [
        f"{front.name}: {_range(front, 'replicas')} replicas, {_range(front, 'late_percent')}"
        f"{numbers.SPACE}% late"
        for front in fronts
    ]
    return f"From the least to the greatest value. {'; '.join(parts)}."


def _range(front: Front, column: str) -> str:
    values = [float(row[column]) for row in front.rows]
    low, high = (numbers.fixed(value, 2) for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def _draw(fronts: list[Front], width: float) -> tuple[list[str], float]:
    panel = _panel(fronts, width)
    panel.axes("replicas", "late events, %", "{:g}".format, "{:g}".format)
    # Agents are drawn last, so that nothing covers them.
    for front in sorted(fronts, key=lambda front: front.is_agent):
        _line(panel, front, tips=width >= WIDE)
    key, height = _key(fronts, panel.floor + 60.0, width)
    return [*panel.parts, *key], height


def _panel(fronts: list[Front], width: float) -> Panel:
    rows = [row for front in fronts for row in front.rows]
    late = [float(row["late_percent"]) for row in rows]
    positive = [value for value in late if value > 0.0]
    least = 10.0 ** math.floor(math.log10(min(positive))) if positive else 0.1
    has_none = len(positive) < len(late)
    bottom = HEIGHT - 48.0 - (24.0 if has_none else 0.0)
    high = decade_above(max(late), least)
    scale = Scale(least, high, bottom, 34.0, log=True, zero=bottom + 14.0 if has_none else None)
    cost = [float(row["replicas"]) for row in rows]
    start = 0.0 if min(cost) < 0.4 * max(cost) else 0.9 * min(cost)
    left, right = 46.0, width - 14.0
    x = Scale(start, room_above(cost), left + 6.0, right)
    return Panel(left, 34.0, right, bottom, x, scale)


def _line(panel: Panel, front: Front, tips: bool) -> None:
    places = [panel.at(float(row["replicas"]), float(row["late_percent"])) for row in front.rows]
    if len(places) > 1:
        panel.add(svg.polyline(places, front.look.line))
    size = 5.0 if front.is_agent else 3.4
    for row, (x, y) in zip(front.rows, places, strict=True):
        tip = _tip(front, row) if tips else ""
        panel.add(svg.marker(front.look.mark, x, y, front.look.point, tip, size))


def _tip(front: Front, row: Mapping[str, Any]) -> str:
    own = front.name if front.is_agent or not row["parameters"] else f"{row['policy']}:"
    setting = "" if own == front.name else str(row["parameters"])
    weight = "" if front.name == CONSTANT else f", weight {row['weight']:g}"
    return (
        f"{own}{setting}{weight}: {numbers.fixed(row['replicas'], 2)} replicas, "
        f"{numbers.fixed(row['late_percent'], 2)}{numbers.SPACE}% late"
    )


def _key(fronts: list[Front], top: float, width: float) -> tuple[list[str], float]:
    """Names with their looks, in rows; and where they end."""
    parts: list[str] = []
    x, y = 8.0, top
    for front in fronts:
        needed = LINE + 8.0 + svg.width_of(front.name, TEXT_SIZE) + 18.0
        if x > 8.0 and x + needed > width:
            x, y = 8.0, y + KEY_ROW
        parts.append(svg.line(x, y, x + LINE, y, front.look.line))
        size = 5.0 if front.is_agent else 3.4
        parts.append(svg.marker(front.look.mark, x + LINE / 2, y, front.look.point, "", size))
        parts.append(svg.text(x + LINE + 8.0, y + TEXT_SIZE * 0.35, front.name))
        x += needed
    return parts, y + KEY_ROW
