"""The report of a run on autoscaling, as one self-contained HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pipeline.experiments.autoscaling.sections import (
    hot_workloads,
    scaling_settings,
)
from pipeline.experiments.autoscaling.sections.scaling_sections import written
from pipeline.reporting.drawing.figure import Figure
from pipeline.reporting.sections import page_shell, recording_words, section_page
from pipeline.warehouse.runs.run_results import Results

TEMPLATES = Path(__file__).parent / "templates"

MOST_OPENED = 2
"""Experiments that are unfolded; if a run has more, only the first is."""


def build(results: Results) -> str:
    """Make the report of one run. The same results give the same text."""
    css = (TEMPLATES / "scaling.css").read_text(encoding="utf-8")
    template = TEMPLATES / "scaling.html.j2"
    return page_shell.render(template, results, _content(results), css=css)


def _content(results: Results) -> dict[str, Any]:
    figures: list[Figure] = []
    parts = written(results)
    return {
        "answer": parts.answer,
        "hot": hot_workloads.hot(results),
        "recorded": recording_words.sentences(results),
        "overview": section_page.drawn([parts.overview], figures),
        "published": parts.published,
        "experiments": section_page.drawn(parts.experiments, figures),
        "opened": len(parts.experiments) if len(parts.experiments) <= MOST_OPENED else 1,
        "configured": scaling_settings.settings(results),
    }
