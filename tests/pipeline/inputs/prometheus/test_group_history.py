"""What follows from the history of a group, and what does not."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.cli.survey import seen_group
from pipeline.inputs.prometheus import group_history
from pipeline.inputs.prometheus.group_history import GroupHistory

pytestmark = pytest.mark.unit

NAN = np.nan


def history(
    members: list[float] | None,
    committed: list[list[float]],
    lag: float = 1e6,
    step_s: float = 60.0,
) -> GroupHistory:
    """A group of as many partitions as `committed` has columns, each written at 10 events/s."""
    read = np.array(committed, dtype=np.float64)
    times = step_s * np.arange(len(read))
    ends = read[:1] + lag + 10.0 * times[:, None]
    names = tuple(f"t/{number}" for number in range(read.shape[1]))
    counts = None if members is None else np.array(members, dtype=np.float64)
    return GroupHistory("g", names, times, ends, read, counts)


def reading(*steps: float) -> list[list[float]]:
    """Offsets of two partitions, each of which moves by these events."""
    at = np.cumsum([0.0, *steps])
    return [[value, value] for value in at.tolist()]


def test_the_mean_member_reads_its_share() -> None:
    seen = seen_group.of(history([2, 2, 2, 2], reading(6_000, 6_000, 6_000)))
    assert (seen.member_rate, seen.lagging_steps, seen.members) == (100.0, 3, 2)


def test_numbers_of_members_are_not_mixed() -> None:
    # 200 events/s by two, 100 by one; the step in which one leaves does not count.
    steps = reading(6_000, 6_000, 600, 3_000, 3_000)
    seen = seen_group.of(history([2, 2, 2, 1, 1, 1], steps))
    assert (seen.member_rate, seen.lagging_steps) == (100.0, 4)


def test_members_without_partitions_do_not_count() -> None:
    seen = seen_group.of(history([5, 5, 5], reading(6_000, 6_000)))
    assert seen.member_rate == 100.0


def test_without_lag_there_is_a_lower_bound() -> None:
    seen = seen_group.of(history([2, 2, 2], reading(600, 600), lag=0.0))
    assert seen.member_rate == pytest.approx(600 / 65)
    assert not seen.is_measured
    text = "\n".join(seen_group.lines(seen))
    assert "rate of a member: at least 9.231 events/s" in text
    assert seen_group.recommendation("t.csv", seen) == ""


def test_without_members_the_group_is_one() -> None:
    seen = seen_group.of(history(None, reading(6_000, 6_000)))
    assert seen.member_rate == 200.0
    assert not seen.is_measured
    text = "\n".join(seen_group.lines(seen))
    assert "members: not known, the exporter has no metric of them" in text
    assert "200 events/s by the group as a whole, measured in 2 steps" in text
    assert "start-up:" not in text


def test_partitions_that_are_never_written_do_not_hide_lag() -> None:
    group = history([1, 1, 1], reading(6_000, 6_000))
    group.ends[:, 1], group.committed[:, 1] = 5.0, 5.0
    seen = seen_group.of(group)
    assert (seen.member_rate, seen.lagging_steps) == (100.0, 2)


def test_unknown_offsets_give_no_rate() -> None:
    seen = seen_group.of(history([1, 1, 1], [[NAN, NAN]] * 3))
    assert seen.member_rate is None
    assert "no successive committed offsets" in "\n".join(seen_group.lines(seen))


def test_dips_end_when_as_many_members_are_back() -> None:
    counts = [3, 2, 2, 3, 3, 1, 2, 3, 4, 3]
    group = history(counts, reading(*[60] * 9))
    assert group_history.dips(group) == [120.0, 120.0]
    assert len(group_history.changes(group)) == 7


def test_a_smaller_group_is_no_dip() -> None:
    counts = [3, *[2] * 20, 3]
    assert group_history.dips(history(counts, reading(*[60] * 21))) == []


def test_times_without_a_number_are_no_changes() -> None:
    group = history([2, NAN, 2, 2, NAN, 3], reading(*[60] * 5))
    (change,) = group_history.changes(group)
    assert (change.at, change.before, change.after) == (300.0, 2, 3)


def test_reading_stops_around_a_change() -> None:
    group = history([2, 2, 1, 1, 1, 1], reading(60, 0, 0, 0, 60), step_s=5.0)
    (change,) = group_history.changes(group)
    assert change.stopped_s == 15.0
    text = "\n".join(seen_group.lines(seen_group.of(group)))
    assert "reading stopped for 15.0 s at 1 change of the number of members" in text


def test_a_stop_without_lag_or_members_is_none() -> None:
    idle = history([2, 2, 1, 1], reading(60, 0, 0))
    idle.ends[:] = idle.committed
    down = history([2, 0, 0, 2], reading(60, 0, 0))
    for group in (idle, down):
        assert {change.stopped_s for change in group_history.changes(group)} == {0.0}
