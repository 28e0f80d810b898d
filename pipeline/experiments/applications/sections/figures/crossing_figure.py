"""How much later seamless scaling responds than a restart, by backlog and receiver queue."""

from __future__ import annotations

from pipeline.experiments.applications.results.application_study import Study
from pipeline.experiments.applications.results.crossing_points import (
    RESTARTS,
    TOGETHER,
    UNKNOWN,
    Later,
    words,
)
from pipeline.reporting.drawing import svg
from pipeline.reporting.drawing.figure import WIDE, Figure, compose
from pipeline.reporting.sections import numbers

TITLE = "Seamless scaling or a restart"

_COLOURS = {1: "red", -1: "blue", 0: "grey"}
_WORDS = {1: "seamless later", -1: "seamless earlier", 0: "no difference"}

_LEFT, _ROW, _HEAD, _GAP = 64.0, 30.0, 62.0, 34.0
"""Room for names, and heights of a row, of what stands above a map, and between two; pixels."""


def later(study: Study, number: int) -> Figure | None:
    """A map for each kind of restart: seconds in cells, coloured by which one is later.

    None without backlogs, or without intervals.
    """
    # Grey would say that there is no difference.
    if not study.later or words(study.later, study.later[0].receiver_queue, TOGETHER) == UNKNOWN:
        return None
    caption = (
        f"Experiment {study.name}. Seconds by which seamless scaling responds later than a restart "
        "(below 0: earlier), by the backlog at the change and the events that an instance fetches "
        "ahead. Red and blue: the 95 % interval is above or below 0, and the mean is 50 ms or more "
        "away from it."
    )
    name = f"seamless-or-restart-{number}"
    cells = study.later
    return compose(name, number, TITLE, caption, _alt(cells), lambda width: _draw(cells, width))


def _alt(cells: list[Later]) -> str:
    parts = []
    for restart, start in RESTARTS.items():
        for queue in sorted({cell.receiver_queue for cell in cells}):
            later = words(cells, queue, restart)
            parts.append(f"receiver queue {queue:,}, instances start {start}: later {later}")
    return f"{'; '.join(parts)}."


def _draw(cells: list[Later], width: float) -> tuple[list[str], float]:
    parts: list[str] = []
    for i, (sign, meaning) in enumerate(_WORDS.items()):
        x = 8.0 + i * (130.0 if width >= WIDE else 112.0)
        parts.append(svg.polygon(_box(x, 4.0, 14.0, 14.0), f"band f-{_COLOURS[sign]}"))
        parts.append(svg.text(x + 19.0, 15.0, meaning, "small"))
    top = 20.0
    for restart, start in RESTARTS.items():
        own = [cell for cell in cells if cell.restart == restart]
        parts.append(svg.text(8.0, top + 24.0, f"restart: instances start {start}", "bold"))
        drawn, top = _map(own, width, top + _HEAD)
        parts += drawn
    return parts, top


def _map(cells: list[Later], width: float, top: float) -> tuple[list[str], float]:
    """One map, and where it ends."""
    backlogs = sorted({cell.backlog for cell in cells})
    queues = sorted({cell.receiver_queue for cell in cells})
    step = (width - _LEFT - 8.0) / len(backlogs)
    parts = [svg.text(8.0, top - 6.0, "fetched", "label small")]
    for i, backlog in enumerate(backlogs):
        parts.append(svg.text(_LEFT + (i + 0.5) * step, top - 6.0, f"{backlog}", "tick", "middle"))
    for row, queue in enumerate(queues):
        parts.append(
            svg.text(_LEFT - 8.0, top + (row + 0.5) * _ROW + 4.0, f"{queue}", "tick", "end")
        )
    for cell in cells:
        x = _LEFT + backlogs.index(cell.backlog) * step
        y = top + queues.index(cell.receiver_queue) * _ROW
        colour = _COLOURS[cell.sign]
        parts.append(svg.polygon(_box(x, y, step - 2.0, _ROW - 2.0), f"band f-{colour}"))
        parts.append(
            svg.text(
                x + step / 2.0, y + _ROW / 2.0 + 3.0, _short(cell.by_s.mean), "small", "middle"
            )
        )
    bottom = top + _ROW * len(queues)
    parts.append(svg.text(width - 8.0, bottom + 14.0, "backlog, events", "label small", "end"))
    return parts, bottom + _GAP


def _box(x: float, y: float, width: float, height: float) -> list[svg.Point]:
    return [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]


def _short(seconds: float) -> str:
    """With few digits: cells of a narrow drawing have room for four or five."""
    if abs(seconds) >= 9.95:
        return numbers.fixed(seconds, 0)
    if abs(seconds) < 0.005:
        return "0"
    return numbers.fixed(seconds, 1 if abs(seconds) >= 0.05 else 2)
