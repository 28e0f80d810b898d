"""One vocabulary of verdicts, wherever it is spelt."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from algorithms.inference import claim_shares
from algorithms.learning import sensitivity, success_verdicts
from pipeline.experiments.learning.sections import learning_page
from pipeline.reporting.sections.page_shell import MARKS
from schemas import TABLES, verdicts
from schemas.tables.learning import learning_verdicts
from schemas.verdicts import ALL, BY_CONSTRUCTION, MEANINGS, NOT_REPRODUCED, OPEN, REPRODUCED
from tests.pipeline.experiments.learning import learning_cases

pytestmark = pytest.mark.unit

SCIENCE = Path(__file__).parents[2] / "docs" / "science.md"


def test_every_verdict_has_a_meaning_and_a_mark() -> None:
    named = [value for name, value in vars(verdicts).items() if name.isupper()]
    assert {word for word in named if isinstance(word, str)} == set(MEANINGS) == set(MARKS)


def test_learning_says_the_words_that_tables_allow() -> None:
    """Contracts and algorithms ignore each other, so that both spell them."""
    words = (claim_shares.REPRODUCED, claim_shares.NOT_REPRODUCED, claim_shares.OPEN)
    assert words == (REPRODUCED, NOT_REPRODUCED, OPEN)
    assert set(learning_verdicts.VERDICTS) == {*words, BY_CONSTRUCTION}
    assert success_verdicts.FEWEST == learning_verdicts.LEAST_SEEDS
    assert len(sensitivity.DECLARED) == learning_verdicts.VARIANTS


def test_all_papers_share_the_verdicts() -> None:
    assert TABLES["published_figures"].column("verdict").allowed == ALL
    assert set(TABLES["learning_verdicts"].column("verdict").allowed) <= set(MEANINGS)


def test_the_page_on_learning_marks_verdicts_like_all_others() -> None:
    results = learning_cases.small()
    (claim,) = results["learning_verdicts"]["verdict"]
    style, sign = MARKS[claim]
    assert f'<span class="badge {style}">{sign} {claim}</span>' in learning_page.build(results)


def test_the_guide_has_every_verdict_with_its_meaning() -> None:
    text = SCIENCE.read_text(encoding="utf-8").partition("| verdict | meaning |")[2]
    assert re.findall(r"^\| ([a-z ]+) \| (.+) \|$", text, re.MULTILINE) == list(MEANINGS.items())
