"""``groupscale presets``."""

from __future__ import annotations

from rich.console import Console

from pipeline.failures import told
from pipeline.output import answered


def presets() -> None:
    """List the presets and their experiments."""
    from pipeline import listings

    with told(), answered():
        Console().print(listings.presets())
