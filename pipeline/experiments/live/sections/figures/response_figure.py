"""How long the parts of the controller's plans take, as in the paper's Figures 15 to 17."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats
from pipeline.experiments.live.results.controller_times import TIMES, responses, times
from pipeline.experiments.live.results.live_study import Study
from pipeline.reporting.drawing import svg
from pipeline.reporting.drawing.axes import TEXT_SIZE, Panel, Scale
from pipeline.reporting.drawing.figure import Figure, compose
from pipeline.reporting.drawing.looks import Look
from pipeline.reporting.sections import numbers

TITLE = "Response times of the controller"

LEAST = 1e-3
"""Lower end of the axis, s; shorter times are drawn there."""


class Part(NamedTuple):
    """A part of a plan."""

    column: str
    """Of `live_plans`."""
    published: tuple[float, float]
    """Times between which the paper's are, s."""
    look: Look
    """Colour and style."""

    @property
    def name(self) -> str:
        """In the key."""
        return TIMES[self.column]


PARTS = (
    Part("decided_s", (LEAST, 1.0), Look("blue", "circle")),
    Part("created_s", (10.0, 50.0), Look("amber", "up", dashed=True)),
    Part("moved_s", (4.0, 5.5), Look("red", "square", dotted=True)),
)


def response(study: Study, number: int) -> Figure | None:
    """Share of the plans whose parts took at most a time, and the published times as bands."""
    name = f"response-{number}"
    values = {part: np.sort(times(study.plans, part.column)) for part in PARTS}
    drawn = {part: sample for part, sample in values.items() if len(sample)}
    if not drawn:
        return None
    caption = (
        f"Experiment {study.name}. Share of the plans after the first iteration whose part took at "
        "most a time; further left is better. Bands: published times (Figures 15 to 17: Δt2 below "
        "1 s, 88 % of Δt3 in 10 to 50 s in Kubernetes, Δt4 around 5 s). Logarithmic axis."
    )
    return compose(name, number, TITLE, caption, _alt(study), lambda width: _draw(drawn, width))


def _alt(study: Study) -> str:
    sentences = [
        f"{one.name}: median {numbers.seconds(one.median)}, maximum {numbers.seconds(one.largest)}"
        for one in responses(study.plans)
        if one.plans
    ]
    plans = int((study.plans["iteration"] > 1).sum())
    return f"Times of {plans:,} plans after the first iteration. {'; '.join(sentences)}."


def _draw(drawn: dict[Part, Floats], width: float) -> tuple[list[str], float]:
    top, bottom, left, right = 40.0 + 18.0 * len(drawn), 300.0, 58.0, width - 16.0
    longest = max(float(sample[-1]) for sample in drawn.values())
    high = 10.0 ** math.ceil(math.log10(max(longest, 50.0)))
    x = Scale(LEAST, high, left, right, log=True)
    panel = Panel(left, top, right, bottom, x, Scale(0.0, 1.0, bottom, top))
    panel.axes("time, s", "share of plans", "{:g}".format, numbers.percent)
    for row, (part, sample) in enumerate(drawn.items()):
        low, end = map(panel.x, part.published)
        corners = [(low, top), (end, top), (end, bottom), (low, bottom)]
        panel.add(svg.polygon(corners, f"band f-{part.look.colour}"))
        panel.add(svg.polyline(_steps(panel, sample), part.look.line))
        y = 10.0 + 18.0 * row
        panel.add(svg.line(left, y, left + 24, y, part.look.line))
        words = f"{part.name} ({len(sample):,} plans)"
        panel.add(svg.text(left + 32, y + TEXT_SIZE * 0.35, words))
    return panel.parts, bottom + 44.0


def _steps(panel: Panel, sample: Floats) -> list[svg.Point]:
    """The empirical distribution as a staircase."""
    points = [panel.at(LEAST, 0.0)]
    for place, value in enumerate(sample):
        x = panel.x(max(float(value), LEAST))
        points += [(x, points[-1][1]), (x, panel.y((place + 1) / len(sample)))]
    return [*points, (panel.right, points[-1][1])]
