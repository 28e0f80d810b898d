"""What happens to a group that asks, and what follows for its members."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from algorithms.simulation import incident_texts, incident_times
from algorithms.simulation.incident_kinds import Crash, Outage, Restart
from algorithms.simulation.incident_times import RETENTION_S, Incident, Recording
from live.asking.rolling_restart import RollingRestart, free_slots
from live.live_settings import LiveSettings

CARRIED_OUT = ("outage", "crash", "restart", "blind")
"""Kinds of `algorithms.simulation.incident_kinds.KINDS` that a run carries out."""


class Change(NamedTuple):
    """Other members than the strategy asked for."""

    slots: frozenset[int]
    """Members from now on."""
    killed: int | None = None
    """Member that gets SIGKILL."""


def of_run(settings: LiveSettings) -> tuple[Incident, ...]:
    """What happens in a run, in order. Raises InvalidParameterError if a text is none."""
    declared = [incident_texts.parse(text) for text in settings.group_events]
    length_s = settings.iterations * settings.iteration_s
    return incident_times.placed(declared, Recording(length_s), RETENTION_S, settings.seed)


def standstills(incidents: tuple[Incident, ...]) -> Iterator[tuple[float, float]]:
    """Starts and ends of outages, s."""
    for each in incidents:
        if isinstance(each.parameters, Outage):
            yield each.at_s, each.ends_s


class GroupIncidents:
    """Says which members go and come, by the rules of the simulated group.

    - A crashed member is replaced when its session is over, not earlier.
    - A restart begins when the group has settled and no crashed member is missing; each further
      step when all members of the one before have joined and all partitions are consumed.

    holds: Whether answers of the strategy wait.
    """

    def __init__(self, incidents: tuple[Incident, ...], session_s: float) -> None:
        self._waiting = [each for each in incidents if isinstance(each.parameters, Crash | Restart)]
        self._session_s = session_s
        self._missed_s: list[float] = []
        self._restarts: list[Restart] = []
        self._restart: RollingRestart | None = None
        self._ready_s = 0.0
        self._is_moving = False

    @property
    def holds(self) -> bool:
        """Whether a member is missing, or a restart is under way."""
        return bool(self._missed_s or self._restarts or self._restart or self._is_moving)

    def due(
        self,
        time_s: float,
        slots: frozenset[int],
        is_settled: bool,
        busiest: Callable[[], int | None],
    ) -> Change | None:
        """What changes now; None if nothing does.

        time_s: Since the run began.
        slots: Present members.
        is_settled: Whether each partition is consumed by the member that it was placed on.
        busiest: The member with the highest rate; None without any.
        """
        while self._waiting and self._waiting[0].at_s <= time_s:
            own = self._waiting.pop(0).parameters
            if isinstance(own, Restart):
                self._restarts.append(own)
            elif (killed := busiest()) is not None:
                self._missed_s.append(time_s + self._session_s)
                self._is_moving = False
                return Change(slots - {killed}, killed)
        if self._missed_s:
            return self._replaced(time_s, slots)
        return self._next_step(time_s, slots) if is_settled else None

    def _replaced(self, time_s: float, slots: frozenset[int]) -> Change | None:
        """Start members instead of those whose sessions are over."""
        over = [missed_s for missed_s in self._missed_s if missed_s <= time_s]
        if not over:
            return None
        self._missed_s = [missed_s for missed_s in self._missed_s if missed_s > time_s]
        self._is_moving = True
        return Change(slots | set(free_slots(slots, len(over))))

    def _next_step(self, time_s: float, slots: frozenset[int]) -> Change | None:
        """Begin the next step of a restart in a settled group."""
        if self._is_moving:
            self._is_moving = False
            self._ready_s = time_s + (self._restarts[0].pause_s if self._restart else 0.0)
        if not self._restarts or time_s < self._ready_s:
            return None
        if self._restart is None:
            self._restart = RollingRestart(slots, self._restarts[0])
        after = self._restart.after_next(slots)
        if after is None:
            self._restart = None
            self._restarts.pop(0)
            return None
        self._is_moving = True
        return Change(after)
