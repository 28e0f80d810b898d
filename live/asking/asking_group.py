"""The run's side of a group that asks: its strategy sizes the group, and places its partitions."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from live.asking import blind_sight, group_incidents
from live.asking.asking_strategy import StreamSteps, asking_strategy, on_own_clock
from live.asking.blind_sight import BlindSight, Span
from live.asking.group_incidents import Change, GroupIncidents
from live.controller.live_decisions import NOBODY, Wanted, without_lost
from live.controller.partition_lags import LagTable
from live.controller.scaled_decisions import ScaledDecisions, StepRates
from live.controller.scaled_start import measured_steps, no_lags
from live.controller.scaled_strategy import Lags, ScaledStrategy
from live.groups import standstill
from live.groups.asking_server import AskingServer
from live.groups.group_lag import GroupLag
from live.groups.lag_counts import GroupView, Wish
from live.live_settings import GIVEN, LiveSettings
from live.processes.child_processes import Child
from live.strategy_kinds import ASKING

PATIENCE_S = 5.0
"""Time without a question, beyond what a rebalance may take, after which a group that is not as the
strategy wants it is asked to join again."""


class _Placed(NamedTuple):
    """What was answered last while the assignor places partitions."""

    slots: frozenset[int]
    owners: tuple[int, ...]
    """`slots`, `owners`: members, and the slot by partition."""


class AskingCounts:
    """Decides at the times of the strategy's clock, and answers the group's leader.

    It writes these entries into the group's journal:

    - ``scaling``: at the beginning; ``strategy``, ``decision_s``, ``replicas``.
    - ``wanted``: the strategy wants something else; ``owners`` by partition.
    - ``incident``: members change through an event; ``slots``, and the one ``killed`` if any.
    - ``fault`` of kind ``lag``: no broker has named offsets in time.

    Members that change through an event get what the strategy's assignor places; its own answers
    wait until then.

    rates: Bytes/s of the stream by iteration and partition.
    """

    children: Sequence[Child] = ()
    places = True

    def __init__(
        self,
        settings: LiveSettings,
        label: str,
        rates: Sequence[Sequence[float]],
        view: GroupView,
    ) -> None:
        self._view, self._settings, self._rates = view, settings, rates
        strategy = self._strategy = asking_strategy(label, settings, rates)
        view.journal.write(
            "scaling",
            strategy=f"{ASKING}{label}",
            decision_s=strategy.settings.decision_s,
            replicas=strategy.replicas,
        )
        self._happens = group_incidents.of_run(settings)
        self._incidents = GroupIncidents(self._happens, settings.session_s)
        self._sight = _sight(settings, strategy, rates, view, blind_sight.spans(self._happens))
        self._decisions = ScaledDecisions(
            strategy, self._sight, self._sight.lags, on_own_clock(settings)
        )
        self._patience_ns = _patience_ns(settings)
        self._began_ns = self._changed_ns = self._asked = 0
        first = self._decisions.due(0, 0, None)
        if first is None:  # Before the beginning there is always one.
            raise AssertionError(label)
        self._wanted = first
        self._slots = _slots(first)
        self._is_by_assignor = False
        self._placed: _Placed | None = None
        self.first = len(self._slots)
        self._server = AskingServer(Path(settings.folder), self.answer)

    @property
    def is_ready(self) -> bool:
        """Whether the members have what the strategy wants first."""
        return self._settled() is not None

    def begin(self, began_ns: int) -> None:
        """Decide from then on."""
        self._began_ns = began_ns
        self._sight.begin(began_ns)
        spans = (
            (began_ns + round(first * 1e9), began_ns + round(last * 1e9))
            for first, last in group_incidents.standstills(self._happens)
        )
        standstill.write(Path(self._settings.folder), spans)

    def due(self, now_ns: int, members: int) -> Wish | None:
        """What the strategy wants; where only partitions are to move, the leader joins again."""
        settled = self._settled()
        change = self._changed(now_ns, settled is not None) if self._began_ns else None
        if change is not None:
            return Wish(len(change.slots), slots=change.slots, killed=change.killed)
        if self._incidents.holds:
            # What is asked of the strategy meanwhile waits, and so does a reminder.
            self._asked, self._changed_ns = self._server.questions, now_ns
            self._decisions.due(now_ns, self._began_ns, None)
            return None
        next_ = self._decisions.due(now_ns, self._began_ns, settled) if self._began_ns else None
        if next_ is None:
            self._remind(now_ns, settled is not None)
            return None
        slots = _slots(next_)
        self._view.journal.write("wanted", owners=next_.owners)
        self._wanted, self._changed_ns = next_, now_ns
        if slots == self._slots:
            self._server.ask_to_rejoin()
        self._slots = slots
        return Wish(len(slots), slots=slots)

    def close(self) -> None:
        """Answer no more."""
        self._server.close()

    def answer(self, present: Sequence[int]) -> Mapping[int, Sequence[int]]:
        """Partitions of the present slots; called by the server's threads."""
        if not self._is_by_assignor:
            return placed(self._wanted, present)
        staying = sorted(self._slots & set(present)) or sorted(present)
        owners = self._strategy.placed_on(staying, self._wanted.owners)
        self._placed = _Placed(frozenset(staying), owners)
        return {slot: [p for p, owner in enumerate(owners) if owner == slot] for slot in present}

    def _settled(self) -> tuple[int, ...] | None:
        """Present owners; None while they are not those that are wanted."""
        owners = self._view.assignments.owners()
        answered = self._placed
        if self._is_by_assignor and answered is not None and answered.slots == self._slots:
            if owners != answered.owners:
                return None
            self._wanted = replace(self._wanted, owners=answered.owners)
            self._is_by_assignor = False
        elif self._is_by_assignor:
            return None
        return owners if owners == self._wanted.owners else None

    def _changed(self, now_ns: int, is_settled: bool) -> Change | None:
        """Members that come and go through an event."""

        def busiest() -> int | None:
            rates = self._rates[self._settings.iteration_at(now_ns, self._began_ns)]
            return self._view.assignments.busiest(rates, self._slots)

        time_s = (now_ns - self._began_ns) / 1e9
        change = self._incidents.due(time_s, self._slots, is_settled, busiest)
        if change is not None:
            self._view.journal.write("incident", slots=sorted(change.slots), killed=change.killed)
            self._slots, self._placed, self._is_by_assignor = change.slots, None, True
        return change

    def _remind(self, now_ns: int, is_settled: bool) -> None:
        """Have a group join again that has been otherwise than wanted for too long."""
        if is_settled or self._server.questions != self._asked:
            self._asked, self._changed_ns = self._server.questions, now_ns
        elif self._changed_ns and now_ns - self._changed_ns > self._patience_ns:
            self._changed_ns = now_ns
            self._server.ask_to_rejoin()


def placed(wanted: Wanted, present: Sequence[int]) -> dict[int, list[int]]:
    """What is wanted, over exactly the present slots.

    Partitions of slots that are not there yet wait with the others, the least loaded first; slots
    that are about to leave get nothing.
    """
    homeless = [p for p, owner in enumerate(wanted.owners) if owner not in present]
    staying = sorted(_slots(wanted) & set(present)) or sorted(present)
    owners = without_lost(wanted, homeless, staying).owners
    return {slot: [p for p, owner in enumerate(owners) if owner == slot] for slot in present}


class CommittedLags:
    """Lags by what the group has committed, and which partitions it has consumed since."""

    def __init__(self, lag: GroupLag, partitions: int, view: GroupView) -> None:
        self._lag, self._view = lag, view
        self._table = LagTable(partitions, 0.0)

    def take(self) -> Lags:
        """Lags now; those of the last time if no broker answers."""
        offsets = self._lag.offsets()
        if offsets is None:
            message = "no broker has named offsets in time"
            self._view.journal.write("fault", kind="lag", message=message)
        else:
            ends = [offsets.ends[p] for p in sorted(offsets.ends)]
            self._table.update(offsets.committed, ends, time.monotonic())
        return self._table.take()


def _sight(
    settings: LiveSettings,
    strategy: ScaledStrategy,
    rates: Sequence[Sequence[float]],
    view: GroupView,
    spans: Sequence[Span],
) -> BlindSight:
    """What the strategy reads of the group, and when it is blind."""
    step_s = strategy.settings.step_s
    seen: StepRates = StreamSteps(rates, settings.iteration_s, step_s)
    if settings.speeds != GIVEN:
        seen = measured_steps(settings, view.journal)
    lags = no_lags(settings.partitions)
    if strategy.needs_lags:
        lags = CommittedLags(view.lag, settings.partitions, view).take
    return BlindSight(spans, seen, lags)


def _patience_ns(settings: LiveSettings) -> int:
    """Time that a rebalance of two rounds may take, and then some."""
    batch_s = settings.max_poll_records * settings.record_bytes / settings.consumer_rate
    round_s = settings.heartbeat_s + batch_s + settings.revoke_s
    return round((2 * round_s + PATIENCE_S) * 1e9)


def _slots(wanted: Wanted) -> frozenset[int]:
    return frozenset(wanted.owners) - {NOBODY}
