"""What a coordinator has logged."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.bench.rebalances import broker_log
from tools.bench.rebalances.broker_log import ASSIGNED, EXPIRED, PREPARES, BrokerLog, Logged

pytestmark = pytest.mark.unit

MS = 1_000_000


def test_steps_are_counted_from_the_event_on() -> None:
    steps = [
        Logged(100 * MS, ASSIGNED, "g"),
        Logged(1000 * MS, PREPARES, "g"),
        Logged(7000 * MS, EXPIRED, "g"),
        Logged(9000 * MS, ASSIGNED, "g"),
        Logged(9500 * MS, ASSIGNED, "g"),
    ]
    times = broker_log.round_times(steps, 1000 * MS + 5)
    assert times.rounds == 2
    assert times.begun_s == 0.0
    assert times.detected_s == pytest.approx(6.0)
    assert broker_log.round_times(steps[:1], 1000 * MS) == (0, None, None)


def test_a_log_is_read_on_and_from_its_start_when_it_is_new(tmp_path: Path) -> None:
    file = tmp_path / "log"
    line = (
        "2026-01-02 03:04:05.006 INFO GroupMetadataManager [x] Preparing to rebalance group {} in"
    )
    first, other = (line.format(name) + " state Stable\n" for name in ("g", "h"))
    file.write_text(first + other + first[:-5])
    log = BrokerLog(file, "g")
    assert [step.kind for step in log.steps()] == [PREPARES]
    file.write_text(first + other + first)
    assert [step.group for step in log.steps()] == ["g"]
    assert log.steps() == []
    file.write_text(first)
    assert len(log.steps()) == 1
