"""All that is written about the results of a run on autoscaling."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from pipeline.experiments.autoscaling.sections import (
    bad_hour_section,
    scaling_answer,
    strategy_sections,
)
from pipeline.experiments.autoscaling.sections.figures import FIGURES, overview_figure
from pipeline.experiments.autoscaling.sections.overview_section import overview
from pipeline.experiments.autoscaling.sections.scaling_study import studies
from pipeline.reporting.sections import published_section
from pipeline.reporting.sections.published_section import PublishedSection
from pipeline.reporting.sections.section import Chart, Experiment, Section, charts
from pipeline.warehouse.runs.run_results import Results


class Written(NamedTuple):
    """The answer, all experiments at a glance, each of them, and published figures."""

    answer: Section
    overview: Experiment
    experiments: list[Experiment]
    published: PublishedSection


def written(results: Results) -> Written:
    """For page, terminal and JSON: computed once per run."""
    return results.once(_written)


def _written(results: Results) -> Written:
    every = studies(results)
    answer = scaling_answer.answer(results, every)
    # The first figure stands below the answer: that of all experiments, or of the only one.
    at_answer = 1 if len(every) == 1 else 0
    figures: list[Chart] = [partial(overview_figure.overview, every, answer.best)]
    if at_answer:
        figures = charts([partial(draw, results) for draw in FIGURES[:at_answer]], every[0])
    sections = [Section(charts=figures), overview(every, answer.best)]
    return Written(
        Section(
            "The answer",
            [*bad_hour_section.answers(results, every), *answer.sentences],
            notes=answer.notes,
        ),
        Experiment("", "", sections),
        [strategy_sections.experiment(results, study, FIGURES[at_answer:]) for study in every],
        published_section.of_run(results, "location", "its_workload", "its_strategy"),
    )
