"""Elements of an SVG drawing: numbers rounded the same everywhere, texts escaped."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from xml.sax.saxutils import escape, quoteattr

Point = tuple[float, float]

LETTER = 0.67
"""Width of a capital over the font size, in the widest of the fonts that figures use."""


def number(value: float) -> str:
    """A coordinate with one decimal, without ``-0`` and trailing zeros."""
    text = f"{value:.1f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def width_of(text: str, size: float) -> float:
    """Estimated width of a text in pixels."""
    return LETTER * size * len(text)


def title(text: str) -> str:
    """A tooltip, to be put inside another element."""
    return f"<title>{escape(text)}</title>"


def line(x1: float, y1: float, x2: float, y2: float, css: str) -> str:
    """A straight line."""
    ends = zip(("x1", "y1", "x2", "y2"), (x1, y1, x2, y2), strict=True)
    return f"<line {_numbers(ends)} class={quoteattr(css)}/>"


def polyline(points: Iterable[Point], css: str) -> str:
    """A connected line through points."""
    return f'<polyline points="{_points(points)}" class={quoteattr(css)}/>'


def polygon(points: Iterable[Point], css: str, tip: str = "") -> str:
    """A closed area."""
    return _element("polygon", f'points="{_points(points)}"', css, tip)


def stairs(points: Sequence[Point], css: str, closed: bool = False) -> str:
    """A line through points of which each is level with or upright above the one before.

    It takes half the text of a `polyline`. ``closed`` makes it an area.
    """
    (x, y), *others = [(number(x), number(y)) for x, y in points]
    moves = [f"M{x} {y}"]
    for next_x, next_y in others:
        moves += [f"H{next_x}"] if next_x != x else []
        moves += [f"V{next_y}"] if next_y != y else []
        x, y = next_x, next_y
    return _element("path", f'd="{"".join(moves)}{"Z" * closed}"', css, "")


def circle(x: float, y: float, radius: float, css: str, tip: str = "") -> str:
    """A circle."""
    shape = _numbers((("cx", x), ("cy", y), ("r", radius)))
    return _element("circle", shape, css, tip)


def text(x: float, y: float, words: str, css: str = "", anchor: str = "start") -> str:
    """One line of text; ``anchor`` is start, middle or end, ``y`` the base line."""
    return (
        f'<text {_numbers((("x", x), ("y", y)))} text-anchor="{anchor}"'
        f" class={quoteattr(css)}>{escape(words)}</text>"
    )


def group(parts: Iterable[str], css: str, data: Mapping[str, str | float]) -> str:
    """Elements that belong together; ``data`` is for scripts, full numbers included."""
    attributes = " ".join(f"data-{name}={quoteattr(str(value))}" for name, value in data.items())
    return f"<g class={quoteattr(css)} {attributes}>" + "".join(parts) + "</g>"


def marker(shape: str, x: float, y: float, css: str, tip: str = "", size: float = 4.0) -> str:
    """A mark at a point: circle, cross or polygon."""
    if shape == "circle":
        return circle(x, y, size, css, tip)
    if shape == "cross":
        return _cross(x, y, size, css, tip)
    corners = [
        (x + size * reach * math.cos(angle), y + size * reach * math.sin(angle))
        for angle, reach in _CORNERS[shape]
    ]
    return polygon(corners, css, tip)


def _ring(n: int, start: float, reach: float) -> list[Point]:
    return [(math.radians(start + 360 * i / n), reach) for i in range(n)]


_CORNERS = {
    "square": _ring(4, 45, 1.25),
    "diamond": _ring(4, 0, 1.35),
    "up": _ring(3, -90, 1.4),
    "down": _ring(3, 90, 1.4),
    "left": _ring(3, 180, 1.4),
    "right": _ring(3, 0, 1.4),
    "pentagon": _ring(5, -90, 1.25),
    "hexagon": _ring(6, 0, 1.2),
    "star": list(chain(*zip(_ring(5, -90, 1.5), _ring(5, -54, 0.65), strict=True))),
}


def _cross(x: float, y: float, size: float, css: str, tip: str) -> str:
    arms = (
        f"M{number(x - size)} {number(y)}H{number(x + size)}"
        f"M{number(x)} {number(y - size)}V{number(y + size)}"
    )
    return _element("path", f'd="{arms}"', css, tip)


def _element(name: str, shape: str, css: str, tip: str) -> str:
    start = f"<{name} {shape} class={quoteattr(css)}"
    return f"{start}>{title(tip)}</{name}>" if tip else f"{start}/>"


def _points(points: Iterable[Point]) -> str:
    return " ".join(f"{number(x)},{number(y)}" for x, y in points)


def _numbers(pairs: Iterable[tuple[str, float]]) -> str:
    return " ".join(f'{name}="{number(value)}"' for name, value in pairs)


def document(
    body: Sequence[str], width: float, height: float, name: str, label: str, description: str
) -> str:
    """An SVG element with title and description; ``name`` makes ids unique within a page."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="gs-figure" role="img"'
        f' viewBox="0 0 {number(width)} {number(height)}" width="{number(width)}"'
        f' height="{number(height)}" aria-labelledby="{name}-title {name}-desc">'
        f'<title id="{name}-title">{escape(label)}</title>'
        f'<desc id="{name}-desc">{escape(description)}</desc>' + "".join(body) + "</svg>"
    )
