"""The trace files of a run: read, described, and checked against the run's settings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pipeline.base import limits
from pipeline.base.errors import InputError
from pipeline.inputs.traces import files, partition_layout, trace_topics
from pipeline.inputs.traces.reading import Reading
from pipeline.settings.assignment_experiment import TRACE, Experiment
from pipeline.settings.recordings import Recordings
from pipeline.settings.trace_source import TraceSource

if TYPE_CHECKING:
    from pipeline.inputs.traces import Trace
    from pipeline.inputs.traces.model import Floats


class Speeds(NamedTuple):
    """Speeds of a trace, as needed before a run."""

    peak: float
    mean: float
    """`peak`, `mean`: greatest and mean total speed of an iteration, bytes/s."""
    total: float
    """Sum of the speeds at all iterations but the first, bytes/s."""


def read(
    recordings: Recordings, iteration_seconds: float | None = None, totals_allowed: bool = False
) -> tuple[TraceSource, ...]:
    """Read every file; descriptions, in the order of the files, with what was read in memory.

    recordings: The files, and how they are read.
    iteration_seconds: Length of the iterations that files with timestamps are resampled to, s; None
        uses the usual step of each file.
    totals_allowed: Whether a file may have one total rate, without partitions.
    Raises InputError if a file is not a trace or is given twice, or if there are too many or too
        large ones.
    """
    _check_distinct(recordings.paths)
    sources: list[TraceSource] = []
    for path in recordings.paths:
        recorded, trace, step = _load(path, recordings.reading, iteration_seconds)
        if trace.is_total and not totals_allowed:
            raise InputError(
                f"{path}: a run on assignment needs rates per partition (got one total rate); use "
                "columns 'timestamp,partition,rate', or add --preset autoscaling"
            )
        taken = {source.stream_id for source in sources}
        described = _describe(path, recorded, trace, step, taken)
        sources.append(described.model_copy(update=recordings.reading._asdict()))
        sources[-1].keep(trace)
        limits.check_traces([limits.Size(s.partitions, s.iterations, 1, 1) for s in sources])
    return tuple(sources)


def complete(source: TraceSource) -> TraceSource:
    """The file with the partitions missing between others. Raises InputError if too many."""
    if source.trace.is_total:
        return source
    layout = partition_layout.of(source.path, source.trace.partitions)
    return source.model_copy(
        update={
            "partitions": len(layout.columns),
            "topic_sizes": tuple(topic.partitions for topic in layout.topics),
            "notes": (*source.notes, *layout.notes),
        }
    )


def counted(
    sources: Sequence[TraceSource], capacities: Mapping[str, float]
) -> tuple[TraceSource, ...]:
    """Descriptions with numbers of hot partitions, for a consumer's capacity by stream."""
    from pipeline.inputs.traces import hot_partitions

    return tuple(
        source.model_copy(update={"hot": hot_partitions.count(_peaks(source.trace), capacity)})
        if (capacity := capacities.get(source.stream_id)) is not None
        else source
        for source in sources
    )


def check_speeds(sources: Sequence[TraceSource], experiment: Experiment) -> None:
    """Raise `InputError` for speeds too high for the experiment's capacity and time."""
    for source in sources:
        name, speed = source.path.name, speeds_of(source.trace)
        if not speed.peak <= limits.MAX_LOAD * experiment.capacity:
            raise InputError(
                f"{source.path}: the total rate can be at most {limits.MAX_LOAD:g} × capacity "
                f"(got {speed.peak:.3g} bytes/s with a capacity of {experiment.capacity:g}); "
                "set `capacity` to that of your consumers"
            )
        samples = speed.total * experiment.iteration_seconds
        limits.check_samples(samples, f"rates of {name} × iteration_seconds")


def check_topics(sources: Sequence[TraceSource], experiment: Experiment) -> None:
    """Raise `InputError` if Kafka's range assignor would leave consumers of a group idle."""
    from algorithms.assignment import registry

    by_topic = [name for name in experiment.algorithms if registry.get(name).by_topic]
    for source in sources:
        most = trace_topics.largest(trace_topics.of(source.trace.partitions))
        for name in by_topic:
            if (registry.members_of(name) or 0) > most:
                raise InputError(
                    f"{source.path}: {name} has more consumers than the largest topic has "
                    f"partitions, {most}, and would leave some idle; choose range_{most} or lower"
                )


def notes(sources: Sequence[TraceSource], experiment: Experiment) -> list[str]:
    """Notes on forms of files that were converted, of readers, on hot partitions and iterations.

    The latter are for traces whose step differs from the latency model's iterations. If the user
    sets ``iteration_seconds``, both agree and there are none.
    """
    hot = [line for s in sources for line in hot_notes(s, experiment.consumer_capacity)]
    return [*form_notes(sources), *reader_notes(sources), *hot] + [
        f"{source.path.name} has a measurement every {source.step_seconds:g} s, but the latency "
        f"model assumes {experiment.iteration_seconds:g} s. Add "
        f"--set iteration_seconds={source.step_seconds:g}."
        for source in sources
        if source.step_seconds not in (None, experiment.iteration_seconds)
    ]


def form_notes(sources: Sequence[TraceSource]) -> list[str]:
    """Forms of the files that were converted, one line each."""
    return [f"Recognized {s.path.name} as {s.form}." for s in sources if s.form]


def reader_notes(sources: Sequence[TraceSource]) -> list[str]:
    """What readers noted about the files, a line per sentence."""
    return [f"{source.path.name}: {note}" for source in sources for note in source.notes]


def hot_notes(
    source: TraceSource, consumer_capacity: float, setting: str = "consumer_capacity"
) -> list[str]:
    """A line on the hot partitions of a file; none without. `setting` names the capacity."""
    from pipeline.inputs.traces import hot_partitions

    words = hot_partitions.sentence(source.fastest, consumer_capacity, setting, source.hot)
    return [f"{source.path.name}: {words}"] if words else []


def _check_distinct(paths: Sequence[Path]) -> None:
    if len(paths) > limits.MAX_TRACES:
        raise InputError(
            f"`--trace` can be given at most {limits.MAX_TRACES:,} times (got {len(paths):,})"
        )
    seen: set[Path] = set()
    for path in paths:
        place = _resolved(path)
        if place in seen:
            raise InputError(
                f"--trace {path}: this file is given twice and would count twice in every mean; "
                "remove one"
            )
        seen.add(place)


def _resolved(path: Path) -> Path:
    """The path without links; opening the file reports a loop of links."""
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return path


def _load(
    path: Path, reading: Reading, iteration_seconds: float | None
) -> tuple[Trace, Trace, float | None]:
    """A trace as recorded and in iterations of one length, and that length where it is known."""
    from pipeline.inputs import traces

    recorded = traces.read(path, reading)
    step = traces.median_step(recorded.times)
    if step is not None and iteration_seconds is not None:
        step = iteration_seconds
    return recorded, traces.resampled(recorded, path, step), step


def _peaks(trace: Trace) -> Floats:
    """Highest rates of a trace's partitions; of none if it has one total rate."""
    from pipeline.inputs.traces import hot_partitions

    return hot_partitions.peak_rates(trace.rates[:, :0] if trace.is_total else trace.rates)


def speeds_of(trace: Trace) -> Speeds:
    """Greatest and total speed of a trace."""
    import numpy as np

    with np.errstate(over="ignore"):
        totals = np.nansum(trace.rates, axis=1)
        return Speeds(*map(float, (totals.max(), totals.mean(), totals[1:].sum())))


def _describe(
    path: Path, recorded: Trace, trace: Trace, step: float | None, taken: set[str]
) -> TraceSource:
    from pipeline.inputs.traces import hot_partitions

    iterations, partitions = trace.rates.shape
    return TraceSource(
        path=path.absolute(),
        stream_id=_stream_id(path, taken),
        digest=trace.digest,
        partitions=partitions,
        iterations=iterations,
        step_seconds=step,
        form=f"{recorded.form}, {recorded.unit}" if recorded.unit else "",
        unit=recorded.unit,
        started_at=recorded.started_at,
        notes=recorded.notes,
        topic_sizes=tuple(map(len, trace_topics.of(trace.partitions))),
        fastest=() if trace.is_total else hot_partitions.fastest(recorded, trace.rates),
    )


def _stream_id(path: Path, taken: set[str]) -> str:
    """``trace-<name>``, with a number where files in different folders have one name."""
    stem = re.sub(r"[^\w.-]+", "-", Path(files.shown_name(path)).stem)
    chosen, number = f"{TRACE}-{stem}", 1
    while chosen in taken:
        number += 1
        chosen = f"{TRACE}-{stem}-{number}"
    return chosen
