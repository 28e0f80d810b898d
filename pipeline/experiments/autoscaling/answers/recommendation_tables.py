"""Tables of a recommendation: the best candidate of each strategy, and what is usual."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pipeline.base.text.fitted_table import Column, Fitted, dropped_line, fitted
from pipeline.experiments.autoscaling.answers import bad_hour_text, blind_text, recovery_cells
from pipeline.experiments.autoscaling.answers.recommendation_figures import (
    brief,
    in_time,
    is_spread,
    share_of_weeks,
    shown,
)
from pipeline.experiments.autoscaling.recommendation.changes import Changed
from pipeline.experiments.autoscaling.recommendation.judged_candidates import Judged
from pipeline.experiments.autoscaling.recommendation.recommend import Recommendation
from pipeline.reporting.sections import numbers

if TYPE_CHECKING:
    from rich.console import RenderableType

_NEXT = "next week"

_COLUMNS = (
    Column("assignor", 4, is_text=True),
    Column("cost per hour", 1),
    Column(_NEXT, 7),
    Column("in time, %", 2),
    Column("kept", 3),
    Column("chance", 5),
    Column("replicas", 8),
    Column("most", 9),
    Column("p99, s", 10),
    Column("moves/h", 11),
    Column("blind", 12, is_text=True),
    Column("deploy", 6, is_text=True),
)


def tables(recommendation: Recommendation, width: int | None) -> Iterator[RenderableType]:
    """All tables, and a line on columns for which there is no room."""
    from rich.text import Text

    best = [(each.run.candidate.label, each) for each in recommendation.best_of_each]
    every: list[Fitted] = [
        _table(title, rows, recommendation, width)
        for title, rows in (
            ("best of each strategy", best),
            ("without a recommendation", _with_today(recommendation)),
        )
    ]
    if recommendation.changed:
        every.append(_changed_table(recommendation, width))
    hour = recommendation.bad_hour
    if hour is not None:
        head = f"\n{bad_hour_text.title(recommendation, hour)}"
        lines = [(name, recovery_cells.cells(each)) for name, each in bad_hour_text.rows(hour)]
        every.append(fitted(head, recovery_cells.COLUMNS, lines, width))
    if recommendation.blind:
        looks = [(group.run.candidate.label, row) for group, row in blind_text.rows(recommendation)]
        every.append(fitted(f"\n{blind_text.TITLE}", blind_text.COLUMNS, looks, width))
    for table in every:
        yield table.table
        yield ""
    if line := dropped_line([head for table in every for head in table.dropped]):
        yield Text(line)
    yield from map(Text, [] if hour is None else bad_hour_text.sentences(recommendation, hour))
    yield from map(Text, blind_text.sentences(recommendation))


def _with_today(recommendation: Recommendation) -> Iterator[tuple[str, Judged]]:
    if recommendation.today is not None:
        yield "today", recommendation.today
    yield from recommendation.usual


def _table(
    title: str,
    rows: Iterable[tuple[str, Judged]],
    recommendation: Recommendation,
    width: int | None,
) -> Fitted:
    cells = [(name, tuple(_cells(each, recommendation))) for name, each in rows]
    filled = [
        i
        for i, column in enumerate(_COLUMNS)
        if column.head not in ("chance", "blind", _NEXT) or any(row[i] for _, row in cells)
    ]
    return fitted(
        title,
        [_COLUMNS[i] for i in filled],
        [(name, [row[i] for i in filled]) for name, row in cells],
        width,
    )


def _changed_table(recommendation: Recommendation, width: int | None) -> Fitted:
    """The answer after each change."""
    rows = [
        (each.name, tuple(_changed_cells(recommendation, each))) for each in recommendation.changed
    ]
    columns = (Column("then", 1, is_text=True), Column("cost per hour", 2))
    return fitted("what would change the answer", columns, rows, width)


def _changed_cells(recommendation: Recommendation, changed: Changed) -> Iterator[str]:
    answer, now = changed.answer, recommendation.answer
    if answer is None:
        kept = changed.counts.kept
        yield f"none; {kept[0]:,} replicas on the recording" if kept else "none"
        yield ""
        return
    # A changed wait of moved partitions is a changed heartbeat: still the same choice.
    yield "the same" if now is not None and brief(answer) == brief(now) else brief(answer)
    yield shown(answer.cost.mean)


def _cells(judged: Judged, recommendation: Recommendation) -> Iterator[str]:
    outcome, cost, is_stated = judged.outcome, judged.cost, recommendation.is_stated
    yield judged.run.consumers.assignor
    yield shown(cost.mean)
    yield f"{shown(cost.low)} to {shown(cost.high)}" if is_spread(cost) else ""
    yield in_time(judged).removesuffix(f"{numbers.SPACE}%")
    yield "yes" if judged.keeps else "recorded" if judged.keeps_recording else "no"
    yield share_of_weeks(judged.probability) if is_stated else ""
    yield shown(outcome.replicas)
    yield shown(outcome.peak)
    yield "" if math.isnan(outcome.p99_s) else numbers.latency(outcome.p99_s)
    yield shown(outcome.moves_per_hour)
    yield blind_text.mark(recommendation, judged)
    yield "yes" if judged.obstacle is None else "no"
