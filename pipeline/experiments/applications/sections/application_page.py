"""The report of a run on applications, as one self-contained HTML file."""

from __future__ import annotations

from pathlib import Path

from pipeline.experiments.applications.sections.application_sections import written
from pipeline.reporting.drawing.figure import Figure
from pipeline.reporting.sections import page_shell, section_page
from pipeline.warehouse.runs.run_results import Results

TEMPLATES = Path(__file__).parent / "templates"


def build(results: Results) -> str:
    """Make the report of one run. The same results give the same text."""
    parts = written(results)
    figures: list[Figure] = []
    content = {
        "answer": parts.answer,
        "published": parts.published,
        "experiments": section_page.drawn(parts.experiments, figures),
    }
    return page_shell.render(TEMPLATES / "applications.html.j2", results, content)
