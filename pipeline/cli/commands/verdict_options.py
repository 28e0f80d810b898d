"""Comparison with the baseline, printed after a run is published."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from pipeline import paths
from pipeline.process import signals
from pipeline.text import addresses
from pipeline.text.printable import printable

if TYPE_CHECKING:
    from pipeline.regression.outcome import Outcome


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


def print_tracking(preset: str | None) -> None:
    """Print where MLflow has the run: on a server, the page of its preset, if known."""
    from pipeline.tracking import client

    place = paths.tracking_uri()
    page = None
    with suppress(Exception):  # the run is published: its results matter more than a link
        page = client.page(preset, place) if preset is not None else None
    how = " (start it with: make mlflow)" if place == paths.default_tracking_uri() else ""
    print(f"MLflow: {page or addresses.shown(place)}{how}")


def show(found: Outcome, console: Console) -> None:
    """Print the differences from the baseline; a run in which a value moved is published too."""
    from pipeline.regression import comparison_text

    console.print()
    console.print(comparison_text.table(found))
    if found.is_red:
        console.print()
        console.print(Text(f"Warning: {comparison_text.warning(found)}", "bold"))
        print(comparison_text.remedy(found))
