"""A consumer that stands still while it writes progress processes nothing before it has proof.

The brokers may have committed before, and another consumer may have its partitions since.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from live.consumer import ConsumedRecord, Consumer
from live.consumer.client_errors import Fenced
from live.live_settings import LiveSettings
from live.protocol.messages import PartitionOffset, Start
from tests.live.consumer.consumer_fakes import FakeGroup

pytestmark = [pytest.mark.unit, pytest.mark.slow]

START = Start(1, 7, (PartitionOffset(0, 1, 100),))

LEASE_S = 1.0


@pytest.fixture
def group() -> FakeGroup:
    return FakeGroup([[START]])


def consumer(
    folder: Path,
    group: FakeGroup,
    process: Callable[[Sequence[ConsumedRecord]], None],
    progress_s: float = 0.0,
) -> Consumer:
    settings = LiveSettings(
        "r", "nowhere", str(folder), 4, 1e5, 1e5, 1.0, 3, lease_s=LEASE_S, progress_s=progress_s
    )
    return Consumer(settings, 2, 1, process, connections=group.connections)


def stand_still(group: FakeGroup) -> None:
    """Sleep past half a lease, in which the consumer is fenced."""
    time.sleep(0.6 * LEASE_S)
    group.progress.error = Fenced("replaced")


def commit_and_stand_still(group: FakeGroup) -> None:
    """Let each write of progress stand still after its commit."""
    write = group.progress.write

    def slow_write(rows: Sequence[PartitionOffset]) -> bool:
        is_written = write(rows)
        stand_still(group)
        return is_written

    group.progress.write = slow_write


def test_in_a_call_that_commits(tmp_path: Path, group: FakeGroup) -> None:
    processed: list[int] = []
    commit_and_stand_still(group)
    with pytest.raises(Fenced):
        consumer(tmp_path, group, lambda records: processed.append(len(records))).run()
    assert group.seen("progress") == [("progress", PartitionOffset(0, 1, 101))]
    assert processed == [1]


def test_before_a_call_that_has_the_answer_already(tmp_path: Path, group: FakeGroup) -> None:
    processed: list[int] = []
    tested = consumer(tmp_path, group, lambda records: processed.append(len(records)))
    beat_if_due = tested._beat_if_due
    calls = 0

    def late_answer(rows: Sequence[PartitionOffset]) -> bool:
        nonlocal calls
        calls += 1
        if group.progress.error is not None and calls > 2:
            raise group.progress.error
        return calls > 1

    def stand_still_between() -> None:
        beat_if_due()
        if calls == 1 and group.progress.error is None:
            stand_still(group)

    group.progress.write = late_answer
    tested._beat_if_due = stand_still_between
    with pytest.raises(Fenced):
        tested.run()
    assert (calls, processed) == (3, [1])


@pytest.mark.slow
def test_in_the_proof_that_a_long_process_asks_for(tmp_path: Path, group: FakeGroup) -> None:
    proven: list[int] = []

    def process(records: Sequence[ConsumedRecord]) -> None:
        time.sleep(0.6 * LEASE_S)
        tested.turn()
        proven.append(len(records))

    tested = consumer(tmp_path, group, process, progress_s=60.0)
    commit_and_stand_still(group)
    with pytest.raises(Fenced):
        tested.run()
    assert proven == []


def test_a_slow_broker_gives_proof_as_soon_as_it_answers(tmp_path: Path, group: FakeGroup) -> None:
    """What took long may be old, so it is asked once more."""
    write = group.progress.write
    processed: list[int] = []

    def slow_once(rows: Sequence[PartitionOffset]) -> bool:
        if not group.seen("progress"):
            time.sleep(0.6 * LEASE_S)
        return write(rows)

    def process(records: Sequence[ConsumedRecord]) -> None:
        processed.append(records[0].offset)
        if len(processed) == 3:
            tested.stop()

    tested = consumer(tmp_path, group, process)
    group.progress.write = slow_once
    tested.run()
    assert processed == [100, 101, 102]
    rows = [[row.offset for row in entry[1:]] for entry in group.seen("progress")]
    assert rows == [[101], [101], [102], [103], []]
