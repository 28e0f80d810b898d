"""The figure that a paper draws of its strategies, from simulated rows."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from pipeline.experiments.autoscaling.sections.figures import FIGURES, published_courses_figure
from pipeline.experiments.autoscaling.sections.scaling_study import Study, studies
from pipeline.reporting.sections.ezzeddine_figures import EZZEDDINE
from pipeline.warehouse.runs.run_results import Results
from tests.pipeline.experiments.autoscaling import scaling_cases
from tests.sentence_facts import facts_in

pytestmark = pytest.mark.unit

DRAWN = ("linear", "linear:f_up=0.5")
PRINTED = (*DRAWN, "constant:initial_replicas=5", "least_loaded_2 − linear")


def results(source: str = EZZEDDINE, **setting: object) -> Results:
    """A small run whose first experiment has published figures of three candidates."""
    small = scaling_cases.small()
    figures = pd.DataFrame({"source": source, "candidate": PRINTED})
    steps = small["trajectories"]
    steps = steps.assign(replicas=steps["replicas"].where(steps["strategy"] != "constant", 5))
    config = small.config
    config["autoscaling"][0] |= {"profile": "three_peaks", "trace": None} | setting
    run = {**small.run, "config": config}
    return replace(small.with_tables(published_figures=figures, trajectories=steps), run=run)


def study(run: Results) -> Study:
    return studies(run)[0]


def test_candidates_with_published_figures_that_scale_are_drawn() -> None:
    """Intervals of 2 s; events of every seventh take up to 0.6 s, 0.5 s are in time."""
    run = results()
    figure = published_courses_figure.courses(run, study(run), 1)
    assert figure is not None
    assert figure.alt.count("simulated") == len(DRAWN)
    late = sum((iteration % 7) == 6 for iteration in range(1, scaling_cases.ITERATIONS + 1, 2))
    own = ["simulated", "1", "4", f"{late}", "300", "2 s", "0.600 s"]
    facts = [fact for label in DRAWN for fact in (label, *own)]
    assert facts_in(figure.alt, *facts) == facts
    assert "as Figures 2 to 12 of Ezzeddine et al. 2024" in figure.caption
    assert figure.wide.count("s-blue") == 2 * len(DRAWN)
    assert FIGURES[-1] is published_courses_figure.courses


def test_other_workloads_and_papers_have_no_such_figure() -> None:
    for run in (results(profile="diurnal"), results(source="another")):
        assert published_courses_figure.courses(run, study(run), 1) is None
    recorded = results(profile="diurnal", trace="trace-w1")
    assert published_courses_figure.courses(recorded, study(recorded), 1) is not None
    none = results().with_tables(published_figures=pd.DataFrame())
    assert published_courses_figure.courses(none, study(none), 1) is None
