"""What autoscalers do when blind, and what is recommended then."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.autoscaling import candidate_grid
from algorithms.autoscaling.candidates import candidate
from algorithms.simulation.incident_kinds import READINGS
from pipeline.experiments.autoscaling.answers import blind_text
from pipeline.experiments.autoscaling.recommendation import blind_hour, changes, consumer_settings
from pipeline.experiments.autoscaling.recommendation.blind_hour import BlindChecks, BlindGroup
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import Bench, Run
from pipeline.experiments.autoscaling.recommendation.changes import Change
from pipeline.experiments.autoscaling.recommendation.recommend import recommend
from pipeline.experiments.autoscaling.recommendation.simulation_plan import plan
from tests.pipeline.experiments.autoscaling.recommendation.recommendation_cases import asked

pytestmark = pytest.mark.slow

KIND = consumer_settings.KAFKAS_DEFAULT
PROMETHEUS = candidate("keda_prometheus", h=1.2)
SCALER = candidate("keda_http:headroom", h=1.2)


def rates(partitions: int = 8) -> np.ndarray:
    """A load of 700 events/s for 50 minutes, in steps of 10 s."""
    return np.full((300, partitions), 700.0 / partitions)


def bench() -> Bench:
    return plan(rates(), 10.0, asked(settings={"arrivals": "uniform"})).bench


def group(one: object, reads: tuple[str, ...] = READINGS) -> BlindGroup:
    return blind_hour.blind_group(bench(), Run(one, KIND), reads)  # type: ignore[arg-type]


def test_the_trigger_for_prometheus_shrinks_where_an_exporter_is_wrong() -> None:
    blind = group(PROMETHEUS)
    assert [each.reads for each in blind.shrinks] == ["stale", "zero"]
    assert all(each.least < each.before for each in blind.shrinks)
    assert all(each.late > 0.0 for each in blind.shrinks)
    missing = blind.trials[0]
    assert missing.least >= missing.before
    assert missing.late == 0.0


def test_what_still_waits_at_the_end_is_late() -> None:
    """The recording ends as the group sees again, which has stopped serving enough meanwhile."""
    whole, blind_s = bench(), 600.0
    short = whole._replace(rates=whole.rates[: round(2.0 * blind_s / whole.settings["step_s"])])
    (zero,) = blind_hour.blind_group(short, Run(PROMETHEUS, KIND), ("zero",)).trials
    # One of four replicas is left for most of the time, which serves 200 of 700 events/s.
    assert zero.least == 1
    assert zero.late > 0.9 * 700.0 * blind_s / 2.0


def test_the_scaler_reads_brokers_which_cannot_be_wrong() -> None:
    blind = group(SCALER)
    assert [each.reads for each in blind.trials if each.shrinks] == ["stale", "zero"]
    assert blind.shrinks == ()


def test_a_constant_group_reads_nothing() -> None:
    assert blind_hour.blind_hour(bench(), [Run(candidate_grid.constant(3), KIND)]) == ()
    assert BlindChecks().obstacle(bench(), Run(candidate_grid.constant(3), KIND)) is None


def test_a_recording_that_is_too_short_has_no_trial() -> None:
    short = bench()._replace(rates=rates()[:60])
    assert blind_hour.blind_group(short, Run(SCALER, KIND), READINGS).trials == ()


def test_a_candidate_is_simulated_on_each_workload() -> None:
    """With half of the load it shrinks from fewer replicas."""
    checks, whole = BlindChecks(), bench()
    run = Run(PROMETHEUS, KIND)
    benches = whole, whole.scaled(0.5), whole
    of_each = [checks.obstacle(each, run) for each in benches]
    assert of_each == [BlindChecks().obstacle(each, run) for each in benches]
    assert of_each[0] != of_each[1]


def test_a_changed_question_has_checks_of_its_own() -> None:
    """A workload is kept as long as its checks are: those of changes go with them."""
    for is_allowed in (False, True):
        question = asked(blind=BlindChecks(is_allowed))
        _, new = changes.changed(Change(load=2.0), rates(), question, bench().settings)
        assert new.blind is not None
        assert new.blind is not question.blind
        assert new.blind.allowed is is_allowed


def test_what_shrinks_is_recommended_only_if_that_is_allowed() -> None:
    settings = {"arrivals": "uniform"}
    obstacles = {}
    for is_allowed in (False, True):
        question = asked(
            settings=settings, candidates=(PROMETHEUS, SCALER), blind=BlindChecks(is_allowed)
        )
        answer = recommend(rates(), 10.0, question)
        for each in answer.ranked:
            obstacles[each.run.candidate.strategy, is_allowed] = each.obstacle
    assert obstacles["keda_prometheus", True] is None
    assert "replicas in ten minutes with a stale metric" in str(obstacles["keda_prometheus", False])
    assert obstacles["keda_http:headroom", False] is None


def test_the_table_has_a_row_for_each_that_reads_something() -> None:
    question = asked(settings={"arrivals": "uniform"}, candidates=(PROMETHEUS, SCALER))
    answer = recommend(rates(), 10.0, question)
    runs = [each.run for each in answer.best_of_each]
    answer = answer._replace(blind=blind_hour.blind_hour(bench(), runs))
    rows = {group.run.candidate.strategy: cells for group, cells in blind_text.rows(answer)}
    assert set(rows) == {"keda_prometheus", "keda_http:headroom"}
    assert all(len(cells) == len(blind_text.COLUMNS) for cells in rows.values())
    assert "↓" in rows["keda_prometheus"][2]
    assert "↓" not in "".join(rows["keda_http:headroom"])
    marks = {
        each.run.candidate.strategy: blind_text.mark(answer, each) for each in answer.best_of_each
    }
    assert marks == {"keda_prometheus": "shrinks", "keda_http:headroom": "stays"}
