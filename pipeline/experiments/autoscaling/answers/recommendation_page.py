"""The page of a recommendation: one file without requests, light and dark, for print and phones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pipeline.experiments.autoscaling.answers import (
    bad_hour_text,
    blind_text,
    certainty_text,
    money,
    partitions_text,
    recommendation_text,
    recovery_cells,
)
from pipeline.experiments.autoscaling.answers.capacity_over_load import Load, capacity_figure
from pipeline.experiments.autoscaling.answers.compared_groups import Shown, titled
from pipeline.experiments.autoscaling.answers.recommendation_figures import (
    brief,
    in_time,
    share_of_weeks,
    shown,
)
from pipeline.experiments.autoscaling.answers.tornado_figure import tornado_figure
from pipeline.experiments.autoscaling.recommendation.judged_candidates import Judged
from pipeline.experiments.autoscaling.recommendation.recommend import Recommendation
from pipeline.reporting.drawing.figure import style
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.page_shell import TEMPLATES
from pipeline.reporting.sections.section import Cell, Field, Row, Table

NAME = "recommendation.html"
_OWN = Path(__file__).with_name("templates")


def page(
    recommendation: Recommendation,
    workload: str,
    load: Load,
    groups: Sequence[Shown],
    notes: Sequence[str] = (),
    files: Mapping[str, str] | None = None,
) -> str:
    """The page as HTML.

    recommendation, workload: The answer, and the name of the recording.
    load, groups: What arrives, and the groups whose capacity is drawn.
    notes: What the reader should know about the recording.
    files: Content of the files to deploy, by name.
    """
    answer, question = recommendation.answer, recommendation.question
    unit = money.unit(question)
    first, *others = recommendation_text.decision(recommendation)
    figures = [capacity_figure(load, groups)]
    if answer is not None and recommendation.changed:
        figures.append(tornado_figure(answer, recommendation.changed, unit))
    environment = Environment(
        loader=FileSystemLoader([_OWN, TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("recommendation.html.j2").render(
        css=Markup((TEMPLATES / "report.css").read_text(encoding="utf-8") + style()),
        drawing=Markup,
        decision=first,
        workload=workload,
        objective=question.objective.text,
        before=list(recommendation_text.todays_group(recommendation)),
        reasons=[
            *others,
            *certainty_text.certainty(recommendation),
            *recommendation_text.without_hot(recommendation),
            *partitions_text.deciding(recommendation),
        ],
        costs=_costs(recommendation, unit),
        bad_hour=_bad_hour(recommendation),
        bad_hour_notes=list(_bad_hour_notes(recommendation)),
        blind=_blind(recommendation),
        blind_notes=list(blind_text.sentences(recommendation)),
        figures=figures,
        partitioning=list(partitions_text.partitioning(recommendation)),
        strategies=_strategies(recommendation),
        fails=list(certainty_text.counts_that_fail(recommendation)),
        assumptions=[*certainty_text.assumptions(recommendation, workload), *notes],
        files=files or {},
    )


def _costs(recommendation: Recommendation, unit: str) -> Table:
    """What is there today, what is recommended, and what is deployed without a recommendation."""
    is_money = unit == recommendation.question.currency
    head = ["in time", "next week", "replicas", "most", f"{unit} per hour"]
    rows = []
    for title, judged in titled(recommendation):
        cells = [*_cells(recommendation, judged), Cell(shown(judged.cost.mean), bold=True)]
        if is_money:
            cells.append(Cell(money.monthly(judged.cost.mean, unit)))
        rows.append((f"{title}: {brief(judged)}", cells))
    return _table("Group", [*head, *(["a month"] if is_money else [])], rows)


def _bad_hour(recommendation: Recommendation) -> Table | None:
    """What events do at the busiest hour."""
    hour = recommendation.bad_hour
    if hour is None:
        return None
    heads = [" ".join(column.head.split()) for column in recovery_cells.COLUMNS]
    rows = [
        (name, [Cell(text) for text in recovery_cells.cells(each)])
        for name, each in bad_hour_text.rows(hour)
    ]
    return _table("Event", heads, rows)


def _blind(recommendation: Recommendation) -> Table | None:
    """What autoscalers do when blind."""
    rows = [
        (group.run.candidate.label, [Cell(text) for text in cells])
        for group, cells in blind_text.rows(recommendation)
    ]
    heads = [column.head for column in blind_text.COLUMNS]
    return _table("Ten minutes blind", heads, rows) if rows else None


def _bad_hour_notes(recommendation: Recommendation) -> Iterator[str]:
    hour = recommendation.bad_hour
    if hour is not None:
        title = bad_hour_text.title(recommendation, hour)
        yield f"{title[0].upper()}{title[1:]}."
        yield from bad_hour_text.sentences(recommendation, hour)


def _cells(recommendation: Recommendation, judged: Judged) -> Iterator[Cell]:
    yield Cell(in_time(judged))
    kept = "kept" if judged.keeps else "not sure" if judged.keeps_recording else "missed"
    yield Cell(share_of_weeks(judged.probability) if recommendation.is_stated else kept)
    yield Cell(shown(judged.outcome.replicas))
    yield Cell(shown(judged.outcome.peak))


def _strategies(recommendation: Recommendation) -> Table:
    """The best candidate of each strategy."""
    blind = ["blind"] if recommendation.blind else []
    rows = [
        (
            judged.run.candidate.label,
            [
                Cell(judged.run.consumers.assignor),
                *_cells(recommendation, judged),
                Cell(shown(judged.cost.mean)),
                Cell(numbers.latency(judged.outcome.p99_s)),
                *(Cell(blind_text.mark(recommendation, judged)) for _ in blind),
                Cell("yes" if judged.obstacle is None else "no"),
            ],
        )
        for judged in recommendation.best_of_each
    ]
    head = ["assignor", "in time", "next week", "replicas", "most", "cost per hour", "p99, s"]
    return _table("Strategy", [*head, *blind, "can be deployed"], rows)


def _table(first: str, heads: Sequence[str], rows: Iterable[tuple[str, Sequence[Cell]]]) -> Table:
    fields = [Field(head, head, itemgetter(head)) for head in heads]
    return Table(
        "", first, fields, [Row(name, dict(zip(heads, cells, strict=True))) for name, cells in rows]
    )
