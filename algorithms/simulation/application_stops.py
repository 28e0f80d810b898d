"""Instances of a simulated application that stop one after another, as those of Pulsar do.

Pulsar 4.0.7 carries out changes in one thread (`SchedulerManager.invokeScheduler`): it stops the
instances that are too many, then stops and starts each that restarts, then starts new ones. To stop
one, it interrupts the instance and waits until it no longer holds an event
(`ThreadRuntime.stop`). What that event gives is lost, as an interrupted thread cannot publish;
the event, and what the instance has fetched ahead, go back then, and are handed out before
newer ones. Until then the instance fetches as before. Those whose turn is later go on.

Changes of several functions are carried out in the order of the functions, and a change that comes
meanwhile waits for its turn.
"""

from __future__ import annotations

import math
from collections import deque
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Longs
from algorithms.simulation.application_measures import sum_all
from algorithms.simulation.application_network import Network
from algorithms.simulation.application_resizing import redeliver, start
from algorithms.simulation.application_settings import ApplicationSettings
from algorithms.simulation.application_state import HELD, VACANT, State, with_events

_NO_EVENT = -1


class _Turn(NamedTuple):
    """What happens to instance `number` of function `f`: a stop, a start, or both."""

    f: int
    number: int
    stops: bool
    starts: bool


class StopsInTurn:
    """What changes have yet to do, of one simulation. O(n log n) per turn for n events there."""

    def __init__(self, network: Network, settings: ApplicationSettings) -> None:
        self._network, self._settings = network, settings
        self._turns: deque[_Turn] = deque()
        self._held = _NO_EVENT
        """Event that the instance whose turn it is holds, once it was interrupted."""
        self._free_s = -math.inf
        """Time from which on the next turn can be."""

    @property
    def next_s(self) -> float:
        """Time of the next step, s; +inf without one."""
        return self._free_s if self._turns else math.inf

    def add(self, f: int, before: int, after: int, now: float) -> None:
        """Let a function have other instances, from now on."""
        if not self._turns:
            self._free_s = max(self._free_s, now)
        kept = min(before, after)
        self._turns.extend(_Turn(f, number, True, False) for number in range(after, before))
        if self._settings.replace:
            self._turns.extend(_Turn(f, number, True, True) for number in range(kept))
        self._turns.extend(_Turn(f, number, False, True) for number in range(before, after))

    def step(self, state: State) -> State:
        """Make the step that is due at `next_s`, up to which the state is simulated."""
        turn, now = self._turns[0], self._free_s
        if turn.stops and self._held == _NO_EVENT:
            until = self._interrupt(state, turn, now)
            if until > now:
                self._free_s = until
                return state
        if turn.stops:
            self._close(state, turn, now)
        self._turns.popleft()
        if turn.starts:
            while state.counters[VACANT] < 1:
                state = with_events(state)
            begin = now + self._settings.startup_s
            start(state, turn.f, turn.number, turn.number + 1, begin, 0.0)
            self._free_s = now + self._settings.start_gap_s
        return state

    def _interrupt(self, state: State, turn: _Turn, now: float) -> float:
        """Let an instance hold its event to the end; returns when that is."""
        agenda, pool, held = state.agenda, state.pool, int(state.counters[HELD])
        events, slot = agenda.event[:held], 1 << turn.number
        own = pool.slot[events] == slot
        routes = pool.route[events]
        pool.slot[events[own & (routes == -1 - turn.f)]] = 0  # It has not started yet.
        is_served = own & (routes >= 0) & (self._network.route_function[routes] == turn.f)
        (places,) = np.nonzero(is_served)
        if not places.size:
            return now
        place = int(places[0])
        self._held = int(events[place])
        until = float(agenda.time[place])
        _remove_entry(state, place, held)
        return until

    def _close(self, state: State, turn: _Turn, now: float) -> None:
        """Stop an instance; what it held and had fetched goes back."""
        functions, f, event = state.functions, turn.f, self._held
        stays = ~(1 << turn.number)
        functions.idle[f] &= stays
        functions.working[f] &= stays
        if event != _NO_EVENT:
            sum_all(functions, now)
            functions.serving[f] -= 1
            began = now - state.pool.service[event]
            functions.waited[f] -= began - state.pool.arrived[event]
        back = np.array([event] * (event != _NO_EVENT), dtype=np.int64)
        redeliver(self._network, state, f, (turn.number, turn.number + 1), back, now)
        self._held = _NO_EVENT


def _remove_entry(state: State, place: int, held: int) -> None:
    """Take an entry out of the agenda; what is sorted is a heap."""
    agenda = state.agenda
    others: Longs = np.delete(np.arange(held), place)
    order = others[np.lexsort((agenda.order[others], agenda.time[others]))]
    for column in agenda:
        column[: held - 1] = column[order]
    state.counters[HELD] -= 1
