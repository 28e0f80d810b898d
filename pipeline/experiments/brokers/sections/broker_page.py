"""The report of a run with brokers that join and leave, as one self-contained HTML file."""

from __future__ import annotations

from pathlib import Path

from pipeline.experiments.brokers.sections.elastic_sections import written
from pipeline.reporting.sections import family_page
from pipeline.warehouse.runs.run_results import Results

_TEMPLATE = Path(__file__).parent / "templates" / "brokers.html.j2"


def build(results: Results) -> str:
    """Make the report of one run. The same results give the same text."""
    return family_page.build(_TEMPLATE, results, written(results))
