"""Help and errors of the command line, compared with messages.txt.

Other tests check statuses, fields and values; the wording is in that file alone.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.pipeline.cli import messages

pytestmark = pytest.mark.unit

AGAIN = "If the change is intended: python -m tests.pipeline.cli.messages"

WORDS = (
    *("whoever", "nobody", "anew", "beside", "told", "tells of", "whole number"),
    *("what there is", "but for", "of itself", "question"),
)
"""Words that no message contains."""

GOLDEN = messages.golden()


def test_every_case_has_a_message() -> None:
    assert list(GOLDEN) == messages.names(), AGAIN
    assert len(GOLDEN) >= 60


@pytest.mark.parametrize("name", messages.names())
def test_the_message(name: str, tmp_path: Path) -> None:
    assert messages.message(name, tmp_path) == GOLDEN.get(name), AGAIN


@pytest.mark.parametrize("word", WORDS)
def test_words_that_do_not_occur(word: str) -> None:
    pattern = re.compile(rf"\b{word}\b", re.IGNORECASE)
    assert [name for name, text in GOLDEN.items() if pattern.search(text)] == []


def test_wrong_input_has_one_message() -> None:
    """It begins with `Error`, and has no full stop, since it may be part of a sentence."""
    wrong = {name: text for name, text in GOLDEN.items() if "\nexit status 2\n" in text}
    assert len(wrong) >= 60
    for name, text in wrong.items():
        lines = text.splitlines()[2:]
        if not lines[0].startswith("Usage: "):
            assert len(lines) == 1, name
            assert lines[0].startswith("Error: "), name
            assert not lines[0].endswith("."), name
