"""``groupscale algorithms``."""

from __future__ import annotations

from rich.console import Console

from pipeline.cli.exits import reporting_errors
from pipeline.process.output import answered


def algorithms() -> None:
    """List the assignment algorithms."""
    from pipeline.cli import listings

    with reporting_errors(), answered():
        Console().print(listings.algorithms())
