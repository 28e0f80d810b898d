"""The design, and which events a cell still lacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.bench.rebalances import cells, event_rows
from tools.bench.rebalances.cells import CRASH, CYCLE, JOIN, LEAVE

pytestmark = pytest.mark.unit


def test_each_cell_differs_from_its_centre_in_one_factor() -> None:
    centres = {cell.protocol: cell for cell in cells.centres()}
    assert list(centres) == [*cells.PROTOCOLS]
    design = cells.design()
    assert len({cell.name for cell in design}) == len(design)
    differences = [
        sum(a != b for a, b in zip(cell, centres[cell.protocol], strict=True)) for cell in design
    ]
    # Short heartbeats without an assignment interval differ in two.
    assert sorted(differences)[:3] == [0, 0, 0]
    assert sorted(differences)[-2:] == [1, 2]
    assert {cell.members for cell in design} == {2, 5, 8, 16}
    assert {cell.partitions for cell in design} == {5, 16, 64}


def test_sessions_are_longer_than_heartbeats() -> None:
    for cell in cells.design():
        assert cell.session_s >= cell.heartbeat_s + 3.0
        assert ("session.timeout.ms" in cell.client()) != bool(cell.group_settings())


def test_a_cell_lacks_events_until_it_has_its_repeats(tmp_path: Path) -> None:
    cell = cells.centres()[0]

    def add(*events: str) -> None:
        for event in events:
            event_rows.add(tmp_path, cell, {"event": event, "settled_s": 1.0, "control_s": 0.1})

    assert event_rows.left(tmp_path, cell, 1) == CYCLE
    event_rows.add(tmp_path, cell, {"event": JOIN, "why": "not settled"})
    for control_s in (0.0, 0.2):
        row = {"event": JOIN, "settled_s": 1.0, "control_s": control_s}
        event_rows.add(tmp_path, cell, row)
    add(JOIN, LEAVE)
    assert event_rows.left(tmp_path, cell, 1) == (JOIN, CRASH)
    add(CRASH)
    assert event_rows.left(tmp_path, cell, 1) == ()
    assert event_rows.left(tmp_path, cell, 2) == CYCLE
    add(CRASH)
    assert event_rows.left(tmp_path, cell, 2) == (JOIN, LEAVE)
    with event_rows.file_of(tmp_path, cell).open("a") as file:
        file.write('{"event": "le')
    assert len(event_rows.rows(tmp_path, cell)) == 7
