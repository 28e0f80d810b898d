"""Which broker joins or leaves next, and which scalings have a fault."""

from __future__ import annotations

from collections import Counter

import pytest

from live.brokers import broker_load_process, elastic_choices, elastic_run, scaling_journal
from live.brokers.elastic_choices import ElasticChoices
from live.brokers.scaling_journal import DOWN, UP, Scaling
from schemas.tables.brokers import broker_columns, broker_runs, broker_scalings

pytestmark = pytest.mark.unit


def counts(choices: ElasticChoices, seed: int) -> tuple[list[int], list[int]]:
    """Numbers of brokers after each scaling, and the brokers that joined."""
    present, rises = list(range(1, choices.least_brokers + 1)), True
    after, joined = [], []
    for number in range(1, choices.scalings + 1):
        scaling = elastic_run.next_scaling(choices, present, number, rises, seed)
        rises = scaling.kind == UP
        if rises:
            assert scaling.broker not in present
            present.append(scaling.broker)
            joined.append(scaling.broker)
        else:
            present.remove(scaling.broker)
        after.append(len(present))
    return after, joined


def test_brokers_rise_to_the_most_and_fall_to_the_least() -> None:
    choices = ElasticChoices(scalings=9)
    assert counts(choices, 1)[0] == [4, 5, 4, 3, 4, 5, 4, 3, 4]


def test_ids_are_used_again() -> None:
    joined = counts(ElasticChoices(scalings=40), 1)[1]
    assert set(joined) == {1, 2, 3, 4, 5}


def test_the_seed_decides_who_leaves() -> None:
    choices = ElasticChoices(scalings=40)
    assert counts(choices, 1) == counts(choices, 1)
    assert counts(choices, 1)[1] != counts(choices, 2)[1]


def test_a_cancelled_removal_is_followed_by_another() -> None:
    scaling = elastic_run.next_scaling(ElasticChoices(), [1, 2, 3, 4], 7, False, 1)
    assert scaling.kind == "down"


def test_tables_name_the_same_faults_kinds_and_outcomes() -> None:
    assert elastic_choices.FAULTS == broker_scalings.FAULTS
    kinds = (scaling_journal.UP, scaling_journal.DOWN)
    assert kinds == (broker_scalings.UP, broker_scalings.DOWN)
    outcomes = (broker_scalings.DONE, broker_scalings.CANCELLED, broker_scalings.UNDONE)
    assert outcomes == scaling_journal.ENDS
    assert elastic_choices.PLANS == broker_runs.PLANNERS
    producers = tuple(broker_load_process.kind_of(n) for n in range(2))
    assert producers == (broker_columns.PLAIN, broker_columns.IDEMPOTENT)


def test_every_second_scaling_has_a_fault_in_turn_of_those_of_its_kind() -> None:
    faults = ("killed", "disk-full", "controller")
    earlier: Counter[str] = Counter()
    drawn = []
    for number, kind in enumerate([UP, UP, DOWN, DOWN] * 3, 1):
        fault = elastic_run.fault_of(faults, Scaling(number, kind, 4), earlier[kind])
        earlier[kind] += bool(fault)
        drawn.append(fault)
    assert drawn[::2] == [""] * 6
    assert drawn[1::4] == ["killed", "disk-full", "controller"]
    assert drawn[3::4] == ["killed", "controller", "killed"]
    assert elastic_run.fault_of((), Scaling(2, UP, 4), 0) == ""
    assert elastic_run.fault_of(["disk-full"], Scaling(2, DOWN, 4), 0) == ""


def test_a_small_disk_holds_all_partitions() -> None:
    assert elastic_run.disk_mib(ElasticChoices(preload_mib=500.4)) >= 2 * 500
