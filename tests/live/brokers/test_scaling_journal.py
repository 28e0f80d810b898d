"""The journal of our controller survives a kill within a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from live.brokers import scaling_journal
from live.brokers.scaling_journal import BEGUN, CANCELLED, DONE, UP, Scaling, ScalingJournal
from pipeline.base.errors import StageError

pytestmark = pytest.mark.unit

FOURTH = Scaling(1, UP, 4)


def test_what_was_broken_off_is_found_again(tmp_path: Path) -> None:
    file = tmp_path / "new" / "journal.jsonl"
    journal = ScalingJournal(file)
    assert journal.unfinished() is None
    journal.append(FOURTH, BEGUN)
    journal.append(FOURTH, "planned", moves=3)
    journal.close()
    again = ScalingJournal(file)
    assert again.unfinished() == FOURTH
    assert again.of(FOURTH)["planned"]["moves"] == 3
    assert not again.of(Scaling(2, UP, 4))
    again.append(FOURTH, DONE)
    assert ScalingJournal(file).unfinished() is None


def test_a_line_that_was_cut_off_does_not_count(tmp_path: Path) -> None:
    file = tmp_path / "journal.jsonl"
    ScalingJournal(file).append(FOURTH, BEGUN)
    whole = file.read_bytes()
    file.write_bytes(whole + whole[:20])
    journal = ScalingJournal(file)
    assert [entry["phase"] for entry in journal.entries] == [BEGUN]
    journal.append(FOURTH, CANCELLED)
    assert [entry["phase"] for entry in ScalingJournal(file).entries] == [BEGUN, CANCELLED]


@pytest.mark.parametrize("line", [b"{\n", b"3\n", b'{"phase": "begun"}\n'])
def test_a_damaged_line_is_an_error(tmp_path: Path, line: bytes) -> None:
    file = tmp_path / "journal.jsonl"
    file.write_bytes(line)
    with pytest.raises(StageError, match="the journal is damaged"):
        ScalingJournal(file)


def test_lists_come_back() -> None:
    lists = {("a", 0): (1, 2), ("b", 7): (3,)}
    assert scaling_journal.read_lists(scaling_journal.stored_lists(lists)) == lists
