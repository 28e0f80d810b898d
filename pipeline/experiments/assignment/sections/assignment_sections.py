"""All that is written about the results of a run on assignment."""

from __future__ import annotations

from typing import NamedTuple

from pipeline.experiments.assignment.paper import paper_runs
from pipeline.experiments.assignment.results import studies
from pipeline.experiments.assignment.sections import (
    answer_section,
    bounds_section,
    frontier_section,
    score_tables,
)
from pipeline.reporting.sections import published_section
from pipeline.reporting.sections.published_section import PublishedSection
from pipeline.reporting.sections.section import Experiment, Section
from pipeline.warehouse.runs.run_results import Results


class Topic(NamedTuple):
    """A part of the page: one section of every experiment."""

    anchor: str
    link: str
    title: str
    note: str
    """How to read all its tables, or why there are none."""
    experiments: list[Experiment]


class Written(NamedTuple):
    """The answer, and the sections of all experiments by topic."""

    answer: Section
    study: str
    """The experiment that the page unfolds."""
    choices: list[Experiment]
    """What to choose from."""
    topics: list[Topic]
    """As on the page; scores, which every experiment has, are among them."""
    published: PublishedSection

    @property
    def experiments(self) -> list[Experiment]:
        """In the order of the scores, each with its sections of all topics."""
        every = [*self.choices, *(one for topic in self.topics for one in topic.experiments)]
        (scores,) = (topic.experiments for topic in self.topics if topic.anchor == "scores")
        return [
            one._replace(sections=[s for o in every if o.name == one.name for s in o.sections])
            for one in scores
        ]


def written(results: Results) -> Written:
    """For page, terminal, JSON and MLflow: computed once per run."""
    return results.once(_written)


def _written(results: Results) -> Written:
    study, latency = studies.tradeoff(results), score_tables.latencies(results)
    order = "In the order of the answer: → the choice, • and bold: non-dominated."
    bold = "Bold: on the Pareto front of all algorithms of the run."
    recorded = bool(answer_section.decided(results))
    topics = [
        Topic("frontier", "Frontier", frontier_section.TITLE, frontier_section.note(results),
              frontier_section.frontier(results)),
        Topic("scores", "Scores", score_tables.SCORES_TITLE,
              f"{score_tables.SCORES_NOTE} {order if recorded else bold}",
              score_tables.scores(results)),
        Topic("bounds", "Bounds", bounds_section.TITLE, bounds_section.NOTE,
              bounds_section.bounds(results)),
        Topic("latency", "Latency", score_tables.LATENCY_TITLE,
              f"{score_tables.LATENCY_NOTE}{f' {order}' if recorded else ''}" if latency
              else "This run has no latencies.", latency),
    ]  # fmt: skip
    left_out = {"bounds"} if results["bounds"].empty else set()
    left_out |= set() if paper_runs.applies(results) else {"frontier"}
    return Written(
        answer_section.answer(results),
        "" if study is None else study.name,
        answer_section.choices(results),
        [topic for topic in topics if topic.anchor not in left_out],
        published_section.of_run(results),
    )
