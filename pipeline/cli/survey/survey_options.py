"""Options of ``groupscale import``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Asked:
    """Options of the command; None for those not given."""

    capacity: float | None = None
    consumer_capacity: float | None = None
    iteration_seconds: float | None = None
