"""``groupscale algorithms``."""

from __future__ import annotations

from rich.console import Console

from pipeline.failures import told
from pipeline.output import answered


def algorithms() -> None:
    """List the assignment algorithms."""
    from pipeline import listings

    with told(), answered():
        Console().print(listings.algorithms())
