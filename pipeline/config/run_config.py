"""The complete, validated configuration of a run: frozen models, equal for equal runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, model_validator

from pipeline import limits
from pipeline.config import algorithm_names, field_checks
from pipeline.config.field_checks import FieldError
from pipeline.errors import InputError
from pipeline.text.quoting import named

TRACE = "trace"
"""Name of the experiment on recorded traces; reserved for it."""

DEFAULT_SEED = 2024

Check = Callable[..., Any]


class Unit(NamedTuple):
    """Part of a run that a stage can work on alone: an experiment and one of its δ.

    Attributes
    ----------
    delta
        In % of the capacity; None for recorded traces.
    """

    experiment: str
    delta: float | None

    @property
    def label(self) -> str:
        """Words for logs and Airflow, different for each unit of a run."""
        return self.experiment if self.delta is None else f"{self.experiment} δ={self.delta:g}"

    @property
    def partition(self) -> dict[str, str | float | None]:
        """Values of the columns that tables are partitioned by, next to the run's id."""
        return self._asdict()


def _by(check: Check, *bounds: object) -> BeforeValidator:
    """Validator that calls a check of `pipeline.config.field_checks` with the field's name."""

    def validate(value: object, info: ValidationInfo) -> object:
        return check(info.field_name, value, *bounds)

    return BeforeValidator(validate)


def _generated(check: Check) -> BeforeValidator:
    """As `_by`, for fields that recorded traces do not have."""

    def validate(value: object, info: ValidationInfo) -> object:
        if info.data.get("name") == TRACE and value in ((), []):
            return ()
        return check(info.field_name, value)

    return BeforeValidator(validate)


def _consumption(value: object, info: ValidationInfo) -> object:
    """Consumption capacity, at least the packing capacity, which is validated before it."""
    found = field_checks.number(str(info.field_name), value, *_CAPACITIES)
    packing = info.data.get("capacity", 0.0)
    if packing > found:
        raise FieldError(
            f"`capacity` must not exceed `consumer_capacity` (got {packing:g} and {found:g} "
            f"bytes/s); lower it, or add consumer_capacity={1.33 * packing:g}",
            "capacity",
            "consumer_capacity",
        )
    return found


def _bounded(value: object, info: ValidationInfo) -> object:
    run = info.data.get("algorithms")
    # If the list of algorithms is wrong, report that error.
    return () if run is None else algorithm_names.bounded(value, run)


def _algorithms(value: object, info: ValidationInfo) -> object:
    names = field_checks.algorithm_names("algorithms", value)
    # If another field is wrong, the names do not matter, and looking them up is slow.
    complete = info.data.keys() == Workload.model_fields.keys()
    return algorithm_names.resolve(names) if complete else names


_CAPACITIES = (limits.MIN_CAPACITY, limits.MAX_CAPACITY, " bytes/s")
_BOUND_SECONDS = (limits.MIN_BOUND_SECONDS, limits.MAX_BOUND_SECONDS, " s")
_NOT_NAMED: Any = None
BOUND_FIELDS = ("bound_iterations", "bound_seconds", "bound_algorithms")
"""Fields of an experiment that are ignored if no iteration is compared with bounds."""


class Workload(BaseModel):
    """Streams, and the consumers that read them: an experiment without its algorithms.

    Attributes
    ----------
    partitions, iterations
        Size of a stream; the greatest of all files for recorded traces.
    deltas
        Volatilities δ, % of the capacity; empty for recorded traces.
    replicates
        Streams for each δ and start condition; number of files for recorded traces.
    initial_rates
        Start conditions, ``uniform`` or ``0``, ``50``, ``100`` (% of the capacity); empty for
        recorded traces.
    capacity, consumer_capacity
        Packing capacity C and consumption capacity, bytes/s; the former is at most the latter.
    iteration_seconds, rebalance_seconds
        Length of an iteration, and of the pause that a rebalance makes, s.
    clip
        Whether generated speeds are kept from exceeding C.
    bound_iterations, bound_seconds
        Iterations of each stream that are compared with proved bounds, evenly spaced, 0 for none;
        and the approximate time limit for one bound, s.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    name: Annotated[str, _by(field_checks.name)]
    partitions: Annotated[int, _by(field_checks.whole, 1, limits.MAX_PARTITIONS)] = 200
    iterations: Annotated[int, _by(field_checks.whole, 1, limits.MAX_ITERATIONS)] = 500
    deltas: Annotated[tuple[float, ...], _generated(field_checks.deltas)] = (0, 5, 10, 15, 20, 25)
    replicates: Annotated[int, _by(field_checks.whole, 1, limits.MAX_REPLICATES)] = 10
    initial_rates: Annotated[tuple[str, ...], _generated(field_checks.starts)] = ("uniform",)
    capacity: Annotated[float, _by(field_checks.number, *_CAPACITIES)] = 100.0
    consumer_capacity: Annotated[float, BeforeValidator(_consumption)] = 133.0
    iteration_seconds: Annotated[
        float, _by(field_checks.number, 1e-3, limits.MAX_SECONDS, " s")
    ] = 30.0
    rebalance_seconds: Annotated[float, _by(field_checks.number, 0.0, limits.MAX_SECONDS, " s")] = (
        5.0
    )
    clip: Annotated[bool, _by(field_checks.truth)] = True
    bound_iterations: Annotated[int, _by(field_checks.whole, 0, limits.MAX_ITERATIONS)] = 0
    bound_seconds: Annotated[float, _by(field_checks.number, *_BOUND_SECONDS)] = 5.0


class Experiment(Workload):
    """A set of streams, and the algorithms to run on each.

    Attributes
    ----------
    algorithms
        Names; ``reference`` stands for the paper's twelve, ``kd_1..kd_8`` for a range.
    bound_algorithms
        Those of them whose Rscore is compared with its lower bound. Default: those in
        `algorithm_names.BOUNDED`.
    """

    algorithms: Annotated[tuple[str, ...], BeforeValidator(_algorithms)] = (field_checks.REFERENCE,)
    bound_algorithms: Annotated[tuple[str, ...], BeforeValidator(_bounded)] = _NOT_NAMED

    @property
    def n_streams(self) -> int:
        """Number of streams."""
        return self.replicates * max(1, len(self.deltas)) * max(1, len(self.initial_rates))

    @property
    def size(self) -> limits.Size:
        """Size of its streams."""
        return limits.Size(self.partitions, self.iterations, len(self.algorithms), self.n_streams)

    @model_validator(mode="after")
    def _agree(self) -> Self:
        algorithm_names.check_partitions(self.algorithms, self.partitions)
        if self.name != TRACE:
            self._check_sizes()
        return self

    def _check_sizes(self) -> None:
        sizes = ("partitions", "iterations")
        _as_field_error(limits.check_stream, self.size, fields=(*sizes, "algorithms"))
        growth = 1.0 if self.clip else 1.0 + max(self.deltas) / 100.0 * self.iterations
        units = self.capacity * growth * self.size.rates * self.iteration_seconds
        what = "partitions × iterations × capacity × iteration_seconds"
        named = (*sizes, "capacity", "iteration_seconds", "clip")
        _as_field_error(limits.check_samples, units, what, fields=named)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(named, names))


def _as_field_error(check: Check, *arguments: object, fields: Sequence[str]) -> None:
    """Call a check of `limits` and raise its error with the fields that it is about."""
    try:
        check(*arguments)
    except InputError as error:
        raise FieldError(str(error), *fields) from error


class TraceSource(BaseModel):
    """A recorded trace, as it was when the run was configured.

    Attributes
    ----------
    path
        The file, absolute.
    stream_id
        ``trace-`` and the file's name without its ending, different for each file of a run.
    digest
        SHA-256 of its rates (after resampling, if it is resampled), hexadecimal.
    partitions, iterations
        Size of the resulting stream.
    step_seconds
        Length of the iterations that it is resampled to, s; None where the file has no times.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Path
    stream_id: str
    digest: str
    partitions: int
    iterations: int
    step_seconds: float | None = None


class RunConfig(BaseModel):
    """Everything that a run's results depend on, besides the code.

    Attributes
    ----------
    preset
        Start of the configuration: a preset, ``custom`` or ``trace``.
    seed
        Root seed, 0 to 2**63 - 1; seeds of streams are derived from it.
    experiments
        At least one; names differ.
    traces
        Recorded traces; if there are any, the only experiment is ``trace``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    preset: str
    seed: Annotated[int, _by(field_checks.whole, 0, limits.MAX_SEED)] = DEFAULT_SEED
    experiments: Annotated[
        tuple[Experiment, ...], Field(min_length=1, max_length=limits.MAX_EXPERIMENTS)
    ]
    traces: Annotated[tuple[TraceSource, ...], Field(max_length=limits.MAX_TRACES)] = ()

    def units(self) -> list[Unit]:
        """Parts of the run that mapped stages work on, in order."""
        return [
            Unit(experiment.name, delta)
            for experiment in self.experiments
            for delta in (experiment.deltas or (None,))
        ]

    def n_streams(self, units: Sequence[Unit] | None = None) -> int:
        """Number of streams of the run, or of some of its units."""
        wanted = self.units() if units is None else units
        per_unit = {e.name: e.n_streams // max(1, len(e.deltas)) for e in self.experiments}
        return sum(per_unit[unit.experiment] for unit in wanted)

    @property
    def sizes(self) -> list[limits.Size]:
        """Sizes of its streams: one per experiment, or one per trace."""
        if not self.traces:
            return [experiment.size for experiment in self.experiments]
        n = len(self.experiments[0].algorithms)
        return [limits.Size(trace.partitions, trace.iterations, n, 1) for trace in self.traces]

    @property
    def has_bounds(self) -> bool:
        """Whether any experiment compares iterations with proved bounds."""
        return any(e.bound_iterations for e in self.experiments)

    @property
    def n_scores(self) -> int:
        """Pairs of a stream and an algorithm; `scores` and `latency` have a row for each."""
        return sum(e.n_streams * len(e.algorithms) for e in self.experiments)

    def n_ids(self, units: Sequence[Unit] | None = None) -> int:
        """Number of consumer ids in `assignments` of some units, or of all; measures the work."""
        wanted = self.units() if units is None else units
        per_unit = {
            e.name: e.n_streams * e.size.ids // max(1, len(e.deltas)) for e in self.experiments
        }
        return sum(per_unit[unit.experiment] for unit in wanted)

    def to_json(self, private: bool = True) -> str:
        """Canonical JSON; equal configurations give equal texts.

        Parameters
        ----------
        private
            Whether it contains the folders of trace files. Others can read tables, reports and
            MLflow, so these get file names only.
        """
        content = self.model_dump(mode="json")
        if not private:
            for trace in content["traces"]:
                trace["path"] = Path(trace["path"]).name
        return json.dumps(content, sort_keys=True, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> RunConfig:
        """The configuration that `to_json` wrote.

        Raises
        ------
        ValueError
            If it is not such a text (pydantic's ValidationError is one).
        """
        return cls.model_validate(json.loads(text))

    def fingerprint(self, seed: bool = True) -> str:
        """SHA-256, hexadecimal, of all that results depend on: no paths, no preset's name.

        Settings of bounds are left out of runs without bounds, so that runs of versions without
        bounds stay comparable.

        Parameters
        ----------
        seed
            Whether the root seed counts; without it, comparable runs have the same value.
        """
        content = json.loads(self.to_json())
        del content["preset"]
        if not seed:
            del content["seed"]
        for trace in content["traces"]:
            del trace["path"]
        for experiment in content["experiments"]:
            if experiment["bound_iterations"] == 0:
                for name in BOUND_FIELDS:
                    del experiment[name]
        text = json.dumps(content, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    @model_validator(mode="after")
    def _agree(self) -> Self:
        names = [experiment.name for experiment in self.experiments]
        if len(set(names)) < len(names):
            raise FieldError(
                f"`experiments` must have different names (got {_listed(names)})", "experiments"
            )
        if (TRACE in names) != bool(self.traces) or (self.traces and len(names) > 1):
            raise FieldError(
                f"`experiments`: the name {TRACE!r} is reserved for runs with --trace, which have "
                f"no other experiment (got {_listed(names)} with {len(self.traces)} trace files); "
                "rename it",
                "experiments",
            )
        if self.traces:
            self._check_traces()
        _as_field_error(
            limits.check_run,
            self.sizes,
            fields=("replicates", "deltas", "partitions", "iterations"),
        )
        return self

    def _check_traces(self) -> None:
        """Check each trace by itself, and whether they can be read together."""
        names = self.experiments[0].algorithms
        for trace, size in zip(self.traces, self.sizes, strict=True):
            algorithm_names.check_partitions(names, trace.partitions, f" of {trace.path.name}")
            _as_field_error(limits.check_stream, size, fields=("algorithms",))
        _as_field_error(limits.check_traces, self.sizes, fields=("traces",))
