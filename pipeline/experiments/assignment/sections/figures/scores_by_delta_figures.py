"""Figures 9 to 11: CBS and mean Rscore of the algorithms over δ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from pipeline.experiments.assignment.paper.authors_results import Published
from pipeline.experiments.assignment.results import studies
from pipeline.experiments.assignment.sections.figures import algorithm_style
from pipeline.reporting.drawing import labels, svg
from pipeline.reporting.drawing.axes import TEXT_SIZE, Panel, Scale, room_above
from pipeline.reporting.drawing.figure import WIDE, Omitted, Outcome, compose
from pipeline.reporting.sections import numbers
from pipeline.warehouse.runs.run_results import Results

CAPITAL = 0.9 * TEXT_SIZE
"""Width of a bold capital, in a wide font, in pixels."""

ZOOM = (*algorithm_style.MODIFIED, "BFD")


class Measure(NamedTuple):
    """A score drawn over δ."""

    column: str
    """Column of `pareto`, with bounds in ``<column>_low`` and ``<column>_high``."""
    label: str
    scale: float
    """Factor from the table's unit to the axis' unit."""
    text: Callable[[float], str]


CBS = Measure("cbs", "CBS: consumers above the minimum, %", 100.0, "{:g}".format)
RSCORE = Measure("mean_rscore", "mean Rscore, capacities C per iteration", 1.0, "{:g}".format)


def cbs_all(results: Results) -> Outcome:
    """Figure 9: CBS of all packing algorithms over δ."""
    return _figure(
        results,
        "figure-09-cbs",
        9,
        "Consumers above the minimum (CBS), all algorithms",
        CBS,
        None,
        "the trade-off study (Section VI-E), CBS of every algorithm by δ",
    )


def cbs_zoom(results: Results) -> Outcome:
    """Figure 10: the same for the modified algorithms and best fit decreasing."""
    return _figure(
        results,
        "figure-10-cbs-modified",
        10,
        "Consumers above the minimum (CBS), modified algorithms and BFD",
        CBS,
        ZOOM,
        "the trade-off study (Section VI-E), CBS enlarged for the modified algorithms and BFD",
    )


def rscore(results: Results) -> Outcome:
    """Figure 11: mean Rscore of all packing algorithms over δ."""
    return _figure(
        results,
        "figure-11-rscore",
        11,
        "Data moved by migrations (mean Rscore), all algorithms",
        RSCORE,
        None,
        "the trade-off study (Section VI-E), mean Rscore of every algorithm by δ",
    )


def _figure(
    results: Results,
    name: str,
    number: int,
    title: str,
    measure: Measure,
    only: Sequence[str] | None,
    origin: str,
) -> Outcome:
    study = studies.tradeoff(results)
    if study is None or not study.deltas:
        reason = "it plots values over δ, and this run has no generated streams"
        return Omitted(name, number, title, reason)
    rows = study.packing if only is None else study.packing[study.packing["algorithm"].isin(only)]
    if rows.empty:
        return Omitted(name, number, title, f"this run has none of {', '.join(only or ())}")
    crosses = studies.published_scores(results, study.name)
    crosses = {k: v for k, v in crosses.items() if k[0] in set(rows["algorithm"])}
    caption = (
        f"Experiment {study.name}: {study.words}. Points are means over "
        f"{study.streams}{_bars(study)}. Dashed lines, hollow marks: online algorithms. Solid "
        "lines, filled marks: decreasing ones. Thick lines: modified ones; dash-dotted: MWFP "
        f"and MBFP. {_crosses(crosses)}Corresponds to {origin} of the paper."
    )
    return compose(
        name,
        number,
        title,
        caption,
        _alt(rows, measure),
        lambda width: _draw(rows, crosses, measure, width),
    )


def _bars(study: studies.Study) -> str:
    return ", bars are 95 % intervals" if study.replicates > 1 else ""


def _crosses(crosses: Mapping[tuple[str, float], Published]) -> str:
    return "Crosses: the authors' published results, one stream each. " if crosses else ""


def _alt(rows: pd.DataFrame, measure: Measure) -> str:
    """Least and greatest values at the ends of the δ range, and the order in between."""
    sentences = []
    for delta in sorted({rows["delta"].min(), rows["delta"].max()}):
        part = rows[rows["delta"] == delta].sort_values(measure.column, kind="stable")
        listed = numbers.listing(
            [
                f"{name} {numbers.plain(value * measure.scale)}"
                for name, value in zip(part["algorithm"], part[measure.column], strict=True)
            ]
        )
        sentences.append(f"At δ = {delta:g}, in ascending order: {listed}.")
    return f"{measure.label} over δ. " + " ".join(sentences)


def _draw(
    rows: pd.DataFrame,
    crosses: Mapping[tuple[str, float], Published],
    measure: Measure,
    width: float,
) -> tuple[list[str], float]:
    height = 430.0 if width >= WIDE else 400.0
    deltas = sorted(rows["delta"].unique())
    tops = [*rows[measure.column], *rows[f"{measure.column}_high"]]
    tops += [getattr(value, measure.column) for value in crosses.values()]
    ceiling = room_above([measure.scale * top for top in tops])
    longest = max(map(len, rows["algorithm"]))
    left, right, bottom = 44.0, width - max(72.0, 20 + CAPITAL * longest), height - 46
    panel = Panel(
        left,
        34.0,
        right,
        bottom,
        Scale(min(deltas), max(max(deltas), min(deltas) + 1), left + 14, right - 12),
        Scale(0.0, ceiling, bottom, 34.0),
    )
    panel.axes(
        "δ, maximum change per iteration, % of C",
        measure.label,
        "{:g}".format,
        measure.text,
        deltas,
    )
    for name in sorted(rows["algorithm"].unique(), key=studies.drawing_order):
        _curve(panel, rows[rows["algorithm"] == name].sort_values("delta"), measure)
    for (name, delta), value in crosses.items():
        at = panel.at(delta, measure.scale * getattr(value, measure.column))
        tip = f"{name}, published, δ = {delta:g}: {getattr(value, measure.column):g}"
        panel.add(svg.marker("cross", *at, "published", tip))
    _names(panel, rows[rows["delta"] == deltas[-1]], measure)
    return panel.parts, height


def _curve(panel: Panel, rows: pd.DataFrame, measure: Measure) -> None:
    look = algorithm_style.look(str(rows["algorithm"].iloc[0]))
    values = measure.scale * rows[measure.column].to_numpy(dtype=float)
    places = [panel.at(d, v) for d, v in zip(rows["delta"], values, strict=True)]
    panel.add(svg.polyline(places, look.line))
    for i, (x, y) in enumerate(places):
        row = rows.iloc[i]
        low, high = (measure.scale * float(row[f"{measure.column}_{e}"]) for e in ("low", "high"))
        panel.error_bar(row["delta"], low, high, look.bar)
        tip = f"{row['algorithm']}, δ = {row['delta']:g}: {numbers.plain(values[i])}"
        panel.add(svg.marker(look.mark, x, y, look.point, tip))


def _names(panel: Panel, last: pd.DataFrame, measure: Measure) -> None:
    """Write each algorithm's name right of its last point, apart from the others."""
    names = [str(name) for name in last["algorithm"]]
    ends = [panel.y(measure.scale * float(value)) for value in last[measure.column]]
    levels = labels.spread(ends, labels.HEIGHT, panel.top + 4, panel.bottom - 2)
    x = panel.x(float(last["delta"].iloc[0]))
    for name, end, level in zip(names, ends, levels, strict=True):
        panel.add(svg.line(x + 7, end, x + 26, level, "leader"))
        panel.add(svg.text(x + 29, level + TEXT_SIZE * 0.35, name, algorithm_style.look(name).text))
