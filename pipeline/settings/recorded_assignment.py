"""The experiment on assignment over recorded traces."""

from __future__ import annotations

from collections.abc import Sequence

from algorithms.core.group_declarations import MAX_SECONDS
from pipeline.inputs.traces import trace_topics
from pipeline.settings import algorithm_names, traces, validation
from pipeline.settings.assignment_experiment import TRACE, Experiment, StreamExperiment
from pipeline.settings.recordings import Recordings
from pipeline.settings.settings import Layer, Setting
from pipeline.settings.trace_source import TraceSource

FROM_TRACE = ("partitions", "iterations", "deltas", "replicates", "initial_rates", "clip")
"""Keys that do not apply to a recorded trace."""


def experiments(
    stack: Layer, recordings: Recordings
) -> tuple[list[Experiment], tuple[TraceSource, ...]]:
    """One experiment over all files, and the files.

    stack: What the user has set.
    recordings: The files, at least one.
    Raises InputError if a file is not a trace, or a setting does not apply.
    """
    validation.refuse(FROM_TRACE, stack, "trace")
    # Check the settings before reading large files.
    workload = validation.made(
        StreamExperiment,
        {"name": Setting(TRACE, "")} | _without(stack, "algorithms", "bound_algorithms"),
    )
    asked = workload.iteration_seconds if "iteration_seconds" in stack else None
    sources = traces.read(recordings, asked)
    origin = f"--trace {recordings.paths[0]}"
    defaults = _defaults(sources, workload)
    layer = {"name": Setting(TRACE, origin)}
    layer |= {key: Setting(value, origin) for key, value in defaults.items()} | dict(stack)
    experiment = validation.made(Experiment, layer | _shape(sources))
    traces.check_speeds(sources, experiment)
    traces.check_topics(sources, experiment)
    capacities = {source.stream_id: experiment.consumer_capacity for source in sources}
    return [experiment], traces.counted(sources, capacities)


def _defaults(sources: Sequence[TraceSource], workload: StreamExperiment) -> dict[str, object]:
    """Algorithms for the load of the traces, and the step of the traces if they have one."""
    smallest = min(source.partitions for source in sources)
    speeds = [traces.speeds_of(source.trace) for source in sources]
    mean, peak = (max(getattr(one, rate) for one in speeds) for rate in ("mean", "peak"))
    topics = [trace_topics.of(source.trace.partitions) for source in sources]
    names = algorithm_names.for_trace(smallest, workload.capacity, mean, peak, topics)
    steps = {source.step_seconds for source in sources}
    step = steps.pop() if len(steps) == 1 else None
    usable = step is not None and 1e-3 <= step <= MAX_SECONDS
    return {"algorithms": names, **({"iteration_seconds": step} if usable else {})}


def _without(layer: Layer, *keys: str) -> dict[str, Setting]:
    return {name: setting for name, setting in layer.items() if name not in keys}


def _shape(sources: Sequence[TraceSource]) -> dict[str, Setting]:
    values: dict[str, object] = {
        "partitions": max(source.partitions for source in sources),
        "iterations": max(source.iterations for source in sources),
        "replicates": len(sources),
        "deltas": (),
        "initial_rates": (),
    }
    return {key: Setting(value, "--trace") for key, value in values.items()}
