"""Pages that show an answer, published figures and experiments, and what they are made of.

A family's template extends ``family.html.j2`` and fills its blocks ``question`` and ``terms``.
Families whose pages have further parts fill ``shell.html.j2`` themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

from pipeline.reporting.sections import page_shell, published_section, section_page
from pipeline.reporting.sections.published_section import PublishedSection
from pipeline.reporting.sections.section import Experiment, Section
from pipeline.warehouse.runs.run_results import Results

Study = TypeVar("Study")


class Written(NamedTuple):
    """The answer, the experiments, and published figures."""

    answer: Section
    experiments: list[Experiment]
    published: PublishedSection


def written(
    results: Results,
    studies: Callable[[Results], list[Study]],
    answer: Callable[[list[Study]], Section],
    experiment: Callable[[Study], Experiment],
    *columns: str,
) -> Written:
    """All that is written about a run.

    studies: An experiment's rows each; made once per run.
    columns: Of `published_figures`, that name where a figure is ours.
    """
    every = results.once(studies)
    return Written(
        answer(every),
        [experiment(study) for study in every],
        published_section.of_run(results, *columns),
    )


def build(template: Path, results: Results, parts: Written) -> str:
    """Make the report of one run. The same results give the same text."""
    experiments = section_page.drawn(parts.experiments, [])
    content = {
        "answer": parts.answer,
        "front": section_page.take_first(experiments),
        "published": parts.published,
        "experiments": experiments,
    }
    return page_shell.render(template, results, content)
