"""Which open consumer takes a partition: ``load + speed <= capacity``, ties to the lowest id."""

from __future__ import annotations

from typing import Final

NEXT: Final = 0
"""The consumer opened last."""

FIRST: Final = 1
"""The lowest id."""

BEST: Final = 2
"""The highest load."""

WORST: Final = 3
"""The lowest load."""
