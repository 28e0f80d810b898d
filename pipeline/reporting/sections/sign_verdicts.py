"""What the interval of a difference says of the sign of a published one."""

from __future__ import annotations

import math

from schemas.verdicts import NOT_REPRODUCED, OPEN, REPRODUCED


def sign_of(low: float, high: float) -> int:
    """1 or -1 if an interval lies above or below 0; else 0, also without an interval."""
    if math.isnan(low) or low <= 0.0 <= high:
        return 0
    return 1 if low > 0.0 else -1


def sign_verdict(sign: int, published: float) -> str:
    """Whether ours has the sign of the published difference, the other one, or none."""
    if sign == 0:
        return OPEN
    return REPRODUCED if (sign > 0) == (published > 0.0) else NOT_REPRODUCED
