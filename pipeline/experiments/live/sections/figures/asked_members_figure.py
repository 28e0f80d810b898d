"""What each consumer of a group whose assignor asks is sent over time: Figure 5 of its paper."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats
from pipeline.experiments.live.results.live_study import Study
from pipeline.reporting.drawing import long_series, svg
from pipeline.reporting.drawing.axes import Panel, Scale, room_above
from pipeline.reporting.drawing.figure import Figure, compose
from pipeline.reporting.sections import numbers

TITLE = "Rate of each consumer over time"

ROW, HEIGHT = 104.0, 62.0
"""Heights of a consumer's panel with all around it, and of the panel, in pixels."""

_COLOURS = ("blue", "red", "green", "amber", "purple", "teal", "brown", "sky", "ink")


class Load(NamedTuple):
    """A consumer of the first strategy on the first stream."""

    consumer: int
    rate: Floats
    """Records/s of its partitions at each second; 0 where it has none."""

    @property
    def present_s(self) -> int:
        """Seconds in which it has partitions with records."""
        return int((self.rate > 0.0).sum())


def by_consumer(study: Study, number: int) -> Figure | None:
    """Consumers of the experiment's first group whose assignor asks, on the first stream."""
    present = set(study.loads["strategy"])
    strategy = next((one.strategy for one in study.outcomes if one.strategy in present), None)
    if strategy is None:
        return None
    loads = loads_of(study, strategy)
    rate = float(study.setting["consumer_rate"]) / float(study.setting["record_bytes"])
    caption = (
        f"Experiment {study.name}, {strategy} on the first stream: records per second of each "
        "consumer's partitions, as Figure 5 of Ezzeddine et al. 2024. The line across is what a "
        f"consumer processes at most, {rate:,.6g} records/s."
    )
    name = f"asked-members-{number}"
    return compose(name, number, TITLE, caption, _alt(loads), lambda w: _draw(loads, rate, w))


def loads_of(study: Study, strategy: str) -> list[Load]:
    """Rate of each consumer of a strategy, by its number."""
    rows = study.loads[study.loads["strategy"] == strategy]
    seconds = int(study.over_time["second"].max())
    loads = []
    for consumer, own in rows.groupby("owner"):
        rate = np.zeros(seconds)
        speeds = own["speed"].to_numpy(np.float64) / float(study.setting["record_bytes"])
        rate[own["second"].to_numpy(np.int64) - 1] = speeds
        loads.append(Load(int(str(consumer)), rate))
    return loads


def _alt(loads: list[Load]) -> str:
    sentences = [
        f"Consumer {one.consumer} has records in {one.present_s} of {len(one.rate)} seconds, up to "
        f"{numbers.count(float(one.rate.max()))} per second"
        for one in loads
    ]
    return f"{'; '.join(sentences)}."


def _draw(loads: list[Load], most: float, width: float) -> tuple[list[str], float]:
    high = room_above([most, *(float(one.rate.max()) for one in loads)])
    drawn: list[str] = []
    for place, load in enumerate(loads):
        top = place * ROW + 24
        time = Scale(0.0, float(len(load.rate)), 58.0, width - 12)
        panel = Panel(
            58.0, top, width - 12, top + HEIGHT, time, Scale(0.0, high, top + HEIGHT, top)
        )
        panel.axes("", "", "{:g}".format, "{:g}".format, y_ticks=panel.y.ticks(2))
        panel.add(svg.line(panel.left, panel.y(most), panel.right, panel.y(most), "grid dotted"))
        line = [panel.at(x, y) for x, y in long_series.steps(load.rate, 1.0)]
        panel.add(svg.polyline(line, f"line s-{_COLOURS[load.consumer % len(_COLOURS)]}"))
        panel.add(svg.text(panel.left, top - 6, f"consumer {load.consumer}", "label small"))
        drawn += panel.parts
    return drawn, len(loads) * ROW + 24
