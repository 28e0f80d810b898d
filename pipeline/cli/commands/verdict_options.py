"""Comparison with the baseline, printed after a run is published."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from pipeline.base.process import signals
from pipeline.base.text import addresses
from pipeline.base.text.printable import printable

if TYPE_CHECKING:
    from pipeline.reporting.regression.outcome import Outcome


@contextmanager
def published_anyway(run_id: str) -> Iterator[None]:
    """Print a note if results cannot be shown; the exit status stays that of the run."""
    try:
        yield
    except signals.Interrupted as error:
        error.add_note(f"run {run_id} is published")
        raise
    except Exception as error:
        said = printable(addresses.shown(f"{type(error).__name__}: {error}"))
        print(
            f"Run {run_id} is published, but its results cannot be shown: {said}", file=sys.stderr
        )


def show(comparison: Outcome, console: Console) -> None:
    """Print the differences from the baseline; a run in which a value moved is published too."""
    from pipeline.reporting.regression import comparison_text

    console.print()
    console.print(comparison_text.table(comparison))
    if comparison.is_red:
        console.print()
        console.print(Text(f"Warning: {comparison_text.warning(comparison)}", "bold"))
        print(comparison_text.remedy(comparison))
