"""The loop of an application's simulation: measure, analyse, plan, scale."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import reduce
from itertools import pairwise

import numpy as np

from algorithms.core.arrays import Floats, Longs
from algorithms.simulation.application_estimates import Analysis, first_estimates, updated
from algorithms.simulation.application_events import (
    DONE,
    FULL_POOL,
    advance,
    draw_first_arrivals,
)
from algorithms.simulation.application_graph import Application
from algorithms.simulation.application_measures import Window, end_window
from algorithms.simulation.application_network import make_network
from algorithms.simulation.application_policies import Plan
from algorithms.simulation.application_resizing import resize
from algorithms.simulation.application_responses import by_interval, summarise
from algorithms.simulation.application_result import ApplicationResult, Scaling
from algorithms.simulation.application_settings import ApplicationSettings
from algorithms.simulation.application_state import (
    SAMPLES,
    VACANT,
    make_state,
    with_events,
    with_samples,
)
from algorithms.simulation.application_stops import StopsInTurn


class Loop:
    """One simulation: events up to a decision, the decision, and so on."""

    def __init__(self, application: Application, settings: ApplicationSettings) -> None:
        self.application, self.settings = application, settings
        self.network = make_network(
            application,
            settings.spacing == "exponential",
            settings.seed,
            settings.receiver_queue,
        )
        initial = np.array([function.initial for function in application.functions.values()])
        self.state = make_state(self.network, len(application.paths), initial)
        self.stops = StopsInTurn(self.network, settings)
        self.scalings: list[Scaling] = []
        self.instances: list[Longs] = []
        self.windows: list[Window] = []
        self.answered: list[int] = []

    def run(self, plan: Plan) -> ApplicationResult:
        """Simulate all intervals, and what is left after them."""
        names = self.application.functions
        times = _decision_times(self.application.seconds, self.settings.decision_s)
        estimates = first_estimates(len(names))
        draw_first_arrivals(self.network, self.state.sources)
        for begin, end in pairwise(times):
            if begin > 0.0:
                estimates = updated(estimates, self.windows[-1])
                present = self.state.functions.instances.copy()
                self._scale(plan(Analysis(begin, self.windows[-1], estimates, present)), begin)
            self.instances.append(self.state.functions.instances.copy())
            self._advance(end)
            self.answered.append(int(self.state.counters[SAMPLES]))
            self.windows.append(end_window(self.state.functions, begin, end))
        self._advance(math.inf)
        end_s = max(times[-1], float(self.state.functions.summed.max()))
        self.windows.append(end_window(self.state.functions, times[-1], end_s))
        return self._result(times, end_s)

    def _advance(self, until: float) -> None:
        while math.isfinite(self.stops.next_s) and self.stops.next_s <= until:
            self._simulate(self.stops.next_s)
            self.state = self.stops.step(self.state)
        self._simulate(until)

    def _simulate(self, until: float) -> None:
        while (status := advance(self.network, self.state, until)) != DONE:
            enlarge = with_events if status == FULL_POOL else with_samples
            self.state = enlarge(self.state)

    def _scale(self, counts: Longs, now: float) -> None:
        state = self.state
        for f, name in enumerate(self.application.functions):
            before, after = int(state.functions.instances[f]), int(counts[f])
            if before == after:
                continue
            if self.settings.in_turn:
                state.functions.instances[f] = after
                self.stops.add(f, before, after, now)
            else:
                while state.counters[VACANT] < after:
                    state = with_events(state)
                resize(self.network, state, f, after, self.settings, now)
            self.scalings.append(Scaling(now, name, before, after))
        self.state = state

    def _result(self, times: list[float], end_s: float) -> ApplicationResult:
        functions = self.state.functions
        events = np.sum([window.arrivals for window in self.windows], axis=0)
        totals = [int(row.sum()) for row in self.instances]
        lengths = [end - begin for begin, end in pairwise(times)]
        weighted = math.fsum(total * length for total, length in zip(totals, lengths, strict=True))
        counted = np.where(events > 0, events, np.nan)
        return ApplicationResult(
            functions=tuple(self.application.functions),
            times=np.array(times),
            instances=np.array(self.instances),
            mean_instances=weighted / times[-1],
            max_instances=max(totals),
            scalings=tuple(self.scalings),
            paths=summarise(self.application, self.state, self.settings.r_max),
            backlogs=np.array(
                [np.zeros_like(events), *(window.backlog for window in self.windows[:-1])]
            ),
            end_s=end_s,
            events=events,
            mean_waits=functions.waited / counted,
            mean_responses=functions.stayed / counted,
            mean_backlogs=functions.backlog_s / end_s,
            busy_s=_in_order(window.busy for window in self.windows),
            windows=tuple(self.windows[:-1]),
            responses=by_interval(self.state, len(self.application.paths), self.answered),
        )


def _in_order(rows: Iterable[Floats]) -> Floats:
    """Sum of arrays, added from the first to the last."""
    return reduce(np.add, rows)


def _decision_times(seconds: float, decision_s: float) -> list[float]:
    """0, the times of decisions, and the end of the sources, where nothing is decided."""
    count = math.ceil(seconds / decision_s)
    times = [i * decision_s for i in range(count + 1)]
    return [time for time in times if time < seconds] + [seconds]
