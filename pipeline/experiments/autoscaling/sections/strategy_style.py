"""How each strategy looks, the same in every figure, and its name where there is little room.

Colour never stands alone: strategies differ in mark, filling and line style as well, and are named
next to their curve or in the key.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from algorithms.autoscaling import registry
from pipeline.reporting.drawing import svg
from pipeline.reporting.drawing.axes import KEY_ROW, TEXT_SIZE
from pipeline.reporting.drawing.looks import Look

_LOOKS = {
    "headroom": Look("blue", "circle", strong=True),
    "keda_hpa": Look("red", "square", strong=True),
    "keda_prometheus": Look("red", "square", filled=False, dashed=True),
    "constant": Look("ink", "circle", filled=False, dashed=True),
    "linear": Look("green", "up"),
    "threshold": Look("amber", "down"),
    "queueing": Look("purple", "diamond"),
    "ds2": Look("brown", "pentagon"),
    "least_loaded_1": Look("teal", "hexagon", filled=False, dashed=True),
    "least_loaded_2": Look("teal", "hexagon"),
    "overprovision": Look("grey", "star"),
    "optimal": Look("grey", "star", filled=False, dashed=True),
    "MWF": Look("sky", "left"),
    "BFD": Look("purple", "square", filled=False, dashed=True),
    "SR_1": Look("brown", "right", filled=False, dashed=True),
}

_FURTHER = tuple(
    (colour, mark)
    for mark in ("diamond", "up", "down", "star", "left", "right", "pentagon")
    for colour in ("red", "green", "amber", "sky")
)
"""Hollow and with dashes and dots, which none of the above has."""


def look(strategy: str) -> Look:
    """Appearance of a strategy; those without one of their own get one by their place."""
    if strategy in _LOOKS:
        return _LOOKS[strategy]
    further = [name for name in registry.names() if name not in _LOOKS]
    place = further.index(strategy) if strategy in further else len(further)
    colour, mark = _FURTHER[place % len(_FURTHER)]
    return Look(colour, mark, filled=False, dotted=True)


def ordered(strategies: Iterable[str]) -> list[str]:
    """Strategies in display order, unknown ones last."""
    names = registry.names()
    return sorted(
        set(strategies), key=lambda name: (names.index(name) if name in names else len(names), name)
    )


def short(row: Mapping[str, Any]) -> str:
    """A strategy with the value of its first parameter, such as ``headroom 1.5``."""
    first = str(row["setting"]).split(":")[0].partition("=")[2]
    return f"{row['strategy']} {first}".rstrip()


def key(
    strategies: Iterable[str], left: float, top: float, width: float
) -> tuple[list[str], float]:
    """Marks, lines and names of strategies in columns, and the height that they take."""
    names = ordered(strategies)
    columns = max(1, int(width // 150))
    rows = -(-len(names) // columns)
    drawn: list[str] = []
    for i, name in enumerate(names):
        x, y = left + (i // rows) * (width / columns), top + (i % rows) * KEY_ROW
        drawn += [
            svg.line(x, y, x + 22, y, look(name).line),
            svg.marker(look(name).mark, x + 11, y, look(name).point),
            svg.text(x + 28, y + TEXT_SIZE * 0.35, name),
        ]
    return drawn, rows * KEY_ROW
