"""The objective of a service: a share of the events within a latency, such as ``99%@0.5s``."""

from __future__ import annotations

import re
from typing import NamedTuple

from pipeline.base.errors import InputError

MAX_LATENCY_S = 86_400.0
"""Longest latency of an objective: a day."""

_FORM = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,9})?)%@([0-9]{1,9}(?:\.[0-9]{1,9})?)(ms|s)", re.ASCII)


class Objective(NamedTuple):
    """A share of the events within a latency."""

    percent: float
    """Events that must be served in time, %."""
    latency_s: float
    """Latency that counts as in time, s."""

    @property
    def allowed(self) -> float:
        """Share of the events that may be late."""
        return (100.0 - self.percent) / 100.0

    @property
    def text(self) -> str:
        """The objective as it is written."""
        return f"{self.percent:.10g}%@{self.latency_s:.10g}s"


def parse(text: str) -> Objective:
    """Read an objective: ``SHARE%@LATENCY``, the latency in ``s`` or ``ms``.

    >>> parse("99.9%@250ms")
    Objective(percent=99.9, latency_s=0.25)
    """
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise InputError(
            "`--slo` must have the form SHARE%@LATENCY, such as 99%@0.5s or 99.9%@250ms "
            f"(got {text!r})"
        )
    percent = float(match[1])
    latency_s = float(match[2]) / (1000.0 if match[3] == "ms" else 1.0)
    if not 0.0 < percent <= 100.0:
        raise InputError(
            f"the share of `--slo` must be above 0 and at most 100 % (got {match[1]} %)"
        )
    if not 0.0 < latency_s <= MAX_LATENCY_S:
        raise InputError(
            f"the latency of `--slo` must be above 0 and at most {MAX_LATENCY_S:.0f} s "
            f"(got {match[2]} {match[3]})"
        )
    return Objective(percent, latency_s)
