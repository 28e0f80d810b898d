"""Rate, consumers and latency over time of strategies that a paper draws, simulated."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from algorithms.workloads.published_shapes import SHAPES
from pipeline.experiments.autoscaling.sections.scaling_study import Study
from pipeline.reporting.drawing.figure import Figure
from pipeline.reporting.sections import group_courses
from pipeline.reporting.sections.course_lines import SIMULATED
from pipeline.reporting.sections.ezzeddine_figures import EZZEDDINE
from pipeline.reporting.sections.group_courses import Course, Group
from pipeline.settings.strategy_names import candidates_of
from pipeline.warehouse.runs.run_results import Results


def courses(results: Results, study: Study, number: int) -> Figure | None:
    """Candidates with published figures that change the size of their group, first replicate."""
    setting = study.setting
    if setting["profile"] not in SHAPES and setting.get("trace") is None:
        return None
    name, where = f"published-courses-{number}", f"Experiment {study.name}, first replicate"
    group = Group(float(setting["mu"]), float(setting["wsla_s"]))
    drawn = [*_courses(results, study, group.rate)]
    return group_courses.over_time(name, number, where, drawn, group)


def _courses(results: Results, study: Study, rate: float) -> Iterator[Course]:
    """Courses in the order of the configuration."""
    figures = results["published_figures"]
    if figures.empty:
        return
    printed = set(figures.loc[figures["source"] == EZZEDDINE, "candidate"])
    steps = dict(iter(results.at(study.name)["trajectories"].groupby(["strategy", "setting"])))
    rows = {row["label"]: row for row in study.rows.to_dict("records")}
    for candidate in candidates_of(study.setting["strategies"]):
        label = candidate.label
        row = rows.get(label) if label in printed else None
        own = None if row is None else steps.get((row["strategy"], row["setting"]))
        if own is not None and own["replicas"].nunique() > 1:
            yield _course(label, own.sort_values("iteration"), study, rate)


def _course(label: str, steps: pd.DataFrame, study: Study, rate: float) -> Course:
    step_s = float(study.setting["step_s"])
    return Course(
        label,
        SIMULATED,
        step_s * float(steps["iteration"].diff().max()),
        steps["replicas"].to_numpy(np.int64),
        steps["arrived_max"].to_numpy(np.float64) / step_s / rate,
        steps["longest_s"].to_numpy(np.float64),
    )
