"""What page, terminal and MLflow say of applications."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from pipeline.experiments.applications.results.application_study import studies
from pipeline.experiments.applications.results.crossing_points import (
    RESTARTS,
    TOGETHER,
    UNKNOWN,
    words,
)
from pipeline.experiments.applications.sections import application_page
from pipeline.experiments.applications.sections.application_sections import written
from pipeline.experiments.applications.sections.figures import FIGURES, crossing_figure
from pipeline.experiments.applications.tracking import policy_runs
from pipeline.reporting.sections import application_courses
from pipeline.reporting.sections.application_courses import Course
from pipeline.reporting.sections.course_lines import MEASURED, SIMULATED
from pipeline.warehouse.runs.run_results import Results
from tests.pipeline.experiments.applications import application_cases
from tests.sentence_facts import figures_of

pytestmark = pytest.mark.unit

STEPS = pd.DataFrame(
    {
        "begins_s": [0.0, 30.0, 60.0],
        "seconds": [30.0, 30.0, 30.0],
        "instances": [2, 3, 5],
        "rate": [1.0, 2.0, 2.0],
        "mean": [0.5, math.nan, 4.0],
    }
)


def test_means_have_intervals_over_replicates() -> None:
    (study,) = studies(application_cases.small())
    (row,) = study.means
    assert (row["replicates"], row["mean"]) == (2, 2.0)
    assert (row["mean_low"], row["mean_high"]) == (1.5, 2.5)
    assert study.path == "read > write"
    assert study.within() is None


def test_the_answer_names_the_bound_and_the_cheapest() -> None:
    sentences = " ".join(written(application_cases.small()).answer.answer)
    assert "No policy has a mean response time of at most 1" in sentences
    assert "Fewest instances of all: ds2 (2.50 instances, 2" in sentences


def test_functions_are_averaged_over_time() -> None:
    (experiment,) = written(application_cases.small()).experiments
    (table,) = experiment.sections[3].tables
    assert dict(table.rows[0].values) == {
        **{"read_instances": 1.0, "read_backlog": 0.0},
        **{"write_instances": 1.5, "write_backlog": 1.0},
    }


FACTS = {
    "source-rates-1": ("simulated: 1 to 1 events/s",),
    "policies-over-time-2": ("ds2, simulated: 2 to 3 instances", "1.25 to 1.25 s"),
}
"""What the description of a figure must say, from all rows of the tables."""


def test_every_figure_has_its_facts() -> None:
    (study,) = studies(application_cases.small())
    figures = [draw(study, number) for number, draw in enumerate(FIGURES, 1)]
    assert [figure.name for figure in figures if figure] == list(FACTS)
    for figure in figures:
        assert figure is not None
        assert all(fact in figure.alt for fact in FACTS[figure.name])
        assert "NaN" not in figure.wide + figure.narrow
        assert "nan" not in figure.wide + figure.narrow


def test_seamless_scaling_and_restarts_are_compared_cell_by_cell() -> None:
    """Queue 1: 2.1 s against 2.1 and 2.2 s; queue 8: 2.8 s. Staggered restarts take 2 s."""
    (experiment,) = written(application_cases.small()).experiments
    (study,) = studies(application_cases.small())
    section = experiment.sections[2]
    (table,) = section.tables
    assert [(row.name, row.values["starts"], row.values["later"]) for row in table.rows] == [
        (queue, RESTARTS[restart], words(study.later, int(queue), restart))
        for restart in RESTARTS
        for queue in ("1", "8")
    ]
    assert table.rows[1].values["by_4"] == pytest.approx(0.65)
    # With the longest queue from 4 on, however instances start.
    (sentence,) = section.answer
    assert figures_of(sentence) == ["8", "4", "4"]
    figure = crossing_figure.later(study, 3)
    assert figure is not None
    assert figures_of(figure.alt) == ["1", "4", "8", "4", "1", "4", "8", "4"]
    assert words(study.later, 1, TOGETHER) in figure.alt
    assert figure.wide.count('class="band f-red"') == 1 + 3
    assert figure.wide.count('class="band f-grey"') == 1 + 1


def test_one_replicate_leaves_it_open() -> None:
    small = application_cases.small()
    crossings = small["prefetch_crossings"]
    single = Results(
        {**small.tables, "prefetch_crossings": crossings[crossings["replicate"] == 1]},
        small.run,
        small.states,
    )
    (study,) = studies(single)
    section = written(single).experiments[0].sections[2]
    assert UNKNOWN in section.answer[0]
    assert {row.values["later"] for row in section.tables[0].rows} == {UNKNOWN}
    assert crossing_figure.later(study, 1) is None


def test_without_backlogs_nothing_is_compared() -> None:
    small = application_cases.small()
    bare = Results(
        {**small.tables, "prefetch_crossings": small["prefetch_crossings"].iloc[:0]},
        small.run,
        small.states,
    )
    (study,) = studies(bare)
    assert crossing_figure.later(study, 1) is None
    assert written(bare).experiments[0].sections[2].title == ""


def test_measured_courses_stand_beside_simulated_ones() -> None:
    courses = [Course("ds2", source, STEPS) for source in (SIMULATED, MEASURED)]
    figure = application_courses.over_time("f", 1, "Both.", courses, 1.0)
    assert figure is not None
    assert "ds2, measured: 2 to 5 instances" in figure.alt
    # Instances once, responses in two parts, since a step without events has none.
    assert figure.wide.count('class="line s-red dashed"') == 3 + 1
    assert figure.wide.count('class="line s-blue"') == 3 + 1
    rates = application_courses.rates("r", 1, "Both.", courses)
    assert rates is not None
    assert rates.alt == "simulated: 1 to 2 events/s; measured: 1 to 2 events/s."


def test_without_courses_there_is_no_figure() -> None:
    assert application_courses.over_time("f", 1, "None.", [], 1.0) is None
    assert application_courses.rates("r", 1, "None.", []) is None


def test_the_page_has_answer_figures_and_tables() -> None:
    page = application_page.build(application_cases.small())
    for text in ("Fewest instances", "Rate of the sources", "write, backlog", "Published figures"):
        assert text in page


def test_mlflow_gets_a_child_per_policy_with_curves() -> None:
    tracked = policy_runs.tracked(application_cases.small())
    assert tracked.parent.metrics["response_mean/applied/ds2"] == 2.0
    later = {key: n for key, n in tracked.parent.metrics.items() if key.startswith("later_from/")}
    assert later == {
        "later_from/applied/restart_s/8": 4.0,
        "later_from/applied/staggered_s/1": 4.0,
        "later_from/applied/staggered_s/8": 4.0,
    }
    (child,) = tracked.children("parent")
    assert child.name == "applied/ds2"
    assert child.metrics["mean_instances"] == 2.5
    assert [(step.key, step.value) for step in child.curves] == [
        ("series/instances", 2.0),
        ("series/instances", 3.0),
        # No event was completed in the first step.
        ("series/response", 1.25),
    ]
