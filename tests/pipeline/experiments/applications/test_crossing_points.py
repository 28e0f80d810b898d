"""From when on seamless scaling is later: intervals, small differences, and words."""

from __future__ import annotations

import pandas as pd
import pytest

from pipeline.experiments.applications.results.crossing_points import (
    STAGGERED,
    TOGETHER,
    UNKNOWN,
    compared,
    later_at,
    words,
)
from pipeline.experiments.applications.sections import prefetch_section

pytestmark = pytest.mark.unit

LATER_BY = {1: (0.0, 0.0), 10: (0.04, 0.049), 20: (0.06, 0.3), 50: (1.0, 2.0), 300: (-1.0, 3.0)}
"""Seconds by backlog, of two replicates: none, too few, later, later, who knows."""


def crossings() -> pd.DataFrame:
    rows = [
        {
            "receiver_queue": 1000,
            "backlog": backlog,
            "replicate": replicate,
            "seamless_s": 5.0 + later,
            "restart_s": 5.0,
            "staggered_s": 5.1 + later,
        }
        for backlog, both in LATER_BY.items()
        for replicate, later in enumerate(both, 1)
    ]
    # The order of rows says nothing.
    return pd.DataFrame(rows[::-1])


def test_cells_have_signs() -> None:
    cells = compared(crossings(), 1)
    together = [cell.sign for cell in cells if cell.restart == TOGETHER]
    assert together == [0, 0, 1, 1, 0]
    assert {cell.sign for cell in cells if cell.restart == STAGGERED} == {-1}


def test_words_leave_out_what_is_between() -> None:
    """Seamless scaling is not later at 20 events, which 10 and 50 enclose."""
    rows = crossings()
    rows.loc[rows["backlog"] == 10, "seamless_s"] += 3.0
    rows.loc[rows["backlog"] == 20, "seamless_s"] -= 3.0
    cells = compared(rows, 1)
    assert words(cells, 1000, TOGETHER) == "at backlogs of 10 and 50"


def test_one_replicate_says_nothing() -> None:
    rows = crossings()
    cells = compared(rows[rows["replicate"] == 1], 1)
    assert words(cells, 1000, TOGETHER) == words(cells, 1000, STAGGERED) == UNKNOWN
    assert prefetch_section.sentence(cells).endswith(f"is {UNKNOWN} from one replicate.")


def test_words_say_where() -> None:
    cells = compared(crossings(), 1)
    assert later_at(cells, 1000, TOGETHER) == [20, 50]
    assert words(cells, 1000, TOGETHER) == "at backlogs from 20 to 50"
    assert words(cells[:-2], 1000, TOGETHER) == "at backlogs from 20 on"
    assert words(cells, 1000, STAGGERED) == "at no backlog up to 300"
