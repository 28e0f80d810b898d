"""Events that a recommended group must get over: part of the objective, if they are asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from algorithms.autoscaling import candidate_grid
from algorithms.core.arrays import Floats
from algorithms.simulation import incident_figures, incident_texts
from algorithms.simulation.group_result import Detailed
from algorithms.simulation.incident_kinds import Crash, Outage, Restart
from algorithms.simulation.incident_times import Incident
from pipeline.base.errors import InputError
from pipeline.base.text import durations
from pipeline.experiments.autoscaling.recommendation import (
    bad_hour,
    candidate_outcomes,
    event_leaders,
)
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import Bench, Run
from pipeline.experiments.autoscaling.recommendation.consumer_settings import Consumers
from pipeline.experiments.autoscaling.workloads import busiest_hour
from pipeline.experiments.autoscaling.workloads.busiest_hour import HOUR_S, LEAD_S

_PARTS = re.compile(r"(?P<kind>[^=:]*)(?:=(?P<length>[^:]*))?(?::(?P<within>.*))?")
_ROUNDING = 1e-9

SURVIVABLE = ("restart", "crash", "outage")
"""Kinds of `algorithms.simulation.incident_kinds.KINDS` that a group can be asked to get over."""


class Survived(NamedTuple):
    """An event at the busiest hour that a group must get over."""

    text: str
    """As it was written."""
    parameters: Restart | Crash | Outage
    within_s: float | None
    """Time from its start until the lag must be gone, s; None: the objective holds for the hour
    that begins with it."""

    @property
    def words(self) -> str:
        """What it is, as answers say it."""
        if isinstance(self.parameters, Outage):
            what = f"an outage of {durations.duration(self.parameters.outage_s)}"
        else:
            what = "one crash" if isinstance(self.parameters, Crash) else "a rolling restart"
        if self.within_s is None:
            return f"{what} within the objective"
        return f"{what} with its lag gone after {durations.duration(self.within_s)}"


def parse(text: str) -> tuple[Survived, ...]:
    """Events of ``--survive``, such as ``restart,crash,outage=15m:30m``.

    Raises InputError if one is unknown, has another form, or comes twice.
    """
    every = tuple(_one(part.strip()) for part in text.split(","))
    kinds = [type(each.parameters) for each in every]
    for each in every:
        if kinds.count(type(each.parameters)) > 1:
            raise InputError(
                f"--survive {each.text}: there is another one of its kind; leave out one"
            )
    return every


def _one(text: str) -> Survived:
    match = _PARTS.fullmatch(text)
    kind = "" if match is None else match["kind"]
    if match is None or kind not in SURVIVABLE:
        raise InputError(f"--survive {text}: must be one of {', '.join(SURVIVABLE)} (got {kind!r})")
    within_s = None if match["within"] is None else _length_s(text, match["within"])
    if kind != "outage":
        if match["length"] is not None:
            raise InputError(
                f"--survive {text}: a {kind} has no length; leave out ={match['length']}"
            )
        return Survived(text, Restart() if kind == "restart" else Crash(), within_s)
    own = Outage() if match["length"] is None else Outage(outage_s=_length_s(text, match["length"]))
    if within_s is None or within_s <= own.outage_s:
        raise InputError(
            f"--survive {text}: needs the time from its start until its lag is gone, above "
            f"{own.outage_s:g} s, such as outage={own.outage_s:g}:{2 * own.outage_s:g}"
        )
    return Survived(text, own, within_s)


def _length_s(text: str, length: str) -> float:
    seconds = incident_texts.seconds(length)
    if not seconds:
        raise InputError(
            f"--survive {text}: must have a length of time above 0, such as 15m (got {length!r})"
        )
    return seconds


class SurvivalChecks:
    """Which candidates get over events at the busiest hour.

    events: All of which a group must get over.
    allowed: Share of the events of an hour that may be late.
    """

    def __init__(self, events: Sequence[Survived], allowed: float) -> None:
        self.events, self.allowed = tuple(events), allowed
        self._failed: dict[tuple[int, Run, Survived], bool] = {}
        self._workloads: dict[int, Floats] = {}

    def check(self, bench: Bench) -> None:
        """Raise InputError if an event is longer than the recording."""
        length_s = len(bench.rates) * bench.settings["step_s"]
        for each in self.events:
            if isinstance(each.parameters, Outage) and each.parameters.outage_s >= length_s:
                raise InputError(
                    f"--survive {each.text}: must be shorter than the recording, {length_s:g} s "
                    f"(got {each.parameters.outage_s:g} s); shorten it"
                )

    def check_end(self, bench: Bench) -> None:
        """Raise InputError if the recording ends before it shows whether a lag is gone in time."""
        for each in self.events:
            left_s = len(bench.rates) * bench.settings["step_s"] - _begins_s(bench, each)
            if each.within_s is not None and each.within_s > left_s:
                raise InputError(
                    f"--survive {each.text}: its lag must be gone before the recording ends, "
                    f"{left_s:g} s after it begins at the busiest hour (got {each.within_s:g} s); "
                    "shorten that time, or record longer"
                )

    def obstacle(self, bench: Bench, run: Run) -> str | None:
        """Why a candidate must not be recommended; None if it gets over all events."""
        failed = next((each for each in self.events if self.fails(bench, run, each)), None)
        return None if failed is None else f"does not survive {failed.words} (--survive)"

    def fails(self, bench: Bench, run: Run, event: Survived) -> bool:
        """Whether a candidate does not get over an event."""
        # Kept, so that no other workload gets its identity.
        self._workloads[id(bench.rates)] = bench.rates
        key = id(bench.rates), run, event
        if key not in self._failed:
            self._failed[key] = not _survives(bench, run, event, self.allowed)
        return self._failed[key]

    def least(
        self, bench: Bench, kind: Consumers, numbers: Sequence[int], events: Sequence[Survived]
    ) -> int | None:
        """The first of some constant numbers of replicas that gets over some events."""
        for n in numbers:
            run = Run(candidate_grid.constant(n), kind)
            if not any(self.fails(bench, run, each) for each in events):
                return n
        return None


class SurvivingCounts(NamedTuple):
    """The least constant numbers of replicas that get over each event, and over all."""

    kind: Consumers
    of_each: tuple[tuple[Survived, int | None], ...]
    of_all: int | None


def surviving_counts(
    checks: SurvivalChecks, bench: Bench, kind: Consumers, numbers: Sequence[int]
) -> SurvivingCounts:
    """Try numbers of replicas that keep the objective without events, in ascending order."""
    return SurvivingCounts(
        kind,
        tuple((each, checks.least(bench, kind, numbers, [each])) for each in checks.events),
        checks.least(bench, kind, numbers, checks.events),
    )


def _survives(bench: Bench, run: Run, event: Survived, allowed: float) -> bool:
    step_s: float = bench.settings["step_s"]
    at_s = _begins_s(bench, event)
    after_s = HOUR_S if event.within_s is None else event.within_s + step_s
    part, start_s = bad_hour.window(bench, at_s, LEAD_S, after_s)
    settings = bad_hour.started(part, run)
    incident = Incident(event.text, at_s - start_s, event.parameters, event.text)

    def detailed(*incidents: Incident) -> Detailed:
        return candidate_outcomes.detailed_run(
            part, run.candidate, settings, has_latencies=False, incidents=incidents
        )

    quiet, hit = detailed(), detailed(incident)
    if event.within_s is not None:
        over_s = hit.actions.over_s[0]
        gone_s = incident_figures.recovery(incident, over_s, hit, quiet, step_s).gone_after_s
        return gone_s <= event.within_s + _ROUNDING
    first = round((at_s - start_s) / step_s)
    return event_leaders.keeps_objective(hit, quiet, first, len(part.rates), allowed)


def _begins_s(bench: Bench, event: Survived) -> float:
    """When an event begins, s: with the busiest hour, or early enough to end."""
    step_s: float = bench.settings["step_s"]
    lasts_s = event.parameters.outage_s if isinstance(event.parameters, Outage) else 0.0
    return busiest_hour.starts_s(bench.rates, step_s, lasts_s)


def numbers_from(kept: Sequence[int], lasting: int | None) -> Iterator[int]:
    """Numbers of replicas that keep the objective, from the one that lasts, ascending."""
    yield from (n for n in kept if lasting is None or n >= lasting)
