"""Programs of the virtual environment, and what is said where there is no such program."""

from __future__ import annotations

import pytest

from tools import cli
from tools.console import SetupError

pytestmark = pytest.mark.unit


def test_a_program_takes_the_place_of_this_one(layout, program, monkeypatch):
    begun = []
    monkeypatch.setattr("os.execve", lambda *what: begun.append(what))
    greet = program(layout.venv / "bin" / "greet", "echo hello")
    cli._become(layout, {"A": "b"}, ["greet", "--loud"])
    assert begun == [(greet, [str(greet), "--loud"], {"A": "b"})]


@pytest.mark.parametrize(("words", "said"), [(["sudoku"], "'sudoku'"), ([], "exec: a program")])
def test_a_program_that_is_not_there_is_said(layout, words, said):
    with pytest.raises(SetupError, match=said):
        cli._become(layout, {}, words)
