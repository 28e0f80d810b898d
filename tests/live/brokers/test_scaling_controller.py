"""Phases of scalings on a pretended cluster: order, resumption from every phase, and undoing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from live.brokers import scaling_controller
from live.brokers.scaling_controller import ScalingController, ScalingFailed
from live.brokers.scaling_journal import DOWN, UP, Scaling, ScalingJournal
from live.brokers.throttles import RATES, Resource
from tests.live.brokers.pretended_cluster import Killed, PretendedCluster

pytestmark = pytest.mark.unit

ADDED, REMOVED = Scaling(1, UP, 4), Scaling(1, DOWN, 2)
UP_PHASES = (
    "started", "planned", "throttled", "submitted", "moved", "verified", "unthrottled", "elected",
)  # fmt: skip
DOWN_PHASES = ("cordoned", *UP_PHASES[1:], "stopped", "cleared", "unregistered")
CASES = [(ADDED, phase) for phase in UP_PHASES] + [(REMOVED, phase) for phase in DOWN_PHASES]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scaling_controller, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr(scaling_controller, "WAIT_SECONDS", 0.2)
    monkeypatch.setattr(scaling_controller, "MOVE_SECONDS", 0.2)


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

    ScalingController(pretended, pretended, own, 1000, watch).scale(scaling)
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
    assert ScalingController(pretended, pretended, own, 1000).resume() == scaling
    check(pretended, scaling)
    assert own.unfinished() is None
    if "planned" in own.of(scaling):
        # Throttles go first.
        after = [call for call in pretended.calls[calls:] if call not in ("brokers", "lists")]
        assert after[0] in ("configure", "start", "cordon", "placement")
    assert ScalingController(pretended, pretended, journal(tmp_path), 1000).resume() is None


@pytest.mark.parametrize(("scaling", "phase"), CASES)
def test_what_was_broken_off_can_be_cancelled(tmp_path: Path, scaling: Scaling, phase: str) -> None:
    pretended = cluster()
    before = dict(pretended.rows)
    killed_in(pretended, tmp_path, scaling, phase)
    if phase in ("unregistered", "cleared"):
        # The broker has been stopped: this can only be finished.
        return
    own = journal(tmp_path)
    assert ScalingController(pretended, pretended, own, 1000).cancel() == scaling
    assert own.unfinished() is None
    assert not pretended.configured
    assert not pretended.pending
    if phase in ("submitted", "moved"):
        assert pretended.rows == before


def killed_in(pretended: PretendedCluster, folder: Path, scaling: Scaling, phase: str) -> None:
    """Have a controller die when this phase begins."""

    def watch(_: Scaling, at: str) -> None:
        if at == phase:
            pretended.is_killed = True
            raise Killed

    own = journal(folder)
    with pytest.raises(Killed):
        ScalingController(pretended, pretended, own, 1000, watch).scale(scaling)
    own.close()
    pretended.is_killed = False


def test_an_added_broker_that_dies_is_restarted_and_counted(tmp_path: Path) -> None:
    pretended, own = cluster(), journal(tmp_path)
    killed: list[str] = []

    def watch(_: Scaling, phase: str) -> None:
        if phase == "moved" and not killed:
            killed.append(phase)
            pretended.crash(4)

    ScalingController(pretended, pretended, own, 1000, watch).scale(ADDED)
    check(pretended, ADDED)
    assert own.of(ADDED)["moved"]["restarts"] == 1


def test_a_drained_broker_that_dies_is_drained_all_the_same(tmp_path: Path) -> None:
    pretended, own = cluster(), journal(tmp_path)

    def watch(_: Scaling, phase: str) -> None:
        if phase == "moved":
            pretended.crash(2)

    ScalingController(pretended, pretended, own, 1000, watch).scale(REMOVED)
    # Its throttles could not be deleted while it was away.
    check(pretended, REMOVED)
    assert own.of(REMOVED)["unthrottled"]["away"] == [2]


def test_throttles_are_removed_when_a_move_takes_too_long(tmp_path: Path) -> None:
    pretended, own = cluster(), journal(tmp_path)

    def watch(_: Scaling, phase: str) -> None:
        if phase == "moved":
            pretended.crash(3)

    with pytest.raises(ScalingFailed, match="partitions still move after"):
        ScalingController(pretended, pretended, own, 1000, watch).scale(ADDED)
    left = {resource for resource, own in pretended.configured.items()}
    assert left == {Resource("broker", "3")}


def test_a_cluster_that_cannot_cordon(tmp_path: Path) -> None:
    pretended, own = cluster(), journal(tmp_path)
    pretended.can_cordon = False
    ScalingController(pretended, pretended, own, 1000).scale(REMOVED)
    check(pretended, REMOVED)
    assert own.of(REMOVED)["cordoned"]["cordoned"] is False
