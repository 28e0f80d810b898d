"""Whether a group is idle, look by look."""

from __future__ import annotations

from dataclasses import replace

import pytest

from live.scaler.idle_settings import EARLIEST, IdleSettings
from live.scaler.idle_watch import IdleWatch
from tests.live.scaler.scaler_fakes import look

pytestmark = pytest.mark.unit

SETTINGS = IdleSettings(cooldown_s=60)


def watch(was_idle: bool = False, **own: int | str) -> IdleWatch:
    return IdleWatch(replace(SETTINGS, **own), ["orders"], was_idle)  # type: ignore[arg-type]


def test_quiet_for_the_cooldown_is_idle() -> None:
    idle = watch()
    assert idle.see(look(0, 7, 9)) == (False, "quiet for 0 of 60 s")
    assert idle.see(look(5, 7, 10)) == (False, "records have arrived")
    assert idle.see(look(64, 7, 10)) == (False, "quiet for 59 of 60 s")
    assert idle.see(look(65, 7, 10)) == (True, "idle: no record for 60 s, and none unread")
    assert not idle.see(look(70, 8, 10)).is_idle


def test_offsets_that_moved_between_two_looks_have_moved_however_long_ago_the_first_is() -> None:
    idle = watch()
    idle.see(look(0, 7))
    assert not idle.see(look(900, 8)).is_idle
    assert idle.see(look(1800, 8)).is_idle


@pytest.mark.parametrize(("activation", "is_idle"), [(0, False), (1, True)])
def test_a_marker_of_a_transaction_stays_unread(activation: int, is_idle: bool) -> None:
    idle = watch(activation=activation)
    for at_s in (0.0, 60.0):
        seen = idle.see(look(at_s, 7, 7, committed=(7, 6)))
    assert seen.is_idle is is_idle


def test_activation_is_per_partition() -> None:
    idle = watch(activation=1)
    idle.see(look(0, 7, 7, committed=(6, 6)))
    assert idle.see(look(60, 7, 7, committed=(6, 6))).is_idle
    unread = idle.see(look(65, 7, 7, committed=(7, 5)))
    assert unread == (False, "partition 1 has 2 unread records")
    # The time with unread records was not quiet.
    assert not idle.see(look(70, 7, 7, committed=(7, 7))).is_idle
    assert idle.see(look(125, 7, 7, committed=(7, 7))).is_idle


def test_a_partition_without_a_commit_would_lose_records_with_latest() -> None:
    idle = watch()
    for at_s in (0.0, 60.0):
        seen = idle.see(look(at_s, 7, 0, committed=(7, None)))
    assert not seen.is_idle
    assert seen.said == "partition 1 has no commit, so that a member would begin at its end"


@pytest.mark.parametrize(("end", "is_idle"), [(0, True), (1, False)])
def test_with_earliest_its_records_are_unread(end: int, is_idle: bool) -> None:
    idle = watch(offset_reset=EARLIEST)
    for at_s in (0.0, 60.0):
        seen = idle.see(look(at_s, 7, end, committed=(7, None)))
    assert seen.is_idle is is_idle


def test_a_commit_beyond_the_end_hides_what_is_unread() -> None:
    idle = watch(offset_reset=EARLIEST, activation=10)
    for at_s in (0.0, 60.0):
        seen = idle.see(look(at_s, 3, committed=(500,)))
    assert not seen.is_idle
    assert seen.said.startswith("the commit of partition 0 is beyond its end")


def test_a_partition_of_several_topics_is_named_with_its_topic() -> None:
    idle = IdleWatch(SETTINGS, ["bills", "orders"], False)
    seen = idle.see(look(0, 7, 7, 7, committed=(7, 7, 5), sizes=(2, 1)))
    assert seen.said == "partition 0 of topic 'orders' has 2 unread records"


def test_other_partitions_are_a_change() -> None:
    idle = watch()
    idle.see(look(0, 7))
    assert not idle.see(look(60, 7, 0)).is_idle
    assert idle.see(look(120, 7, 0)).is_idle


@pytest.mark.parametrize(
    ("was_idle", "members", "offset", "is_idle"),
    [(True, 0, 7, True), (True, 0, 6, False), (True, 2, 7, False), (False, 0, 7, False)],
)
def test_a_scaler_that_starts_again_goes_on_with_a_group_that_is_still_empty(
    was_idle: bool, members: int, offset: int, is_idle: bool
) -> None:
    first = replace(look(0, 7, committed=(offset,)), members=look(0, 7).members[:members])
    assert watch(was_idle).see(first).is_idle is is_idle
