"""The report's section on fronts and dominance, its two figures, and the same in MLflow."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from pipeline.experiments.assignment import sections, statistics
from pipeline.experiments.assignment.paper.authors_results import SECTION_VI_E
from pipeline.experiments.assignment.sections import frontier_section
from pipeline.experiments.assignment.sections.figures import (
    Figure,
    attainment_figure,
    critical_difference_figure,
)
from pipeline.experiments.assignment.tracking import front_metrics
from pipeline.warehouse.runs.run_results import Results
from tests.pipeline.experiments.assignment import report_cases
from tests.pipeline.reporting.sections.table_cells import cells, heads

pytestmark = [pytest.mark.unit, pytest.mark.slow]


def ahead(replicates: int = 6) -> Results:
    """The paper's experiment with an algorithm that beats MWF, MBF and more on every stream."""
    results = report_cases.paper(replicates)
    mine = results["scores"][results["scores"]["algorithm"] == "MWF"].copy()
    factor = {"cbs": 0.2, "cbs_common": 0.2, "mean_rscore": 0.5}
    better = mine.assign(algorithm="SR_1.5", **{c: f * mine[c] for c, f in factor.items()})
    scores = pd.concat([results["scores"], better], ignore_index=True)
    return with_scores(results, scores)


def with_scores(results: Results, scores: pd.DataFrame) -> Results:
    from pipeline.experiments.assignment.statistics import score_matrices

    original = score_matrices.keeps_capacity
    score_matrices.keeps_capacity = lambda name: name.startswith("SR_") or original(name)
    try:
        tables = statistics.rows(statistics.of_scores(scores), 7, results.experiments)
    finally:
        score_matrices.keeps_capacity = original
    more = {name: pd.DataFrame(tables[name]) for name in ("rankings", "indicators", "dominance")}
    return results.with_tables(scores=scores, pareto=report_cases.fronts(scores), **more)


@pytest.fixture(scope="module")
def results() -> Results:
    return ahead()


def test_words_count_what_is_beaten(results: Results) -> None:
    message = frontier_section.frontier(results)[0].sections[0].answer
    assert message[0].startswith("Experiment tradeoff: of the paper's 12 algorithms, ")
    rows = results["dominance"]
    assert rows is not None
    mine = rows[(rows["experiment"] == "tradeoff") & (rows["delta"] > 0)]
    assert f"Of the {len(mine)} pairs" in message[0]
    assert f"{mine['dominated_by'].notna().sum()} are dominated on the means" in message[0]


def test_hypervolumes_with_intervals_beside_the_published_ones(results: Results) -> None:
    table = frontier_section.frontier(results)[0].sections[0].tables[0]
    assert heads(table)[:-1] == [*frontier_section.FRONTS.values()]
    rows = cells(table)
    assert list(rows) == ["0", "5", "10", "15", "20", "25"]
    there, twelve, everything, missing = rows["5"]
    assert there.text == "0.613"
    assert float(everything.text) > float(twelve.text) > 0.5
    low, high = (float(end) for end in everything.below[0].split(" to "))
    assert low <= float(everything.text) <= high
    assert float(missing.text) > 0
    # BFD moves nothing at δ = 0.
    assert all(cell.text == "–" for cell in rows["0"])
    assert rows["0"][1].below == ("BFD moves nothing",)


def test_dominance_with_differences_and_replicates(results: Results) -> None:
    table = frontier_section.frontier(results)[0].sections[0].tables[1]
    assert heads(table) == [f"δ = {delta}" for delta in (0, 5, 10, 15, 20, 25)]
    cell = cells(table)["MWF"][1]
    assert cell.text == "SR_1.5"
    assert re.fullmatch(r"CBS −9\.\d\d", cell.below[0])
    assert re.fullmatch(r"−\d+\.\d\d to −\d+\.\d\d", cell.below[1])
    assert re.fullmatch(r"Rscore −4\.\d\d", cell.below[2])
    assert cell.below[4] == "6 of 6"
    assert cell.bold
    assert cells(table)["BFD"][1].text == "none"


@pytest.mark.slow
def test_the_page_has_them(results: Results) -> None:
    html = sections.build(results)
    section = html.split('<section id="frontier">')[1].split("</section>")[0]
    assert "<b>SR_1.5</b>" in section
    assert "Hypervolume of the fronts" in section
    assert not re.search(r"\b(nan|None)\b", section)


def test_a_run_without_fronts_says_so() -> None:
    bare = report_cases.without(report_cases.paper(), "indicators", "dominance", "rankings")
    assert frontier_section.frontier(bare) == []
    assert attainment_figure.attainment(bare, 13) is None
    assert critical_difference_figure.critical_differences(bare, 14) is None
    assert "This run has no fronts to compare." in sections.build(bare)


def test_surfaces_published_points_and_names(results: Results) -> None:
    figure = attainment_figure.attainment(results, 13)
    assert isinstance(figure, Figure)
    for drawing in (figure.wide, figure.narrow):
        ElementTree.fromstring(drawing)
        assert drawing.count('class="line strong s-teal"') == 5 * 2  # with the key
        assert drawing.count('class="line dashed s-amber"') == 5 * 2
        assert drawing.count('class="band f-teal"') == 5
        assert drawing.count(">SR_1.5</text>") == 5
        assert drawing.count(">BFD</text>") == 5
    crosses = figure.wide.count(", published: CBS")
    assert 5 * 5 <= crosses < len([d for _, d in SECTION_VI_E if d > 0])
    assert "half of the fronts of the paper's twelve reach from CBS 0.0 %" in figure.alt


def test_one_replicate_has_no_surface() -> None:
    once = report_cases.paper(1)
    assert attainment_figure.attainment(once, 13) is None
    assert critical_difference_figure.critical_differences(once, 14) is None


def test_diagrams_of_three_deltas_and_both_scores(results: Results) -> None:
    figure = critical_difference_figure.critical_differences(results, 14)
    assert isinstance(figure, Figure)
    for heading in ("CBS, δ = 5", "mean Rscore, δ = 15", "CBS, δ = 25"):
        assert heading in figure.wide
        assert heading in figure.alt
    assert figure.wide.count(">SR_1.5</text>") == 6
    assert figure.wide.count(">critical difference 7.") == 6
    assert "No two differ among" in figure.alt


def rows_of_groups(*groups: list[int]) -> list[dict[str, object]]:
    return [{"groups": list(of)} for of in groups]


def test_lines_of_groups_do_not_touch() -> None:
    place = critical_difference_figure._rows_of_groups(
        rows_of_groups([1], [1, 2], [2], [3], [3, 4], [4], [])
    )
    assert place == [(0, 1, 0), (1, 2, 1), (3, 4, 0), (4, 5, 1)]


def test_mlflow_gets_hypervolumes_and_what_is_dominated(results: Results) -> None:
    metrics = front_metrics.frontier(results)
    assert metrics["hypervolume/tradeoff d5/published"] == pytest.approx(0.613, abs=5e-4)
    assert metrics["hypervolume/tradeoff d5/all"] > metrics["hypervolume/tradeoff d5/reference"]
    ends = [metrics[f"hypervolume_{end}/tradeoff d5/all"] for end in ("low", "high")]
    assert ends[0] < metrics["hypervolume/tradeoff d5/all"] < ends[1]
    assert metrics["dominated/tradeoff d5/MWF"] == 1.0
    assert metrics["dominated/tradeoff d5/BFD"] == 0.0
    assert "hypervolume/tradeoff d0/all" not in metrics
    assert all(np.isfinite(value) for value in metrics.values())
    assert front_metrics.frontier(report_cases.without(results, "indicators", "dominance")) == {}
