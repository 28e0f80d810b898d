"""The complete, validated configuration of a run: frozen models, equal for equal runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pipeline.base import limits
from pipeline.base.text.quoting import named
from pipeline.settings import algorithm_names, field_checks, group_windows
from pipeline.settings.application_experiment import ApplicationExperiment
from pipeline.settings.assignment_experiment import BOUND_FIELDS, TRACE, Experiment
from pipeline.settings.broker_experiment import BrokerExperiment
from pipeline.settings.experiment_base import FamilyExperiment
from pipeline.settings.field_checks import FieldError, as_field_error, checked_by
from pipeline.settings.learning_experiment import LearningExperiment
from pipeline.settings.live_experiment import LiveExperiment
from pipeline.settings.pulsar_experiment import PulsarExperiment
from pipeline.settings.scaling_experiment import ScalingExperiment
from pipeline.settings.settings import FIELDS
from pipeline.settings.trace_source import TraceSource

if TYPE_CHECKING:
    from pipeline.inputs.traces import Trace

DEFAULT_SEED = 2024

_DESCRIBED = (
    *("path", "form", "fastest", "hot", "values", "timestamps", "unit", "started_at", "notes"),
)
"""Facts on a trace that no result depends on besides its rates."""


class Unit(NamedTuple):
    """Part of a run that a stage can work on alone: an experiment, or one of its δ."""

    experiment: str
    delta: float | None = None
    """In % of the capacity; None for recorded traces and in autoscaling."""

    @property
    def label(self) -> str:
        """Words for logs and Airflow, different for each unit of a run."""
        return self.experiment if self.delta is None else f"{self.experiment} δ={self.delta:g}"

    @property
    def partition(self) -> dict[str, str | float | None]:
        """Values of the columns that tables are partitioned by, next to the run's id."""
        return self._asdict()


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(named, names))


class RunConfig(BaseModel):
    """Everything that a run's results depend on, besides the code."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    preset: str
    """Start of the configuration: a preset, ``custom`` or ``trace``."""
    seed: Annotated[int, checked_by(field_checks.whole, 0, limits.MAX_SEED)] = DEFAULT_SEED
    """Root seed, 0 to 2**63 - 1; seeds of streams are derived from it."""
    experiments: Annotated[tuple[Experiment, ...], Field(max_length=limits.MAX_EXPERIMENTS)] = ()
    """Experiments on assignment; names differ."""
    autoscaling: Annotated[
        tuple[ScalingExperiment, ...], Field(max_length=limits.MAX_EXPERIMENTS)
    ] = ()
    live: Annotated[tuple[LiveExperiment, ...], Field(max_length=limits.MAX_EXPERIMENTS)] = ()
    learning: Annotated[
        tuple[LearningExperiment, ...], Field(max_length=limits.MAX_EXPERIMENTS)
    ] = ()
    applications: Annotated[
        tuple[ApplicationExperiment, ...], Field(max_length=limits.MAX_EXPERIMENTS)
    ] = ()
    pulsar: Annotated[tuple[PulsarExperiment, ...], Field(max_length=limits.MAX_EXPERIMENTS)] = ()
    brokers: Annotated[tuple[BrokerExperiment, ...], Field(max_length=limits.MAX_EXPERIMENTS)] = ()
    """`autoscaling`, `live`, `learning`, `applications`, `pulsar`, `brokers`: experiments on
    autoscaling, on a broker, on learning agents, on applications, on Pulsar, and on brokers that
    join and leave; names differ. A run has experiments of one kind, at least one."""
    traces: Annotated[tuple[TraceSource, ...], Field(max_length=limits.MAX_TRACES)] = ()
    """Recorded traces; if there are any, the only experiment on assignment is ``trace``."""

    @property
    def by_family(self) -> dict[str, Sequence[FamilyExperiment]]:
        """Experiments by family, of which a run has one."""
        return {family: getattr(self, field) for family, field in FIELDS.items()}

    @property
    def _all(self) -> list[FamilyExperiment]:
        return [experiment for listed in self.by_family.values() for experiment in listed]

    def units(self) -> list[Unit]:
        """Parts of the run that mapped stages work on, in order."""
        return [Unit(one.name, delta) for one in self._all for delta in one.unit_deltas]

    @property
    def amount(self) -> str:
        """Its streams, or agents, in words."""
        total = sum(one.amount for one in self._all)
        return f"{total:,} {self._all[0].COUNTED}{'' if total == 1 else 's'}"

    def n_streams(self, units: Sequence[Unit] | None = None) -> int:
        """Number of streams of the run, or of some of its units."""
        return self._total(units, lambda size: size.streams)

    def _total(self, units: Sequence[Unit] | None, value: Callable[[limits.Size], int]) -> int:
        """Sum over units, or all, of a number that an experiment's units share evenly."""
        per_unit = {
            one.name: value(one.size) // len(one.unit_deltas)
            for one in self._all
            if one.size is not None
        }
        chosen = self.units() if units is None else units
        return sum(per_unit.get(unit.experiment, 0) for unit in chosen)

    @property
    def sizes(self) -> list[limits.Size]:
        """Sizes of its streams: one per experiment, or one per trace; agents learn without."""
        if self.experiments and self.traces:
            n = len(self.experiments[0].algorithms)
            return [limits.Size(trace.partitions, trace.iterations, n, 1) for trace in self.traces]
        return [one.size for one in self._all if one.size is not None]

    @property
    def recorded(self) -> dict[str, Trace]:
        """Its traces by stream, in memory; for what is done before the run begins."""
        return {source.stream_id: source.trace for source in self.traces}

    @property
    def has_bounds(self) -> bool:
        """Whether any experiment compares iterations with proved bounds."""
        return any(e.bound_iterations for e in self.experiments)

    @property
    def n_scores(self) -> int:
        """Pairs of a stream and an algorithm or strategy: rows of `scores`, or `simulations`."""
        return sum(size.streams * size.algorithms for size in self.sizes)

    def n_ids(self, units: Sequence[Unit] | None = None) -> int:
        """Consumer ids in `assignments`, or simulated rates, of some units or all: the work."""
        return self._total(units, lambda size: size.streams * size.ids)

    def to_json(self, private: bool = True) -> str:
        """Canonical JSON; equal configurations give equal texts.

        private: Whether it contains the folders of trace and login files. Others can read tables,
            reports and MLflow, so these get file names only.
        """
        content = self.model_dump(mode="json")
        for field in FIELDS.values():
            if field != "experiments" and not content[field]:
                del content[field]
        if not private:
            for trace in content["traces"]:
                trace["path"] = Path(trace["path"]).name
            for experiment in content.get("live", ()):
                experiment["client_file"] = Path(experiment["client_file"]).name
        return json.dumps(content, sort_keys=True, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> RunConfig:
        """The configuration of `to_json`. Raises ValueError, as ValidationError is, for others."""
        return cls.model_validate(json.loads(text))

    def fingerprint(self, seed: bool = True) -> str:
        """SHA-256, hexadecimal, of all that results depend on: no paths, no preset's name.

        Settings of bounds are left out of runs without bounds, where they change nothing.

        seed: Whether the root seed counts; without it, comparable runs have the same value.
        """
        content = json.loads(self.to_json())
        del content["preset"]
        if not seed:
            del content["seed"]
        for trace in content["traces"]:
            for name in _DESCRIBED:
                del trace[name]
            if len(trace["topic_sizes"]) <= 1:
                del trace["topic_sizes"]
        for experiment in content["experiments"]:
            if experiment["bound_iterations"] == 0:
                for name in BOUND_FIELDS:
                    del experiment[name]
        text = json.dumps(content, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    @model_validator(mode="after")
    def _agree(self) -> Self:
        names = [one.name for one in self._all]
        families = {family: len(listed) for family, listed in self.by_family.items()}
        if sum(map(bool, families.values())) != 1:
            counts = ", ".join(f"{count} of {name}" for name, count in families.items())
            raise FieldError(
                f"`experiments` must have at least one, all of one family (got {counts})",
                "experiments",
            )
        if len(set(names)) < len(names):
            raise FieldError(
                f"`experiments` must have different names (got {_listed(names)})", "experiments"
            )
        group_windows.check(self.learning, self.traces)
        if self.experiments:
            self._check_trace_experiment(names)
        if self.sizes:
            as_field_error(
                limits.check_run,
                self.sizes,
                fields=("replicates", "deltas", "partitions", "iterations"),
            )
        return self

    def _check_trace_experiment(self, names: Sequence[str]) -> None:
        if (TRACE in names) != bool(self.traces) or (self.traces and len(names) > 1):
            raise FieldError(
                f"`experiments`: the name {TRACE!r} is reserved for runs with --trace, which have "
                f"no other experiment (got {_listed(names)} with {len(self.traces)} trace files); "
                "rename it",
                "experiments",
            )
        if self.traces:
            self._check_traces()

    def _check_traces(self) -> None:
        """Check each trace by itself."""
        names = self.experiments[0].algorithms
        for trace, size in zip(self.traces, self.sizes, strict=True):
            algorithm_names.check_partitions(names, trace.partitions, f" of {trace.path.name}")
            as_field_error(limits.check_stream, size, fields=("algorithms",))
