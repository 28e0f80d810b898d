"""Messages of commands, with any quoted text."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from pipeline.base.errors import InputError, StageError, Stopped
from pipeline.cli import exits

pytestmark = pytest.mark.unit

# A command to the terminal, C1, a change of direction, and separators of lines.
QUOTED = "a\x1b[31m\x9b\u202e\u2028b\nc"
SHOWN = "a�[31m�� b c"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GROUPSCALE_HOME", str(tmp_path))
    return tmp_path


def said(error: Exception, capsys: pytest.CaptureFixture[str], debug: bool = False) -> str:
    with pytest.raises(typer.Exit), exits.reporting_errors(debug):
        raise error
    return capsys.readouterr().err


@pytest.mark.parametrize("kind", [InputError, StageError, Stopped, ValueError])
def test_messages_give_terminals_no_commands(
    kind: type[Exception], capsys: pytest.CaptureFixture[str]
) -> None:
    line = said(kind(QUOTED), capsys).splitlines()[0]
    # Lines of other errors are joined before.
    assert line.startswith(("Error: ", "Error: ValueError: "))
    assert line.endswith(SHOWN)


def test_tracebacks_give_terminals_no_commands(capsys: pytest.CaptureFixture[str]) -> None:
    output = said(InputError(QUOTED), capsys, debug=True)
    assert "Traceback" in output
    assert all(c.isprintable() or c == "\n" for c in output), ascii(output)


def test_tracebacks_hold_no_passwords(capsys: pytest.CaptureFixture[str]) -> None:
    error = InputError("no answer of https://me:secret@tracking.example")
    assert "secret" not in said(error, capsys, debug=True)


def test_what_was_stopped_leaves_no_log(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(Stopped("sql: interrupted"), capsys) == "Error: sql: interrupted\n"
    assert list(here.iterdir()) == []
    assert "Log: " in said(StageError("score: failed"), capsys)
