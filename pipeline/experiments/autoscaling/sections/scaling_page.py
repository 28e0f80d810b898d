"""The report of a run on autoscaling, as one self-contained HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.experiments.autoscaling.sections import (
    hot_workloads,
    overview_table,
    scaling_answer,
    scaling_settings,
    trade_off_tables,
)
from pipeline.experiments.autoscaling.sections.figures import FIGURES, draw_all, overview_figure
from pipeline.experiments.autoscaling.sections.scaling_study import Study, studies
from pipeline.reporting.drawing.figure import Figure, Omitted
from pipeline.reporting.sections import page_shell, published_section, recording_words
from pipeline.warehouse.runs.run_results import Results

TEMPLATES = Path(__file__).parent / "templates"

MOST_OPENED = 2
"""Experiments that are unfolded; if a run has more, only the first is."""


class Experiment(NamedTuple):
    """Figures and tables of one experiment."""

    study: Study
    figures: list[Figure]
    omitted: list[Omitted]
    tables: trade_off_tables.Tables
    opened: bool


def build(results: Results) -> str:
    """Make the report of one run. The same results give the same text."""
    css = (TEMPLATES / "scaling.css").read_text(encoding="utf-8")
    template = TEMPLATES / "scaling.html.j2"
    return page_shell.render(template, results, _content(results), css=css)


def _content(results: Results) -> dict[str, Any]:
    every = studies(results)
    several = len(every) > 1
    answer = scaling_answer.answer(results, every)
    return {
        "answer": answer,
        "hot": hot_workloads.hot(results),
        "recorded": recording_words.sentences(results),
        "overview": overview_table.overview(every, answer.best),
        "published": published_section.of_run(results, named=True),
        "fronts": [overview_figure.overview(every, answer.best, 1)] if several else [],
        "experiments": [
            _experiment(results, every, place, 1 + several + place * len(FIGURES))
            for place in range(len(every))
        ],
        "configured": scaling_settings.settings(results),
    }


def _experiment(results: Results, every: Sequence[Study], place: int, first: int) -> Experiment:
    study = every[place]
    drawn = draw_all(results, study, first)
    return Experiment(
        study,
        [figure for figure in drawn if isinstance(figure, Figure)],
        [figure for figure in drawn if isinstance(figure, Omitted)],
        trade_off_tables.tables(results, study),
        opened=place == 0 or len(every) <= MOST_OPENED,
    )
