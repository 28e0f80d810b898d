"""How many members KEDA wants for a lag, and when it takes some away."""

from __future__ import annotations

from collections import deque

POLL_S, HOLD_S = 30.0, 300.0
"""KEDA's time between two polls, and how long members stay after they were last wanted, seconds.

Both hold for iterations of 30 s; a live run scales them with its own.
"""

_PAPER_ITERATION_S = 30.0


def scaled_ns(seconds: float, iteration_s: float) -> int:
    """A time of KEDA in a run with iterations of another length, nanoseconds."""
    return round(seconds * iteration_s / _PAPER_ITERATION_S * 1e9)


class KedaRule:
    """Number of members by lag: min(P, ⌈lag / threshold⌉), at least 1, lowered late.

    The group has the greatest number that was wanted within the hold, as the horizontal pod
    autoscaler has it: more members start at once, fewer only when all higher wishes are older.

    hold_ns: How long a wish counts, nanoseconds.
    members, now_ns: Members of the group at first, and when; they count as a wish.
    """

    def __init__(
        self, most: int, threshold: int, hold_ns: int, members: int = 1, now_ns: int = 0
    ) -> None:
        if not (1 <= members <= most and threshold >= 1 and hold_ns >= 0):
            raise ValueError(
                "1 <= members <= most, threshold >= 1 and hold_ns >= 0 must hold (got "
                f"members={members}, most={most}, threshold={threshold}, hold_ns={hold_ns})"
            )
        self._most, self._threshold, self._hold_ns = most, threshold, hold_ns
        # Times and wishes; each wish is greater than those after it, so the first is the greatest.
        self._wishes = deque([(now_ns, members)])

    def wanted(self, lag: int) -> int:
        """Members for a lag, without the hold."""
        return max(1, min(self._most, -(-lag // self._threshold)))

    def members(self, lag: int, now_ns: int) -> int:
        """Members that the group is to have.

        lag: Records that are not committed, over all partitions.
        now_ns: Time, which does not go back from call to call, nanoseconds.
        """
        wish = self.wanted(lag)
        while self._wishes and self._wishes[-1][1] <= wish:
            self._wishes.pop()
        self._wishes.append((now_ns, wish))
        while self._wishes[0][0] < now_ns - self._hold_ns:
            self._wishes.popleft()
        return self._wishes[0][1]
