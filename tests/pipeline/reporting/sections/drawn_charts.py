"""Figures of an experiment, as a page numbers them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from pipeline.reporting.drawing.figure import Figure
from pipeline.reporting.sections.section import charts

Study = TypeVar("Study")


def drawn(
    figures: Sequence[Callable[[Study, int], Figure | None]], study: Study, first: int = 1
) -> list[Figure | None]:
    """All figures, numbered from ``first``."""
    return [chart(first + place) for place, chart in enumerate(charts(figures, study))]
