"""The design."""

from __future__ import annotations

import pytest

from tools.bench.rebalances import cells

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
