"""When members stand still: the run says so after they have started."""

from __future__ import annotations

from pathlib import Path

import pytest

from live.groups import standstill
from live.groups.standstill import Standstill

pytestmark = pytest.mark.unit


def test_a_member_that_is_there_already_learns_of_it(tmp_path: Path) -> None:
    member = Standstill(tmp_path, expected=True)
    assert not member.holds(15)
    standstill.write(tmp_path, [(10, 20), (30, 31)])
    assert [member.holds(at_ns) for at_ns in (9, 10, 19, 20, 30, 31)] == [
        *(False, True, True, False),
        *(True, False),
    ]


def test_without_outages_nothing_is_written(tmp_path: Path) -> None:
    standstill.write(tmp_path, [])
    assert not list(tmp_path.iterdir())
    assert not Standstill(tmp_path, expected=True).holds(0)
