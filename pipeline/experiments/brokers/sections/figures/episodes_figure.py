"""Brokers and latency in an early and a late episode, on measured rows and on Kafka brokers.

The paper's Figures 2 to 7 show early and late episodes: 2 and 3 with reward 1, 4 and 5 with reward
2, 6 and 7 with reward 3.
"""

from __future__ import annotations

import pandas as pd

from algorithms.learning.learning_names import AGENTS, REWARDS
from pipeline.experiments.brokers.results.deciding_study import Course, DecidingStudy
from pipeline.reporting.drawing import svg
from pipeline.reporting.drawing.axes import TEXT_SIZE, Panel, Scale, room_above
from pipeline.reporting.drawing.figure import WIDE, Figure, compose
from pipeline.reporting.drawing.looks import Look
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.section import Chart
from schemas.tables.brokers.broker_episodes import KAFKA, ROWS

EARLY, LATE = "first episode", "last episode"
LOOKS = {EARLY: Look("grey", "circle", dashed=True), LATE: Look("blue", "circle", strong=True)}

CLUSTERS = {ROWS: "measured rows", KAFKA: "Kafka brokers"}

_PANEL, _GAP, _KEY = 130.0, 66.0, 30.0


def figures(study: DecidingStudy) -> list[Chart]:
    """A figure for each agent and reward."""
    pairs = [(d, r) for r in study.setting["rewards"] for d in study.setting["decided_by"]]
    return [_chart(study, *pair) for pair in pairs if pair[0] in AGENTS]


def _chart(study: DecidingStudy, decider: str, reward: str) -> Chart:
    return lambda number: early_and_late(study.compared(decider, reward), study.name, number)


def early_and_late(courses: list[Course], name: str, number: int) -> Figure | None:
    """A column for each cluster: brokers above, latency below."""
    if not courses:
        return None
    first = courses[0]
    place = 2 * REWARDS.index(first.reward) + 2
    caption = (
        f"Experiment {name}: {first.decider}, reward {first.reward}. Brokers after each decision, "
        "and 95th percentile of end-to-end latency in the interval after it; the dotted line is "
        f"the objective of {first.objective_ms:g} ms. As Figures {place} and {place + 1} of "
        "Giannakopoulos and Kalogeraki 2022, which print no values. One agent: an illustration."
    )
    title = f"{first.decider}, reward {first.reward}: early and late"
    alt = " ".join(map(_words, courses))
    return compose(
        f"broker-episodes-{number}", number, title, caption, alt, lambda w: _draw(courses, w)
    )


def _shown(course: Course) -> dict[str, pd.DataFrame]:
    """The first episode, unless there is one only, and the last."""
    episodes = course.episodes
    return ({EARLY: episodes[0]} if len(episodes) > 1 else {}) | {LATE: episodes[-1]}


def _words(course: Course) -> str:
    parts = [
        f"{which}: {int(own['before'].iloc[0])} to {int(own['after'].iloc[-1])} brokers, "
        f"{numbers.percent(course.over(own), 0)} of intervals over the objective"
        for which, own in _shown(course).items()
    ]
    return f"{CLUSTERS[course.cluster].capitalize()}, {course.phase}: {'; '.join(parts)}."


def _draw(courses: list[Course], width: float) -> tuple[list[str], float]:
    columns = len(courses) if width >= WIDE else 1
    parts, height = _key(), _KEY
    for place, course in enumerate(courses):
        row, column = divmod(place, columns)
        left = 48.0 + column * width / columns
        right = (column + 1) * width / columns - 14.0
        top = _KEY + 40.0 + row * 2.0 * (_PANEL + _GAP)
        title = f"{CLUSTERS[course.cluster]}, {course.phase}"
        parts.append(svg.text(left - 34.0, top - 26.0, title, "panel"))
        parts += _brokers(course, courses, left, top, right)
        parts += _latency(course, courses, left, top + _PANEL + _GAP, right)
        height = top + 2.0 * _PANEL + _GAP + 44.0
    return parts, height


def _brokers(
    course: Course, courses: list[Course], left: float, top: float, right: float
) -> list[str]:
    counts = pd.concat([one.decisions[["before", "after"]] for one in courses]).to_numpy()
    y = Scale(float(counts.min()) - 0.5, float(counts.max()) + 0.5, top + _PANEL, top)
    panel = _panel(course, left, top, right, y, "brokers", "")
    for which, own in _shown(course).items():
        values = [float(own["before"].iloc[0]), *own["after"].astype(float)]
        points = [panel.at(0.0, values[0])]
        for step, value in enumerate(values[1:], start=1):
            points += [panel.at(step - 1.0, value), panel.at(float(step), value)]
        panel.add(svg.stairs(points, LOOKS[which].line))
    return panel.parts


def _latency(
    course: Course, courses: list[Course], left: float, top: float, right: float
) -> list[str]:
    values = [float(v) for one in courses for v in one.decisions["end_to_end_ms"].dropna()]
    high = room_above([*values, course.objective_ms])
    y = Scale(0.0, high, top + _PANEL, top)
    panel = _panel(course, left, top, right, y, "95th percentile of latency, ms", "decision")
    level = panel.y(course.objective_ms)
    panel.add(svg.line(left, level, right, level, "axis dotted"))
    for which, own in _shown(course).items():
        read = own.dropna(subset=["end_to_end_ms"])
        pairs = zip(read["step"], read["end_to_end_ms"].astype(float), strict=True)
        points = [panel.at(float(step), value) for step, value in pairs]
        panel.add(svg.polyline(points, LOOKS[which].line))
    return panel.parts


def _panel(
    course: Course, left: float, top: float, right: float, y: Scale, label: str, below: str
) -> Panel:
    steps = float(course.decisions["step"].max())
    panel = Panel(left, top, right, top + _PANEL, Scale(0.0, steps, left, right), y)
    panel.axes(below, "", "{:g}".format, "{:g}".format)
    # The label of an axis would be at the figure's left edge, whatever its panel.
    panel.add(svg.text(left - 34.0, top - 8.0, label, "label"))
    return panel


def _key() -> list[str]:
    drawn = []
    for place, (which, look) in enumerate(LOOKS.items()):
        x = 8.0 + 130.0 * place
        drawn.append(svg.line(x, 10.0, x + 22.0, 10.0, look.line))
        drawn.append(svg.text(x + 28.0, 10.0 + TEXT_SIZE * 0.35, which))
    return drawn
