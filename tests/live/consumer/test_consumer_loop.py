"""What a consumer does in which order, without Kafka."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from live.consumer import ConsumedRecord, Consumer
from live.consumer.client_errors import Fenced, Refused, Unusable
from live.live_settings import LiveSettings
from live.protocol.messages import (
    Bye,
    Command,
    End,
    Hello,
    PartitionEpoch,
    PartitionOffset,
    Start,
    Started,
    Stop,
    Stopped,
)
from live.records import evidence_file
from live.records.journal import entries
from live.records.record_format import RecordWriter
from tests.live.consumer.consumer_fakes import FakeGroup, Log

pytestmark = [pytest.mark.unit, pytest.mark.slow]

START = Start(1, 7, (PartitionOffset(0, 1, 100),))
STOP = Stop(1, 8, (PartitionEpoch(0, 1),))
END = End(1)

Process = Callable[[Sequence[ConsumedRecord]], None]


@pytest.fixture
def settings(tmp_path: Path) -> LiveSettings:
    return LiveSettings("r", "nowhere", str(tmp_path), 4, 1e5, 1e5, 1.0, 3, lease_s=60.0)


def run(
    settings: LiveSettings,
    script: list[list[Command]],
    process: Process = lambda _: None,
    prepare: Callable[[FakeGroup], object] = lambda _: None,
) -> tuple[FakeGroup, Consumer]:
    group = FakeGroup(script)
    prepare(group)
    consumer = Consumer(settings, 2, 1, process, connections=group.connections)
    consumer.run()
    return group, consumer


def test_hello_comes_when_commands_are_read_and_the_coordinator_is_known(
    settings: LiveSettings,
) -> None:
    def prepare(group: FakeGroup) -> None:
        group.progress.failures = group.data.failures = 2
        group.commands.looks_before_end = 3

    group, _ = run(settings, [[], [], [], [END]], prepare=prepare)
    kinds = [entry[0] for entry in group.log]
    assert kinds[:7] == ["get_ready"] * 3 + ["look"] * 3 + ["event"]
    assert group.data.failures == -1  # asked until it was ready
    hello = group.log[6][1]
    assert isinstance(hello, Hello)
    assert (hello.consumer, hello.incarnation) == (2, 1)


def test_commands_that_came_before_hello_are_obeyed_after_it(settings: LiveSettings) -> None:
    def prepare(group: FakeGroup) -> None:
        group.commands.looks_before_end = 1

    group, _ = run(settings, [[START], [END]], prepare=prepare)
    events = [type(entry[1]) for entry in group.seen("event")]
    assert events == [Hello, Started, Bye]


def test_a_stop_is_answered_when_its_progress_is_written(settings: LiveSettings) -> None:
    group, consumer = run(settings, [[START], [], [], [STOP], [END]])
    log = [entry for entry in group.log if entry[0] != "look"]
    row = PartitionOffset(0, 1, 103)
    assert log[2:] == [
        ("assign", 0, 1, 100),
        ("event", Started(2, 1, 7, (PartitionEpoch(0, 1),))),
        ("unassign", 0),
        ("progress", row),
        ("event", Stopped(2, 1, 8, (row,))),
        ("event", Bye(2, 1)),
        ("flush",),
    ]
    assert consumer.processed == 3
    assert consumer.state == "gone"


def test_a_repeated_stop_is_answered_without_writing_again(settings: LiveSettings) -> None:
    group, _ = run(settings, [[START], [STOP], [STOP], [END]])
    stopped = [e[1] for e in group.seen("event") if isinstance(e[1], Stopped)]
    assert len(stopped) == 2
    assert stopped[0] == stopped[1]
    assert len(group.seen("progress")) == 1


def test_progress_of_a_tenure_that_a_later_one_replaces_is_not_written(
    settings: LiveSettings,
) -> None:
    later = Start(1, 9, (PartitionOffset(0, 4, 500),))
    group, _ = run(settings, [[START], [], [later, END]])
    assert group.seen("unassign", "assign") == [
        ("assign", 0, 1, 100),
        ("unassign", 0),
        ("assign", 0, 4, 500),
        ("unassign", 0),
    ]
    assert group.seen("progress") == [("progress", PartitionOffset(0, 4, 500))]


def test_commands_for_other_incarnations_are_skipped(settings: LiveSettings) -> None:
    others = [replace(command, incarnation=2) for command in (START, STOP, END)]
    group, _ = run(settings, [others, [END]])
    assert [type(entry[1]) for entry in group.seen("event")] == [Hello, Bye]


def test_end_writes_progress_before_bye(settings: LiveSettings) -> None:
    group, _ = run(settings, [[START], [END]])
    tail = [entry for entry in group.log if entry[0] != "look"][-4:]
    assert tail == [
        ("unassign", 0),
        ("progress", PartitionOffset(0, 1, 101)),
        ("event", Bye(2, 1)),
        ("flush",),
    ]


def test_nothing_is_processed_while_progress_waits(settings: LiveSettings) -> None:
    processed: list[int] = []

    def prepare(group: FakeGroup) -> None:
        group.progress.failures = 0

        def fail_later() -> None:
            if len(processed) == 1 and not group.seen("failed"):
                group.progress.failures = 4

        group.progress.before = fail_later

    often = replace(settings, progress_s=0.0)
    group, _ = run(
        often, [[START], [], [END]], lambda records: processed.append(len(records)), prepare
    )
    kinds = [entry[0] for entry in group.seen("failed", "progress")]
    assert kinds == ["failed"] * 4 + ["progress"] * 3
    rows = [entry[1:] for entry in group.seen("failed", "progress")]
    assert rows[:5] == [(PartitionOffset(0, 1, 101),)] * 5


def test_progress_is_written_regularly_and_only_if_there_is_any(settings: LiveSettings) -> None:
    often = replace(settings, progress_s=0.0)
    group, _ = run(often, [[], [START], [], [STOP], [], [END]])
    offsets = [[row.offset for row in entry[1:]] for entry in group.seen("progress")]
    assert offsets == [[101], [102], [102]]


def slowed(group: FakeGroup, seconds: float) -> None:
    """Make each look for records take some time."""
    take = group.data.take

    def slow(max_bytes: int, wait_s: float) -> list[ConsumedRecord]:
        time.sleep(seconds)
        return take(max_bytes, wait_s)

    group.data.take = slow


def test_an_idle_consumer_proves_that_it_has_not_been_replaced(settings: LiveSettings) -> None:
    idle = replace(settings, progress_s=0.0, lease_s=0.4)
    script: list[list[Command]] = [*[[]] * 22, [END]]
    group, _ = run(idle, script, prepare=lambda group: slowed(group, 0.05))
    proofs = group.seen("progress")
    assert set(proofs) == {("progress",)}
    assert 2 <= len(proofs) <= 4


def test_after_standing_still_progress_comes_before_processing(settings: LiveSettings) -> None:
    seen: list[str] = []

    def prepare(group: FakeGroup) -> None:
        take = group.data.take

        def stand_still(max_bytes: int, wait_s: float) -> list[ConsumedRecord]:
            records = take(max_bytes, wait_s)
            if len(seen) == 2:
                time.sleep(0.6)
            return records

        group.data.take = stand_still
        group.progress.before = lambda: seen.append("progress")

    short = replace(settings, lease_s=1.0, progress_s=60.0)
    run(short, [[START], [], [], [END]], lambda _: seen.append("process"), prepare)
    assert seen == ["process", "process", "progress", "process", "progress"]


@pytest.mark.parametrize("is_in_a_turn", [False, True])
def test_a_consumer_fenced_while_it_stood_still_keeps_no_evidence(
    settings: LiveSettings, is_in_a_turn: bool
) -> None:
    writer = RecordWriter(256, 0)
    group = FakeGroup([[START]])
    calls = turns = 0

    def take(max_bytes: int, wait_s: float) -> list[ConsumedRecord]:
        nonlocal calls
        calls += 1
        value = writer.value(0, 0, 99 + calls, 0)
        return [ConsumedRecord(0, 99 + calls, 1, value, None, time.time_ns())]

    def stand_still() -> None:
        if calls == 3:
            time.sleep(0.6)
            group.progress.error = Fenced("replaced")

    group.data.take = take
    short = replace(settings, lease_s=1.0, progress_s=60.0, record_bytes=256)
    consumer = Consumer(short, 2, 1, connections=group.connections)
    rest, beat_if_due = consumer.rest, consumer._beat_if_due

    def rest_and_stand_still(until_ns: int) -> None:
        if not is_in_a_turn:
            stand_still()
        rest(until_ns)

    def beat_and_stand_still() -> None:
        nonlocal turns
        beat_if_due()
        turns += calls == 3
        # The second one is taken while the records are processed.
        if is_in_a_turn and turns == 2:
            stand_still()

    consumer._process._rest = rest_and_stand_still
    consumer._beat_if_due = beat_and_stand_still
    with pytest.raises(Fenced):
        consumer.run()
    assert [r.sequence for r in evidence_file.read(short.evidence(2, 1))] == [100, 101]
    assert consumer.state == "fenced"


@pytest.mark.parametrize("error", [Fenced("by a later one"), Unusable("fatal")])
def test_final_errors_end_the_loop(settings: LiveSettings, error: Exception) -> None:
    def prepare(group: FakeGroup) -> None:
        group.progress.error = error

    with pytest.raises(type(error)):
        run(settings, [[START], [STOP]], prepare=prepare)
    file = Path(settings.folder) / "journal" / "c2-1.jsonl"
    last = list(entries(file))[-1]
    assert (last["state"], last["reason"]) == ("fenced", str(error))


def test_other_errors_pass_through(settings: LiveSettings) -> None:
    def refuse(_: Sequence[ConsumedRecord]) -> None:
        raise Refused("gone")

    with pytest.raises(Refused):
        run(settings, [[START]], refuse)


@pytest.mark.parametrize("failures", [0, 2, 100])
def test_asked_to_stop_it_writes_progress_if_the_brokers_answer(
    settings: LiveSettings, failures: int
) -> None:
    group = FakeGroup([[START]])

    def process(records: Sequence[ConsumedRecord]) -> None:
        if records[0].offset == 102:
            group.progress.failures = failures
            consumer.stop()

    consumer = Consumer(settings, 2, 1, process, connections=group.connections)
    consumer.run()
    says_bye = ("event", Bye(2, 1)) in group.log
    assert says_bye == (failures < 3)
    assert group.seen("progress") == [("progress", PartitionOffset(0, 1, 103))] * says_bye
    assert consumer.state == "gone"


def test_nothing_is_written_before_it_is_ready(settings: LiveSettings) -> None:
    group = FakeGroup([])
    group.commands.looks_before_end = 10**6
    take = group.commands.take

    def stand_still_then_stop(wait_s: float) -> list[Command]:
        if len(group.seen("look")) == 3:
            time.sleep(0.6)
        if len(group.seen("look")) == 5:
            consumer.stop()
        return take(wait_s)

    group.commands.take = stand_still_then_stop
    short = replace(settings, lease_s=1.0)
    consumer = Consumer(short, 2, 1, lambda _: None, connections=group.connections)
    consumer.run()
    assert group.seen("progress", "failed", "event") == []
    assert consumer.state == "gone"


def test_a_beat_comes_every_second(settings: LiveSettings) -> None:
    def process(_: Sequence[ConsumedRecord]) -> None:
        time.sleep(0.02)

    began = time.monotonic()
    group, _ = run(settings, [[START]] + [[]] * 115 + [[END]], process)
    assert abs(len(group.events.beats) - (time.monotonic() - began)) < 1.1
    beat = group.events.beats[0]
    assert (beat.consumer, beat.incarnation, dict(beat.owned)) == (2, 1, {0: 1})
    assert 0 < beat.processed <= 51


def test_a_cycle_gathers_before_it_processes(settings: LiveSettings) -> None:
    sizes: list[int] = []
    cycle = replace(settings, mode="cycle", batch_bytes=1000, wait_s=5.0)
    group, _ = run(cycle, [[START], [], [STOP, END]], lambda r: sizes.append(len(r)))
    assert sizes == [10, 10]
    kinds: Log = group.seen("look", "unassign")
    assert kinds == [("look",)] * 3 + [("unassign", 0)]


def test_a_cycle_waits_for_records_no_longer_than_it_may(settings: LiveSettings) -> None:
    cycle = replace(settings, mode="cycle", batch_bytes=10**9, wait_s=0.3)
    sizes: list[int] = []

    began = time.monotonic()
    run(
        cycle,
        [[START], [END]],
        lambda records: sizes.append(len(records)),
        lambda group: slowed(group, 0.05),
    )
    assert 0.3 <= time.monotonic() - began < 3
    assert len(sizes) == 1
    assert 1 <= sizes[0] <= 7
