"""All that is written about the results of a run with learning agents."""

from __future__ import annotations

from typing import NamedTuple

from pipeline.experiments.learning.results.group_study import GroupStudy, group_studies
from pipeline.experiments.learning.results.learning_study import Study, studies
from pipeline.experiments.learning.sections import broker_sections, group_sections
from pipeline.experiments.learning.sections.learning_answer import answer
from pipeline.reporting.sections.section import Experiment, Section
from pipeline.warehouse.runs.run_results import Results


class Written(NamedTuple):
    """The answer and the experiments, and what they are made of."""

    studies: list[Study]
    group_studies: list[GroupStudy]
    answer: Section
    brokers: list[Experiment]
    groups: list[Experiment]

    @property
    def experiments(self) -> list[Experiment]:
        """In the order of the page."""
        return self.brokers + self.groups


def written(results: Results) -> Written:
    """For page, terminal, JSON and MLflow: computed once per run."""
    return results.once(_written)


def _written(results: Results) -> Written:
    every, groups = studies(results), group_studies(results)
    return Written(
        every,
        groups,
        answer(every, groups),
        [broker_sections.experiment(study) for study in every],
        [group_sections.experiment(study) for study in groups],
    )
