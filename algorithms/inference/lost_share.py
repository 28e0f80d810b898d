"""What may be lost in the long run, after a count of events or records that were lost."""

from __future__ import annotations

from algorithms.inference.claim_shares import exact_share


def lost_high(lost: int, of: int) -> float:
    """Upper end of the 95 % interval of a share: 3/N for none, else Clopper-Pearson.

    Without events, and if all are lost, it is 1.

    >>> lost_high(0, 1000), round(lost_high(1, 10), 4)
    (0.003, 0.445)
    """
    if of == 0:
        return 1.0
    return min(3.0 / of, 1.0) if lost == 0 else exact_share(lost, of).high
