"""Model of an experiment of the family `autoscaling`: a workload, a group and its strategies."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import BeforeValidator, ValidationInfo, field_validator, model_validator

from algorithms.core.group_declarations import ConfiguredGroup
from algorithms.core.setting import declared
from algorithms.workloads.published_shapes import SHAPES
from pipeline.base import limits
from pipeline.settings import compared_events, field_checks, split_field, strategy_names
from pipeline.settings.experiment_base import FamilyExperiment
from pipeline.settings.field_checks import as_field_error, checked_by

PROFILES = ("steady", "ramp", "steps", "diurnal", "bursts", "flash_crowd")
"""Load profiles, as in `algorithms.workloads.load_profiles`, which is slower to import."""

GENERATED = (*SHAPES, *PROFILES)
"""All profiles that an experiment can have."""

RECORDED = "trace"
"""In place of a profile: a recorded file."""

GROUP_FIELDS = tuple(declared(ConfiguredGroup))
"""Fields that are settings of the simulated group."""

MIN_STEP_S = 1e-3
"""Shortest step, s: steps of recorded files are cut into parts that can be shorter."""


def _strategies(value: object, info: ValidationInfo) -> object:
    names = ("partitions", "mu", "wsla_s", "step_s")
    sizes = {name: info.data[name] for name in names if name in info.data}
    if len(sizes) < len(names):
        return ()  # another field is wrong: report that error
    sizes["step_s"] /= info.data["parts"]
    return strategy_names.resolve(value, **sizes)


def _profile(value: object) -> str:
    return RECORDED if value == RECORDED else field_checks.one_of("profile", value, GENERATED)


def _last_rate(value: object) -> float | None:
    if value is None:
        return None
    return field_checks.number("last_rate", value, 0.0, limits.MAX_CAPACITY, field_checks.EVENTS)


class ScalingExperiment(FamilyExperiment, ConfiguredGroup, frozen=True):
    """A workload with its replicates, the group that serves it, and the strategies to compare."""

    profile: Annotated[str, BeforeValidator(_profile)] = "diurnal"
    """Shape of the load: ``three_peaks`` or ``taxi_days``, those of published workloads, which
    start without load; ``steady``, ``ramp``, ``steps``, ``diurnal``, ``bursts`` or
    ``flash_crowd``. A recorded file needs ``--trace``."""
    partitions: Annotated[int, checked_by(field_checks.whole, 1, limits.MAX_PARTITIONS)] = 9
    """Partitions of the topic."""
    iterations: Annotated[int, checked_by(field_checks.whole, 1, limits.MAX_ITERATIONS)] = 1800
    """Steps of `step_s`."""
    replicates: Annotated[int, checked_by(field_checks.whole, 1, limits.MAX_REPLICATES)] = 20
    """Streams, which differ in their random numbers."""
    split: Annotated[split_field.Split, checked_by(split_field.check)] = split_field.EQUAL
    """Split of the total rate: ``equal``, ``skew`` (partitions 0 and 1 get a quarter each), or a
    weight per partition, such as ``[4, 2, 1]``."""
    rounding: Annotated[str, checked_by(field_checks.one_of, ("none", "ceil"))] = "none"
    """For a file of one total rate: ``ceil`` rounds it up before the split."""
    last_rate: Annotated[float | None, BeforeValidator(_last_rate)] = None
    """Replaces the last total rate of a recorded file, which some programs cut, events/s."""
    trace: str | None = None
    """The recorded file, as in `TraceSource.stream_id`; None for a profile."""
    parts: Annotated[int, checked_by(field_checks.whole, 1, limits.MAX_ITERATIONS)] = 1
    """Parts of each step of a recorded file in simulations (`algorithms.workloads.step_parts`)."""
    low: Annotated[float, checked_by(field_checks.number, 0.0, 10.0, "")] = 0.1
    """Lowest total rate of a profile, as a share of what a consumer per partition can serve in
    time."""
    high: Annotated[float, checked_by(field_checks.number, 0.0, 10.0, "")] = 0.8
    """Highest total rate of a profile, as that share."""
    poisson: Annotated[bool, checked_by(field_checks.truth)] = True
    """Whether the events of each step and partition are drawn; rates are means then."""
    recorded: Annotated[int, checked_by(field_checks.whole, 0, limits.MAX_REPLICATES)] = 1
    """Replicates whose steps and actions are stored."""
    claim_seeds: Annotated[int, checked_by(field_checks.whole, 0, limits.MAX_REPLICATES)] = 0
    """Seeds from which claims of Ezzeddine et al. 2024 are judged, over all settings that their
    paper leaves open; 0 for none. Steps must be of 1 s."""
    bad_hour_seeds: Annotated[int, checked_by(field_checks.whole, 0, limits.MAX_REPLICATES)] = 0
    """Seeds over which strategies are compared in events at the busiest hour; 0 for none. A seed
    draws the events that arrive in each step."""
    events: Annotated[tuple[str, ...], checked_by(compared_events.check)] = (compared_events.ALL,)
    """Events to compare them in, each on its own, as in ``--event`` without a time, such as
    ``crash,outage:15m``; ``all`` for all kinds."""
    strategies: Annotated[tuple[str, ...], BeforeValidator(_strategies)] = (strategy_names.ALL,)
    """Strategies with their parameters or ``:sweep``; ``all`` for those that are compared by
    default, ``all:sweep`` for these with a range of parameters each, ``all:sweep=5`` for five of
    these."""

    @property
    def workload(self) -> str:
        """Name of its workload."""
        source = self.profile if self.trace is None else self.trace
        return f"{source}, {self.partitions} partitions, {split_field.text(self.split)}"

    @property
    def group(self) -> dict[str, Any]:
        """Settings of the group, for `algorithms.simulation.simulate`."""
        own = {name: getattr(self, name) for name in GROUP_FIELDS}
        return own | {"step_s": self.step_s / self.parts}

    @property
    def size(self) -> limits.Size:
        """Size of its streams; the strategies of a stream are simulated one after the other."""
        return limits.Size(
            self.partitions,
            self.iterations,
            len(self.strategies),
            self.replicates,
            limits.AUTOSCALING,
        )

    @property
    def most_minutes(self) -> float:
        """Replica-minutes of one replica per partition."""
        return self.partitions * self.iterations * self.step_s / 60.0

    @property
    def capacity(self) -> float:
        """Greatest total rate that a consumer per partition can serve in time, in events/s.

        Of a burst a consumer serves in time what it serves within the SLA.
        """
        one = self.mu
        if self.arrivals == "burst":
            one = min(one, max(self.mu * self.wsla_s - 0.5, 0.0) / self.step_s)
        if self.split == split_field.EQUAL:
            return one * self.partitions
        return one / split_field.largest_share(self.split, self.partitions)

    @field_validator("step_s")
    @classmethod
    def _long_enough(cls, step_s: float) -> float:
        if step_s < MIN_STEP_S:
            raise field_checks.FieldError(
                f"`step_s` must be at least {MIN_STEP_S:g} s (got {step_s:g})", "step_s"
            )
        return step_s

    @model_validator(mode="after")
    def _agree(self) -> Self:
        self._check_source()
        if self.bad_hour_seeds:
            compared_events.check_length(self.events, self.iterations * self.step_s)
        if self.low > self.high:
            raise field_checks.FieldError(
                f"`low` must not exceed `high` (got {self.low:g} and {self.high:g})", "low", "high"
            )
        split_field.check_partitions(self.split, self.partitions)
        as_field_error(limits.check_stream, self.size, fields=("partitions", "iterations"))
        strategy_names.check(self.strategies, self.group, self.partitions)
        if self.claim_seeds and self.step_s != 1.0:
            raise field_checks.FieldError(
                f"`step_s` must be 1 s where `claim_seeds` is above 0 (got {self.step_s:g})",
                "step_s",
                "claim_seeds",
            )
        return self

    def _check_source(self) -> None:
        """Check that a profile has no settings of a file, and a file no profile."""
        if (self.profile == RECORDED) != (self.trace is not None):
            raise field_checks.FieldError(
                f"`profile` must be one of {', '.join(GENERATED)} (got '{self.profile}'); for a "
                "recorded file, use --trace",
                "profile",
            )
        settings = {"rounding": self.rounding != "none", "last_rate": self.last_rate is not None}
        for name, is_given in settings.items():
            if is_given and self.trace is None:
                raise field_checks.FieldError(
                    f"`{name}` only applies to a recorded file of one total rate; remove it", name
                )
