"""What is said of consumers that were stopped, hung or did not start, by good and bad evidence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from live.protocol.group_actions import ProtocolSettings
from pipeline.experiments.live.faults import consumer_checks
from tests.pipeline.experiments.live.faults.fault_evidence import FAULT_S, folder, note, started

pytestmark = pytest.mark.unit

LEASE_S = 3.0
BEFORE = [started(0.0, 0, 0), started(0.0, 1, 1)]


def stopped(
    place: Path, answered_s: float, status: int = 3, log: str = "consumer: fenced: x\n"
) -> list[str]:
    run = folder(place, *BEFORE, started(FAULT_S + answered_s, 0, 1), lease_s=LEASE_S)
    if log:
        (place / "logs").mkdir()
        (place / "logs" / "c0-1.log").write_text(log)
    notes = [note("fault", consumer=0), note("status", 19.0, status=status, incarnation=1)]
    return consumer_checks.stopped(run, notes)


def test_a_stopped_consumer_is_lost_after_a_lease_and_refused_when_it_wakes_up(
    tmp_path: Path,
) -> None:
    assert stopped(tmp_path / "at once", 2.0) == []
    assert stopped(tmp_path / "at last", 5.0) == []


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        ({"answered_s": 5.1}, "answered after 5.10 s, not 5 s"),
        ({"answered_s": 1.9}, "answered after 1.90 s, before 2 s"),
        ({"answered_s": 3.0, "status": 0}, "the woken consumer ended with 0, not 3"),
        ({"answered_s": 3.0, "log": "consumer: unusable: x\n"}, "does not say that its progress"),
        ({"answered_s": 3.0, "log": ""}, "does not say that its progress was refused"),
    ],
)
def test_a_stopped_consumer_in_bad_evidence(
    tmp_path: Path, evidence: dict[str, Any], words: str
) -> None:
    (line,) = stopped(tmp_path / "run", **evidence)
    assert words in line


@pytest.mark.parametrize(
    ("status", "after_s", "words"),
    [
        (4, 3.2, ""),
        (4, 3.21, "it ended after 3.21 s, not 3 s"),
        (-9, 2.0, "it ended with -9, not 4"),
    ],
)
def test_a_hanging_consumer_is_ended_within_a_lease(
    tmp_path: Path, status: int, after_s: float, words: str
) -> None:
    run = folder(tmp_path / "run", *BEFORE, started(FAULT_S + 4.0, 0, 1), lease_s=LEASE_S)
    notes = [note("fault", consumer=0), note("status", 11.0, status=status, after_s=after_s)]
    assert consumer_checks.hanging(run, notes) == [words] * bool(words)


def test_partitions_that_nobody_takes_over_are_no_answer(tmp_path: Path) -> None:
    run = folder(tmp_path / "run", *BEFORE, lease_s=LEASE_S)
    notes = [note("fault", consumer=0), note("status", 11.0, status=4, after_s=3.0)]
    (line,) = consumer_checks.hanging(run, notes)
    assert "not all were started again" in line


PLAN_S = 12.0
KILLED = note("fault", FAULT_S + 0.1, kind="exited", consumer=0, incarnation=1)
PLAN = note("iteration", PLAN_S, iteration=3, wanted=[0, 1, 2, 1], plan=5)
AT_WORK = [started(0.0, p, c) for p, c in enumerate((1, 1, 1, 2))]
"""Partitions at consumers 1 and 2, since consumer 0 is away. The plan moves 0, 2 and 3."""

OTHERS = [started(PLAN_S + 0.1, 2, 2), started(PLAN_S + 0.1, 3, 1)]


def exits(tries: int) -> list[dict[str, Any]]:
    return [
        note("fault", PLAN_S + i, kind="exited", consumer=0, incarnation=1 + i)
        for i in range(1, tries + 1)
    ]


def broken(place: Path, *entries: dict[str, Any]) -> list[str]:
    return consumer_checks.broken(folder(place, *entries), [note("fault", consumer=0)])


def test_moves_to_a_consumer_that_does_not_start_wait_for_three_tries(tmp_path: Path) -> None:
    assert ProtocolSettings(1).tries == consumer_checks.TRIES
    assert broken(tmp_path / "run", *AT_WORK, KILLED, PLAN, *OTHERS, *exits(3)) == []


@pytest.mark.parametrize("tries", [2, 4])
def test_the_tries_are_exactly_three(tmp_path: Path, tries: int) -> None:
    messages = broken(tmp_path / "run", *AT_WORK, KILLED, PLAN, *OTHERS, *exits(tries))
    assert messages == [f"it was tried {tries} times, not 3"]


def test_a_move_that_does_not_wait_or_waits_for_others_is_named(tmp_path: Path) -> None:
    stop = note("sent", PLAN_S + 0.2, kind="stop", partition=0, consumer=1)
    messages = broken(tmp_path / "asked", *AT_WORK, KILLED, PLAN, *OTHERS, stop, *exits(3))
    assert messages == ["partition 0 did not wait"]
    messages = broken(tmp_path / "waits", *AT_WORK, KILLED, PLAN, OTHERS[0], *exits(3))
    assert messages == ["partition 3 waited for another one's consumer"]


def test_after_the_last_try_partitions_go_elsewhere(tmp_path: Path) -> None:
    stop = note("sent", PLAN_S + 3.1, kind="stop", partition=0, consumer=1)
    messages = broken(tmp_path / "run", *AT_WORK, KILLED, PLAN, *OTHERS, *exits(3), stop)
    assert messages == []


def test_partitions_that_wait_must_be_read_from(tmp_path: Path) -> None:
    place = tmp_path / "run"
    whole = folder(place, *AT_WORK, KILLED, PLAN, *OTHERS, *exits(3))
    records = whole.records
    is_kept = (records.partition != 0) | (records.read_ns < PLAN["at_ns"])
    run = whole._replace(records=records.at(is_kept))
    assert consumer_checks.broken(run, [note("fault", consumer=0)]) == [
        "partition 0 was not read from while others moved"
    ]


def test_without_a_plan_nothing_is_shown(tmp_path: Path) -> None:
    untried = ["no plan wanted the consumer that does not start, or it was not tried"]
    assert broken(tmp_path / "run", *AT_WORK, KILLED, *exits(3)) == untried
    assert broken(tmp_path / "untried", *AT_WORK, KILLED, PLAN, *OTHERS) == untried
    still = {**PLAN, "wanted": [0, 1, 1, 2]}
    messages = broken(tmp_path / "still", *AT_WORK, KILLED, still, *exits(3))
    assert messages == ["the plan moves nothing else: choose another seed"]
