"""``groupscale algorithms``."""

from __future__ import annotations

from rich.console import Console


def algorithms() -> None:
    """List the assignment algorithms."""
    from pipeline import listings

    Console().print(listings.algorithms())
