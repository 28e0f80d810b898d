"""Draws a live run's summary for a terminal, with published figures next to its own."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType

from pipeline.experiments.live.sections.live_sections import written
from pipeline.reporting.sections import published_section, section_terminal
from pipeline.warehouse.runs.run_results import Results


def shown(results: Results, console: Console) -> RenderableType:
    """Results of a run, for a terminal."""
    parts = written(results)
    figures = published_section.for_terminal(parts.published, console)
    return Group(section_terminal.shown(parts, console.width), *figures)
