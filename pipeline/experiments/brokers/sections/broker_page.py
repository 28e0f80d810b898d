"""The report of a run with brokers that join and leave, as one self-contained HTML file."""

from __future__ import annotations

from pathlib import Path

from pipeline.experiments.brokers.sections.elastic_sections import written
from pipeline.reporting.sections import page_shell, section_page
from pipeline.warehouse.runs.run_results import Results

TEMPLATES = Path(__file__).parent / "templates"


def build(results: Results) -> str:
    """Make the report of one run. The same results give the same text."""
    parts = written(results)
    experiments = section_page.drawn(parts.experiments, [])
    content = {
        "answer": parts.answer,
        "front": section_page.take_first(experiments),
        "published": parts.published,
        "experiments": experiments,
    }
    return page_shell.render(TEMPLATES / "brokers.html.j2", results, content)
