"""Rows of events: what is kept of an event, and which events a cell still lacks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tools import layout
from tools.bench.rebalances import event_rows, rebalance_table
from tools.bench.rebalances.broker_log import RoundTimes
from tools.bench.rebalances.cells import CRASH, CYCLE, JOIN, LEAVE, centres, design
from tools.bench.rebalances.event_times import EventTimes

pytestmark = pytest.mark.unit

CELL = centres()[0]

TIMES = EventTimes(2.9004, 0.5, None, {1: 0.25, 7: 2.4}, {}, 0.0996, 1)


def timed(event: str, control_s: float = 0.1) -> dict[str, Any]:
    times = TIMES._replace(control_s=control_s)
    return event_rows.event_row(event, "2.0", 0.5, times, RoundTimes(1, 0.001, None))


def test_a_row_is_read_as_it_was_kept_to_the_millisecond(tmp_path: Path) -> None:
    event_rows.add(tmp_path, CELL, timed(JOIN))
    event_rows.add(tmp_path, CELL, event_rows.event_row(CRASH, "2.1", 14.25))
    first, second = event_rows.rows(tmp_path, CELL)
    assert first == {
        "event": JOIN,
        "client": "2.0",
        "load": 0.5,
        "control_s": 0.1,
        "settled_s": 2.9,
        "first_s": 0.5,
        "last_s": None,
        "moved": 2,
        "moved_s": 2.4,
        "kept_s": None,
        "receivers": 1,
        "rounds": 1,
        "begun_s": 0.001,
        "detected_s": None,
    }
    assert {name: value for name, value in second.items() if value is not None} == {
        **{"event": CRASH, "client": "2.1", "load": 14.25}
    }


def test_a_row_is_short(tmp_path: Path) -> None:
    """All cells with twice the events that they need are to have 300 kB at most."""
    event_rows.add(tmp_path, CELL, timed(LEAVE))
    header, line = event_rows.file_of(tmp_path, CELL).read_text().splitlines()
    assert len(design()) * (len(header) + 120 * len(line)) < 300_000


def test_a_cell_lacks_events_until_it_has_its_repeats(tmp_path: Path) -> None:
    def add(*events: str) -> None:
        for event in events:
            event_rows.add(tmp_path, CELL, timed(event))

    assert event_rows.left(tmp_path, CELL, 1) == CYCLE
    event_rows.add(tmp_path, CELL, event_rows.event_row(JOIN, "2.0", 0.5))
    for control_s in (0.0, 0.2):
        event_rows.add(tmp_path, CELL, timed(JOIN, control_s))
    add(JOIN, LEAVE)
    assert event_rows.left(tmp_path, CELL, 1) == (JOIN, CRASH)
    add(CRASH)
    assert event_rows.left(tmp_path, CELL, 1) == ()
    assert event_rows.left(tmp_path, CELL, 2) == CYCLE
    add(CRASH)
    assert event_rows.left(tmp_path, CELL, 2) == (JOIN, LEAVE)


def test_a_line_that_was_cut_off_is_measured_again(tmp_path: Path) -> None:
    event_rows.add(tmp_path, CELL, timed(JOIN))
    with event_rows.file_of(tmp_path, CELL).open("a") as file:
        file.write("leave,2.0,0.1")
    assert [row["event"] for row in event_rows.rows(tmp_path, CELL)] == [JOIN]
    event_rows.add(tmp_path, CELL, timed(CRASH))
    assert [row["event"] for row in event_rows.rows(tmp_path, CELL)] == [JOIN, CRASH]


def test_the_page_is_that_of_the_shipped_rows() -> None:
    root = layout.here().root
    cells = {cell: event_rows.rows(root / event_rows.SHIPPED, cell) for cell in design()}
    if not any(cells.values()):
        pytest.skip("no rows are shipped yet")
    page = (root / "docs" / "rebalance-table.md").read_text(encoding="utf-8")
    assert page == rebalance_table.page(cells)
