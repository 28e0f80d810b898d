"""All that is written about the results of a run with learning agents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pipeline.experiments.learning.published import CLAIMS, claim_of
from pipeline.experiments.learning.results.group_study import GroupStudy, group_studies
from pipeline.experiments.learning.results.learning_study import Study, studies
from pipeline.experiments.learning.sections import broker_sections, group_sections
from pipeline.experiments.learning.sections.learning_answer import answer
from pipeline.reporting.sections import published_section
from pipeline.reporting.sections.published_section import PublishedSection, Shown
from pipeline.reporting.sections.section import Experiment, Section
from pipeline.warehouse.runs.run_results import Results


class Written(NamedTuple):
    """The answer and the experiments, and what they are made of."""

    studies: list[Study]
    group_studies: list[GroupStudy]
    answer: Section
    brokers: list[Experiment]
    groups: list[Experiment]
    published: PublishedSection

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
        PublishedSection.of([*_figures(results)]),
    )


def _figures(results: Results) -> Iterator[Shown]:
    """Claims with their numbers; of several rows of one, the first says how it is judged."""
    figures = published_section.of_run(results, "candidate", "location", "its_strategy")
    said: set[str] = set()
    for one in figures.every:
        claim = claim_of(one.key)
        where = one.key.partition(claim)[0] + claim
        again = CLAIMS[claim].note if where in said else ""
        said.add(where)
        note = one.note.removeprefix(again).lstrip()
        yield one._replace(figure=f"{claim}, {one.figure}", note=note)
