"""What to answer KEDA: the last decision, and what holds while none can be made.

*seeing*: looks succeed. *blind*: they have failed for less than ``blind_s``: the last count.
*blind_long*: for longer: the greater of the last count and the greatest of the hour before, and at
least one replica: only a look can say that a group is idle.
*unknown*: nothing has been decided since the start: there is no count, and KEDA's fallback raises
the group.

No clock of its own: times are seconds of a clock that does not jump.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from algorithms.autoscaling.blind_answers import HOUR_S, LATE_LOOKS
from live.scaler.recent_counts import RecentCounts

SEEING, BLIND, BLIND_LONG, UNKNOWN = STATES = ("seeing", "blind", "blind_long", "unknown")

MOST_COUNT = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer at one moment."""

    state: str
    """One of `STATES`."""
    replicas: int | None
    """None if unknown."""
    reason: str
    """Why, in words."""
    unseen_s: float = 0.0
    """Time since the last look; 0 while looks succeed."""


def checked(count: object) -> int:
    """A count that can be sent. Raises ValueError: KEDA takes others for 0, without an error."""
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= MOST_COUNT:
        raise ValueError(f"a count must be an integer between 0 and {MOST_COUNT:,} (got {count!r})")
    return count


class Answers:
    """States of one group.

    recent: Counts of the last hour, of an earlier process as well.
    """

    def __init__(self, look_s: float, blind_s: float, recent: RecentCounts, now_s: float) -> None:
        self._look_s, self._blind_s, self.recent = look_s, blind_s, recent
        self._floor, self._floor_until_s = 0, -math.inf
        self._seen_s = now_s
        self._began_s = now_s
        self._count: int | None = None
        self._said = self._fault = ""
        self.began_again("the scaler started again")

    def began_again(self, what: str) -> None:
        """The strategy restarts: unless idle, the count stays at or above its last one for an hour.

        It has forgotten the peak that this count was for.
        """
        counts = [row for row in self.recent.rows if row[1] > 0]
        if counts:
            at_s, self._floor = counts[-1]
            self._floor_until_s = at_s + HOUR_S
            self._floor_said = f"asked for before {what}"

    def found(self, replicas: int) -> None:
        """Replicas of the first look: without counts of the last hour, never below for an hour."""
        if self._count is None and not self.recent.rows:
            self._floor, self._floor_until_s = replicas, self._began_s + HOUR_S
            self._floor_said = "found when the scaler started"

    def decided(self, count: int, said: str, now_s: float) -> None:
        """A decision after a complete look; 0 says that the group is idle."""
        count = checked(count)
        self._said = said
        if 0 < count < self._floor and now_s < self._floor_until_s:
            left_s = self._floor_until_s - now_s
            self._said += f"; kept at the {self._floor} {self._floor_said}, for {left_s:.0f} s more"
            count = self._floor
        self._count = count
        self.recent.add(now_s, count)
        self.seen(now_s)

    def seen(self, now_s: float) -> None:
        """A complete look without a decision."""
        self._seen_s, self._fault = now_s, ""

    def failed(self, reason: str) -> None:
        """A look that is not complete."""
        self._fault = reason

    def at(self, now_s: float) -> Answer:
        """The answer at a moment."""
        passed_s = max(now_s - self._seen_s, 0.0)
        is_late = passed_s > LATE_LOOKS * self._look_s
        why = self._fault or ("a look has not returned" if is_late else "")
        if self._count is None:
            return Answer(UNKNOWN, None, why or "no decision since the start", passed_s)
        if not why:
            return Answer(SEEING, self._count, self._said)
        said = f"blind for {passed_s:.0f} s ({why})"
        if passed_s < self._blind_s:
            return Answer(BLIND, self._count, f"{said}: the last count holds", passed_s)
        most = max(self._count, self.recent.greatest)
        said += (
            f": the greater of the last count, {self._count}, and the greatest of the hour before, "
            f"{self.recent.greatest}"
        )
        if most == 0:
            said += "; but one replica, since no look says that the group is idle"
        return Answer(BLIND_LONG, max(most, 1), said, passed_s)
