"""Accepting a run: approver, time and reason, or an error that says what is allowed."""

from __future__ import annotations

import pytest

from pipeline.base.errors import InputError
from pipeline.reporting.regression import promote
from schemas.tables.common.baselines import MAX_TEXT
from tests.pipeline.cli.command import Home, call

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("text", ["", "  \n", "a" * (MAX_TEXT + 1), "bell\a", "\x1b[31mred"])
def test_a_reason_is_printable_and_not_blank(text: str) -> None:
    with pytest.raises(InputError, match="`--reason`"):
        promote.line("--reason", text)


def test_a_reason_becomes_one_line() -> None:
    assert promote.line("--reason", " ties fall\n otherwise ") == "ties fall otherwise"
    assert promote.line("--reason", "ä" * MAX_TEXT) == "ä" * MAX_TEXT


@pytest.mark.parametrize("command", ["promote", "compare"])
def test_a_warehouse_without_runs_is_wrong_input_and_stays_as_it_is(
    home: Home, command: str
) -> None:
    reason = ["--reason", "meant"] if command == "promote" else []
    done = call(command, "x", *reason)
    assert done.exit_code == 2
    assert "`RUN_ID`: run 'x' " in done.stderr
    assert "--warehouse" in done.stderr
    assert not home.warehouse.exists()


def test_retention_makes_no_tables_in_a_folder_that_was_mistyped(home: Home) -> None:
    for options in ([], ["--dry-run"]):
        done = call("retain", *options)
        assert done.exit_code == 2
        assert f"warehouse '{home.warehouse}' has no runs" in done.stderr
    assert not home.warehouse.exists()


def test_a_blank_reason_is_refused_before_anything_is_looked_up(home: Home) -> None:
    done = call("promote", "x", "--reason", " ")
    assert done.exit_code == 2
    assert "--reason" in done.stderr
