"""The report of a run with learning agents, as one self-contained HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from pipeline.experiments.learning.published import PAPER
from pipeline.experiments.learning.results.group_study import group_studies
from pipeline.experiments.learning.results.learning_study import Study, studies
from pipeline.experiments.learning.sections import group_grids, learning_answer, learning_grids
from pipeline.experiments.learning.sections.figures import FIGURES, GROUP_FIGURES, draw_all
from pipeline.experiments.learning.sections.learning_grids import Claim
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
    success: Table
    policies: list[Table]
    sensitivity: Table | None
    claims: list[Claim]


def build(results: Results) -> str:
    """Make the report of one run. The same results give the same text."""
    every, groups = studies(results), group_studies(results)
    first = 1 + len(every) * len(FIGURES)
    content: dict[str, Any] = {
        "answer": learning_answer.answer(every, groups),
        "paper": PAPER,
        "experiments": [_experiment(study, i) for i, study in enumerate(every)],
        "groups": [
            group_grids.experiment(study, first + i * len(GROUP_FIGURES))
            for i, study in enumerate(groups)
        ],
    }
    return page_shell.render(TEMPLATES / "learning.html.j2", results, content)


def _experiment(study: Study, place: int) -> Experiment:
    drawn = draw_all(study, 1 + place * len(FIGURES))
    return Experiment(
        study,
        [figure for figure in drawn if isinstance(figure, Figure)],
        [figure for figure in drawn if isinstance(figure, Omitted)],
        learning_grids.success(study),
        learning_grids.policies(study),
        learning_grids.sensitivity(study),
        learning_grids.claims(study),
    )
