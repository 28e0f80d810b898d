"""Scales, and a panel with axes that data are drawn in."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pipeline.reporting.drawing import svg

TEXT_SIZE = 12.0
"""Font size of figures in pixels; figures.css sets the same."""

TICK_ROOM = 19.0
"""Height of the row of tick labels below a panel."""

KEY_ROW = 18.0
"""Height of a row of a key."""


@dataclass(frozen=True)
class Scale:
    """Maps values of a domain to pixels."""

    low: float
    high: float
    """`low`, `high`: domain. Values outside are drawn at the edge."""
    start: float
    end: float
    """`start`, `end`: pixels of ``low`` and ``high``."""
    log: bool = False
    """Whether the scale is logarithmic; requires ``low`` > 0. Zero, and anything below ``low``, is
    drawn at ``zero`` if given."""
    zero: float | None = None
    """Pixel for values that a logarithm cannot show."""

    def __call__(self, value: float) -> float:
        """Pixel of a value."""
        if self.log and value < self.low and self.zero is not None:
            return self.zero
        share = (self._place(value) - self._place(self.low)) / (
            self._place(self.high) - self._place(self.low)
        )
        return self.start + min(max(share, 0.0), 1.0) * (self.end - self.start)

    def ticks(self, count: int = 6) -> list[float]:
        """Round values within the domain, at most about ``count``."""
        return self._decades(count) if self.log else self._steps(count)

    def _place(self, value: float) -> float:
        return math.log10(max(value, self.low)) if self.log else value

    def _decades(self, count: int) -> list[float]:
        first = math.ceil(math.log10(self.low) - 1e-9)
        last = math.floor(math.log10(self.high) + 1e-9)
        every = max(1, math.ceil((last - first + 1) / count))
        return [10.0**k for k in range(first, last + 1, every)]

    def _steps(self, count: int) -> list[float]:
        step = nice_step((self.high - self.low) / max(count, 1))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [k * step for k in range(first, last + 1)]


def nice_step(least: float) -> float:
    """Smallest of 1, 2, 5 × a power of ten that is not below ``least`` (1 where that is 0)."""
    if least <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    return next((m * power for m in (1, 2, 5) if m * power >= least * (1 - 1e-9)), 10 * power)


def room_above(values: Sequence[float], share: float = 0.06) -> float:
    """Upper end of an axis from 0 that leaves some room above the greatest value."""
    greatest = max((v for v in values if math.isfinite(v)), default=0.0)
    return greatest * (1 + share) if greatest > 0 else 1.0


def decade_above(value: float, least: float) -> float:
    """Upper end of a logarithmic axis from `least`: a power of ten, a decade above it or more."""
    return 10.0 ** math.ceil(math.log10(max(value, 10.0 * least)))


@dataclass
class Panel:
    """A plotting area; ``parts`` collects what is drawn, in order."""

    left: float
    top: float
    right: float
    bottom: float
    """`left`, `top`, `right`, `bottom`: pixels of the area within the axes."""
    x: Scale
    y: Scale
    """`x`, `y`: scales of the two axes."""
    parts: list[str] = field(default_factory=list)

    def add(self, *elements: str) -> None:
        """Draw elements above those drawn before."""
        self.parts.extend(elements)

    def at(self, x: float, y: float) -> svg.Point:
        """Pixel of a data point."""
        return self.x(x), self.y(y)

    def axes(
        self,
        x_label: str,
        y_label: str,
        x_format: Callable[[float], str],
        y_format: Callable[[float], str],
        x_ticks: Sequence[float] | None = None,
        y_ticks: Sequence[float] | None = None,
    ) -> None:
        """Draw grid, ticks and labels; the y label is horizontal, above its axis."""
        rows = max(2, int((self.bottom - self.top) / 38))
        for value in y_ticks if y_ticks is not None else self.y.ticks(rows):
            y = self.y(value)
            self.add(svg.line(self.left, y, self.right, y, "grid"))
            self.add(svg.text(self.left - 6, y + 4, y_format(value), "tick", "end"))
        self._zero_row()
        span = int((self.right - self.left) / 48)
        for value in x_ticks if x_ticks is not None else self.x.ticks(max(2, span)):
            x = self.x(value)
            self.add(svg.line(x, self.floor, x, self.floor + 4, "axis"))
            self.add(svg.text(x, self.floor + TICK_ROOM, x_format(value), "tick", "middle"))
        self.add(svg.line(self.left, self.floor, self.right, self.floor, "axis"))
        middle = (self.left + self.right) / 2
        if x_label:
            label = svg.text(middle, self.floor + 2 * TICK_ROOM + 1, x_label, "label", "middle")
            self.add(label)
        if y_label:
            self.add(svg.text(min(self.left, 8.0), self.top - 12, y_label, "label"))

    @property
    def floor(self) -> float:
        """Pixel row of the x axis: below the row for zeros where the y axis has one."""
        return self.bottom if self.y.zero is None else self.y.zero + 10

    def _zero_row(self) -> None:
        if self.y.zero is None:
            return
        y = self.y.zero
        self.add(svg.line(self.left, y, self.right, y, "grid dotted"))
        self.add(svg.text(self.left - 6, y + 4, "0", "tick", "end"))

    def error_bar(self, x: float, low: float, high: float, css: str, cap: float = 3.0) -> None:
        """Draw a vertical interval with caps; one without finite bounds is left out."""
        if not (math.isfinite(low) and math.isfinite(high)):
            return
        centre, top, bottom = self.x(x), self.y(high), self.y(low)
        self.add(svg.line(centre, top, centre, bottom, css))
        for end in (top, bottom):
            self.add(svg.line(centre - cap, end, centre + cap, end, css))
