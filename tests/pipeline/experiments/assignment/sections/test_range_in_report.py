"""Fixed groups under Kafka's range assignor in the report of a trace of several topics."""

from __future__ import annotations

import re
from functools import cache

import pytest

from pipeline.experiments.assignment import sections
from pipeline.experiments.assignment.results import decision
from pipeline.experiments.assignment.sections import decision_text
from pipeline.experiments.assignment.sections.figures.consumers_figure import consumers
from pipeline.experiments.assignment.sections.figures.latency_figures import percentile
from pipeline.reporting.drawing.figure import Figure
from pipeline.warehouse.runs.run_results import Results
from tests.pipeline.experiments.assignment import recorded_case
from tests.pipeline.reporting.sections.html_page import section

pytestmark = pytest.mark.unit

RANGES = ("range_2", "range_3")


@cache
def run(*fixed: str) -> Results:
    topics = ((0, 1, 2), (3, 4, 5))
    return recorded_case.of(recorded_case.daily(), ("BFD", "MWF", *fixed), topics)


@pytest.mark.slow
def test_the_answer_has_a_row_per_group_and_a_term_for_them() -> None:
    html = sections.build(run("kd_2", *RANGES))
    for name in ("kd_2", *RANGES):
        assert f'<th scope="row">{name}</th>' in html
    assert "range_n Kafka's range assignor" in " ".join(section(html, "answer").split())
    assert "range_n" not in sections.build(run("kd_2"))


def test_figure_7_draws_them_as_a_curve_of_their_own() -> None:
    drawn, without = (
        percentile(run(*names), 7) for names in (("kd_2", "kd_3", *RANGES), ("kd_2", "kd_3"))
    )
    assert isinstance(drawn, Figure)
    assert isinstance(without, Figure)
    titles = re.findall(r"<title>([^<]*)</title>", drawn.wide)
    for name in RANGES:
        assert len([title for title in titles if title.startswith(f"{name}: ")]) == 1
    assert "Squares on a dashed line: Kafka's range assignor" in drawn.caption
    assert drawn.wide.count('class="line s-ink dashed"') == 1
    assert "range" not in without.caption
    assert 'class="line s-ink dashed"' not in without.wide


def test_figure_5_shows_static_assignments_only() -> None:
    """At the same number of consumers, both would be the same line."""
    drawn = consumers(run("kd_2", *RANGES), 5)
    assert isinstance(drawn, Figure)
    assert "Constant: kd_2." in drawn.alt


def test_the_answer_names_a_group_that_is_no_static_assignment() -> None:
    (decided,) = decision.decisions(run("range_2"))
    assert "With 2 fixed consumers (range_2), " in decision_text.sentences(decided)
    (decided,) = decision.decisions(run("kd_2"))
    assert "With 2 fixed consumers, " in decision_text.sentences(decided)
