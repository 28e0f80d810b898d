"""Draws a run's summary for a terminal: agents with shares of success, and verdicts on claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType

from pipeline.experiments.learning.sections.learning_sections import written
from pipeline.reporting.sections import published_section, section_terminal

if TYPE_CHECKING:
    from pipeline.warehouse.runs.run_results import Results


def shown(results: Results, console: Console) -> RenderableType:
    """Results of a run, for a terminal."""
    parts = written(results)
    claims = published_section.for_terminal(parts.published, console)
    return Group(section_terminal.shown(parts, console.width), *claims)
