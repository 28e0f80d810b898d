"""How each algorithm looks, the same in every figure.

Colour never stands alone: algorithms differ in mark, filling and line style as well, and are
named next to their line or point. Marks follow the fit rule (worst fit: circle, best fit:
square, first fit: triangle, next fit: triangle upside down), filling and line the order
(decreasing: filled and unbroken; online: hollow and dashed; whole consumers first, MWFP and MBFP:
dashes and dots). Two that share mark and filling, or line style and weight, have colours that
colour-blind readers (dichromats) can distinguish too.
"""

from __future__ import annotations

from algorithms.assignment import registry
from pipeline.reporting.drawing.looks import Look

MODIFIED = ("MWF", "MBF", "MWFP", "MBFP")

_LOOKS = {
    "MWF": Look("blue", "circle", strong=True),
    "MBF": Look("red", "square", strong=True),
    "MWFP": Look("sky", "diamond", strong=True, dotted=True),
    "MBFP": Look("amber", "hexagon", strong=True, dotted=True),
    "NF": Look("grey", "down", filled=False, dashed=True),
    "NFD": Look("grey", "down"),
    "NF0": Look("ink", "down", filled=False, dashed=True),
    "NFD0": Look("ink", "down"),
    "FF": Look("green", "up", filled=False, dashed=True),
    "FFD": Look("green", "up"),
    "BF": Look("purple", "square", filled=False, dashed=True),
    "BFD": Look("purple", "square"),
    "WF": Look("brown", "circle", filled=False, dashed=True),
    "WFD": Look("brown", "circle"),
}

KAFKA = Look("ink", "circle", filled=False)
"""Kafka's static assignments kd_n, together."""

RANGE = Look("ink", "square", filled=False, dashed=True)
"""Kafka's range assignor on fixed groups, together."""

_FURTHER = (
    *(("star", True), ("left", True), ("right", True), ("pentagon", True)),
    *(("star", False), ("left", False), ("right", False), ("pentagon", False)),
    *(("diamond", False), ("hexagon", False)),
)
"""Marks that none of the above has."""


def look(name: str) -> Look:
    """Appearance of an algorithm; those beyond the paper's get one by their place in the list."""
    if name in _LOOKS:
        return _LOOKS[name]
    if registry.parameter_of(name) is not None:
        return KAFKA
    if registry.members_of(name) is not None:
        return RANGE
    further = [other for other in registry.names() if other not in _LOOKS]
    place = further.index(name) if name in further else len(further)
    mark, filled = _FURTHER[place % len(_FURTHER)]
    return Look("teal", mark, filled, dashed=not filled, strong=True)
