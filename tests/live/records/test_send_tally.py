"""Counts of the producer."""

from __future__ import annotations

import pytest

from live.records.send_schedule import DueRecord
from live.records.send_tally import SendTally

pytestmark = pytest.mark.unit

MS = 10**6


def record(partition: int, sequence: int, iteration: int) -> DueRecord:
    return DueRecord(0, partition, sequence, iteration)


def test_records_are_counted_in_the_iteration_in_which_they_are_due() -> None:
    tally = SendTally([[2, 1], [1, 0]])
    tally.hand_over(record(0, 0, 0), 10 * MS, 11 * MS)
    tally.hand_over(record(1, 0, 0), 20 * MS, 22 * MS)
    tally.hand_over(record(0, 1, 0), 30 * MS, 33 * MS)
    tally.hand_over(record(0, 2, 1), 40 * MS, 40 * MS)
    tally.settle(0, True, 15 * MS)
    tally.settle(0, False, 55 * MS)
    tally.settle(0, True, 50 * MS)
    first, second = tally.reports()
    assert (first["due"], first["sent"], first["delivered"], first["failed"]) == (3, 3, 1, 1)
    assert (second["due"], second["sent"], second["delivered"], second["failed"]) == (1, 1, 1, 0)
    assert first["sent_by_partition"] == [2, 1]
    assert tally.sent_by_partition == [3, 1]
    assert (tally.sent, tally.failed) == (4, 1)
    assert first["late_max_ms"] == 3
    assert first["late_p50_ms"] == pytest.approx(2, rel=1 / 64)
    assert first["acknowledged_max_ms"] == 5
    assert second["acknowledged_max_ms"] == 10


def test_a_settled_iteration_keeps_its_report() -> None:
    tally = SendTally([[1], [1], [1]])
    for iteration in range(3):
        tally.hand_over(record(0, iteration, iteration), 0, iteration * MS)
        tally.settle(0, True, 5 * MS)
    assert [report["iteration"] for report in tally.reports()] == [0, 1, 2]
    assert [report["late_max_ms"] for report in tally.reports()] == [0, 1, 2]
    assert [report["delivered"] for report in tally.reports()] == [1, 1, 1]


def test_iterations_that_have_not_begun_have_no_report() -> None:
    assert SendTally([[5], [5]]).reports() == []


def test_iterations_without_records_are_in_time() -> None:
    tally = SendTally([[0, 0], [1, 0], [0, 0], [1, 0], [0, 1]])
    tally.hand_over(record(0, 0, 1), 0, 3 * MS)
    tally.hand_over(record(0, 1, 3), 0, 4 * MS)
    reports = tally.reports()
    assert [report["iteration"] for report in reports] == [0, 1, 2, 3]
    assert [report["late_p99_ms"] for report in reports] == [0, 3, 0, 4]
    assert [report["sent"] for report in reports] == [0, 1, 0, 1]
    assert tally.reports() == reports
