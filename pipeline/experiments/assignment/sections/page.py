"""The report of a run on assignment, as one self-contained HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from algorithms.assignment import registry
from pipeline.experiments.assignment import published
from pipeline.experiments.assignment.paper import paper_runs
from pipeline.experiments.assignment.sections import hot_section
from pipeline.experiments.assignment.sections.assignment_sections import written
from pipeline.experiments.assignment.sections.figures import FIGURES, Figure, fronts_figure
from pipeline.experiments.assignment.sections.figures.chart import chart
from pipeline.reporting.sections import (
    page_shell,
    recording_words,
    section_page,
)
from pipeline.reporting.sections.section import Chart, Experiment, Section
from pipeline.warehouse.runs.run_results import Results

TEMPLATES = Path(__file__).parent / "templates"


def build(results: Results) -> str:
    """Make the report of one run. The same results give the same text.

    Without scripts the page says the same.
    """
    script = (TEMPLATES / "fronts.js").read_text(encoding="utf-8")
    return page_shell.render(TEMPLATES / "report.html.j2", results, _content(results), script)


def _content(results: Results) -> dict[str, Any]:
    parts, judged = written(results), results["published_figures"]
    figures: list[Figure] = []
    # The front comes first, whatever its number.
    front, others = (
        section_page.drawn([Experiment("", "", [Section(charts=part)])], figures)[0].sections
        for part in _charts(results)
    )
    algorithms = results["pareto"]["algorithm"].unique()
    return {
        "has_paper": paper_runs.applies(results),
        "has_range": any(registry.get(str(name)).by_topic for name in algorithms),
        "answer": parts.answer,
        "choices": section_page.drawn(parts.choices, figures),
        "hot": hot_section.hot(results),
        "recorded": recording_words.sentences(results),
        "published": parts.published,
        "by_interval": bool(
            judged["low"][judged["location"] == published.LATENCY_PLACE].notna().any()
        ),
        "paper": published.PAPER,
        "front": front,
        "figures": others,
        "topics": [(topic, section_page.drawn(map(_untitled, topic.experiments), figures))
                   for topic in parts.topics],
        "study": parts.study,
    }  # fmt: skip


def _charts(results: Results) -> tuple[list[Chart], list[Chart]]:
    """The front, and the other figures."""
    others = [draw for draw in FIGURES if draw is not fronts_figure.fronts]
    return [chart(fronts_figure.fronts, results)], [chart(draw, results) for draw in others]


def _untitled(one: Experiment) -> Experiment:
    """Sections without the title that the topic has."""
    return one._replace(sections=[section._replace(title="") for section in one.sections])
