"""What the looks at a group come to, one after another."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from algorithms.autoscaling.candidates import Candidate
from live.scaler import count_decisions
from live.scaler.count_decisions import CountDecisions, Decided
from live.scaler.group_look import Look
from live.scaler.idle_watch import Idleness, IdleWatch
from live.scaler.scaler_settings import ScalerTarget
from live.scaler.step_rates import StepRates
from pipeline.base.errors import InputError


@dataclass(frozen=True, slots=True)
class LookResult:
    """What a look comes to."""

    replicas: int
    """Those that the group has, by its members."""
    has_begun_again: bool
    """Whether the strategy has restarted, as a topic's partitions have changed."""
    has_rates: bool
    """Whether there was a look before, from which rates are taken."""
    decided: Decided | None
    """A decision of the strategy."""
    count: tuple[int, str] | None
    """The count to answer from now on, and why; None if it stays."""


class LookDecisions:
    """Decides for one group, in the thread that looks: no answer waits for it.

    was_idle: Whether the group was idle when the scaler ended.
    """

    def __init__(
        self, target: ScalerTarget, candidate: Candidate, look_s: float, was_idle: bool
    ) -> None:
        self._target, self._candidate, self._look_s = target, candidate, look_s
        self._rates = StepRates(look_s)
        self._decisions: CountDecisions | None = None
        self._sizes: tuple[int, ...] = ()
        self._each = target.members_per_replica
        self._idle = IdleWatch(target, target.topics, was_idle)

    def follow(self, look: Look, last: int | None) -> LookResult:
        """Take a look.

        last: The newest count, of an earlier process as well.
        Raises InputError if it cannot be seen how many members a replica has.
        Raises AlgorithmError, ValueError if the strategy refuses what it sees, or its count is
            none.
        """
        each = self._each = self._each or _members_per_replica(look)
        replicas = -(-len(look.members) // each)
        idleness, step = self._idle.see(look), self._rates.add(look)
        has_begun_again = False
        if self._decisions is None or self._sizes != look.sizes:
            has_begun_again = self._decisions is not None
            self._start(look.sizes, replicas if last is None else last, each)
        decided = None if step is None or self._decisions is None else self._decisions.step(step)
        count = self._counted(idleness, decided, last)
        return LookResult(replicas, has_begun_again, step is not None, decided, count)

    def _start(self, sizes: tuple[int, ...], replicas: int, each: int) -> None:
        settings = count_decisions.settings_of(
            self._target, self._candidate, self._look_s, sizes, replicas, each
        )
        self._decisions = CountDecisions(self._candidate, settings, sizes, each)
        self._sizes = sizes

    def _counted(
        self, idleness: Idleness, decided: Decided | None, last: int | None
    ) -> tuple[int, str] | None:
        if self._target.min_replicas == 0 and idleness.is_idle:
            return 0, idleness.said
        if decided is not None:
            return decided.replicas, (
                f"{self._candidate.label} decides on {decided.replicas} at {decided.rate:,.6g} "
                f"events/s and a lag of {decided.lag:,.0f} records"
            )
        if last == 0:
            return 1, f"not idle: {idleness.said}"
        return None


def _members_per_replica(look: Look) -> int:
    hosts = Counter(member.host for member in look.members).values()
    least, most = min(hosts, default=0), max(hosts, default=0)
    # Of one host alone, its members may as well be replicas: pods behind one address.
    if most > 0 and least == most and (most == 1 or len(hosts) > 1):
        return most
    seen = f"{least} to {most} members a host" if len(hosts) > 1 else f"{most} members on one host"
    raise InputError(
        "`members_per_replica` must be stated where it cannot be seen (the group has "
        f"{seen if most else 'no members'})"
    )
