"""Waiting times of records in the queues of consumers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.core.input_errors import InvalidParameterError
from algorithms.simulation.queue_replay import Fetching, Ownership, waiting_times
from tests.algorithms.simulation import plain_queues

pytestmark = pytest.mark.unit


def owners(*rows: tuple[int, int, float, float]) -> Ownership:
    """Partition, consumer, taken and released, one row per tenure."""
    columns = list(zip(*rows, strict=True)) or [(), (), (), ()]
    return Ownership(
        np.array(columns[0], np.int32),
        np.array(columns[1], np.int32),
        np.array(columns[2], np.float64),
        np.array(columns[3], np.float64),
    )


ALL_AT_ONCE = Fetching(10, 99, 0.0)


def waits(
    due: list[float],
    partitions: list[int],
    owned: Ownership,
    service: float = 1.0,
    fetching: Fetching = ALL_AT_ONCE,
) -> list:
    times = waiting_times(np.array(due), np.array(partitions, np.int32), owned, service, fetching)
    return times.tolist()


INF = math.inf


def test_a_consumer_with_time_takes_records_up_when_they_are_due() -> None:
    assert waits([1.0, 3.0, 5.0], [0, 0, 0], owners((0, 0, 0.0, INF))) == [0.0, 0.0, 0.0]


def test_records_wait_for_those_before_them() -> None:
    assert waits([1.0, 1.5, 5.0], [0, 1, 0], owners((0, 0, 0.0, INF), (1, 0, 0.0, INF))) == [
        0.0,
        0.5,
        0.0,
    ]


def test_records_due_before_the_take_over_arrive_with_it() -> None:
    """The one of 2.25 can be fetched from 2.5 on, and is when the one of 2.0 has been processed."""
    owned = owners((0, 0, 0.0, INF), (1, 0, 2.5, INF))
    assert waits([2.0, 2.25, 3.5], [0, 1, 0], owned) == [0.0, 0.75, 0.5]


def test_what_is_not_taken_up_before_a_release_waits_for_the_next_owner() -> None:
    owned = owners((0, 0, 0.0, 1.0), (0, 1, 4.0, INF))
    assert waits([0.0, 0.0, 0.0], [0, 0, 0], owned) == [0.0, 4.0, 5.0]


def test_a_record_that_has_begun_is_finished_after_the_release() -> None:
    owned = owners((0, 0, 0.0, 0.5), (1, 0, 0.0, INF), (0, 1, 0.75, INF))
    assert waits([0.0, 0.25], [0, 1], owned) == [0.0, 0.75]


BOTH = owners((0, 0, 0.0, INF), (1, 0, 0.0, INF))


def test_a_consumer_that_is_behind_fetches_a_share_of_each_partition() -> None:
    due, partitions = [0.0] * 5 + [2.5], [0] * 5 + [1]
    # What arrives at 2.5 is fetched with the fourth one, and goes before the fifth.
    times = waits(due, partitions, BOTH, fetching=Fetching(1, 99, 0.0))
    assert times == [0.0, 1.0, 2.0, 3.0, 5.0, 1.5]
    # With all five in one answer, it comes after them.
    times = waits(due, partitions, BOTH, fetching=Fetching(5, 99, 0.0))
    assert times == [0.0, 1.0, 2.0, 3.0, 4.0, 2.5]


def test_what_is_buffered_goes_before_what_arrives() -> None:
    due, partitions = [0.0] * 5 + [0.5], [0] * 5 + [1]
    assert waits(due, partitions, BOTH, fetching=Fetching(1, 99, 2.0))[-1] == 1.5
    # Two in one answer, and another two at 1 s.
    assert waits(due, partitions, BOTH, fetching=Fetching(2, 99, 1.0))[-1] == 3.5


def test_a_partition_that_never_keeps_up_does_not_starve_the_others() -> None:
    due = [0.0] * 50 + [float(k) for k in range(10)]
    partitions = [0] * 50 + [1] * 10
    times = waits(due, partitions, BOTH, service=0.5, fetching=Fetching(2, 99, 1.0))
    assert max(times[50:]) <= 3.0
    assert max(times[:50]) == 29.5 - 0.0


def test_an_answer_without_room_for_all_starves_the_last_partitions() -> None:
    due, partitions = [0.0] * 12 + [0.0], [0] * 12 + [1]
    times = waits(due, partitions, BOTH, fetching=Fetching(2, 2, 0.0))
    assert times[-1] == 12.0
    assert waits(due, partitions, BOTH, fetching=Fetching(2, 3, 0.0))[-1] == 2.0


def test_records_without_an_owner_wait_for_ever() -> None:
    assert waits([0.0, 2.0], [0, 1], owners((0, 0, 1.0, INF))) == [1.0, INF]
    assert waits([0.0], [0], owners()) == [INF]
    assert waits([], [], owners((0, 0, 1.0, INF))) == []


def test_a_tenure_without_length_takes_nothing_up() -> None:
    owned = owners((0, 0, 1.0, 1.0), (0, 1, 1.0, 1.0), (0, 0, 1.0, INF))
    assert waits([0.0], [0], owned) == [1.0]


@pytest.mark.parametrize(
    ("due", "partitions", "owned", "service", "words"),
    [
        ([0.0], [0, 1], owners(), 1.0, "one number per record"),
        ([math.nan], [0], owners(), 1.0, "must be finite"),
        ([0.0], [-1], owners(), 1.0, "at least 0"),
        ([1.0, 0.0], [3, 3], owners(), 1.0, "partition 3"),
        ([0.0], [0], owners((0, 0, 0.0, 2.0), (0, 1, 1.0, 3.0)), 1.0, "two owners at 1 s"),
        ([0.0], [0], owners((0, 0, 2.0, 1.0)), 1.0, "at most released_s"),
        ([0.0], [0], owners((0, 0, INF, INF)), 1.0, "must be finite"),
        ([0.0], [0], owners((0, -1, 0.0, INF)), 1.0, "at least 0"),
        ([0.0], [0], owners(), 0.0, "service_s"),
        ([0.0], [0], owners(), INF, "service_s"),
    ],
)
def test_what_makes_no_sense_is_refused(
    due: list[float], partitions: list[int], owned: Ownership, service: float, words: str
) -> None:
    with pytest.raises(InvalidParameterError, match=words):
        waits(due, partitions, owned, service)


@pytest.mark.parametrize(
    "fetching",
    [Fetching(0, 1, 0.0), Fetching(1, 0, 0.0), Fetching(1, 1, -1.0), Fetching(1, 1, math.nan)],
)
def test_a_consumer_must_be_able_to_fetch(fetching: Fetching) -> None:
    with pytest.raises(InvalidParameterError, match="share and answer must be at least 1"):
        waits([0.0], [0], owners(), fetching=fetching)


def test_columns_of_different_lengths_are_refused() -> None:
    owned = owners((0, 0, 0.0, INF))._replace(consumer=np.zeros(2, np.int32))
    with pytest.raises(InvalidParameterError, match="same length"):
        waits([0.0], [0], owned)


@st.composite
def histories(
    draw: st.DrawFn,
) -> tuple[np.ndarray, np.ndarray, Ownership, float, Fetching]:
    """Records of a few partitions that wander between a few consumers."""
    count = draw(st.integers(1, 4))
    times = st.integers(0, 24).map(lambda eighths: eighths / 8)
    records = [(due, p) for p in range(count) for due in sorted(draw(st.lists(times, max_size=8)))]
    rows = []
    for p in range(count):
        marks = sorted(draw(st.lists(times, max_size=6)))
        for taken, released in zip(marks[::2], [*marks[1::2], INF], strict=False):
            rows.append((p, draw(st.integers(0, 2)), taken, released))
    order = draw(st.permutations(range(len(records))))
    # Any order in which those of a partition are ascending.
    ordered = sorted((records[i] for i in order), key=lambda record: record[0])
    due, partitions = zip(*ordered, strict=True) if ordered else ((), ())
    service = draw(st.sampled_from([0.125, 0.5, 0.7]))
    fetching = Fetching(
        draw(st.integers(1, 3)), draw(st.integers(1, 5)), draw(st.sampled_from([0.0, 0.25, 1.0]))
    )
    ids = np.array(partitions, np.int32)
    return np.array(due, np.float64), ids, owners(*rows), service, fetching


@given(histories())
def test_it_agrees_with_the_plain_replay(
    history: tuple[np.ndarray, np.ndarray, Ownership, float, Fetching],
) -> None:
    assert waiting_times(*history).tolist() == plain_queues.waiting_times(*history).tolist()


def test_a_long_history_agrees_with_the_plain_replay() -> None:
    rng = np.random.default_rng(5)
    due = np.sort(rng.uniform(0.0, 20.0, 400))
    partitions = rng.integers(0, 6, 400).astype(np.int32)
    rows = []
    for p in range(6):
        marks = [0.0, *np.sort(rng.uniform(0.0, 20.0, 8)).tolist()]
        for i, taken in enumerate(marks):
            released = marks[i + 1] - 0.01 if i + 1 < len(marks) else INF
            rows.append((p, int(rng.integers(0, 3)), taken, max(released, taken)))
    history = (due, partitions, owners(*rows), 0.14, Fetching(3, 7, 0.5))
    times = waiting_times(*history)
    assert times.tolist() == plain_queues.waiting_times(*history).tolist()
    assert np.isfinite(times).all()
    assert times.max() > 1.0
