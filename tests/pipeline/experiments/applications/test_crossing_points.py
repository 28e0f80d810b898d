"""From when on seamless scaling is later: intervals, small differences, and words."""

from __future__ import annotations

import pandas as pd
import pytest

from algorithms.inference.intervals import Interval
from pipeline.experiments.applications.results.crossing_points import (
    STAGGERED,
    TOGETHER,
    Later,
    are_judged,
    compared,
    later_at,
    words,
)
from tests.sentence_facts import figures_of

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


def test_words_say_where() -> None:
    cells = compared(crossings(), 1)
    assert later_at(cells, 1000, TOGETHER) == [20, 50]
    assert figures_of(words(cells, 1000, TOGETHER)) == ["20", "50"]
    assert figures_of(words(cells[:-2], 1000, TOGETHER)) == ["20"]
    # At none that was simulated.
    assert figures_of(words(cells, 1000, STAGGERED)) == ["300"]


def test_words_leave_out_backlogs_in_between_at_which_it_is_not_later() -> None:
    later = {1: True, 10: False, 20: True, 50: True, 100: False, 300: True}
    cells = [
        Later(1000, backlog, TOGETHER, Interval(1.0, 0.5 if is_later else -0.5, 1.5))
        for backlog, is_later in later.items()
    ]
    assert figures_of(words(cells, 1000, TOGETHER)) == ["1", "20", "50", "300"]
    assert figures_of(words(cells[:-1], 1000, TOGETHER)) == ["1", "20", "50"]


def test_one_replicate_says_nothing() -> None:
    rows = crossings()
    cells = compared(rows[rows["replicate"] == 1], 1)
    assert not are_judged(cells)
    assert are_judged(compared(rows, 1))
    assert words(cells, 1000, TOGETHER) == words(cells, 1000, STAGGERED) == "–"
