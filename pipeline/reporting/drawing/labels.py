"""Positions of labels that cover neither each other nor what they name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.reporting.drawing import svg

HEIGHT = 13.0
"""Height that one line of label takes."""

_MARK = 7.0
"""Half the size of the largest mark, in pixels."""

_CAPITAL = 0.35
"""How much wider than other letters capitals in bold are, in wide fonts."""

TOUCHING = 10.0
"""Area, in square pixels, that labels may have in common: their corners are empty."""

_DISTANCES = (9.0, 14.0, 20.0, 28.0, 38.0, 50.0, 64.0, 80.0, 100.0)
_DIRECTIONS = tuple(math.radians(a) for a in sorted(range(-160, 200, 20), key=abs))


class Box(NamedTuple):
    """A rectangle: pixels of its four sides."""

    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def around(cls, point: svg.Point, reach: float) -> Box:
        """A square around a point."""
        x, y = point
        return cls(x - reach, y - reach, x + reach, y + reach)


class Label(NamedTuple):
    """A placed label."""

    text: str
    x: float
    y: float
    """`x`, `y`: anchor of the text on its base line: its ``side`` start, middle or end, so that it
    keeps its distance from the point in a font of another width."""
    side: str
    anchor: svg.Point
    """The point that it belongs to."""
    box: Box

    def drawn(self, css: str) -> str:
        """The text, and a leader if it is away from its point."""
        return self.leader() + svg.text(self.x, self.y, self.text, css, self.side)

    def leader(self) -> str:
        """A thin line from the point to a label that is away from it, else nothing."""
        near_x = min(max(self.anchor[0], self.box.left), self.box.right)
        near_y = min(max(self.anchor[1], self.box.top), self.box.bottom)
        dx, dy = near_x - self.anchor[0], near_y - self.anchor[1]
        distance = math.hypot(dx, dy)
        if distance < 10:
            return ""
        share = 5 / distance
        x, y = self.anchor[0] + dx * share, self.anchor[1] + dy * share
        return svg.line(x, y, near_x, near_y, "leader")


def spread(anchors: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Positions near the anchors, in their order, at least ``gap`` apart.

    Neighbours that are too close share the shift (pooled like an isotonic regression), and
    all stay within ``low`` and ``high`` if there is room.
    """
    order = sorted(range(len(anchors)), key=lambda i: anchors[i])
    groups: list[list[float]] = []  # [sum of targets, members]
    for rank, i in enumerate(order):
        groups.append([anchors[i] - rank * gap, 1.0])
        while len(groups) > 1 and groups[-2][0] / groups[-2][1] > groups[-1][0] / groups[-1][1]:
            total, members = groups.pop()
            groups[-1][0] += total
            groups[-1][1] += members
    bases = [total / members for total, members in groups for _ in range(int(members))]
    ceiling = max(high - (len(anchors) - 1) * gap, low)
    placed = [0.0] * len(anchors)
    for rank, (i, base) in enumerate(zip(order, bases, strict=True)):
        placed[i] = min(max(base, low), ceiling) + rank * gap
    return placed


def place(
    names: Sequence[str], points: Sequence[svg.Point], bounds: Box, size: float, taken: list[Box]
) -> list[Label]:
    """Put each name next to its point, in the nearest place that covers least.

    Names that come first choose first. ``taken`` are areas to keep free; they grow by the
    labels placed. O(labels × areas).
    """
    marks = [Box.around(point, _MARK) for point in points]
    placed = []
    for name, point in zip(names, points, strict=True):
        candidates = [_candidate(name, point, size, d, a) for d in _DISTANCES for a in _DIRECTIONS]
        costs = _costs(np.array([c.box for c in candidates]), point, bounds, [*taken, *marks])
        label = candidates[int(np.argmin(costs))]
        taken.append(label.box)
        placed.append(label)
    return placed


def apart(placed: Sequence[Label]) -> list[Label]:
    """The labels that cover none of those kept before them."""
    kept: list[Label] = []
    for label in placed:
        if not kept or _overlap(np.array([label.box]), [one.box for one in kept])[0] <= TOUCHING:
            kept.append(label)
    return kept


def _candidate(name: str, point: svg.Point, size: float, distance: float, angle: float) -> Label:
    capitals = sum(letter.isupper() for letter in name)
    width = svg.width_of(name, size) * (1 + _CAPITAL * capitals / max(len(name), 1))
    dx, dy = math.cos(angle) * distance, math.sin(angle) * distance
    side, share = ("start", 0.0) if dx > 2 else ("end", 1.0) if dx < -2 else ("middle", 0.5)
    x, middle = point[0] + dx, point[1] + dy
    left = x - share * width
    box = Box(left, middle - HEIGHT / 2, left + width, middle + HEIGHT / 2)
    return Label(name, x, middle + size * 0.35, side, point, box)


def _costs(
    boxes: NDArray[np.float64], point: svg.Point, bounds: Box, occupied: Sequence[Box]
) -> NDArray[np.float64]:
    """What each place for a label costs: area beyond bounds, area covered, distance."""
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    outside = area - _overlap(boxes, [bounds])
    apart = np.hypot(
        (boxes[:, 0] + boxes[:, 2]) / 2 - point[0], (boxes[:, 1] + boxes[:, 3]) / 2 - point[1]
    )
    return 50 * outside + 10 * _overlap(boxes, occupied) + apart


def _overlap(boxes: NDArray[np.float64], others: Sequence[Box]) -> NDArray[np.float64]:
    """Area that each box has in common with the others together."""
    area = np.array(others)
    width = np.minimum(boxes[:, None, 2], area[:, 2]) - np.maximum(boxes[:, None, 0], area[:, 0])
    height = np.minimum(boxes[:, None, 3], area[:, 3]) - np.maximum(boxes[:, None, 1], area[:, 1])
    common: NDArray[np.float64] = np.maximum(width, 0.0) * np.maximum(height, 0.0)
    return np.asarray(common.sum(axis=1), dtype=np.float64)
