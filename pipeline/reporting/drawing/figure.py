"""A figure: the same drawing for wide and narrow screens, and its texts."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pipeline.reporting.drawing import svg

WIDE, NARROW = 760.0, 360.0
"""Widths in pixels of the two drawings of each figure."""

Draw = Callable[[float], tuple[list[str], float]]
"""From a width to the elements drawn and the height that they need."""


class Figure(NamedTuple):
    """A figure of the report."""

    name: str
    """File name without ending, and root of the ids within the drawing."""
    number: int
    """Number of the figure within its page."""
    title: str
    caption: str
    """What is drawn, how to read it, and the corresponding part of the paper."""
    alt: str
    """Description of what a reader would see."""
    wide: str
    narrow: str
    """`wide`, `narrow`: SVG elements, 760 and 360 pixels wide."""
    choices: tuple[tuple[str, str], ...] = ()
    """Algorithms that readers may show and hide, each with its mark as an SVG element. Groups of
    the drawings with ``data-name`` belong to them; see ``fronts.js``."""

    def standalone(self) -> bytes:
        """The wide drawing as a file of its own, with its style."""
        head, body = self.wide.split(">", 1)
        return f"{head}><style>{style()}</style>{body}".encode()


@cache
def style() -> str:
    """Style sheet that all figures share."""
    return Path(__file__).with_name("figures.css").read_text(encoding="utf-8")


def compose(name: str, number: int, title: str, caption: str, alt: str, draw: Draw) -> Figure:
    """Draw a figure at both widths."""
    drawings = []
    for variant, width in (("wide", WIDE), ("narrow", NARROW)):
        parts, height = draw(width)
        label = f"Figure {number}. {title}"
        drawings.append(svg.document(parts, width, height, f"{name}-{variant}", label, alt))
    wide, narrow = drawings
    return Figure(name, number, title, caption, alt, wide, narrow)
