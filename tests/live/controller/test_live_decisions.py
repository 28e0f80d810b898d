"""When the live controller has its strategy decide, on what, and what follows from it."""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace

import numpy as np
import pytest

from algorithms.assignment import registry
from algorithms.scores import assignment_scores
from algorithms.workloads import random_walk
from live.controller.live_decisions import (
    GivenRates,
    Wanted,
    order_of_moves,
    without_lost,
)
from live.controller.live_strategy import LiveStrategy, rscore
from live.controller.measured_rates import MeasuredRates
from live.controller.plan_journal import plan_entry
from live.live_settings import LiveSettings
from live.processes.line_channel import LineReader, send
from live.protocol.messages import End, Measurement, Received
from live.protocol.plan_report import Launch, Move, Plan
from live.records import journal

SECOND = 1_000_000_000


def settings(**changes) -> LiveSettings:
    defaults = {
        "run": "r",
        "bootstrap": "",
        "folder": "",
        "partitions": 6,
        "capacity": 100.0,
        "consumer_rate": 120.0,
        "iteration_s": 5.0,
        "iterations": 20,
    }
    return LiveSettings(**{**defaults, **changes})


def stream(**changes):
    own = settings(**changes)
    return random_walk.generate(own.partitions, own.iterations, 30.0, 100.0, None, seed=5)


@pytest.mark.parametrize("name", ["MWF", "BFD", "SR_1", "kd_3"])
def test_steps_at_the_iterations_give_what_the_simulation_assigns(name):
    rates = stream()
    decisions = GivenRates(LiveStrategy(name, 6, 100.0, 5), rates.tolist(), settings())
    began = 1000 * SECOND
    owners = []
    for k in range(20):
        now = began + k * 5 * SECOND
        if k:
            assert decisions.due(now - 1, began, None) is None
        owners.append(decisions.due(now, began, None).owners)
    assert decisions.due(began + 100 * SECOND, began, None) is None
    assert owners == [tuple(row) for row in registry.get(name).assign(rates, 100.0, 5).tolist()]


def test_the_first_decision_does_not_wait_for_the_beginning_but_the_second_does():
    decisions = GivenRates(LiveStrategy("MWF", 6, 100.0, 5), stream().tolist(), settings())
    assert decisions.due(5, 0, None).iteration == 0
    assert decisions.due(10**18, 0, None) is None


def test_rates_are_known_as_the_iteration_begins_not_when_the_controller_gets_to_it():
    decisions = GivenRates(LiveStrategy("MWF", 6, 100.0, 5), stream().tolist(), settings())
    began = 1000 * SECOND
    assert decisions.due(began - 1, 0, None).measured_ns == began - 1
    assert decisions.due(began + 8 * SECOND, began, None).measured_ns == began + 5 * SECOND


def test_a_successor_goes_on_as_if_nothing_had_happened():
    rates = stream().tolist()
    first = GivenRates(LiveStrategy("SR_1", 6, 100.0, 5), rates, settings())
    wanted = [first.due(10**15, 1, None) for _ in range(12)]
    second = GivenRates(LiveStrategy("SR_1", 6, 100.0, 5), rates, settings())
    resumed = second.resume(7, wanted[7].owners, 3)
    assert resumed == replace(wanted[7], measured_ns=3)
    assert [second.due(10**15, 1, None).owners for _ in range(4)] == [
        each.owners for each in wanted[8:12]
    ]


def wanted_by(owners, rates, **changes) -> Wanted:
    defaults = {"reason": "iteration", "iteration": 1, "measured_ns": 0}
    return Wanted(tuple(owners), tuple(rates), **{**defaults, **changes})


def test_partitions_of_overloaded_consumers_move_first():
    present = [0, 0, 1, 1, 2]
    wanted = wanted_by([0, 3, 2, 1, 3], [10.0, 20.0, 90.0, 30.0, 60.0])
    order, moved = order_of_moves(present, wanted, 100.0)
    assert order == (2, 4, 1)  # of consumers with 120, 60 and 30
    assert moved == pytest.approx((20 + 90 + 60) / 100)


def test_rscore_is_that_of_the_simulation():
    rates = stream()
    owners = registry.get("MWF").assign(rates, 100.0, 5)
    scores = assignment_scores.rscore(rates, owners, 100.0)
    live = [
        rscore(rates[k].tolist(), owners[k - 1].tolist(), owners[k].tolist(), 100.0)
        for k in range(1, 20)
    ]
    assert live == pytest.approx(list(np.asarray(scores)[1:]))


def test_partitions_of_a_lost_consumer_go_to_the_least_loaded_ones():
    wanted = wanted_by([0, 0, 1, 2, 0], [50.0, 30.0, 60.0, 10.0, 5.0])
    decision = without_lost(wanted, orphans=[0, 1, 4], ready=[1, 2])
    # 50 joins 10; 30 then joins the 60 of consumer 1 or of consumer 2: equal, the lower number.
    assert decision.owners == (2, 1, 1, 2, 2)
    assert decision.reason == "lost"
    assert without_lost(wanted, orphans=[0], ready=[]) == wanted


class Inbox:
    """Messages of a monitor."""

    def __init__(self):
        self.waiting, self.rejected = [], []

    def reject(self, why):
        self.rejected.append(why)

    def arrived(self, wait_s):
        arrived, self.waiting = self.waiting, []
        return arrived


class Said(list):
    """A journal."""

    def write(self, what, **fields):
        self.append((what, fields.get("kind")))


@pytest.fixture
def monitor():
    return Inbox()


def measured(monitor, said=None, **changes):
    journal_of = Said() if said is None else said
    own = settings(**changes)
    return MeasuredRates(LiveStrategy("MWF", 6, 100.0, 5), monitor, own, journal_of)


def say(monitor, now, speeds):
    monitor.waiting.append(Received(Measurement(1, 3.0, dict(enumerate(speeds))), now))


def test_without_any_speed_all_partitions_get_an_owner_at_once(monitor):
    decisions = measured(monitor)
    first = decisions.due(SECOND, 0, None)
    assert first.reason == "unowned"
    assert first.owners == (0,) * 6
    assert decisions.due(2 * SECOND, 0, [0] * 6) is None


@pytest.mark.parametrize(
    ("now_s", "speeds", "owners", "reason"),
    [
        (2, [30.0] * 6, [0] * 6, "overload"),
        (2, [10.0] * 6, [0] * 6, None),
        (2, [500.0, 0, 0, 0, 0, 0], [0, 1, 1, 1, 1, 1], None),  # alone: nothing can be done
        (2, [10.0] * 6, [0, 0, 0, 0, 0, -1], "unowned"),
        (2, [30.0] * 6, None, None),  # partitions move
        (12, [10.0] * 6, [0] * 6, "time"),
    ],
)
def test_reasons_to_decide(monitor, now_s, speeds, owners, reason):
    decisions = measured(monitor)
    decisions.due(SECOND, SECOND, None)
    say(monitor, now_s * SECOND, speeds)
    wanted = decisions.due(now_s * SECOND, SECOND, owners)
    assert (wanted and wanted.reason) == reason
    # Each measurement counts once.
    assert reason is None or decisions.due(now_s * SECOND, SECOND, owners) is None


def test_nothing_is_decided_on_old_measurements(monitor):
    said = Said()
    decisions = measured(monitor, said)
    decisions.due(SECOND, SECOND, None)
    say(monitor, 2 * SECOND, [30.0] * 6)
    assert decisions.due(6 * SECOND, SECOND, [0] * 6) is None
    assert decisions.due(7 * SECOND, SECOND, [0] * 6) is None
    assert said == [("fault", "stale")]
    say(monitor, 8 * SECOND, [30.0] * 6)
    assert decisions.due(8 * SECOND, SECOND, [0] * 6).reason == "overload"


def test_a_monitor_that_never_measures_is_noticed(monitor):
    said = Said()
    # The clock of the run says 100 s now.
    decisions = measured(monitor, said, clock_offset_ns=100 * SECOND - time.monotonic_ns())
    assert decisions.due(100 * SECOND, 0, None).reason == "unowned"
    assert decisions.due(112 * SECOND, 100 * SECOND, [0] * 6) is None
    assert said == []
    assert decisions.due(114 * SECOND, 100 * SECOND, [0] * 6) is None
    assert said == [("fault", "stale")]
    say(monitor, 115 * SECOND, [30.0] * 6)
    assert decisions.due(115 * SECOND, 100 * SECOND, [0] * 6).reason == "overload"


def test_measurements_of_partitions_that_do_not_exist_are_rejected(monitor):
    decisions = measured(monitor)
    decisions.due(SECOND, SECOND, None)
    say(monitor, 2 * SECOND, [30.0] * 7)
    monitor.waiting.append(Received(End(1), 2 * SECOND))
    assert decisions.due(2 * SECOND, SECOND, [0] * 6) is None
    assert monitor.rejected == [
        "measurement 1: `speeds` must be of 6 partitions (got partition 6)",
        "end: not a measurement",
    ]
    say(monitor, 3 * SECOND, [30.0] * 6)
    assert decisions.due(3 * SECOND, SECOND, [0] * 6).reason == "overload"


def test_a_plan_in_the_journal():
    plan = Plan(3, (1, 1, 2), 10.0, "iteration", 4)
    plan.first_command_s = 10.2
    plan.moves = [
        Move(0, source=0, target=1, started_s=10.5),
        Move(1, source=-1, target=1, started_s=10.9),
        Move(2, source=0, target=2),
    ]
    plan.launches = [Launch(2, 1, 10.1, 11.0), Launch(1, 1, 10.05), Launch(3, 1)]
    entry = plan_entry(plan, wanted_by(plan.wanted, [10.0, 20.0, 30.0]), [0, -1, 0], 100.0)
    assert entry["moves"] == 2
    assert entry["rscore"] == pytest.approx(0.4)
    assert (entry["before"], entry["after"], entry["created"], entry["retired"]) == (1, 2, 2, 1)
    assert entry["asked_ns"] == pytest.approx(10.05e9)
    assert entry["hello_ns"] == 11 * SECOND
    assert entry["committed_ns"] == pytest.approx(10.2e9)
    assert entry["started_ns"] == pytest.approx(10.9e9)


def test_lines_arrive_whole_and_the_end_is_seen():
    reading, writing = os.pipe()
    reader = LineReader(reading)
    assert reader.arrived() == []
    os.write(writing, b'{"a": ')
    assert reader.arrived() == []
    os.write(writing, b"1}\n")
    send(writing, {"b": 2})
    assert reader.arrived() == [{"a": 1}, {"b": 2}]
    assert not reader.is_closed
    os.close(writing)
    assert reader.arrived() == []
    assert reader.is_closed
    os.close(reading)


def test_a_journal_without_its_last_line_can_be_read(tmp_path):
    file = tmp_path / "journal.jsonl"
    with journal.Journal(file, lambda: 7) as kept:
        kept.write("one", number=1)
    with file.open("a") as cut:
        cut.write(json.dumps({"what": "two"})[:-3])
    assert list(journal.entries(file)) == [{"what": "one", "at_ns": 7, "number": 1}]
