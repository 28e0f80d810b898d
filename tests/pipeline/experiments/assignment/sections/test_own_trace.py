"""The report and MLflow content of somebody's own trace: nothing about the paper's figures."""

from __future__ import annotations

import re
from functools import cache

import pytest

from pipeline.experiments.assignment import sections
from pipeline.experiments.assignment.paper import paper_runs
from pipeline.experiments.assignment.results import decision
from pipeline.experiments.assignment.results.studies import latency
from pipeline.experiments.assignment.sections.figures import Figure, draw_all, shown_algorithms
from pipeline.experiments.assignment.sections.figures.consumers_figure import consumers
from pipeline.experiments.assignment.sections.figures.distribution_figure import distribution
from pipeline.experiments.assignment.tracking.mlflow_content import tracked
from pipeline.warehouse.runs.run_results import Results
from tests.pipeline.experiments.assignment import recorded_case, report_cases
from tests.pipeline.reporting.sections.html_page import Page, section

pytestmark = [pytest.mark.unit, pytest.mark.slow]

PAPER = re.compile(r"Corresponds to|Section VI|Improvement over the paper|not comparable")


@cache
def own() -> Results:
    return recorded_case.results()


@cache
def own_page() -> str:
    return sections.build(own())


@cache
def own_captions() -> str:
    return captions(own())


def captions(results: Results) -> str:
    return " ".join(one.caption for one in draw_all(results) if isinstance(one, Figure))


def test_the_papers_own_recording_is_compared() -> None:
    results = report_cases.trace()
    assert paper_runs.applies(results)
    assert captions(results).count("Corresponds to the latency study (Section VI-C)") == 4
    page = Page(sections.build(results))
    assert {"frontier", "reproduction"} <= set(page.ids)
    parent = tracked(results).parent
    assert any(key.startswith("verdict.") for key in parent.tags)
    assert any(key.startswith("reproduction.") for key in parent.metrics)
    assert "Published figures: " in " ".join(parent.tags.values())


def test_generated_streams_are_compared_also_if_none_is_comparable() -> None:
    results = report_cases.small()
    assert paper_runs.applies(results)
    assert PAPER.search(captions(results))


def test_somebodys_own_trace_is_not() -> None:
    assert not paper_runs.applies(own())
    assert own_captions()
    assert not PAPER.search(own_captions())
    page = Page(own_page())
    assert not PAPER.search(page.text)
    assert not {"frontier", "reproduction"} & set(page.ids)
    assert not re.search(r"\.(Crosses|Hover|Horizontal|Squares)", own_captions())


def test_mlflow_has_the_decision_and_no_verdicts() -> None:
    parent = tracked(own()).parent
    assert not any(key.startswith("verdict.") for key in parent.tags)
    assert not any(key.startswith(("verdicts.", "reproduction.")) for key in parent.metrics)
    words = " ".join(parent.tags.values())
    assert "Published figures" not in words
    assert words.count("Run ") >= 1


def marked(html: str, part: str) -> list[str]:
    """Names of the rows of a section's tables."""
    start = html.index(f'<section id="{part}">')
    return re.findall(
        r'<th scope="row">([^<]*)</th>', html[start : html.index("</section>", start)]
    )


@pytest.mark.parametrize("part", ["scores", "latency"])
def test_tables_have_the_order_and_marks_of_the_answer(part: str) -> None:
    (decided,) = decision.decisions(own())
    rows = marked(own_page(), part)
    assert [row.partition(" ")[0] for row in rows] == [one.algorithm for one in decided.options]
    assert [row for row in rows if row.endswith("→")] == [f"{decided.best.algorithm} →"]
    front = [f"{o.algorithm} •" for o in decided.options if o.on_front and o is not decided.best]
    assert [row for row in rows if row.endswith("•")] == front != []
    assert "In the order of the answer" in section(own_page(), part)


def test_tables_of_generated_streams_keep_the_order_of_the_algorithms() -> None:
    html = sections.build(report_cases.small())
    assert not any(row.endswith(("→", "•")) for row in marked(html, "scores"))
    assert "In the order of the answer" not in html


def test_figures_5_and_6_draw_what_the_answer_recommends() -> None:
    """The paper's figures have MWF alone beside Kafka's assignments."""
    (decided,) = decision.decisions(own())
    best = decided.best.algorithm
    assert best not in ("MWF", "BFD")
    assert not decided.best.static
    for draw in (consumers, distribution):
        drawn = draw(own(), 1)
        assert isinstance(drawn, Figure)
        for name in (best, "MWF"):
            assert f">{name}</text>" in drawn.wide
            assert name in drawn.alt


@pytest.mark.parametrize("best", ["kd_6", "range_5"])
def test_a_recommended_fixed_group_is_drawn_with_the_others(
    monkeypatch: pytest.MonkeyPatch, best: str
) -> None:
    study = latency(own())
    assert study is not None
    monkeypatch.setattr(shown_algorithms, "_recommended", lambda *_: best)
    shown = shown_algorithms.shown(own(), study)
    assert shown == (["MWF"], ["kd_1", "kd_2", "kd_3", "kd_4", best])
    monkeypatch.setattr(shown_algorithms, "_recommended", lambda *_: "kd_2")
    assert shown_algorithms.shown(own(), study).fixed == shown.fixed[:-1]
