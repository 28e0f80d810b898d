"""Simulations: rows of `measurements` to one row per stream and strategy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from algorithms.autoscaling import registry
from algorithms.autoscaling.candidates import Candidate, whole_steps
from algorithms.autoscaling.group_defaults import GroupSettings
from algorithms.bounds import clairvoyant_front
from algorithms.bounds.clairvoyant_front import BoundFront
from algorithms.core import startup_times
from algorithms.simulation import group_simulation
from algorithms.simulation.group_result import Actions, Detailed, Result, Trajectory
from algorithms.simulation.group_settings import check_settings
from pipeline.experiments.autoscaling.kernels import Plans, SimulationPlan
from pipeline.warehouse.spark import arrow
from pipeline.warehouse.spark.stream_tasks import BatchKernel
from schemas.tables.autoscaling import simulations

_FIGURES = arrow.contract("simulations", without=("run_id",))
_KINDS = np.array(["reassign", "up", "down"])


def _series(table: str, index: str) -> dict[str, pa.DataType]:
    """Columns of a table with a row per step or action, as lists."""
    keys = ("run_id", "experiment", "stream_id", "strategy", "setting", index)
    return {field.name: pa.list_(field.type) for field in arrow.contract(table, without=keys)}


SERIES = {
    "trajectories": _series("trajectories", "iteration"),
    "actions": _series("actions", "action"),
}
"""Columns of the tables that have a row per step or action."""

SIMULATED = pa.schema(
    [
        *_FIGURES,
        *(
            pa.field(f"{table}_{name}", kind)
            for table, columns in SERIES.items()
            for name, kind in columns.items()
        ),
    ]
)
"""Columns of `simulations`, and lists that are null where they are not recorded: those of `SERIES`,
by table and column."""


class Stream(NamedTuple):
    """Rates of a stream, float64[N, P] in events/s, what identifies it, and sizes of its topics."""

    stream_id: str
    experiment: str
    replicate: int
    seed: int
    topic_sizes: Sequence[int]
    rates: NDArray[np.float64]


def simulate(plans: Plans) -> BatchKernel:
    """Measurements, those of a stream together and in order, to rows of `SIMULATED`."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for stream in streams(batches):
            plan = plans[stream.experiment]
            bounds: dict[Any, BoundFront] = {}
            parts = np.repeat(stream.rates, plan.parts, axis=0)
            cut = stream._replace(rates=parts) if plan.parts > 1 else stream
            rows = [_row(cut, plan, candidate, bounds) for candidate in plan.candidates]
            yield pa.RecordBatch.from_pylist(rows, schema=SIMULATED)

    return run


def streams(batches: Iterable[pa.RecordBatch]) -> Iterator[Stream]:
    """Whole streams of batches of their rows."""
    parts = (part for batch in batches for part in _parts(batch))
    for _, of_stream in groupby(parts, key=lambda part: part.stream_id):
        first, *rest = of_stream
        rates = [first.rates, *(part.rates for part in rest)]
        yield first._replace(rates=np.concatenate(rates))


def _parts(batch: pa.RecordBatch) -> Iterator[Stream]:
    """Parts of streams in one batch."""
    if batch.num_rows == 0:
        return
    codes = batch.column("stream_id").dictionary_encode().indices.to_numpy()
    starts = [0, *(np.flatnonzero(codes[1:] != codes[:-1]) + 1).tolist(), batch.num_rows]
    for low, high in pairwise(starts):
        part = batch.slice(low, high - low)
        keys = {name: part.column(name)[0].as_py() for name in Stream._fields if name != "rates"}
        cells = part.column("rates").flatten().fill_null(0.0).to_numpy(zero_copy_only=False)
        yield Stream(**keys, rates=cells.reshape(high - low, -1))


def _row(
    stream: Stream, plan: SimulationPlan, candidate: Candidate, bounds: dict[Any, BoundFront]
) -> Mapping[str, object]:
    strategy = registry.get(candidate.strategy)
    decision_s = whole_steps(strategy.decision_s, float(plan.group["step_s"]))
    own = {"seed": stream.seed, "decision_s": decision_s}
    settings = {**plan.group, **own, **candidate.settings}
    group = check_settings(settings, stream.rates.shape[1], decision_s, strategy.observe)
    call = (stream.rates, candidate.strategy, candidate.arguments, settings, stream.topic_sizes)
    detailed = stream.replicate <= plan.recorded
    in_detail = group_simulation.simulate_in_detail(*call) if detailed else None
    result = in_detail.result if in_detail else group_simulation.simulate(*call)
    return {
        "experiment": stream.experiment,
        "stream_id": stream.stream_id,
        "workload": plan.workload,
        "replicate": stream.replicate,
        "strategy": candidate.strategy,
        "setting": candidate.parameter_text,
        **_group(group),
        **_figures(result),
        "least_minutes": _least_minutes(stream, settings, result, bounds),
        **(_details(in_detail, plan.parts) if in_detail else {}),
    }


_FREE = (
    *("assignor", "initial_replicas", "decision_s", "observe", "seed", "commit_s"),
    "placement_draw",
)
"""Settings on which the bound does not depend; see `algorithms.bounds.clairvoyant_plan`."""


def _group(group: GroupSettings) -> dict[str, object]:
    """Settings as they act: the default of the second heartbeat is the first one's."""
    stored = {name: getattr(group, name) for name in simulations.SETTINGS}
    return stored | {
        "startup_s": group.mean_startup_s,
        "startup_pieces": startup_times.text_of(group.startup_s) or None,
        "second_heartbeat_s": group.next_heartbeat_s,
    }


def _least_minutes(
    stream: Stream,
    settings: Mapping[str, Any],
    result: Result,
    bounds: dict[Any, BoundFront],
) -> float | None:
    """Proved bound of the replica-minutes at a simulation's share of events in time."""
    if result.sla_percent is None:
        return None
    bounded = {name: value for name, value in settings.items() if name not in _FREE}
    key = tuple(sorted(bounded.items()))
    if key not in bounds:
        bounds[key] = clairvoyant_front.bound_front(stream.rates, bounded)
    if not bounds[key].proved:
        return None
    shares, minutes = np.array([result.sla_percent]), np.array([result.replica_minutes])
    return float(clairvoyant_front.regret(bounds[key], shares, minutes).least_minutes[0])


def _figures(result: Result) -> dict[str, object]:
    return {name: value for name, value in result._asdict().items() if name != "replicas"}


def _whole(steps: Trajectory, parts: int) -> dict[str, Any]:
    """A trajectory in recorded steps of one that has several parts for each."""
    if parts == 1:
        return steps._asdict()
    each = {name: values.reshape(-1, parts) for name, values in steps._asdict().items()}
    whole = {name: values.sum(axis=1) for name, values in each.items()}
    as_it_ends = {name: each[name][:, -1] for name in ("replicas", "lag")}
    return {**whole, **as_it_ends, "longest_s": each["longest_s"].max(axis=1)}


def _details(in_detail: Detailed, parts: int) -> dict[str, Any]:
    actions: Actions = in_detail.actions
    columns = {
        "time_s": actions.time_s,
        "kind": _KINDS[np.sign(actions.after - actions.before)],
        "replicas_before": actions.before,
        "replicas_after": actions.after,
        "moved": actions.moved,
        "settled_after_s": [None if math.isnan(t) else t for t in actions.settled_after_s.tolist()],
    }
    series = {"trajectories": _whole(in_detail.trajectory, parts), "actions": columns}
    return {f"{t}_{name}": values for t, lists in series.items() for name, values in lists.items()}
