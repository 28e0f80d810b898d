"""What a sentence says, without its wording."""

from __future__ import annotations

import pytest

from tests.sentence_facts import facts_in, figures_of

pytestmark = pytest.mark.unit

TEXT = "In 2 of 2,000 runs, ds2 (stock) took 1.5\xa0s (99 %: 2.50 s)."


def test_facts_are_whole_and_in_their_order() -> None:
    facts = ["2", "2,000", "ds2", "stock", "1.5 s", "99 %", "2.50 s"]
    assert facts_in(TEXT, *facts) == facts
    assert facts_in(TEXT, "stock", "ds2") == ["stock"]
    assert facts_in(TEXT, "000", "ds", "5 s", "2.5") == []
    assert facts_in("2.5 and 2", "2", "2") == ["2"]


def test_figures_are_no_part_of_names() -> None:
    assert figures_of(TEXT) == ["2", "2,000", "1.5", "99", "2.50"]
