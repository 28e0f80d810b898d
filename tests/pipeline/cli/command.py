"""Calls of the command ``groupscale``, for tests."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

from click.testing import Result
from typer import testing
from typer.testing import CliRunner

from pipeline.cli.app import app

# A `CliRunner` makes all commands again for each call, which takes longer than most calls.
testing._get_command = functools.cache(testing._get_command)  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Home:
    """Folders of one call of the command: what it is given, and what it may write."""

    root: Path

    @property
    def written(self) -> Path:
        return self.root / "home"

    @property
    def warehouse(self) -> Path:
        return self.written / "warehouse"

    @property
    def logs(self) -> Path:
        return self.written / ".state" / "logs"

    def tree(self) -> list[Path]:
        """Everything that a call has left behind."""
        return sorted(self.written.rglob("*"))


def call(*arguments: str | Path, read: str | None = None) -> Result:
    """Call the command; it may read this text from standard input."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=read)


def trace(home: Home, text: str, name: str = "t.csv") -> Path:
    file = home.root / name
    file.write_text(text)
    return file


def sets(*settings: str) -> list[str]:
    return [word for setting in settings for word in ("--set", setting)]
