"""Figures as PNG: Matplotlib draws what `svg` writes, in the light style of ``figures.css``."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SCALE = 2.0
"""Pixels of the picture for each of the drawing."""

_INCH = 72.0
"""Pixels of the drawing per inch: a width in points, as Matplotlib has them, is one in pixels."""

_FONT_SHARE = 0.9
"""Matplotlib's own font is a tenth wider than those of browsers."""

_DARK = re.compile(r"@media[^{]*\{(?:[^{}]*\{[^{}]*\})*\s*\}")
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_VARIABLE = re.compile(r"var\((--[a-z]+)\)")
_MOVE = re.compile(r"([MHVZ])([-0-9.]*) ?([-0-9.]*)")
_ANCHORS = {"start": "left", "middle": "center", "end": "right"}
_ROOT = ".gs-figure"


def png(picture: bytes) -> bytes:
    """An SVG file with its style, as `Figure.standalone` writes it, as PNG; the same for the same.

    Groups have no style of their own.
    """
    from matplotlib.figure import Figure

    root = ElementTree.fromstring(picture)
    style = _Style("".join(each.text or "" for each in root if _tag(each) == "style"))
    width, height = (float(root.attrib[name]) for name in ("width", "height"))
    figure = Figure((width / _INCH, height / _INCH), facecolor=style.paper)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(0.0, width), ylim=(height, 0.0))
    axes.set_axis_off()
    for order, element in enumerate(root.iter()):
        if _tag(element) in _SHAPES:
            _SHAPES[_tag(element)](axes, element, style.of(element), order)
    written = io.BytesIO()
    figure.savefig(written, format="png", dpi=SCALE * _INCH, metadata={"Software": None})
    return written.getvalue()


class _Look:
    """Properties of an element, in Matplotlib's words."""

    def __init__(self, properties: dict[str, str]) -> None:
        self.fill = properties.get("fill", "black")
        self.stroke = properties.get("stroke", "none")
        self.width = float(properties.get("stroke-width", "1").removesuffix("px"))
        self.alpha = float(properties.get("opacity", "1"))
        self.size = float(properties.get("font-size", "12px").removesuffix("px"))
        self.is_bold = int(properties.get("font-weight", "400")) >= 600
        gaps = [float(part) for part in properties.get("stroke-dasharray", "").split()]
        # Matplotlib counts gaps in widths of the line.
        self.dashes = (0.0, [gap / self.width for gap in gaps]) if gaps else "solid"


class _Style:
    """Rules of a style sheet: those of elements, then those of classes, in their order."""

    def __init__(self, sheet: str) -> None:
        self._rules: list[tuple[str, dict[str, str]]] = []
        for selectors, body in _RULE.findall(_DARK.sub("", sheet)):
            pairs = (part.split(":", 1) for part in body.split(";") if ":" in part)
            properties = {name.strip(): value.strip() for name, value in pairs}
            for selector in selectors.split(","):
                self._rules.append((selector.replace(_ROOT, "").strip(), properties))
        self._rules.sort(key=lambda rule: rule[0].startswith("."))
        self._variables = {
            name: value
            for selector, properties in self._rules
            if not selector
            for name, value in properties.items()
        }
        self.paper = self._variables["--paper"]

    def of(self, element: ElementTree.Element) -> _Look:
        names = {_tag(element), *(f".{name}" for name in element.get("class", "").split())}
        looks: dict[str, str] = {}
        for selector, properties in self._rules:
            if selector in names:
                looks |= properties
        return _Look({name: self._value(value) for name, value in looks.items()})

    def _value(self, value: str) -> str:
        return _VARIABLE.sub(lambda match: self._variables[match[1]], value)


def _line(axes: Axes, element: ElementTree.Element, look: _Look, order: int) -> None:
    x1, y1, x2, y2 = (float(element.attrib[name]) for name in ("x1", "y1", "x2", "y2"))
    _stroked(axes, [(x1, y1), (x2, y2)], look, order)


def _polyline(axes: Axes, element: ElementTree.Element, look: _Look, order: int) -> None:
    _stroked(axes, _points(element), look, order)


def _polygon(axes: Axes, element: ElementTree.Element, look: _Look, order: int) -> None:
    _filled(axes, _points(element), look, order)


def _path(axes: Axes, element: ElementTree.Element, look: _Look, order: int) -> None:
    """A path of moves that are level or upright; one that is closed is an area."""
    points: list[tuple[float, float]] = []
    for move, first, second in _MOVE.findall(element.attrib["d"]):
        if move == "M":
            points.append((float(first), float(second)))
        elif move != "Z":
            x, y = points[-1]
            points.append((float(first), y) if move == "H" else (x, float(first)))
    draw = _filled if element.attrib["d"].endswith("Z") else _stroked
    draw(axes, points, look, order)


def _circle(axes: Axes, element: ElementTree.Element, look: _Look, order: int) -> None:
    from matplotlib.patches import Circle

    x, y, radius = (float(element.attrib[name]) for name in ("cx", "cy", "r"))
    edge = {"edgecolor": look.stroke, "linewidth": look.width, "facecolor": look.fill}
    axes.add_patch(Circle((x, y), radius, alpha=look.alpha, zorder=order, **edge))


def _text(axes: Axes, element: ElementTree.Element, look: _Look, order: int) -> None:
    axes.text(
        *(float(element.attrib["x"]), float(element.attrib["y"]), "".join(element.itertext())),
        color=look.fill,
        fontsize=_FONT_SHARE * look.size,
        fontweight="bold" if look.is_bold else "normal",
        ha=_ANCHORS[element.get("text-anchor", "start")],
        va="baseline",
        zorder=order,
        parse_math=False,
    )


_SHAPES = {
    "line": _line,
    "polyline": _polyline,
    "polygon": _polygon,
    "path": _path,
    "circle": _circle,
    "text": _text,
}


def _stroked(axes: Axes, points: list[tuple[float, float]], look: _Look, order: int) -> None:
    if points:
        axes.plot(
            *zip(*points, strict=True),
            color=look.stroke,
            linewidth=look.width,
            linestyle=look.dashes,
            alpha=look.alpha,
            zorder=order,
        )


def _filled(axes: Axes, points: list[tuple[float, float]], look: _Look, order: int) -> None:
    from matplotlib.patches import Polygon

    edge = {"edgecolor": look.stroke, "linewidth": look.width, "facecolor": look.fill}
    axes.add_patch(Polygon(points, closed=True, alpha=look.alpha, zorder=order, **edge))


def _points(element: ElementTree.Element) -> list[tuple[float, float]]:
    pairs = (pair.split(",") for pair in element.attrib["points"].split())
    return [(float(x), float(y)) for x, y in pairs]


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]
