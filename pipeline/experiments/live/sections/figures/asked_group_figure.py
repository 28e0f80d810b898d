"""Rate, consumers and latency over time of groups whose assignor asks, simulated and measured."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from algorithms.core.arrays import Floats
from live.strategy_kinds import is_asking
from pipeline.experiments.live.evidence.served_records import OBJECTIVE_S
from pipeline.experiments.live.results.live_study import Study
from pipeline.reporting.drawing.figure import Figure
from pipeline.reporting.sections import group_courses
from pipeline.reporting.sections.course_lines import MEASURED, SIMULATED
from pipeline.reporting.sections.group_courses import Course, Group

SECOND_S = 1.0


def over_time(study: Study, number: int) -> Figure | None:
    """Groups whose assignor asks on the first stream, in the order of the configuration."""
    rate = float(study.setting["consumer_rate"])
    group = Group(rate / float(study.setting["record_bytes"]), OBJECTIVE_S)
    where = f"Experiment {study.name}, first stream"
    courses = [*_courses(study, rate)]
    return group_courses.over_time(f"asked-group-{number}", number, where, courses, group)


def _courses(study: Study, rate: float) -> Iterator[Course]:
    """Both courses of each group whose assignor asks, with rows.

    rate: Bytes/s that a consumer processes.
    """
    measured = dict(iter(study.over_time.groupby("strategy")))
    simulated = dict(iter(study.courses.groupby("strategy")))
    for one in study.outcomes:
        name = one.strategy
        if not is_asking(name) or name not in measured:
            continue
        needed = measured[name]["speed"].to_numpy(np.float64) / rate
        for source, rows in ((SIMULATED, simulated.get(name)), (MEASURED, measured[name])):
            if rows is not None:
                consumers = rows["consumers"].to_numpy(np.int64)
                yield Course(name, source, SECOND_S, consumers, needed, longest_of(rows))


def longest_of(rows: pd.DataFrame) -> Floats:
    """Longest latency of each row, s; 0 without records."""
    longest: Floats = rows["longest_s"].astype(float).fillna(0.0).to_numpy(np.float64)
    return longest
