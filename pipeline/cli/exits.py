"""Exit status, message and log of a command that fails."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import typer

from pipeline.base import paths
from pipeline.base.errors import GroupscaleError, InputError, Stopped
from pipeline.base.process import output
from pipeline.base.process.signals import INTERRUPTED, Interrupted
from pipeline.base.text import addresses
from pipeline.base.text.printable import printable

FAILED, WRONG_INPUT, MOVED = 1, 2, 3
MISSED = MOVED
"""``recommend``: nothing that can be deployed keeps the objective."""


@contextmanager
def reporting_errors(debug: bool = False) -> Iterator[None]:
    """Turn an exception into one message on standard error and an exit status.

    Wrong input gives status 2 and leaves nothing behind. A signal gives the status that shells give
    it. Everything else gives status 1 and a log file with the traceback; the message names the
    file. With ``debug`` the traceback goes to standard error as well.

    Raises typer.Exit: In place of the exception.
    """
    try:
        yield
        lost = output.loss()
        if lost is not None:
            print(f"Note: {lost}; everything else succeeded", file=sys.stderr)
    except InputError as error:
        _say(str(error), debug)
        raise typer.Exit(WRONG_INPUT) from error
    except Stopped as error:
        _say(str(error), debug)
        raise typer.Exit(FAILED) from error
    except (Interrupted, KeyboardInterrupt) as error:
        _say("; ".join([str(error) or "interrupted", *getattr(error, "__notes__", ())]), debug)
        raise typer.Exit(getattr(error, "status", INTERRUPTED)) from error
    except Exception as error:
        is_own = isinstance(error, GroupscaleError)
        message = str(error) if is_own else f"{type(error).__name__}: {_line(error)}"
        _say(message, debug, _logged())
        raise typer.Exit(FAILED) from error


def refused(error: InputError) -> int:
    """Print an error of the input that shows before any command begins; returns its status."""
    _say(str(error), debug=False)
    return WRONG_INPUT


def _say(message: str, debug: bool, where: str = "") -> None:
    """Print a message without control characters: it may quote files, tables and users."""
    if debug:
        for line in addresses.shown(traceback.format_exc()).splitlines():
            print(printable(line), file=sys.stderr)
    print(f"Error: {printable(addresses.shown(message))}{where}", file=sys.stderr)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:500]


def _logged() -> str:
    """Write the traceback to a log file; returns the line that names it."""
    try:
        folder = paths.make_private(paths.logs())
        file = folder / f"error-{datetime.now(UTC):%Y%m%dT%H%M%S%f}.log"
        file.write_text(addresses.shown(traceback.format_exc()), encoding="utf-8")
    except OSError:
        return " (run with --debug to see the traceback)"
    return f"\nLog: {printable(str(_shortest(file)))}"


def _shortest(file: Path) -> Path:
    """The path from the current folder, where that is shorter."""
    return file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file
