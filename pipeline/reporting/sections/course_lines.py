"""Lines of figures over time that show what was simulated, measured, or both side by side."""

from __future__ import annotations

from collections.abc import Iterable

from pipeline.reporting.drawing import svg

SIMULATED, MEASURED = "simulated", "measured"

LINES = {SIMULATED: "line s-blue", MEASURED: "line s-red dashed"}
"""Class of the line of each source."""

_TEXTS = {SIMULATED: "t-blue", MEASURED: "t-red"}


def key(sources: Iterable[str], width: float) -> list[str]:
    """What lines stand for, if there are several kinds; right-aligned in the first 20 pixels."""
    kinds = list(dict.fromkeys(sources))
    if len(kinds) < 2:
        return []
    parts = []
    for i, source in enumerate(kinds):
        x = width - 200.0 + 100.0 * i
        parts.append(svg.line(x, 12.0, x + 20.0, 12.0, LINES[source]))
        parts.append(svg.text(x + 26.0, 16.0, source, f"small {_TEXTS[source]}"))
    return parts
