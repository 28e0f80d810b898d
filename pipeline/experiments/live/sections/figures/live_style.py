"""How the strategies of a live experiment look: colour and mark by their place."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.reporting.drawing.looks import Look

_COLOURS = ("blue", "red", "green", "amber", "purple", "teal", "brown", "sky", "ink", "grey")
_MARKS = ("circle", "square", "up", "diamond", "down", "pentagon", "hexagon", "left", "right")


def look(strategy: str, strategies: Sequence[str], filled: bool) -> Look:
    """Appearance of a strategy; hollow marks are of prediction A, filled ones of B."""
    place = list(strategies).index(strategy)
    colour, mark = _COLOURS[place % len(_COLOURS)], _MARKS[place % len(_MARKS)]
    return Look(colour, mark, filled=filled)
