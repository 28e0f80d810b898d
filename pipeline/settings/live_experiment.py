"""Model of an experiment of the family `live`: streams, and strategies on a real broker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Self

from pydantic import BeforeValidator, ValidationInfo, field_validator, model_validator

from live.live_settings import EVEN, EXACT, LiveChoices
from pipeline.base import limits
from pipeline.base.text import broker_addresses
from pipeline.base.text.quoting import named
from pipeline.settings import (
    algorithm_names,
    field_checks,
    group_events_field,
    live_strategies,
    split_field,
)
from pipeline.settings.experiment_base import FamilyExperiment
from pipeline.settings.field_checks import FieldError, as_field_error, checked_by
from pipeline.settings.live_strategies import Sizes, is_algorithm
from pipeline.settings.scaling_experiment import GENERATED

MAX_PARTITIONS = 200
"""Each partition costs the brokers files, and the monitor a reading per second."""

MAX_ITERATIONS = 10_000

MAX_REPLICATES = 100

MOST_OF_RECORD_S = 0.05
"""A record must take a consumer at most so long, s: latencies are compared to within as much."""

LEAST_RATE, MOST_RATE = 1_000.0, 40e6
"""Capacities of a consumer, bytes/s; the upper end is also that of all partitions together."""

MOST_SECONDS = 86_400.0
"""Time that one experiment may take, s: a day."""

PERIODS = 2
"""Measurements of the monitor that a window has room for at least: a speed needs two sizes."""


_RATES = (LEAST_RATE, MOST_RATE, " bytes/s")
_OF_CAPACITY = " % of the capacity"


def _rate(value: object, info: ValidationInfo) -> object:
    """C̄, at least the packing capacity, which is validated before it."""
    rate = field_checks.number(str(info.field_name), value, *_RATES)
    capacity = info.data.get("capacity", 0.0)
    if capacity > rate:
        raise FieldError(
            f"`consumer_rate` must be at least `capacity` (got {rate:g} and {capacity:g} bytes/s); "
            f"lower capacity, or add consumer_rate={1.2 * capacity:g}",
            "consumer_rate",
            "capacity",
        )
    return rate


def _strategies(value: object, info: ValidationInfo) -> object:
    names = field_checks.algorithm_names("strategies", value)
    # If another field is wrong, the names do not matter, and looking them up is slow.
    others = LiveExperiment.model_fields.keys() - {"strategies"}
    if info.data.keys() != others:
        return names
    sizes = Sizes(**{name: info.data[name] for name in Sizes._fields})
    return live_strategies.resolve(names, sizes)


def _death(value: object, info: ValidationInfo) -> object:
    """Consumers start in the first iteration, which no figure counts."""
    iteration = field_checks.whole("death_iteration", value, 0, MAX_ITERATIONS)
    most = info.data.get("iterations", MAX_ITERATIONS)
    if iteration == 1 or iteration > most:
        raise FieldError(
            f"`death_iteration` must be 0, for no death, or an iteration from 2 to {most} (got "
            f"{iteration})",
            "death_iteration",
            "iterations",
        )
    return iteration


def _profile(value: object) -> object:
    return value if value == "" else field_checks.one_of("profile", value, GENERATED)


def _delta(value: object) -> object:
    # Traces and profiles have none, which `_agree` checks.
    return value if value is None else field_checks.number("delta", value, 0.0, 100.0, _OF_CAPACITY)


def _bootstrap(value: object) -> object:
    # An option with commas is a list.
    texts = [value] if isinstance(value, str) else value
    is_text = isinstance(texts, list | tuple) and all(isinstance(text, str) for text in texts)
    text = ",".join(texts) if is_text and isinstance(texts, list | tuple) else None
    addresses = text if text in ("", None) else broker_addresses.listed(text)
    if addresses is None:
        raise FieldError(
            f"`bootstrap` must be HOST:PORT, several separated by commas (got {named(value)})",
            "bootstrap",
        )
    return addresses


Partitions = Annotated[int, checked_by(field_checks.whole, 1, MAX_PARTITIONS)]
Capacity = Annotated[float, checked_by(field_checks.number, *_RATES)]
ConsumerRate = Annotated[float, BeforeValidator(_rate)]
Bootstrap = Annotated[str, BeforeValidator(_bootstrap)]


class LiveExperiment(FamilyExperiment, LiveChoices, frozen=True):
    """Streams that are written to a topic in real time, and strategies for its group."""

    partitions: Partitions = 32
    """Partitions of a stream; at most 40 MB/s together."""
    iterations: Annotated[int, checked_by(field_checks.whole, 2, MAX_ITERATIONS)] = 60
    """Iterations of a stream."""
    delta: Annotated[float | None, BeforeValidator(_delta)] = 25.0
    """Volatility δ, % of the capacity between 0 and 100; none for a trace or a profile."""
    profile: Annotated[str, BeforeValidator(_profile)] = ""
    """Shape of the total rate, instead of random walks: ``three_peaks`` or ``taxi_days``, those of
    published workloads, or a [profile of autoscaling](#experiments-on-autoscaling)."""
    high: Annotated[float, checked_by(field_checks.number, 0.0, 1000.0, "")] = 1.75
    """Highest total rate of a profile, in multiples of `capacity`; the lowest is 0."""
    split: Annotated[split_field.Split, checked_by(split_field.check)] = split_field.EQUAL
    """Split of a profile, or of a file of one total rate: ``equal``, ``skew``, or weights, as [of
    autoscaling](#experiments-on-autoscaling)."""
    replicates: Annotated[int, checked_by(field_checks.whole, 1, MAX_REPLICATES)] = 1
    """Streams, which differ in their random numbers."""
    capacity: Capacity = 200_000.0
    """Packing capacity C; no partition is faster than `consumer_rate`."""
    consumer_rate: ConsumerRate = 240_000.0
    """What a consumer processes at most, C̄, bytes/s; at least `capacity`."""
    iteration_seconds: Annotated[float, checked_by(field_checks.number, 0.5, 3600.0, " s")] = 5.0
    """Length T of an iteration; of a trace, what it is resampled to."""
    clip: Annotated[bool, checked_by(field_checks.truth)] = True
    """Whether speeds of partitions are kept from exceeding C."""
    death_iteration: Annotated[int, BeforeValidator(_death)] = 0
    """Iteration, from 2, in the middle of which a consumer is killed; 0 for none."""
    group_events: Annotated[tuple[str, ...], checked_by(group_events_field.check)] = ()
    """Events that happen to a group that asks, as in ``--event``, such as
    ``outage@30s:10s,crash@1m``; none by default."""
    bootstrap: Bootstrap = ""
    """Brokers of a cluster of your own, ``HOST:PORT,…``; empty for brokers of the run's own."""
    trace: str | None = None
    """Stream id of the recorded trace; None for generated streams."""
    scale: Annotated[float, checked_by(field_checks.number, 1e-6, 1e6, "")] = 1.0
    """Factor of a trace's rates."""
    strategies: Annotated[tuple[str, ...], BeforeValidator(_strategies)] = ("MWF", "BFD")
    """Assignment algorithms, ``kd_n`` included; strategies of the family `autoscaling` with their
    parameters; ``kafka_classic_n`` and ``kafka_848_n``, Kafka's own groups of n members; ``keda``;
    ``asking:STRATEGY``, a group whose assignor asks. At most 40 consumers each."""

    @property
    def unit_deltas(self) -> Sequence[float | None]:
        """Its volatility, if it has one."""
        return (self.delta,)

    @property
    def size(self) -> limits.Size:
        """Size of its streams."""
        return limits.Size(
            self.partitions, self.iterations, len(self.strategies), self.replicates, limits.LIVE
        )

    @property
    def runs(self) -> int:
        """Runs on the brokers: one per stream and strategy."""
        return self.replicates * len(self.strategies)

    @property
    def seconds(self) -> float:
        """Time that its runs take without starts and ends, s."""
        return self.runs * self.iterations * self.iteration_seconds

    @field_validator("client_file", mode="before")
    @classmethod
    def _path(cls, value: object) -> object:
        if not isinstance(value, str) or not value.isprintable():
            raise FieldError(
                f"`client_file` must be the path of a file (got {named(value)})", "client_file"
            )
        return value

    def _check_neighbours(self) -> None:
        """Check settings whose limits follow from others."""
        most = MOST_OF_RECORD_S * self.consumer_rate
        if self.record_bytes > most:
            raise FieldError(
                f"`record_bytes` must not exceed {MOST_OF_RECORD_S * 1000:g} ms of `consumer_rate`,"
                f" {most:,.0f} bytes (got {self.record_bytes:,}); use smaller records or raise "
                "consumer_rate",
                "record_bytes",
                "consumer_rate",
            )
        if self.window_s < PERIODS * self.period_s:
            raise FieldError(
                f"`window_s` must be at least {PERIODS} × `period_s` (got {self.window_s:g} and "
                f"{self.period_s:g} s); measure more often",
                "window_s",
                "period_s",
            )
        if self.keys != EXACT and self.arrivals == EVEN:
            raise FieldError(
                f"`keys` applies to bursts (got {self.keys} and arrivals {self.arrivals}); add "
                "arrivals=bursts or arrivals=drift",
                "keys",
                "arrivals",
            )
        if self.heartbeat_s >= self.session_s:
            raise FieldError(
                f"`heartbeat_s` must be below `session_s` (got {self.heartbeat_s:g} and "
                f"{self.session_s:g} s); shorten it",
                "heartbeat_s",
                "session_s",
            )
        if self.client_file and not self.bootstrap:
            raise FieldError(
                "`client_file` needs bootstrap; add bootstrap=HOST:PORT", "client_file", "bootstrap"
            )

    def _check_source(self) -> None:
        """Check that walks, profiles and traces have no settings of each other."""
        if self.profile and self.delta is not None:
            raise FieldError(
                f"`delta` does not apply to a profile (got {self.delta:g}); add delta=null",
                "delta",
                "profile",
            )
        if (self.trace is None and not self.profile) == (self.delta is None):
            raise FieldError(
                f"`delta` must be a number between 0 and 100{_OF_CAPACITY} (got null)", "delta"
            )
        if self.trace is None and self.scale != 1.0:
            raise FieldError(
                "`scale` applies to a recorded trace; add --trace FILE, or set capacity and "
                "consumer_rate",
                "scale",
            )
        if self.delta is not None and self.split != split_field.EQUAL:
            raise FieldError(
                "`split` applies to a profile or a file of one total rate; remove it", "split"
            )
        split_field.check_partitions(self.split, self.partitions)

    @model_validator(mode="after")
    def _agree(self) -> Self:
        self._check_neighbours()
        self._check_source()
        sizes = ("partitions", "iterations")
        algorithms = [name for name in self.strategies if is_algorithm(name)]
        algorithm_names.check_partitions(algorithms, self.partitions, field="strategies")
        live_strategies.check_members(self.strategies, self.partitions)
        if self.group_events:
            length_s = self.iterations * self.iteration_seconds
            group_events_field.check_run(self.group_events, length_s, self.strategies)
        as_field_error(limits.check_stream, self.size, fields=(*sizes, "strategies"))
        if self.seconds > MOST_SECONDS:
            raise FieldError(
                "`iterations` × iteration_seconds × replicates × strategies must be at most "
                f"{MOST_SECONDS:,.0f} s, a day (got {self.seconds:,.0f} s); choose fewer",
                "iterations",
                "iteration_seconds",
                "replicates",
                "strategies",
            )
        return self
