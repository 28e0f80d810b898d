"""As many pods as slots are in use: at once where more are, later where fewer are."""

from __future__ import annotations

import pytest

from live.kubernetes.pod_scaling import LOOK_S, PodScaling
from live.kubernetes.stateful_set_scale import ScaleRefused
from live.kubernetes.used_slots import UsedSlots
from live.protocol import group_records
from live.protocol.group_knowledge import CONSUMER, Status, unused

pytestmark = pytest.mark.unit


class Played:
    """A StatefulSet."""

    def __init__(self, replicas: int) -> None:
        self.asked = replicas
        self.patches: list[int] = []
        self.reads = 0
        self.error = ""

    def replicas(self) -> int:
        self.reads += 1
        if self.error:
            raise ScaleRefused(self.error)
        return self.asked

    def patch(self, replicas: int) -> int:
        self.patches.append(replicas)
        self.asked = replicas
        return replicas


def patched(played: Played, needs: list[tuple[float, int]]) -> tuple[dict[float, int], list[str]]:
    """Replicas by the time at which they were patched, and the lines that were said."""
    lines: list[str] = []
    scaling = PodScaling(played, lines.append)
    times: dict[float, int] = {}
    for now, needed in needs:
        before = len(played.patches)
        scaling.turn(needed, now)
        if len(played.patches) > before:
            times[now] = played.patches[-1]
    return times, lines


def every(seconds: float, *needs: tuple[int, int]) -> list[tuple[float, int]]:
    """So many turns of each need."""
    each = [need for turns, need in needs for _ in range(turns)]
    return [(seconds * k, need) for k, need in enumerate(each)]


def test_more_slots_get_their_pods_at_once_and_fewer_lose_them_later() -> None:
    """Looks are at 5, 13 and 18 s; at 13, slots 2 to 4 were in use 2 s ago."""
    times, lines = patched(Played(3), every(1.0, (8, 3), (4, 5), (20, 2)))
    assert times == {8.0: 5, 18.0: 2}
    assert lines == [
        "replicas 3 -> 5: slots 0 to 4 are in use",
        "replicas 5 -> 2: slots 0 to 1 are in use",
    ]


def test_a_slot_that_is_used_again_keeps_its_pod() -> None:
    """Not once is it empty for as long as it must be."""
    played = Played(3)
    short = int(LOOK_S) - 1
    needs = every(1.0, *[(short, need) for _ in range(9) for need in (3, 2)])
    assert patched(played, needs)[0] == {}
    assert played.reads > 3


def test_a_controller_that_begins_removes_no_pod_at_once() -> None:
    times, _ = patched(Played(7), every(1.0, (30, 2)))
    assert times == {LOOK_S: 2}


def test_one_pod_stays() -> None:
    assert patched(Played(4), every(1.0, (30, 0)))[0] == {LOOK_S: 1}


def test_an_error_is_said_once_and_asked_again() -> None:
    played = Played(1)
    played.error = "status 403"
    scaling_lines = patched(played, every(1.0, (21, 4)))[1]
    assert (scaling_lines, played.reads) == (["status 403"], 4)
    played.error = ""
    assert patched(played, every(1.0, (21, 4)))[0] == {LOOK_S: 4}


def test_another_that_scales_is_named_and_corrected() -> None:
    played, lines = Played(3), list[str]()
    scaling = PodScaling(played, lines.append)
    for now in range(30):
        if now == 12:
            played.asked = 9
        scaling.turn(3, float(now))
    assert played.patches == [3]
    assert "changed from 3 to 9 by another; no pod autoscaler" in lines[0]


def test_slots_are_in_use_until_their_consumers_have_ended() -> None:
    """Also while a lost one may still write: it is fenced first."""
    state, slots = unused(4, {}), UsedSlots()
    assert slots.needed == 0
    for slot, status, needed in (
        (0, Status.READY, 1),
        (2, Status.ASKED, 3),
        (2, Status.LOST, 3),
        (1, Status.LEAVING, 3),
        (2, Status.GONE, 2),
        (1, Status.GONE, 1),
    ):
        member = state.member(slot)
        state.set_status(member, status)
        slots.take(group_records.changed_records(state))
        assert slots.needed == needed, (slot, status)


def test_other_records_say_nothing_of_slots() -> None:
    slots = UsedSlots()
    slots.take([(b"plan/7", None), (b"partition/9", b"{}"), (b"controller/0", b"{}")])
    assert slots.needed == 0
    slots.take([(group_records.consumer_key(3), None)])
    assert slots.needed == 0
    assert CONSUMER == "consumer"
