"""The run's answer: which policy keeps the bound of response times, and at how many instances."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.experiments.applications.results.application_study import Row, Study
from pipeline.experiments.applications.sections import prefetch_section
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.section import Section


def answer(studies: Sequence[Study]) -> Section:
    """Of the first experiment; the others, which differ in a setting, in a sentence each."""
    if not studies:
        return Section("The answer")
    first, *others = studies
    sentences = [_kept(first), _range(first)]
    notes = [f"{study.name}: {_kept(study)}" for study in others]
    notes += [prefetch_section.sentence(study.later) for study in studies if study.later]
    return Section("The answer", sentences, notes=notes)


def _kept(study: Study) -> str:
    bound = f"{study.setting['r_max']:g}{numbers.SPACE}s"
    best = study.within()
    if best is None:
        return f"No policy has a mean response time of at most {bound} along {study.path}."
    return (
        f"Of the policies with a mean response time of at most {bound} along {study.path}, "
        f"{_figures(best)}, has the fewest instances."
    )


def _range(study: Study) -> str:
    """The policies with the fewest instances and with the shortest responses."""
    known = [row for row in study.means if row["mean"] == row["mean"]]
    if not known:
        return "No event takes this path."
    cheapest = min(known, key=lambda row: row["mean_instances"])
    fastest = min(known, key=lambda row: row["mean"])
    return (
        f"Fewest instances of all: {_figures(cheapest)}. Shortest responses: {_figures(fastest)}."
    )


def _figures(row: Row) -> str:
    return (
        f"{row['policy']} ({numbers.fixed(row['mean_instances'], 2)} instances, "
        f"{numbers.latency(row['mean'])}{numbers.SPACE}s)"
    )
