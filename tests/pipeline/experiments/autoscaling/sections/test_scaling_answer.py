"""The answer says what is best, what KEDA and a fixed group cost, and what it leaves out."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.experiments.autoscaling.sections import overview_section
from pipeline.experiments.autoscaling.sections.scaling_answer import Answer, answer
from pipeline.experiments.autoscaling.sections.scaling_study import scales, shown, studies
from pipeline.experiments.autoscaling.sections.scaling_totals import Totals
from pipeline.warehouse.runs.run_results import Results
from tests.pipeline.experiments.autoscaling.sections import report_inputs
from tests.pipeline.experiments.autoscaling.sections.report_inputs import Served
from tests.pipeline.reporting.sections.table_cells import cells, heads

pytestmark = pytest.mark.unit


def of(results: Results) -> Answer:
    return answer(results, studies(results))


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def test_best_is_the_cheapest_that_serves_every_experiment() -> None:
    """headroom is cheaper but misses one of the two; overprovision knows the future."""
    said = of(report_inputs.both())
    assert said.best == "headroom:h=2"
    first, second = map(plain, said.sentences)
    # 30 + 35 replica-minutes, and 1 % more in each further replicate.
    assert first.startswith(
        "Of 3 strategies and settings that scale the group, headroom:h=2 serves at least 99 % of "
        "the events within the SLA in all 2 experiments in which any strategy does at the lowest "
        "cost: 66 replica-minutes (95 % interval 65 to 66), with 99.55 % on average."
    )
    # KEDA: 30 + 21 instead of 65; the fixed group: 80. Every replicate has the same ratio.
    assert second == (
        "KEDA with its defaults costs 21.5 % less and serves 85.0 %; "
        "the largest fixed group costs 23.1 % more and serves 100 %."
    )


def test_notes_say_what_is_left_out() -> None:
    notes = plain(" ".join(of(report_inputs.both()).notes))
    assert "No strategy serves at least 99 % of the events within the SLA in hopeless" in notes
    assert "the fixed group has one consumer per partition" in notes
    assert "overprovision must know rates beforehand" in notes
    assert "selected on the streams on which it is judged" in notes


def test_where_none_serves_the_sla_the_closest_is_named() -> None:
    said = of(report_inputs.results({"hopeless": report_inputs.HOPELESS}))
    assert said.best == "headroom"
    assert "none serves at least 99" in said.sentences[0]
    assert "headroom comes closest with 55.0" in said.sentences[0]


def test_where_none_serves_all_experiments_the_count_is_said() -> None:
    busy = {"headroom": Served(99.1, 30.0), "keda_hpa": Served(20.0, 10.0)}
    calm = {"headroom": Served(90.0, 20.0), "keda_hpa": Served(99.3, 10.0)}
    said = of(report_inputs.results({"busy": busy, "calm": calm}))
    assert said.best == "headroom"
    assert "and at least 99\u00a0% in 1 of them" in said.sentences[0]


def test_only_candidates_of_every_experiment_are_compared() -> None:
    apart = report_inputs.results(
        {"calm": {"headroom": Served(99.9, 20.0)}, "busy": {"keda_hpa": Served(99.9, 20.0)}}
    )
    assert of(apart).best == ""
    assert of(apart).sentences == [
        "No strategy ran with the same parameters in every experiment; see each below."
    ]


def test_one_replicate_has_no_interval() -> None:
    assert "interval" not in " ".join(of(report_inputs.both(replicates=1)).sentences)


def test_costs_differ_by_replicate_not_by_their_order() -> None:
    """An independent sum over experiments, replicate by replicate."""
    results = report_inputs.both()
    shuffled = results["simulations"].sample(frac=1.0, random_state=3)
    rows = shuffled.groupby(["strategy", "setting", "replicate"])["replica_minutes"].sum()
    again = results.with_tables(simulations=shuffled)
    for total in Totals(again, studies(again)).common():
        strategy, _, setting = total.name.partition(":")
        assert np.allclose(total.minutes, rows.loc[strategy, setting], rtol=1e-12)


def test_a_stream_without_events_is_served() -> None:
    results = report_inputs.results({"calm": {"headroom": Served(99.0, 20.0)}})
    empty = results.with_tables(
        trade_offs=results["trade_offs"].assign(
            sla_percent=np.nan, sla_percent_low=np.nan, sla_percent_high=np.nan
        )
    )
    assert of(empty).best == "headroom"
    assert "serves at least 99" in of(empty).sentences[0]


def test_a_group_that_never_runs_is_compared_without_a_ratio() -> None:
    idle = {"headroom": Served(100.0, 0.0), "keda_hpa": Served(100.0, 12.0)}
    sentences = of(report_inputs.results({"calm": idle}, replicates=1)).sentences
    assert sentences[1] == "KEDA with its defaults costs 12 replica-minutes and serves 100\u00a0%."


def test_table_has_a_row_per_experiment() -> None:
    every = studies(report_inputs.both())
    (table,) = overview_section.overview(every, "headroom:h=2").tables
    assert heads(table) == [
        overview_section.CHEAPEST,
        "headroom:h=2",
        "keda_hpa",
        "largest fixed group",
    ]
    rows = {name: dict(zip(heads(table), row, strict=True)) for name, row in cells(table).items()}
    assert rows["calm"][overview_section.CHEAPEST].below[0] == "headroom"
    assert rows["hopeless"][overview_section.CHEAPEST].text == "none"
    assert rows["busy"]["largest fixed group"].bold
    assert not rows["busy"]["keda_hpa"].bold


def test_shown_are_best_cheapest_enough_middle_and_keda() -> None:
    calm, busy, _ = studies(report_inputs.both())
    # Halfway between headroom's 25 and linear's 12 replica-minutes is the fixed group of 2.
    # overprovision dominates headroom, but it knows the future.
    assert [row["label"] for row in shown(calm)] == [
        "constant:initial_replicas=4",
        "headroom",
        "keda_hpa",
        "constant:initial_replicas=2",
    ]
    assert [row["label"] for row in shown(busy)] == [
        "constant:initial_replicas=4",
        "headroom:h=2",
        "headroom",
        "keda_hpa",
    ]


@pytest.mark.parametrize(
    ("label", "may_scale"),
    [("headroom:h=2", True), ("BFD", True), ("constant", False), ("sticky:mu=5", False)],
)
def test_assignors_have_fixed_groups(label: str, may_scale: bool) -> None:
    assert scales(label) == may_scale
