"""What a command says of a run that it has published: how it compares with its baseline."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from pipeline.process import signals
from pipeline.text import addresses
from pipeline.text.printable import printable

if TYPE_CHECKING:
    from pipeline.regression.outcome import Outcome


@contextmanager
def published_anyway(run_id: str) -> Iterator[None]:
    """Say that something cannot be shown, and go on: the exit status is about the run."""
    try:
        yield
    except signals.Interrupted as error:
        error.add_note(f"run {run_id} is published")
        raise
    except Exception as error:
        said = printable(addresses.shown(f"{type(error).__name__}: {error}"))
        print(f"Run {run_id} is published, but cannot be shown: {said}", file=sys.stderr)


def show(found: Outcome, console: Console) -> None:
    """Say what differs from the baseline; a run in which something moved is published as well."""
    from pipeline.regression import comparison_text

    console.print()
    console.print(comparison_text.table(found, comparison_text.LISTED))
    if found.is_red:
        console.print()
        console.print(Text(f"Warning: {comparison_text.warning(found)}", "bold"))
        print(comparison_text.remedy(found))
