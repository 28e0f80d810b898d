"""What page, figures and MLflow say of decisions on brokers, and their rows from a stage."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from algorithms.learning import measured_latencies
from live.brokers.deciding import deciding_run
from live.brokers.deciding.deciding_run import ACTING, KAFKA, Deciding, Part
from live.brokers.deciding.observed_interval import Environment, Observed
from live.brokers.deciding.row_environment import RowEnvironment
from live.kafka import broker_jars, node_group
from pipeline.experiments.brokers.evidence import episode_rows
from pipeline.experiments.brokers.results.deciding_study import deciding_studies
from pipeline.experiments.brokers.running import measured_rows
from pipeline.experiments.brokers.sections import broker_page
from pipeline.experiments.brokers.sections.elastic_sections import written
from pipeline.experiments.brokers.sections.figures import episodes_figure
from pipeline.experiments.brokers.stages import scale_brokers
from pipeline.experiments.brokers.tracking import broker_children
from pipeline.settings.broker_experiment import BrokerExperiment
from schemas.tables import TABLES
from tests.live.brokers.deciding import measured_row_cases
from tests.pipeline.experiments.brokers import broker_cases
from tests.schemas import tiny_deciding
from tests.sentence_facts import facts_in, figures_of

pytestmark = pytest.mark.unit


def test_the_answer_counts_decisions_and_is_an_illustration() -> None:
    words, illustration = written(broker_cases.decided()).answer.answer
    facts = ["6", "decided", "4", "1"]
    assert facts_in(words, *facts) == facts
    assert "illustration" in illustration


def test_courses_have_returns_of_first_and_last_episodes() -> None:
    (one,) = written(broker_cases.decided()).experiments
    rows = one.sections[0].tables[0].rows
    assert [(row.name, row.values["on"], row.values["phase"]) for row in rows] == [
        ("dqn", "measured rows", "learning"),
        ("dqn", "measured rows", "acting"),
        ("dqn", "Kafka brokers", "acting"),
        ("threshold", "measured rows", "acting"),
        ("threshold", "Kafka brokers", "acting"),
    ]
    first, live = rows[0].values, rows[2].values
    assert first["last"] == pytest.approx(sum(tiny_deciding.REWARDS))
    assert (first["episodes"], first["brokers"], live["brokers"]) == (2, 4, 3)
    # 350 ms is over the objective of 300 ms, and nothing was read in the last interval.
    assert live["over"] == pytest.approx(2 / 3)
    assert (live["refused"], live["changes"], live["scaling_s"]) == (1, 2, 6.0)


def test_a_figure_has_early_and_late_episodes_on_both_clusters() -> None:
    (study,) = deciding_studies(broker_cases.decided())
    (chart,) = episodes_figure.figures(study)
    figure = chart(1)
    assert figure is not None
    episodes = (("first", "3", "4"), ("last", "3", "4"), ("last", "3", "3"))
    names: tuple[list[str], ...] = (["Measured rows", "learning"], [], ["Kafka brokers", "acting"])
    facts = [
        fact for name, own in zip(names, episodes, strict=True) for fact in (*name, *own, "67 %")
    ]
    assert facts_in(figure.alt, *facts) == facts
    assert len(figures_of(figure.alt)) == 3 * 3
    assert "Figures 6 and 7" in figure.caption
    assert "an illustration" in figure.caption
    # Two episodes and one, brokers each; latencies as polylines.
    assert figure.wide.count("<path") == figure.narrow.count("<path") == 3
    assert figure.wide.count("<polyline") == 3


def test_the_page_and_mlflow_have_each_course() -> None:
    page = broker_page.build(broker_cases.decided())
    assert "Kafka brokers, acting" in page
    assert "three ways" in page
    run = broker_children.tracked(broker_cases.decided())
    children = list(run.children("parent"))
    assert [one.name for one in children][2] == "decided/dqn/weighted/kafka/acting"
    assert [step.value for step in children[0].curves] == [sum(tiny_deciding.REWARDS)] * 2
    assert children[2].metrics == {"brokers": 3.0, "refused": 1.0}


class Pretended:
    """Rows as a Kafka cluster."""

    def __init__(self, experiment: BrokerExperiment, seed: int) -> None:
        rows = measured_rows.of(experiment)
        assert rows is not None
        self._rows, self._brokers = RowEnvironment(rows, seed), 0

    def begin(self, brokers: int) -> Observed:
        self._brokers = brokers
        return self._rows.begin(brokers)._replace(seconds=10.0)

    def step(self, brokers: int) -> Observed:
        scaling_s = float("nan") if brokers == self._brokers else 4.0
        self._brokers = brokers
        return self._rows.step(brokers)._replace(seconds=10.0, scaling_s=scaling_s, moves=3)


def test_a_stage_with_made_up_rows_fills_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def cluster(
        experiment: BrokerExperiment, decision_s: float, seed: int, _: Path
    ) -> Iterator[Environment]:
        assert decision_s == 10.0
        yield Pretended(experiment, seed)

    monkeypatch.setattr(measured_latencies, "ROWS", measured_row_cases.rows())
    monkeypatch.setattr(scale_brokers, "KafkaEnvironment", cluster)
    monkeypatch.setattr(broker_jars, "java_program", lambda: Path("java"))
    monkeypatch.setattr(broker_jars, "ensure", lambda java: tmp_path)
    monkeypatch.setattr(node_group, "version", lambda jars: "4.4.0")
    settings: dict[str, Any] = {**tiny_deciding.EXPERIMENT, "records_per_s": 1000.0}
    experiment = BrokerExperiment(**settings)
    tables = scale_brokers.decided(experiment, 5, tmp_path)
    rows = tables["broker_episodes"]
    names = {column.name for column in TABLES["broker_episodes"].columns}
    assert all(row.keys() == names - {"run_id", "experiment"} for row in rows)
    # The agent's training, and both deciders on both clusters.
    assert len(rows) == (10 + 4) * 3
    live = [row for row in rows if row["cluster"] == "kafka"]
    assert all((row["scaling_s"] is None) == (row["after"] == row["before"]) for row in live)
    assert {row["kafka_version"] for row in live} == {"4.4.0"}
    assert {row["kafka_version"] for row in rows if row["cluster"] == "rows"} == {None}
    # A second call finds all episodes.
    monkeypatch.setattr(scale_brokers, "KafkaEnvironment", None)
    assert scale_brokers.decided(experiment, 5, tmp_path) == tables


def test_a_second_call_with_another_cluster_measures_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run's id may be used again, with other settings."""
    tasks: list[Deciding] = []
    monkeypatch.setattr(deciding_run, "run", lambda task, *_: tasks.append(task))
    monkeypatch.setattr(measured_latencies, "ROWS", measured_row_cases.rows())
    monkeypatch.setattr(broker_jars, "java_program", lambda: Path("java"))
    monkeypatch.setattr(broker_jars, "ensure", lambda java: tmp_path)
    monkeypatch.setattr(episode_rows, "rows", lambda *_: ())
    settings: dict[str, Any] = {**tiny_deciding.EXPERIMENT, "records_per_s": 1000.0}
    changed: list[dict[str, Any]] = [{"decision_s": 20.0}, {"planner": "turns"}, {"partitions": 8}]
    for changes in ({}, {}, *changed):
        scale_brokers.decided(BrokerExperiment(**{**settings, **changes}), 5, tmp_path)
    part = Part("threshold", "count", KAFKA, ACTING)
    digests = [deciding_run._task(task, part) for task in tasks]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 4
