"""What a run found, as tables for a terminal or a log."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Iterator, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any, NamedTuple

from rich import box
from rich.console import Console, Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from pipeline.report import numbers

if TYPE_CHECKING:
    import pandas as pd

    from pipeline.report.frames import ReportFrames

WIDTH = 100
"""Width of a text that goes to no terminal."""

NARROWEST = 9
"""Characters that a column of numbers takes, with the space around it."""


class Summary(NamedTuple):
    """A run's results, averaged over its streams, in the order of display.

    Attributes
    ----------
    scores
        ``experiment, delta, algorithm, cbs, mean_rscore, mean_consumers``: means over
        replicates and start conditions; δ is NaN for recorded traces.
    latency
        ``experiment, delta, algorithm, mean_consumers, n_samples, n_positive`` (means over
        streams), ``p50, p90, p99, max`` (medians over streams, s; 0 without delays).
    verdicts
        ``figure, published, ours, low, high, verdict`` and the words ``interval``: what the
        paper says, beside what this run gives.
    """

    scores: pd.DataFrame
    latency: pd.DataFrame
    verdicts: pd.DataFrame

    def __str__(self) -> str:
        return text(self)


def summarise(frames: ReportFrames) -> Summary:
    """Average a run's results as its report does."""
    import pandas as pd

    from algorithms import registry
    from pipeline.report import reproduction, select
    from pipeline.report.frames import at, deltas

    keys = ["experiment", "delta", "algorithm"]
    scores = frames.pareto[[*keys, "cbs", "mean_rscore", "mean_consumers"]]
    parts = []
    for experiment in dict.fromkeys(frames.latency["experiment"]):
        for delta in deltas(frames.latency, experiment):
            found = select.summarise(at(frames.latency, experiment, delta))
            parts.append(found.assign(experiment=experiment, delta=delta))
    latency = pd.concat(parts) if parts else frames.latency
    measured = ["mean_consumers", "n_samples", "n_positive", "p50", "p90", "p99", "max"]
    names = list(frames.experiments) or sorted(set(scores["experiment"]))

    def ordered(rows: pd.DataFrame) -> pd.DataFrame:
        place = [
            (names.index(e), -1.0 if math.isnan(d) else d, registry.sort_key(a))
            for e, d, a in rows[keys].itertuples(index=False)
        ]
        by_place = sorted(range(len(place)), key=place.__getitem__)
        return rows.iloc[by_place].reset_index(drop=True)

    columns = ["figure", "published", "ours", "low", "high", "interval", "verdict"]
    return Summary(
        scores=ordered(scores),
        latency=ordered(latency[[*keys, *measured]]),
        verdicts=reproduction.verdicts(frames)[columns],
    )


def text(summary: Summary, width: int | None = None) -> str:
    """The tables as plain text, as wide as the terminal unless told."""
    columns = width or shutil.get_terminal_size((WIDTH, 24)).columns
    console = Console(file=StringIO(), width=columns, color_system=None, legacy_windows=False)
    console.print(render(summary, columns))
    written = console.file
    assert isinstance(written, StringIO)
    return "\n".join(line.rstrip() for line in written.getvalue().splitlines())


def render(summary: Summary, width: int) -> RenderableType:
    """The tables for a terminal of so many columns.

    An experiment with several δ has one table per metric, with a column for each δ; one with
    a single δ, or over recorded traces, has one table of all metrics.
    """
    parts: list[RenderableType] = []
    for name in dict.fromkeys(summary.scores["experiment"]):
        scores = summary.scores[summary.scores["experiment"] == name]
        latency = summary.latency[summary.latency["experiment"] == name]
        values = list(dict.fromkeys(scores["delta"].fillna(math.inf)))
        title = (
            f"{name}" if len(values) > 1 or math.isinf(values[0]) else f"{name}, δ = {values[0]:g}"
        )
        parts.append(Rule(Text(title, "bold"), align="left", style="dim"))
        if len(values) > 1:
            parts += _by_delta(scores, latency, width)
        else:
            parts += _at_once(scores, latency, width)
    return Group(*parts, *_reproduction(summary.verdicts))


class Metric(NamedTuple):
    """A column of the frames and how it is shown."""

    column: str
    title: str
    head: str
    shown: Callable[[float], str]


SCORES = (
    Metric(
        "cbs", "CBS: consumers above the minimum, %", "CBS %", lambda v: numbers.fixed(100 * v, 2)
    ),
    Metric(
        "mean_rscore",
        "mean Rscore: data moved per iteration, in capacities",
        "Rscore",
        lambda v: numbers.fixed(v, 2),
    ),
    Metric("mean_consumers", "mean consumers", "consumers", lambda v: numbers.fixed(v, 1)),
)
PERCENTILES = tuple(
    Metric(column, f"{title} of the delayed data, s", f"{column} s", lambda v: _seconds(v))
    for column, title in (
        ("p50", "latency, 50th percentile"),
        ("p90", "latency, 90th percentile"),
        ("p99", "latency, 99th percentile"),
        ("max", "latency, maximum"),
    )
)


def _seconds(value: float) -> str:
    """Seconds without their unit, which the head of the column has."""
    return numbers.seconds(value).removesuffix("s").rstrip()


def _by_delta(scores: pd.DataFrame, latency: pd.DataFrame, width: int) -> Iterator[RenderableType]:
    wanted = [(scores, metric) for metric in SCORES]
    if len(latency):
        wanted.append((latency, PERCENTILES[1]))
    for frame, metric in wanted:
        yield Text(f"\n{metric.title}")
        deltas = list(dict.fromkeys(frame["delta"]))
        found = {(r["algorithm"], r["delta"]): r[metric.column] for r in frame.to_dict("records")}
        fitting = max(1, (width - 12) // NARROWEST)
        for start in range(0, len(deltas), fitting):
            some = deltas[start : start + fitting]
            table = _table("algorithm", [f"δ = {delta:g}" for delta in some])
            for name in dict.fromkeys(frame["algorithm"]):
                cells = [found.get((name, delta), math.nan) for delta in some]
                table.add_row(str(name), *(metric.shown(float(cell)) for cell in cells))
            yield table


def _at_once(scores: pd.DataFrame, latency: pd.DataFrame, width: int) -> Iterator[RenderableType]:
    waits = {row["algorithm"]: row for row in latency.to_dict("records")}
    heads = [metric.head for metric in SCORES]
    heads += ["delayed %", *(metric.head for metric in PERCENTILES)] if waits else []
    table = _table("algorithm", heads)
    for row in scores.to_dict("records"):
        cells = [metric.shown(float(row[metric.column])) for metric in SCORES]
        table.add_row(str(row["algorithm"]), *cells, *_waits(waits, row["algorithm"]))
    yield table


def _waits(waits: dict[str, Any], name: str) -> list[str]:
    row = waits.get(name)
    if row is None:
        return [numbers.MISSING] * (len(PERCENTILES) + 1) if waits else []
    share = row["n_positive"] / row["n_samples"] if row["n_samples"] else math.nan
    delayed = numbers.fixed(100 * share, 2)
    return [delayed, *(metric.shown(float(row[metric.column])) for metric in PERCENTILES)]


def _reproduction(verdicts: pd.DataFrame) -> Iterator[RenderableType]:
    """Verdicts on the paper's figures; those that this run says nothing about are counted."""
    comparable = verdicts[verdicts["verdict"] != "not comparable"]
    if comparable.empty:
        return
    yield Rule(Text("published figures", "bold"), align="left", style="dim")
    table = _table("figure", ["published", "ours", "95 % interval"], wrap=True)
    table.add_column("verdict")
    for row in comparable.to_dict("records"):
        style = "" if row["verdict"] == "reproduced" else "bold"
        cells = [str(row[name]) for name in ("figure", "published", "ours", "interval", "verdict")]
        table.add_row(*cells, style=style)
    yield table
    rest = len(verdicts) - len(comparable)
    if rest:
        yield Text(f"{rest} more cannot be compared with this run: the report says why.")


def _table(first: str, heads: Sequence[str], wrap: bool = False) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1))
    table.add_column(first, no_wrap=not wrap)
    for head in heads:
        table.add_column(head, justify="right", no_wrap=not wrap)
    return table
