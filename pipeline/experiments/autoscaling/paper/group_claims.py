"""What Ezzeddine et al. 2024 claim of their strategies: differences between two candidates.

Beyond the paper, the advantage of Algorithm 2 over Linear is split into what its count and what
its placement give, by Linear with partitions placed by rate, largest first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from algorithms.autoscaling.candidates import Candidate
from algorithms.autoscaling.derived_strategies import PLACEMENT
from pipeline.inputs.traces import published_workloads
from pipeline.inputs.traces.published_workloads import PublishedWorkload
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.ezzeddine_figures import (
    FIRST,
    LINEAR,
    MU,
    OVERPROVISIONING,
    SECOND,
    PrintedRun,
    Repeated,
    printed_rows,
)
from pipeline.settings import split_field
from pipeline.settings.scaling_experiment import ScalingExperiment
from pipeline.settings.strategy_names import candidates_of

SLA, MINUTES, MAXIMUM = "sla_percent", "replica_minutes", "max"
COLUMNS: Final[Mapping[str, str]] = {
    "sla": SLA,
    "minutes": MINUTES,
    "up": "n_up",
    "down": "n_down",
    "maximum": MAXIMUM,
}
"""Column of `claim_runs` for each field of
`pipeline.reporting.sections.ezzeddine_figures.PrintedRun`."""

AFTER_DOWN, AFTER_UP = "late_after_down", "late_after_up"

BY_RATE = "largest first"
"""Placement of counting strategies with `PLACEMENT`."""

_NAMES = {
    "least_loaded_1": FIRST,
    "least_loaded_2": SECOND,
    "linear": LINEAR,
    f"linear{PLACEMENT}": LINEAR,
    "overprovision": OVERPROVISIONING,
}
_ROLE_SETTINGS = {"heartbeat_s", "rebalance_s", "assignor", "initial_replicas", "max_poll_records"}


class Role(NamedTuple):
    """A strategy of the paper in one of its settings."""

    name: str
    """Of the strategy, in the paper."""
    placement: str
    """Assignor of Linear, or `BY_RATE`; empty for strategies that place themselves."""
    heartbeat_s: float
    rebalance_s: float
    max_poll_records: int


class Claim(NamedTuple):
    """The difference of two candidates, or of two columns of one."""

    words: str
    first: str
    second: str
    """`first`, `second`: labels of the candidates."""
    columns: Mapping[str, tuple[str, str]]
    """Columns of `claim_runs` of either side, by quantity."""
    place: str = ""
    """Where the difference is printed; empty if nowhere."""
    printed: Mapping[str, tuple[str, str]] = {}
    """Printed values of both sides, by quantity."""


def roles(one: ScalingExperiment) -> dict[Role, Candidate]:
    """Candidates of an experiment that are strategies of the paper."""
    found: dict[Role, Candidate] = {}
    for candidate in candidates_of(one.strategies):
        role = _role(one, candidate)
        if role is not None:
            found.setdefault(role, candidate)
    return found


def _role(one: ScalingExperiment, candidate: Candidate) -> Role | None:
    name, own = _NAMES.get(candidate.strategy), candidate.settings
    if name is None or candidate.arguments or not own.keys() <= _ROLE_SETTINGS:
        return None
    placement = ""
    if name == LINEAR:
        by_assignor = str(own.get("assignor", one.assignor))
        placement = BY_RATE if candidate.strategy.endswith(PLACEMENT) else by_assignor
    heartbeat_s, rebalance_s, batch = (
        own.get(key, getattr(one, key))
        for key in ("heartbeat_s", "rebalance_s", "max_poll_records")
    )
    return Role(name, placement, heartbeat_s, rebalance_s, batch)


def workload_of(one: ScalingExperiment, recorded: PublishedWorkload | None) -> str | None:
    """The paper's name of an experiment's workload, or of the one with its shape; None for others.

    recorded: The published file that it replays, if any.
    """
    if one.mu != MU:
        return None
    if recorded is not None:
        return recorded.name
    peak = one.high * one.capacity
    shaped = published_workloads.of_shape(one.profile, one.iterations, one.step_s, peak)
    return shaped.name if shaped else None


def rows_of(one: ScalingExperiment, workload: str | None, role: Role) -> Repeated | None:
    """Printed rows of the setting of a role; None if none are."""
    is_usual = role.max_poll_records == one.max_poll_records
    if workload is None or not is_usual:
        return None
    split = split_field.text(one.split), one.partitions
    return printed_rows(workload, *split, role.heartbeat_s, role.rebalance_s)


def printed_run(one: ScalingExperiment, workload: str | None, role: Role) -> PrintedRun | None:
    """The printed row of a role; the paper's Linear has Kafka's default assignor."""
    rows = rows_of(one, workload, role)
    if rows is None or role.placement not in ("", "range"):
        return None
    return rows.runs.get(role.name)


def claims(one: ScalingExperiment, workload: str | None) -> Iterator[Claim]:
    """Claims that the candidates of an experiment can be compared for.

    workload: As `workload_of` names it.
    """
    by_role = roles(one)
    make = _Maker(one, workload, by_role)
    for role in by_role:
        if role.name == SECOND:
            yield from _of_second(make, role)
        elif role.name == LINEAR and role.placement not in ("range", BY_RATE):
            plain = role._replace(placement="range")
            yield from make.of(f"{LINEAR}: {role.placement} − range", role, plain)


def _of_second(make: _Maker, role: Role) -> Iterator[Claim]:
    """Algorithm 2 against others in its setting, and in others against the usual one."""
    usual = make.usual
    where = _where(role, usual)
    plain = role._replace(name=LINEAR, placement="range")
    placed = plain._replace(placement=BY_RATE)
    yield from make.of(f"{SECOND} − {LINEAR}{where}", role, plain)
    yield from make.of(f"count: {SECOND} − {LINEAR}, {BY_RATE}{where}", role, placed)
    yield from make.of(f"placement: {LINEAR}, {BY_RATE} − range{where}", placed, plain)
    yield from make.of(f"{SECOND} − {FIRST}{where}", role, role._replace(name=FIRST))
    later = role._replace(heartbeat_s=usual.heartbeat_s)
    if role.heartbeat_s != usual.heartbeat_s:
        batches = _where(later, usual)
        words = f"heartbeat {role.heartbeat_s:g} − {usual.heartbeat_s:g} s{batches}"
        yield from make.of(words, role, later, (SLA, MINUTES, MAXIMUM))
    if role.max_poll_records > 1:
        single = role._replace(max_poll_records=1)
        others = _where(role._replace(max_poll_records=usual.max_poll_records), usual)
        words = f"batches of {role.max_poll_records} − 1{others}"
        yield from make.of(words, role, single, (SLA, MINUTES, MAXIMUM))
    if role == usual:
        yield make.within(f"late events after a scaling, down − up: {SECOND}", role)


def _where(role: Role, usual: Role) -> str:
    """What differs from the usual setting, in words."""
    parts = (
        f"heartbeat {role.heartbeat_s:g} s" * (role.heartbeat_s != usual.heartbeat_s),
        f"t_r {role.rebalance_s:g} s" * (role.rebalance_s != usual.rebalance_s),
        f"batches of {role.max_poll_records}" * (role.max_poll_records != usual.max_poll_records),
    )
    return "".join(f", {part}" for part in parts if part)


class _Maker(NamedTuple):
    """Makes claims of the candidates that there are."""

    one: ScalingExperiment
    workload: str | None
    by_role: Mapping[Role, Candidate]

    @property
    def usual(self) -> Role:
        """Algorithm 2 in the settings of the experiment."""
        own = self.one
        return Role(
            SECOND, "", float(own.heartbeat_s or 0.0), own.rebalance_s, own.max_poll_records
        )

    def of(
        self, words: str, first: Role, second: Role, quantities: tuple[str, ...] = (SLA, MINUTES)
    ) -> Iterator[Claim]:
        """The claim on two roles, if both have run."""
        if first not in self.by_role or second not in self.by_role or first == second:
            return
        rows = rows_of(self.one, self.workload, first)
        yield Claim(
            words,
            self.by_role[first].label,
            self.by_role[second].label,
            {name: (name, name) for name in quantities},
            rows.place if rows else "",
            dict(self._printed(first, second, quantities)),
        )

    def _printed(
        self, first: Role, second: Role, quantities: tuple[str, ...]
    ) -> Iterator[tuple[str, tuple[str, str]]]:
        runs = [printed_run(self.one, self.workload, role) for role in (first, second)]
        for field, column in COLUMNS.items():
            texts = [getattr(run, field) for run in runs if run is not None]
            if column in quantities and len(texts) == len(runs) and all(texts):
                yield column, (texts[0], texts[1])

    def within(self, words: str, role: Role) -> Claim:
        """The claim on late events after scalings of one role."""
        label = self.by_role[role].label
        return Claim(words, label, label, {"late_after": (AFTER_DOWN, AFTER_UP)})


def difference_text(texts: tuple[str, str], value: float, decimals: int) -> str:
    """A printed difference, with the values that it is of."""
    return f"{numbers.fixed(value, decimals)} ({texts[0]} and {texts[1]})"
