"""How many records may be lost in the long run, in words."""

from __future__ import annotations

from algorithms.inference.lost_share import lost_high
from pipeline.reporting.sections import numbers


def words(lost: int, of: int) -> str:
    r"""The upper end of the 95 % interval of a share, in parentheses.

    >>> words(0, 763_343).replace(numbers.SPACE, " ")
    '(at most 4.0 in a million at 95 % confidence)'
    """
    return f"(at most {numbers.at_most(lost_high(lost, of))} at 95 % confidence)"
