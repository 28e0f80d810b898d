"""Phases of scalings on a pretended cluster: order, resumption from every phase, and undoing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from live.brokers import scaling_controller
from live.brokers.elastic_choices import GENERATED, LEAST, PLANS, TURNS
from live.brokers.scaling_controller import ScalingController, ScalingFailed
from live.brokers.scaling_journal import DOWN, UP, Scaling, ScalingJournal
from live.brokers.throttles import RATES, Resource
from live.user_cluster.replica_logs import Partition
from tests.live.brokers.pretended_cluster import Killed, PretendedCluster

pytestmark = pytest.mark.unit

Watch = Callable[[Scaling, str], None]

ADDED, REMOVED = Scaling(1, UP, 4), Scaling(1, DOWN, 2)
UP_PHASES = (
    "started", "planned", "throttled", "submitted", "moved", "verified", "unthrottled", "elected",
)  # fmt: skip
DOWN_PHASES = ("cordoned", *UP_PHASES[1:], "stopped", "cleared", "unregistered")
UNDO_PHASES = ("withdrawn", "unthrottled", "elected", "stopped", "cleared", "unregistered")
CASES = [(ADDED, phase) for phase in UP_PHASES] + [(REMOVED, phase) for phase in DOWN_PHASES]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scaling_controller, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr(scaling_controller, "WAIT_SECONDS", 0.2)
    monkeypatch.setattr(scaling_controller, "MOVE_SECONDS", 0.2)
    monkeypatch.setattr(scaling_controller, "SPACE_SECONDS", 0.02)


def cluster() -> PretendedCluster:
    """Three brokers with twelve partitions of two replicas."""
    rows = {("t", n): (n % 3 + 1, (n + 1) % 3 + 1) for n in range(12)}
    return PretendedCluster([1, 2, 3], rows)


def journal(folder: Path) -> ScalingJournal:
    return ScalingJournal(folder / "journal.jsonl")


def replicas(pretended: PretendedCluster) -> Counter[int]:
    return Counter(broker for row in pretended.rows.values() for broker in row)


def check(pretended: PretendedCluster, scaling: Scaling) -> None:
    """It is scaled, balanced, led as preferred, and nothing is left behind."""
    expected = {ADDED: {1, 2, 3, 4}, REMOVED: {1, 3}}[scaling]
    assert pretended.alive == pretended.registered == expected
    counts = replicas(pretended)
    assert counts.keys() == expected
    assert max(counts.values()) - min(counts.values()) <= 1
    assert all(pretended.led[one] == row[0] for one, row in pretended.rows.items())
    assert not pretended.configured
    assert not pretended.pending


@pytest.mark.parametrize("scaling", [ADDED, REMOVED], ids=["up", "down"])
def test_a_scaling_goes_through_its_phases(tmp_path: Path, scaling: Scaling) -> None:
    pretended, own = cluster(), journal(tmp_path)
    seen: list[str] = []

    def watch(_: Scaling, phase: str) -> None:
        seen.append(phase)
        if phase == "moved":
            assert pretended.configured[Resource("broker", "1")] == dict.fromkeys(RATES, "1000")

    ScalingController(pretended, pretended, own, 1000, LEAST, watch).scale(scaling)
    check(pretended, scaling)
    phases = UP_PHASES if scaling is ADDED else DOWN_PHASES
    assert tuple(dict.fromkeys(seen)) == phases
    assert [entry["phase"] for entry in own.entries] == ["begun", *phases, "done"]
    planned = own.of(scaling)["planned"]
    assert planned["moves"] == planned["bound"] == (6 if scaling is ADDED else 8)
    assert own.of(scaling)["elected"]["leader_spread"] <= 1


@pytest.mark.parametrize(("scaling", "phase"), CASES)
def test_another_controller_goes_on_from_every_phase(
    tmp_path: Path, scaling: Scaling, phase: str
) -> None:
    pretended = cluster()
    killed_in(pretended, tmp_path, scaling, phase)
    own = journal(tmp_path)
    calls = len(pretended.calls)
    assert ScalingController(pretended, pretended, own, 1000, LEAST).resume() == scaling
    check(pretended, scaling)
    assert own.unfinished() is None
    if "planned" in own.of(scaling):
        # Throttles go first.
        after = [call for call in pretended.calls[calls:] if call not in ("brokers", "lists")]
        assert after[0] in ("configure", "start", "cordon", "placement")
    assert ScalingController(pretended, pretended, journal(tmp_path), 1000, LEAST).resume() is None


@pytest.mark.parametrize(("scaling", "phase"), CASES)
def test_what_was_broken_off_can_be_cancelled(tmp_path: Path, scaling: Scaling, phase: str) -> None:
    pretended = cluster()
    before = dict(pretended.rows)
    killed_in(pretended, tmp_path, scaling, phase)
    if phase in ("unregistered", "cleared"):
        # The broker has been stopped: this can only be finished.
        return
    own = journal(tmp_path)
    assert ScalingController(pretended, pretended, own, 1000, LEAST).cancel() == scaling
    assert own.unfinished() is None
    assert not pretended.configured
    assert not pretended.pending
    if phase in ("submitted", "moved"):
        assert pretended.rows == before


@pytest.mark.parametrize("planner", PLANS)
def test_plans_of_each_kind_are_carried_out(tmp_path: Path, planner: str) -> None:
    pretended, own = cluster(), journal(tmp_path)
    ScalingController(pretended, pretended, own, 1000, planner).scale(ADDED)
    check(pretended, ADDED)
    planned = own.of(ADDED)["planned"]
    # Four brokers get a quarter of 24 replicas each, and Kafka's own tool places all of them again.
    assert planned["moves"] == {LEAST: 6, TURNS: 6, GENERATED: 12}[planner]
    assert planned["bound"] == 6
    assert planned["bytes"] == 100 * planned["moves"]


def test_an_added_broker_goes_on_when_its_full_disk_gets_space(tmp_path: Path) -> None:
    pretended, own = cluster(), journal(tmp_path)
    looks: list[int] = []

    def watch(_: Scaling, phase: str) -> None:
        if phase == "moved":
            looks.append(len(looks))
            if len(looks) == 1:
                pretended.full.add(4)
            elif len(looks) == 3:
                pretended.full.discard(4)

    ScalingController(pretended, pretended, own, 1000, LEAST, watch).scale(ADDED)
    check(pretended, ADDED)
    # Its process has survived, but copies that failed do not begin again by themselves.
    assert pretended.calls.count("kill") == own.of(ADDED)["moved"]["restarts"] == 1


def test_a_disk_gets_its_space_back_after_the_last_move(tmp_path: Path) -> None:
    """What gives space is asked until replicas are as planned: this scaling is not undone."""
    pretended, own = cluster(), journal(tmp_path)
    looks: list[str] = []

    def watch(_: Scaling, phase: str) -> None:
        if phase == "verified":
            looks.append(phase)
            if len(looks) == 1:
                pretended.full.add(4)
            elif len(looks) == 4:
                pretended.full.discard(4)

    ScalingController(pretended, pretended, own, 1000, LEAST, watch).scale(ADDED)
    check(pretended, ADDED)
    assert own.entries[-1]["phase"] == "done"
    phases = own.of(ADDED)
    assert (phases["moved"]["restarts"], phases["verified"]["restarts"]) == (0, 1)


def test_restarts_while_replicas_are_looked_at_add_to_those_before(tmp_path: Path) -> None:
    """Also if another controller sees them."""
    pretended = cluster()
    crashed: list[str] = []

    def watch(_: Scaling, phase: str) -> None:
        if phase in ("moved", "verified") and phase not in crashed:
            crashed.append(phase)
            pretended.crash(4)

    killed_in(pretended, tmp_path, ADDED, "verified", watch)
    own = journal(tmp_path)
    ScalingController(pretended, pretended, own, 1000, LEAST).resume()
    check(pretended, ADDED)
    assert crashed == ["moved", "verified"]
    assert own.of(ADDED)["verified"]["restarts"] == 2


def test_throttles_are_removed_after_one_look_at_all_lists(tmp_path: Path) -> None:
    """Each look connects again: one for each partition of the plan would take seconds."""
    pretended, own = cluster(), journal(tmp_path)
    begins: dict[str, int] = {}

    def watch(_: Scaling, phase: str) -> None:
        begins[phase] = len(pretended.calls)

    ScalingController(pretended, pretended, own, 1000, LEAST, watch).scale(ADDED)
    own_calls = pretended.calls[begins["unthrottled"] : begins["elected"]]
    assert own_calls.count("lists") == 1


def filling(pretended: PretendedCluster, arrived: int = 0) -> Watch:
    """Fill the disk of the broker that joins for good, when some replicas have arrived."""

    def watch(_: Scaling, phase: str) -> None:
        if phase == "moved" and 4 not in pretended.full:
            pretended.full.add(4)
            for one in sorted(pretended.pending)[:arrived]:
                pretended.rows[one] = pretended.pending.pop(one)

    return watch


@pytest.mark.parametrize("arrived", [0, 3])
def test_a_scaling_is_undone_if_the_disk_stays_full(tmp_path: Path, arrived: int) -> None:
    pretended, own = cluster(), journal(tmp_path)
    before, watch = dict(pretended.rows), filling(pretended, arrived)
    ScalingController(pretended, pretended, own, 1000, LEAST, watch).scale(ADDED)
    check_undone(pretended, before)
    assert own.unfinished() is None
    assert [entry["phase"] for entry in own.entries][-7:] == [*UNDO_PHASES, "undone"]
    assert own.of(ADDED)["withdrawn"]["back"] == arrived
    assert own.of(ADDED)["elected"]["leaderless"] == 0
    assert set(own.of(ADDED)["elected"]["leaders"]) == {1, 2, 3}
    # Its id can join again.
    ScalingController(pretended, pretended, own, 1000, LEAST).scale(Scaling(2, UP, 4))
    check(pretended, ADDED)


@pytest.mark.parametrize("verb", ["resume", "cancel"])
@pytest.mark.parametrize("phase", UNDO_PHASES)
def test_another_controller_finishes_undoing(tmp_path: Path, phase: str, verb: str) -> None:
    pretended = cluster()
    before = dict(pretended.rows)
    killed_in(pretended, tmp_path, ADDED, phase, filling(pretended, 3))
    own = journal(tmp_path)
    successor = ScalingController(pretended, pretended, own, 1000, LEAST)
    assert getattr(successor, verb)() == ADDED
    check_undone(pretended, before)
    assert own.entries[-1]["phase"] == "undone"


@pytest.mark.parametrize("phase", ["moved", "verified"])
def test_a_controller_dies_while_it_waits_for_space(tmp_path: Path, phase: str) -> None:
    """Its successor sees the full disk as well, and waits again, from the beginning."""
    pretended = cluster()
    before = dict(pretended.rows)
    killed_in(pretended, tmp_path, ADDED, phase)
    pretended.full.add(4)
    own = journal(tmp_path)
    assert ScalingController(pretended, pretended, own, 1000, LEAST).resume() == ADDED
    check_undone(pretended, before)


def check_undone(pretended: PretendedCluster, before: dict[Partition, tuple[int, ...]]) -> None:
    """All replicas are where they were, and the broker and its configuration are gone."""
    assert pretended.rows == before
    assert pretended.alive == pretended.registered == {1, 2, 3}
    assert all(pretended.led[one] == row[0] for one, row in before.items())
    assert not pretended.configured
    assert not pretended.pending


def killed_in(
    pretended: PretendedCluster,
    folder: Path,
    scaling: Scaling,
    phase: str,
    also: Watch = lambda _scaling, _phase: None,
) -> None:
    """Have a controller die when this phase begins. also: What watches it too."""

    def watch(own: Scaling, at: str) -> None:
        also(own, at)
        if at == phase:
            pretended.is_killed = True
            raise Killed

    own = journal(folder)
    with pytest.raises(Killed):
        ScalingController(pretended, pretended, own, 1000, LEAST, watch).scale(scaling)
    own.close()
    pretended.is_killed = False


def test_an_added_broker_that_dies_is_restarted_and_counted(tmp_path: Path) -> None:
    pretended, own = cluster(), journal(tmp_path)
    killed: list[str] = []

    def watch(_: Scaling, phase: str) -> None:
        if phase == "moved" and not killed:
            killed.append(phase)
            pretended.crash(4)

    ScalingController(pretended, pretended, own, 1000, LEAST, watch).scale(ADDED)
    check(pretended, ADDED)
    assert own.of(ADDED)["moved"]["restarts"] == 1


def test_a_drained_broker_that_dies_is_drained_all_the_same(tmp_path: Path) -> None:
    pretended, own = cluster(), journal(tmp_path)

    def watch(_: Scaling, phase: str) -> None:
        if phase == "moved":
            pretended.crash(2)

    ScalingController(pretended, pretended, own, 1000, LEAST, watch).scale(REMOVED)
    # Its throttles could not be deleted while it was away.
    check(pretended, REMOVED)
    assert own.of(REMOVED)["unthrottled"]["away"] == [2]


def test_throttles_are_removed_when_a_move_takes_too_long(tmp_path: Path) -> None:
    pretended, own = cluster(), journal(tmp_path)

    def watch(_: Scaling, phase: str) -> None:
        if phase == "moved":
            pretended.crash(3)

    with pytest.raises(ScalingFailed, match="partitions still move after"):
        ScalingController(pretended, pretended, own, 1000, LEAST, watch).scale(ADDED)
    left = {resource for resource, own in pretended.configured.items()}
    assert left == {Resource("broker", "3")}


def test_a_cluster_that_cannot_cordon(tmp_path: Path) -> None:
    pretended, own = cluster(), journal(tmp_path)
    pretended.can_cordon = False
    ScalingController(pretended, pretended, own, 1000, LEAST).scale(REMOVED)
    check(pretended, REMOVED)
    assert own.of(REMOVED)["cordoned"]["cordoned"] is False
