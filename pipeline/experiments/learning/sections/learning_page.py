"""The report of a run with learning agents, as one self-contained HTML file."""

from __future__ import annotations

from pathlib import Path

from pipeline.experiments.learning.published import PAPER
from pipeline.experiments.learning.sections.learning_sections import written
from pipeline.reporting.drawing.figure import Figure
from pipeline.reporting.sections import page_shell, section_page
from pipeline.warehouse.runs.run_results import Results

TEMPLATES = Path(__file__).parent / "templates"


def build(results: Results) -> str:
    """Make the report of one run. The same results give the same text."""
    parts = written(results)
    figures: list[Figure] = []
    brokers = section_page.drawn(parts.brokers, figures)
    groups = section_page.drawn(parts.groups, figures)
    content = {
        "answer": parts.answer,
        "front": section_page.take_first([*brokers, *groups]),
        "paper": PAPER,
        "published": parts.published,
        "experiments": brokers,
        "groups": groups,
    }
    return page_shell.render(TEMPLATES / "learning.html.j2", results, content)
