"""What to run on a recorded trace: the rule, and that terminal, report and MLflow have the same."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from rich.console import Console

from algorithms.assignment import registry
from algorithms.scores import latency_model, sweep
from pipeline.experiments.assignment import sections
from pipeline.experiments.assignment.results import decision, left_out, sums_over_streams
from pipeline.experiments.assignment.results.decision import Decision
from pipeline.experiments.assignment.sections import decision_text
from pipeline.experiments.assignment.sections.assignment_sections import written
from pipeline.experiments.assignment.tracking.mlflow_content import tracked
from pipeline.inputs.traces import suggested_command
from pipeline.inputs.traces.hot_partitions import Peak
from pipeline.reporting.sections import section_terminal
from pipeline.settings.assignment_experiment import Experiment
from pipeline.settings.run_config import RunConfig
from pipeline.settings.trace_source import TraceSource
from pipeline.warehouse.runs.run_results import Results
from pipeline.warehouse.storage import reader
from tests.pipeline.experiments.assignment import recorded_case, report_cases
from tests.pipeline.reporting.sections.html_page import section

pytestmark = [pytest.mark.unit, pytest.mark.slow]

SETTING = recorded_case.SETTING


def decided(**changes: float) -> Decision:
    (choice,) = decision.decisions(recorded_case.results(**changes))
    return choice


def test_the_choice_is_the_cheapest_candidate() -> None:
    choice = decided()
    step = SETTING["iteration_seconds"]
    costs = {
        one.algorithm: one.consumers + one.rscore * choice.price_s / step
        for one in choice.options
        if one.candidate
    }
    assert costs[choice.best.algorithm] == pytest.approx(min(costs.values()))
    assert choice.options[0] is choice.best
    rest = [one.cost for one in choice.options[1:]]
    assert rest == sorted(rest)


def test_ranges_are_where_each_option_is_the_cheapest() -> None:
    choice = decided()
    step = SETTING["iteration_seconds"]
    assert choice.ranges[0].low_s == 0
    assert choice.ranges[-1].high_s == math.inf
    for before, after in zip(choice.ranges, choice.ranges[1:], strict=False):
        assert before.high_s == after.low_s
    for one in choice.ranges:
        price = one.low_s + 1.0 if math.isinf(one.high_s) else (one.low_s + one.high_s) / 2
        costs = [o.consumers + o.rscore * price / step for o in choice.options if o.candidate]
        mine = one.option.consumers + one.option.rscore * price / step
        assert mine == pytest.approx(min(costs))


def test_dear_moves_make_another_choice() -> None:
    """A pause of an iteration, and no spare capacity to catch up with."""
    calm = decided(rebalance_seconds=60.0, consumer_capacity=100.0)
    assert calm.price_s == SETTING["iteration_seconds"]
    assert calm.best.rscore <= decided().best.rscore
    assert calm.best.consumers >= decided().best.consumers


def test_static_groups_are_candidates_only_if_no_data_waits() -> None:
    choice = decided()
    static = [one for one in choice.options if one.static]
    assert {one.algorithm for one in static} == {f"kd_{n}" for n in range(1, 7)}
    assert all(one.candidate == (one.late_share == 0) for one in static)
    enough = [one.consumers for one in static if one.candidate]
    assert choice.static is not None
    assert choice.static.consumers == min(enough)
    assert choice.ranges[-1].option is choice.static


def test_numbers_are_those_of_the_run() -> None:
    choice = decided()
    rows = recorded_case.results()["scores"].set_index("algorithm")
    for one in choice.options:
        row = rows.loc[one.algorithm]
        assert (one.consumers, one.peak) == (row["mean_consumers"], row["peak_consumers"])
        assert one.rebalances == pytest.approx(row["moving_share"] * 1440)
        # 100 bytes/s per capacity, for 5 s, at 1,440 iterations a day.
        assert one.moved_bytes == pytest.approx(row["mean_rscore"] * 100 * 5 * 1440)


def test_words_name_the_choice_its_cost_and_kafkas_default() -> None:
    choice = decided()
    said = decision_text.words(choice)
    assert said.answer.startswith(f"Run {choice.best.algorithm} (")
    assert (
        f"{choice.best.consumers:.1f} consumers on average, {choice.best.peak:.0f} at"
        in said.answer
    )
    text = decision_text.sentences(choice)
    assert "rebalances a day" in text
    assert (
        "Kafka's default, a fixed number of consumers, needs 4 (kd_4, partitions dealt in turn)"
        in text
    )
    for one in choice.ranges[-1:]:
        assert f"run {one.option.algorithm} (4 consumers, no rebalances)" in text


def test_terminal_report_and_mlflow_say_the_same() -> None:
    results = recorded_case.results()
    said = decision_text.words(decided())
    printed = " ".join(printed_on(results).split())
    page = section(sections.build(results), "answer")
    info = tracked(results).parent
    for sentence in (said.answer, *said.facts, *said.changes):
        words = " ".join(sentence.split())
        assert words in printed
        assert words in " ".join(page.split())
        assert words in " ".join(" ".join(info.tags.values()).split())
    assert info.tags["decision.trace"] == decided().best.algorithm
    assert info.metrics["decision/trace/consumers"] == decided().best.consumers


def test_the_command_of_a_recommendation_has_the_trace_and_its_consumer() -> None:
    results = recorded_case.results()
    config = results.config | {"traces": [{"path": "my rates.csv"}]}
    (choice,) = decision.decisions(replace(results, run={**results.run, "config": config}))
    command = suggested_command.recommendation("my rates.csv", 125.0)
    assert decision_text.words(choice).changes[-1].endswith(f"consumers as well: {command}")
    config["traces"] *= 2
    (choice,) = decision.decisions(replace(results, run={**results.run, "config": config}))
    assert decision_text.words(choice).changes[-1].endswith("consumers as well.")


FIXED = tuple(f"kd_{n}" for n in range(1, 7))


def test_the_terminal_has_the_front_and_what_the_answer_names() -> None:
    results = recorded_case.of(recorded_case.daily(), tuple(registry.reference_set()) + FIXED)
    (choice,) = decision.decisions(results)
    assert choice.static is not None
    named = {one.algorithm for one in choice.options if one.on_front} | {choice.static.algorithm}
    lines = printed_on(results).splitlines()
    firsts = [line.split()[0] for line in lines if line.strip()]
    assert named <= set(firsts)
    assert len(set(firsts) & {one.algorithm for one in choice.options}) < len(choice.options)
    assert "The report lists all" in " ".join(lines)


def test_a_trace_of_ones_own_has_no_rows_of_a_paper() -> None:
    html = sections.build(recorded_case.results())
    assert 'id="reproduction"' not in html
    assert "cannot be compared" not in html
    assert 'id="reproduction"' in sections.build(report_cases.trace())
    assert 'id="reproduction"' in sections.build(report_cases.small())


def test_a_run_of_an_older_version_has_neither_peak_nor_rebalances() -> None:
    results = recorded_case.results()
    scores = results["scores"].drop(
        columns=["peak_consumers", "moving_share", "rebalances_per_day"]
    )
    (choice,) = decision.decisions(results.with_tables(scores=scores))
    text = decision_text.sentences(choice)
    assert "nan" not in text
    assert "peak" not in text


def test_generated_streams_have_no_decision() -> None:
    assert decision.decisions(report_cases.small()) == []


def test_nothing_to_choose_from() -> None:
    results = recorded_case.results()
    few = results["scores"][results["scores"]["algorithm"] == "kd_1"]
    assert decision.decisions(results.with_tables(scores=few)) == []


def test_a_constant_load_needs_no_moves() -> None:
    rates = np.full((50, 4), 30.0)
    (choice,) = decision.decisions(recorded_case.of(rates, ("BFD", "kd_1", "kd_2")))
    assert choice.best.rscore == 0
    assert "No partition ever moves." in decision_text.sentences(choice)


HOT = 130.0
"""A rate above what a consumer reads."""


def with_hot(**traces: Any) -> Results:
    """A run over a trace whose second partition is hot for a while."""
    rates = np.insert(recorded_case.daily(), 1, 20.0, axis=1)
    rates[100:130, 1] = HOT
    results = recorded_case.of(rates, recorded_case.FEW)
    frame = pd.DataFrame({"stream_id": "trace-rates", "rates": list(rates)})
    streams = results["streams"].assign(seed=7)
    return results.with_tables(**{left_out.RATES: frame, "streams": streams} | traces)


def test_without_hot_partitions_the_results_are_those_of_a_trace_without_them() -> None:
    (choice,) = decision.decisions(with_hot())
    assert choice.hot == 1
    assert choice.static is None
    cold = choice.without_hot
    assert cold is not None
    plain = {one.algorithm: one for one in decided().options}
    for one in cold.options:
        same = plain[one.algorithm]
        # Only the front is among fewer candidates.
        assert one == pytest.approx(same._replace(on_front=one.on_front), nan_ok=True)
    names = {one.option.algorithm for one in choice.ranges}
    assert {one.algorithm for one in cold.options} == names | {f"kd_{n}" for n in range(1, 7)}
    assert cold.static == plain["kd_4"]


def printed_on(results: Results) -> str:
    console = Console(width=80, color_system=None)
    with console.capture() as captured:
        console.print(section_terminal.shown(written(results), console.width))
    return captured.get()


def test_terminal_report_and_mlflow_say_what_holds_without_hot_partitions() -> None:
    results = with_hot()
    (choice,) = decision.decisions(results)
    said = decision_text.words(choice)
    assert choice.without_hot is not None
    assert said.without_hot[0].startswith("Without the hot partition, run ")
    assert any(
        "needs 4 (kd_4, partitions dealt in turn) so that no data waits" in text
        for text in said.without_hot
    )
    printed = " ".join(printed_on(results).split())
    page = " ".join(section(sections.build(results), "answer").split())
    tags = " ".join(" ".join(tracked(results).parent.tags.values()).split())
    for sentence in said.without_hot:
        assert all(" ".join(sentence.split()) in text for text in (printed, page, tags))


def test_a_trace_of_hot_partitions_only_has_no_other_results() -> None:
    rates = np.full((240, 7), HOT)
    frame = pd.DataFrame({"stream_id": "trace-rates", "rates": list(rates)})
    (choice,) = decision.decisions(with_hot(**{left_out.RATES: frame}))
    assert (choice.hot, choice.without_hot) == (7, None)
    assert decision_text.words(choice).without_hot == []
    (choice,) = decision.decisions(recorded_case.results())
    assert (choice.hot, choice.without_hot) == (0, None)


def test_absent_partitions_and_traces_without_hot_ones_stay() -> None:
    """Two traces, of which one is hot; its first partition arrives late."""
    results = with_hot()
    rates = np.vstack(list(results.tables[left_out.RATES]["rates"]))
    rates[:50, 0] = np.nan
    frame = pd.DataFrame({"stream_id": "trace-rates", "rates": list(rates)})
    both = {
        table: pd.concat([rows, rows.assign(stream_id="trace-calm")])
        for table in ("scores", "latency", "streams")
        for rows in [results[table]]
    }
    cold = left_out.without(
        results.with_tables(**{left_out.RATES: frame}, **both), "trace", ["SR_1"]
    )
    assert cold is not None
    rows = cold["scores"].set_index("stream_id")
    before = results["scores"].set_index("algorithm").loc["SR_1"]
    assert rows.loc["trace-calm", "mean_consumers"] == before["mean_consumers"]
    alone = sweep.run("SR_1", np.delete(rates, 1, axis=1), 100.0, 7)
    assert rows.loc["trace-rates", "mean_consumers"] == pytest.approx(alone.n_consumers.mean())


def test_range_is_measured_on_the_topics_of_the_partitions_that_are_left() -> None:
    """Partitions 0 to 2 are of one topic, of which the hot one is left out; 3 to 6 of another."""
    topics = ((0, 1, 2), (3, 4, 5, 6))
    rates = np.vstack(list(with_hot().tables[left_out.RATES]["rates"]))
    results = recorded_case.of(rates, ("BFD", "range_2", "range_4"), topics)
    partitions = [f"{'ab'[j > 2]}/{j}" for j in range(7)]
    names = pd.DataFrame({"stream_id": ["trace-rates"], "partitions": [partitions]})
    frame = pd.DataFrame({"stream_id": "trace-rates", "rates": list(rates)})
    streams = results["streams"].assign(seed=7)
    results = results.with_tables(
        **{left_out.RATES: frame, left_out.NAMES: names, "streams": streams}
    )
    cold = left_out.without(results, "trace", ["BFD", "range_2", "range_4", "range_5"])
    assert cold is not None
    assert list(cold["latency"]["algorithm"]) == ["BFD", "range_2", "range_4"]
    left = np.delete(rates, 1, axis=1)
    waits = [
        latency_model.summarise(
            left, sweep.run("range_2", left, 100.0, 7, each).consumers, 125.0, 60.0, 5.0
        ).n_positive
        for each in (((0, 1), (2, 3, 4, 5)), None)
    ]
    row = cold["latency"].set_index("algorithm").loc["range_2"]
    assert row["n_positive"] == waits[0] != waits[1]


class _Files:
    """A source of rows in another order."""

    def rows(self, table: str, columns: Sequence[str], **where: Sequence[str]) -> pa.Table:
        assert (table, where) == ("measurements", {"run_id": ["r"], "stream_id": ["hot"]})
        rates = pa.array([[3.0, None], [1.0, 2.0]], pa.list_(pa.float64()))
        return pa.table({"stream_id": ["hot"] * 2, "iteration": [2, 1], "rates": rates})


def test_rates_are_read_in_the_order_of_iterations() -> None:
    rows = sums_over_streams.rates(cast(reader.Source, _Files()), "r", ["hot"])
    np.testing.assert_array_equal(np.vstack(list(rows["rates"])), [[1.0, 2.0], [3.0, np.nan]])


def test_only_traces_with_hot_partitions_are_read_again() -> None:
    sources = [("hot", 130.0), ("calm", 125.0), ("silent", None)]
    config = RunConfig(
        preset="trace",
        experiments=(Experiment(name="trace", capacity=100.0, consumer_capacity=125.0,
                                partitions=3, iterations=9, deltas=(), initial_rates=()),),
        traces=tuple(
            TraceSource(path=Path(name), stream_id=name, digest=name, partitions=3, iterations=9,
                        fastest=() if rate is None else (Peak("p", rate, "noon"),))
            for name, rate in sources
        ),
    )  # fmt: skip
    assert left_out.hot_streams(config) == ["hot"]
