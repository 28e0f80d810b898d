"""How many members a group is to have, from moment to moment; here by its lag."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from live.groups import keda_rule
from live.groups.group_lag import GroupLag
from live.groups.group_members import Assignments
from live.groups.keda_rule import HOLD_S, POLL_S, KedaRule
from live.live_settings import LiveSettings
from live.processes.child_processes import Child
from live.records.journal import Journal
from live.strategy_kinds import MOST_MEMBERS


class Wish(NamedTuple):
    """Members that a group is to have now."""

    members: int
    lag: int | None = None
    """Records that are not committed, if they are why."""
    slots: frozenset[int] | None = None
    """Slots of the members; None: the lowest ones."""
    killed: int | None = None
    """Slot of a member that gets SIGKILL, and is not among them."""


class GroupView(NamedTuple):
    """What is known of a group to what sizes it."""

    journal: Journal
    lag: GroupLag
    assignments: Assignments


class MemberCounts(Protocol):
    """What says how many members a group is to have."""

    first: int
    """Members at the beginning."""
    places: bool
    """Whether it also says which member has which partitions, and is ready when they do."""

    @property
    def children(self) -> Sequence[Child]:
        """Its processes."""

    @property
    def is_ready(self) -> bool:
        """Whether the run may begin."""

    def begin(self, began_ns: int) -> None:
        """Tell when the run begins."""

    def due(self, now_ns: int, members: int) -> Wish | None:
        """What is wanted from now on; None if the group stays. members: Present number."""

    def close(self) -> None:
        """Release what is held."""


class LagCounts:
    """Follows the lag as KEDA does: it polls at the end of each iteration.

    now_ns: Time, nanoseconds.
    """

    first = 1
    places = False
    children: Sequence[Child] = ()
    is_ready = True

    def __init__(
        self, settings: LiveSettings, lag: GroupLag, journal: Journal, now_ns: int
    ) -> None:
        self._lag, self._journal = lag, journal
        self._period_ns = keda_rule.scaled_ns(POLL_S, settings.iteration_s)
        hold_ns = keda_rule.scaled_ns(HOLD_S, settings.iteration_s)
        most = min(settings.partitions, MOST_MEMBERS)
        self._rule = KedaRule(most, settings.lag_threshold, hold_ns, now_ns=now_ns)
        self._poll_ns: int | None = None

    def begin(self, began_ns: int) -> None:
        """Poll from then on."""
        self._poll_ns = began_ns + self._period_ns

    def due(self, now_ns: int, members: int) -> Wish | None:
        """The rule's answer to a poll; without an answer of the brokers the group stays."""
        if self._poll_ns is None or now_ns < self._poll_ns:
            return None
        self._poll_ns += self._period_ns
        lag = self._lag.read()
        if lag is None:
            self._journal.write("fault", kind="lag", message="no broker has told the lag in time")
            return None
        wanted = self._rule.members(lag, now_ns)
        self._journal.write("lag", lag=lag, wanted=self._rule.wanted(lag), members=wanted)
        return Wish(wanted, lag)

    def close(self) -> None:
        """Nothing is held."""
