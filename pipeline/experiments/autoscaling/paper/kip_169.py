"""KIP-169's worked example, assigned by our assignors."""

from __future__ import annotations

import numpy as np

from algorithms.assignment import assignors
from pipeline.reporting.sections.tolerances import Measured

LAGS = (100_000, 60_000, 50_000)
"""Lag of each partition of the example, in events."""

MEMBERS = (0, 1)


def assignment(assignor: str) -> Measured:
    """Partitions of each member; takes milliseconds once it is compiled."""
    owners = _owners(assignor)
    texts = (
        f"C{member}: " + " ".join(f"p{p}" for p, owner in enumerate(owners) if owner == member)
        for member in MEMBERS
    )
    return Measured(words="; ".join(texts))


def total_lags(assignor: str) -> Measured:
    """Total lag of each member, events."""
    totals = np.bincount(_owners(assignor), weights=LAGS, minlength=len(MEMBERS))
    return Measured(words=" / ".join(f"{total:.0f}" for total in totals))


def _owners(assignor: str) -> list[int]:
    unowned = [-1] * len(LAGS)
    return list(map(int, assignors.assign(assignor, len(LAGS), MEMBERS, unowned, LAGS)))
