"""``groupscale presets``."""

from __future__ import annotations

from rich.console import Console

from pipeline.cli.exits import told
from pipeline.process.output import answered


def presets() -> None:
    """List the presets and their experiments."""
    from pipeline.cli import listings

    with told(), answered():
        Console().print(listings.presets())
