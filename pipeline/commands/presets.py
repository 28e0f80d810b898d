"""``groupscale presets``."""

from __future__ import annotations

from rich.console import Console


def presets() -> None:
    """List the presets and their experiments."""
    from pipeline import listings

    Console().print(listings.presets())
