"""Model of an experiment of the family `assignment`: streams, consumers and algorithms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, ValidationInfo, model_validator

from algorithms.core.group_declarations import MAX_SECONDS
from pipeline.base import limits
from pipeline.settings import algorithm_names, field_checks
from pipeline.settings.experiment_base import FamilyExperiment
from pipeline.settings.field_checks import Check, FieldError, as_field_error, checked_by

TRACE = "trace"
"""Name of the experiment on recorded traces; reserved for it."""


def _generated(check: Check) -> BeforeValidator:
    """As `checked_by`, for fields that recorded traces do not have."""

    def validate(value: object, info: ValidationInfo) -> object:
        if info.data.get("name") == TRACE and value in ((), []):
            return ()
        return check(info.field_name, value)

    return BeforeValidator(validate)


def _consumption(value: object, info: ValidationInfo) -> object:
    """Consumption capacity, at least the packing capacity, which is validated before it."""
    consumption = field_checks.number(str(info.field_name), value, *_CAPACITIES)
    packing = info.data.get("capacity", 0.0)
    if packing > consumption:
        raise FieldError(
            f"`capacity` must not exceed `consumer_capacity` (got {packing:g} and {consumption:g} "
            f"bytes/s); lower it, or add consumer_capacity={1.33 * packing:g}",
            "capacity",
            "consumer_capacity",
        )
    return consumption


def _bounded(value: object, info: ValidationInfo) -> object:
    run = info.data.get("algorithms")
    # If the list of algorithms is wrong, report that error.
    return () if run is None else algorithm_names.bounded(value, run)


def _algorithms(value: object, info: ValidationInfo) -> object:
    names = field_checks.algorithm_names("algorithms", value)
    # If another field is wrong, the names do not matter, and looking them up is slow.
    complete = info.data.keys() == StreamExperiment.model_fields.keys()
    return algorithm_names.resolve(names) if complete else names


_CAPACITIES = (limits.MIN_CAPACITY, limits.MAX_CAPACITY, field_checks.BYTES)
_BOUND_SECONDS = (limits.MIN_BOUND_SECONDS, limits.MAX_BOUND_SECONDS, " s")
_NOT_NAMED: Any = None
BOUND_FIELDS = ("bound_iterations", "bound_seconds", "bound_algorithms")
"""Fields of an experiment that are ignored if no iteration is compared with bounds."""


class StreamExperiment(FamilyExperiment, frozen=True):
    """Streams, and the consumers that read them: an experiment without its algorithms."""

    partitions: Annotated[int, checked_by(field_checks.whole, 1, limits.MAX_PARTITIONS)] = 200
    """Partitions of a stream; the most of all files for recorded traces."""
    iterations: Annotated[int, checked_by(field_checks.whole, 1, limits.MAX_ITERATIONS)] = 500
    """Iterations of a stream; the most of all files for recorded traces."""
    deltas: Annotated[tuple[float, ...], _generated(field_checks.deltas)] = (0, 5, 10, 15, 20, 25)
    """Volatilities δ, % of the capacity between 0 and 100; none for recorded traces."""
    replicates: Annotated[int, checked_by(field_checks.whole, 1, limits.MAX_REPLICATES)] = 10
    """Streams for each δ and start condition; number of files for recorded traces."""
    initial_rates: Annotated[tuple[str, ...], _generated(field_checks.starts)] = ("uniform",)
    """Starts: ``uniform``, or ``0``, ``50``, ``100`` (% of the capacity); none for traces."""
    capacity: Annotated[float, checked_by(field_checks.number, *_CAPACITIES)] = 100.0
    """Packing capacity C: planned maximum load per consumer."""
    consumer_capacity: Annotated[float, BeforeValidator(_consumption)] = 133.0
    """Maximum throughput of a consumer, bytes/s; at least `capacity`."""
    iteration_seconds: Annotated[
        float, checked_by(field_checks.number, 1e-3, MAX_SECONDS, " s")
    ] = 30.0
    """Time between assignments; of traces, also the interval that they are resampled to."""
    rebalance_seconds: Annotated[float, checked_by(field_checks.number, 0.0, MAX_SECONDS, " s")] = (
        5.0
    )
    """Pause during a rebalance."""
    clip: Annotated[bool, checked_by(field_checks.truth)] = True
    """Whether generated speeds are kept from exceeding the capacity."""
    bound_iterations: Annotated[int, checked_by(field_checks.whole, 0, limits.MAX_ITERATIONS)] = 0
    """Iterations of a stream that are compared with proved bounds, evenly spaced; 0 for none."""
    bound_seconds: Annotated[float, checked_by(field_checks.number, *_BOUND_SECONDS)] = 5.0
    """Approximate time limit for one bound."""


class Experiment(StreamExperiment, frozen=True):
    """A set of streams, and the algorithms to run on each."""

    algorithms: Annotated[tuple[str, ...], BeforeValidator(_algorithms)] = (field_checks.REFERENCE,)
    """Names: ``reference`` for the paper's twelve, ``kd_1..kd_8`` for a range, or
    ``module:function`` for your own."""
    bound_algorithms: Annotated[tuple[str, ...], BeforeValidator(_bounded)] = _NOT_NAMED
    """Those of `algorithms` whose Rscore is compared with its lower bound; ``[]`` for none.
    Default: BFD, MBF and MWF, if they run."""

    @property
    def unit_deltas(self) -> Sequence[float | None]:
        """Its volatilities; a recorded trace has none."""
        return self.deltas or (None,)

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
        as_field_error(limits.check_stream, self.size, fields=(*sizes, "algorithms"))
        growth = 1.0 if self.clip else 1.0 + max(self.deltas) / 100.0 * self.iterations
        units = self.capacity * growth * self.size.rates * self.iteration_seconds
        what = "partitions × iterations × capacity × iteration_seconds"
        named = (*sizes, "capacity", "iteration_seconds", "clip")
        as_field_error(limits.check_samples, units, what, fields=named)
