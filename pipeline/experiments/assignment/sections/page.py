"""The report of a run on assignment, as one self-contained HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from algorithms.assignment import registry
from pipeline.experiments.assignment import published
from pipeline.experiments.assignment.paper import paper_runs
from pipeline.experiments.assignment.sections import (
    answer_section,
    bounds_section,
    frontier_section,
    hot_section,
    score_tables,
)
from pipeline.experiments.assignment.sections.figures import Figure, draw_all
from pipeline.reporting.sections import page_shell, published_section, recording_words
from pipeline.warehouse.runs.run_results import Results

TEMPLATES = Path(__file__).parent / "templates"


def build(results: Results) -> str:
    """Make the report of one run. The same results give the same text.

    Without scripts the page says the same.
    """
    script = (TEMPLATES / "fronts.js").read_text(encoding="utf-8")
    return page_shell.render(TEMPLATES / "report.html.j2", results, _content(results), script)


def _content(results: Results) -> dict[str, Any]:
    drawn, judged = draw_all(results), results["published_figures"]
    algorithms = results["pareto"]["algorithm"].unique()
    return {
        "has_paper": paper_runs.applies(results),
        "has_range": any(registry.get(str(name)).by_topic for name in algorithms),
        "answer": answer_section.answer(results),
        "hot": hot_section.hot(results),
        "recorded": recording_words.sentences(results),
        "published": published_section.of_run(results),
        "by_interval": bool(
            judged["low"][judged["location"] == published.LATENCY_PLACE].notna().any()
        ),
        "paper": published.PAPER,
        "figures": [figure for figure in drawn if isinstance(figure, Figure)],
        "omitted": [figure for figure in drawn if not isinstance(figure, Figure)],
        "frontier": frontier_section.frontier(results),
        "scores": score_tables.score_sections(results),
        "latency": score_tables.latency_sections(results),
        "bounds": bounds_section.bound_sections(results),
    }
