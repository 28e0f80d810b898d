"""How fast a lone consumer processes its batches, as in the paper's Figure 13."""

from __future__ import annotations

from pipeline.experiments.live.published import MODE, RATE, RELEASED_MODES
from pipeline.experiments.live.results.consumer_capacity import Capacity, capacity
from pipeline.experiments.live.results.live_study import Study
from pipeline.reporting.drawing import svg
from pipeline.reporting.drawing.axes import Panel, Scale, room_above
from pipeline.reporting.drawing.figure import Figure, compose
from pipeline.reporting.sections import numbers
from schemas.tables.live.live_runs import SPEED_BINS

TITLE = "Speed of a consumer"


def speeds(study: Study, number: int) -> Figure | None:
    """Density of the speeds of full batches, with the published modes."""
    name = f"capacity-{number}"
    ours = capacity(study.runs, float(study.setting["consumer_rate"]))
    if ours is None or not ours.batches:
        return None
    caption = (
        f"Experiment {study.name}. Share of the full batches by speed, in steps of 1 % of C̄. "
        "Dotted: modes that the paper and its authors' batches have, as shares of their C̄ of "
        "2.4 MB/s (Figure 13)."
    )
    alt = (
        f"{ours.batches:,} batches; most at {numbers.percent(ours.mode)} of C̄, median "
        f"{numbers.percent(ours.median)}."
    )
    return compose(name, number, TITLE, caption, alt, lambda width: _draw(ours, width))


def _draw(ours: Capacity, width: float) -> tuple[list[str], float]:
    left, right, top, bottom = 58.0, width - 16.0, 40.0, 260.0
    taken = [place for place, share in enumerate(ours.density) if share > 0]
    low = min(0.8, taken[0] / 100 - 0.05)
    high = min(max(1.2, taken[-1] / 100 + 0.05), SPEED_BINS / 100)
    y = Scale(0.0, room_above(ours.density.tolist()), bottom, top)
    panel = Panel(left, top, right, bottom, Scale(max(low, 0.0), high, left, right), y)
    panel.axes("speed, share of C̄", "share of batches", "{:.0%}".format, "{:.0%}".format)
    for place in taken:
        share = float(ours.density[place])
        corners = [(x, y) for x in (place / 100, (place + 1) / 100) for y in (0.0, share)]
        first, second, third, fourth = (panel.at(*corner) for corner in corners)
        tip = f"{place} to {place + 1} % of C̄: {numbers.percent(share)} of the batches"
        panel.add(svg.polygon([first, second, fourth, third], "mark f-blue s-blue", tip))
    for mode in (MODE, *RELEASED_MODES):
        x = panel.x(mode / RATE)
        panel.add(svg.line(x, top, x, bottom, "published dotted"))
    return panel.parts, bottom + 44.0
