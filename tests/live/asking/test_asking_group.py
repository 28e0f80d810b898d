"""The run's side of a group that asks: when it decides, what it answers, whom it asks to rejoin."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
import pytest

from algorithms.autoscaling.candidates import candidate
from algorithms.core.input_errors import InvalidParameterError
from algorithms.simulation.broker_group import BrokerGroup
from live.asking import asking_group
from live.asking.asking_group import AskingCounts, placed
from live.asking.asking_strategy import StreamSteps, group_settings
from live.controller.live_decisions import Wanted
from live.groups.group_lag import GroupLag, Offsets
from live.groups.group_members import Assignments
from live.groups.lag_counts import GroupView
from live.live_settings import LiveSettings
from live.records import journal
from live.records.journal import Journal
from tests.live.short_settings import short_settings

pytestmark = pytest.mark.unit

PARTITIONS = 4
MU = 100_000.0
SECOND = 10**9


class FakeServer:
    """Notes how often the group is asked to join again."""

    rejoins = questions = 0

    def __init__(self, *_: object) -> None:
        type(self).rejoins = type(self).questions = 0

    def ask_to_rejoin(self) -> None:
        type(self).rejoins += 1

    def close(self) -> None:
        """Nothing is held."""


class Group:
    """A group whose members have what the test says."""

    made: ClassVar[list[Journal]] = []

    def __init__(self, folder: Path, label: str, rates: list[list[float]], **changes: Any) -> None:
        self.settings: LiveSettings = short_settings(
            folder=str(folder),
            partitions=PARTITIONS,
            capacity=MU,
            consumer_rate=MU,
            record_bytes=500,
            iterations=len(rates),
            **changes,
        )
        self.file = folder / "controller.jsonl"
        self.assignments = Assignments(PARTITIONS)
        self.offsets: Offsets | None = Offsets({}, dict.fromkeys(range(PARTITIONS), 0))
        own = Journal(self.file, lambda: 0)
        self.made.append(own)
        view = GroupView(own, cast(GroupLag, self._lag()), self.assignments)
        self.counts = AskingCounts(self.settings, label, rates, view)

    def _lag(self) -> object:
        group = self

        class Lag:
            def offsets(self) -> Offsets | None:
                return group.offsets

        return Lag()

    def have(self, *owners: int) -> None:
        for slot in range(PARTITIONS):
            self.assignments.remove((slot, 1))
        for slot in set(owners):
            own = [p for p, owner in enumerate(owners) if owner == slot]
            self.assignments.apply((slot, 1), {"what": "assigned", "partitions": own})

    def turn(self, seconds: float) -> frozenset[int] | None:
        """Slots that are wanted from now on, if they change."""
        wish = self.counts.due(7 + round(seconds * SECOND), 1)
        return None if wish is None else wish.slots

    def said(self, what: str) -> list[dict[str, Any]]:
        return [entry for entry in journal.entries(self.file) if entry["what"] == what]


@pytest.fixture(autouse=True)
def _no_socket(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(asking_group, "AskingServer", FakeServer)
    made: list[Journal] = []
    monkeypatch.setattr(Group, "made", made)
    yield
    for one in made:
        one.close()


def test_the_group_begins_when_it_has_what_the_assignor_places(tmp_path: Path) -> None:
    group = Group(tmp_path, "constant:initial_replicas=2", [[1.0] * PARTITIONS] * 3)
    assert group.counts.first == 2
    assert not group.counts.is_ready
    group.have(0, 1, 0, 1)
    assert not group.counts.is_ready
    group.have(0, 0, 1, 1)
    assert group.counts.is_ready
    assert group.counts.answer([0, 1]) == {0: [0, 1], 1: [2, 3]}
    (began,) = group.said("scaling")
    assert began["strategy"] == "asking:constant:initial_replicas=2"


def test_a_second_of_the_strategy_is_a_second(tmp_path: Path) -> None:
    """Iterations of 5 s, of which the second one needs more members."""
    low, high = [10_000.0] * PARTITIONS, [40_000.0] * PARTITIONS
    group = Group(tmp_path, "linear", [low, high, high])
    group.have(0, 0, 0, 0)
    group.counts.begin(7)
    decided = [k for k in range(70) if group.turn(k / 10)]
    assert len(decided) == 1
    # Linear sees the rates of the second before its decision, which begins at 5 s.
    assert decided[0] / 10 == pytest.approx(6.0)
    (entry,) = group.said("wanted")
    # 320 records/s times 0.9 over 0.4 times 200.
    assert entry["owners"] == [0, 1, 2, 3]


def test_a_cooldown_leaves_decisions_out(tmp_path: Path) -> None:
    rates = [[40_000.0] * PARTITIONS, *[[10_000.0] * PARTITIONS] * 5]
    times = {}
    for label in ("linear", "linear:cooldown_s=12"):
        (tmp_path / label).mkdir()
        group = Group(tmp_path / label, label, rates)
        group.have(0, 0, 0, 0)
        group.counts.begin(7)
        times[label] = []
        for k in range(300):
            slots = group.turn(k / 10)
            if slots is not None:
                times[label].append((k / 10, len(slots)))
                group.have(*group.said("wanted")[-1]["owners"])
    up, down = times["linear"]
    assert (up, down) == ((1.0, 4), (6.0, 1))
    assert times["linear:cooldown_s=12"] == [up, (13.0, 1)]


def test_a_group_that_is_not_as_wanted_is_asked_again(tmp_path: Path) -> None:
    group = Group(tmp_path, "linear", [[40_000.0] * PARTITIONS] * 12, heartbeat_s=0.5)
    group.have(0, 0, 0, 0)
    group.counts.begin(7)
    assert group.turn(1.0) == {0, 1, 2, 3}
    for k in range(11, 600):
        assert group.turn(k / 10) is None
    # Each time after heartbeats, batches of 2.5 s and a while; no answer waits in between.
    assert FakeServer.rejoins == 5
    group.have(0, 1, 2, 3)
    group.turn(60.0)
    group.turn(90.0)
    assert FakeServer.rejoins == 5


def test_the_leader_joins_again_if_only_partitions_move(tmp_path: Path) -> None:
    """Two of them get so much that one member cannot have both."""
    rates = [[40_000.0] * PARTITIONS, *[[70_000.0, 70_000.0, 5_000.0, 5_000.0]] * 9]
    group = Group(tmp_path, "least_loaded_2:initial_replicas=2", rates)
    group.have(0, 0, 1, 1)
    group.counts.begin(7)
    slots = [slots for k in range(300) if (slots := group.turn(k / 10)) is not None]
    assert slots == [{0, 1}]
    assert FakeServer.rejoins >= 1
    owners = group.said("wanted")[0]["owners"]
    assert owners[0] != owners[1]


def test_lags_are_what_is_not_committed(tmp_path: Path) -> None:
    group = Group(tmp_path, "keda_hpa:threshold=50", [[1.0] * PARTITIONS] * 12)
    group.have(0, 0, 0, 0)
    group.offsets = Offsets(dict.fromkeys(range(PARTITIONS), 10), {0: 130, 1: 10, 2: 10, 3: 20})
    group.counts.begin(7)
    slots = [slots for k in range(600) if (slots := group.turn(k / 10)) is not None]
    assert [len(each) for each in slots] == [3]
    group.offsets = None
    group.turn(59.9)
    assert group.said("fault") == []


def wanted(*owners: int) -> Wanted:
    return Wanted(owners, (1.0, 2.0, 3.0, 4.0), "time", 0, 0)


@pytest.mark.parametrize(
    ("owners", "present", "expected"),
    [
        ((0, 1, 0, 1), [0, 1], {0: [0, 2], 1: [1, 3]}),
        ((0, 0, 0, 0), [0, 1], {0: [0, 1, 2, 3], 1: []}),  # 1 is about to leave.
        ((0, 1, 2, 2), [0, 1], {0: [0, 3], 1: [1, 2]}),  # 2 is not there yet.
        ((2, 2, 2, 2), [0, 1], {0: [0, 3], 1: [1, 2]}),
    ],
)
def test_an_answer_covers_exactly_those_present(
    owners: tuple[int, ...], present: list[int], expected: dict[int, list[int]]
) -> None:
    assert placed(wanted(*owners), present) == expected


def test_linear_behind_the_assignor_places_the_largest_partitions_first(tmp_path: Path) -> None:
    """In order of rate, each goes to the least loaded of three members; ranges would put the two
    fastest together."""
    shares = [0.5, 0.4, 0.2, 0.1]
    group = Group(tmp_path, "linear+placement", [[MU * each for each in shares]] * 3)
    group.have(0, 0, 0, 0)
    group.counts.begin(7)
    assert group.turn(0.0) is None
    # 240 records/s times 0.9 over 0.4 times 200.
    assert group.turn(1.0) == {0, 1, 2}
    answer = group.counts.answer([0, 1, 2])
    assert sorted(map(sorted, answer.values())) == [[0], [1], [2, 3]]


def test_rates_of_steps_are_means_over_iterations() -> None:
    steps = StreamSteps([[10.0], [30.0], [50.0]], 1.5, 1.0)
    # The second step has half a second of each of two iterations.
    np.testing.assert_allclose(steps.of_steps(0, 5)[:, 0], [10.0, 20.0, 30.0, 50.0, 50.0])


def test_parameters_that_a_broker_decides_are_refused() -> None:
    group = BrokerGroup(PARTITIONS, MU, MU, 500, 30.0)
    own = group_settings(group, candidate("linear", cooldown_s=5.0, rebalance_s=2.0), 0.5)
    assert (own.cooldown_s, own.rebalance_s, own.mu, own.step_s) == (5.0, 2.0, 200.0, 1.0)
    assert group_settings(group, candidate("linear"), 0.5).rebalance_s == 0.5
    for wrong in (candidate("linear", heartbeat_s=1.0), candidate("optimal")):
        with pytest.raises(InvalidParameterError):
            group_settings(group, wrong, 0.5)
