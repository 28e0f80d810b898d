"""Draws a run's summary for a terminal: its sections, and published figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType

from pipeline.experiments.autoscaling.sections.scaling_sections import written
from pipeline.reporting.sections import published_section, section_terminal

if TYPE_CHECKING:
    from pipeline.warehouse.runs.run_results import Results


def shown(results: Results, console: Console) -> RenderableType:
    """Results of a run, for a terminal."""
    figures = published_section.of_run(results, "location", "its_workload", "its_strategy")
    published = published_section.for_terminal(figures, console)
    return Group(section_terminal.shown(written(results), console.width), *published)
