"""The report of a run on a broker, as one self-contained HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from pipeline.experiments.live import published
from pipeline.experiments.live.published import PublishedRow
from pipeline.experiments.live.results.live_study import Study, studies
from pipeline.experiments.live.sections import live_answer, live_grids
from pipeline.experiments.live.sections.figures import FIGURES, draw_all
from pipeline.reporting.drawing.figure import Figure, Omitted
from pipeline.reporting.sections import page_shell
from pipeline.reporting.sections.page_tables import Table
from pipeline.warehouse.runs.run_results import Results

TEMPLATES = Path(__file__).parent / "templates"


class Experiment(NamedTuple):
    """Figures and tables of one experiment."""

    study: Study
    figures: list[Figure]
    omitted: list[Omitted]
    strategies: Table
    times: list[PublishedRow]
    capacities: list[PublishedRow]
    machine: str
    conditions: Table


def build(results: Results) -> str:
    """Make the report of one run. The same results give the same text."""
    every = studies(results)
    content: dict[str, Any] = {
        "answer": live_answer.answer(every),
        "experiments": [_experiment(study, i) for i, study in enumerate(every)],
    }
    return page_shell.render(TEMPLATES / "live.html.j2", results, content)


def _experiment(study: Study, place: int) -> Experiment:
    drawn = draw_all(study, 1 + place * len(FIGURES))
    return Experiment(
        study,
        [figure for figure in drawn if isinstance(figure, Figure)],
        [figure for figure in drawn if isinstance(figure, Omitted)],
        live_grids.strategies(study),
        published.response_times(study),
        published.capacities(study),
        live_grids.machine(study),
        live_grids.conditions(study),
    )
