"""What would change the answer, as bars: the cost after one change at a time."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.experiments.autoscaling.answers.recommendation_figures import brief, shown
from pipeline.experiments.autoscaling.recommendation.changes import Changed
from pipeline.experiments.autoscaling.recommendation.judged_candidates import Judged
from pipeline.reporting.drawing import svg
from pipeline.reporting.drawing.axes import Panel, Scale, room_above
from pipeline.reporting.drawing.figure import Figure, compose

_NAMES, _RESULTS, _TOP, _ROW, _AXIS = 200.0, 200.0, 14.0, 26.0, 46.0
_BAR = 12.0
_WIDE_ENOUGH = 600.0
NOTHING = "nothing is enough"


def tornado_figure(answer: Judged, changed: Sequence[Changed], unit: str) -> Figure:
    """Draw the cost per hour after each change, from the cost of the answer."""
    return compose(
        "changes",
        2,
        "What would change the answer",
        f"Cost per hour, {unit}, after one change at a time; bars begin at the cost of the answer.",
        f"The answer costs {shown(answer.cost.mean)} per hour. "
        + "; ".join(f"{each.name}: {_words(each, answer)}" for each in changed),
        lambda width: _drawn(answer, changed, unit, width),
    )


def _words(changed: Changed, answer: Judged) -> str:
    then = changed.answer
    if then is None:
        return NOTHING
    what = "the same" if brief(then) == brief(answer) else brief(then)
    return f"{what}, {shown(then.cost.mean)}"


def _drawn(
    answer: Judged, changed: Sequence[Changed], unit: str, width: float
) -> tuple[list[str], float]:
    """Names left of the bars and results right of them; above them where there is no room."""
    is_wide = width >= _WIDE_ENOUGH
    row = _ROW if is_wide else 2.0 * _ROW
    left, right = (_NAMES, width - _RESULTS) if is_wide else (10.0, width - 14.0)
    bottom = _TOP + row * len(changed)
    costs = [each.answer.cost.mean for each in changed if each.answer is not None]
    x = Scale(0.0, room_above([*costs, answer.cost.mean]), left, right)
    panel = Panel(left, _TOP, right, bottom, x, Scale(0.0, 1.0, bottom, _TOP))
    for tick in x.ticks(6 if is_wide else 4):
        panel.add(svg.line(x(tick), _TOP, x(tick), bottom, "grid"))
    panel.axes(f"cost per hour, {unit}", "", "{:g}".format, str, y_ticks=())
    at = x(answer.cost.mean)
    for place, each in enumerate(changed):
        middle = _TOP + row * (place + (0.5 if is_wide else 0.72))
        # Where names are above the bars, the line leaves them out.
        half = row / 2.0 if is_wide else _BAR
        panel.add(svg.line(at, middle - half, at, middle + half, "line s-ink"))
        panel.add(*_bar(each, x, answer.cost.mean, middle))
        if is_wide:
            panel.add(svg.text(left - 8.0, middle + 4.0, each.name, "", "end"))
            panel.add(svg.text(right + 8.0, middle + 4.0, _words(each, answer), "tick"))
        else:
            panel.add(
                svg.text(left, middle - 14.0, f"{each.name}: {_words(each, answer)}", "name small")
            )
    return panel.parts, bottom + _AXIS


def _bar(changed: Changed, x: Scale, before: float, middle: float) -> list[str]:
    if changed.answer is None:
        return []
    low, high = sorted((x(before), x(changed.answer.cost.mean)))
    top, bottom = middle - _BAR / 2, middle + _BAR / 2
    css = "f-red" if changed.answer.cost.mean > before else "f-green"
    corners = (
        (low, top),
        (max(high, low + 1.0), top),
        (max(high, low + 1.0), bottom),
        (low, bottom),
    )
    return [svg.polygon(corners, css)]
