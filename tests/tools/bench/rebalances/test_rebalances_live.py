"""Two tiny groups on a broker: each event is measured, and nothing stays behind."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from tools.bench.rebalances import event_rows, measurement
from tools.bench.rebalances.cells import CRASH, EAGER, EVENTS, JOIN, KIP_848, Cell

pytestmark = pytest.mark.live

SECONDS = 120.0


def test_events_are_measured_and_nothing_stays(tmp_path: Path) -> None:
    small = Cell(EAGER, 0.5, members=2, partitions=4)
    cells = (small, small._replace(protocol=KIP_848))
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    measurement.measure(cells, tmp_path, 1, 2, SECONDS)
    after = {child.pid for child in psutil.Process().children(recursive=True)}
    assert after <= before
    for cell in cells:
        rows = {
            row["event"]: row for row in event_rows.rows(tmp_path, cell) if event_rows.is_timed(row)
        }
        assert set(rows) == set(EVENTS), cell
        for row in rows.values():
            assert row["settled_s"] > 0.0
            assert row["rounds"] >= 1
            assert row["begun_s"] is not None
            assert row["moved"] >= cell.partitions // 2
            assert row["moved_s"] > 0.0
        assert rows[JOIN]["detected_s"] is None
        # From the last heartbeat on.
        detected_s = rows[CRASH]["detected_s"]
        assert cell.session_s - cell.heartbeat_s - 0.5 < detected_s < cell.session_s + 3.0
        assert rows[CRASH]["settled_s"] > detected_s
        assert rows[JOIN]["kept_s"] is not None
