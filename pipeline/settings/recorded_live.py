"""Live experiments over recorded traces, one per file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pipeline.base.errors import InputError
from pipeline.settings import recorded_scaling, traces, validation
from pipeline.settings.live_experiment import LiveExperiment
from pipeline.settings.recordings import Recordings
from pipeline.settings.settings import Layer, Setting
from pipeline.settings.split_field import EQUAL
from pipeline.settings.trace_source import TraceSource

FROM_TRACE = ("delta", "replicates", "clip", "profile", "high")
"""Keys that do not apply to a recorded trace."""

FOR_TOTALS = ("split", "partitions")
"""Keys that apply to files of one total rate alone."""


def experiments(
    base: Mapping[str, Mapping[str, object]], stack: Layer, recordings: Recordings
) -> tuple[list[LiveExperiment], tuple[TraceSource, ...]]:
    """Experiments over traces, and the files.

    base: Experiments of the preset; the first one has the settings that the user has not set. If
        all play a profile, and files have one total rate, each of them plays each file instead.
    stack: What the user has set: ``iteration_seconds`` resamples the traces, and ``iterations``
        takes the first of them only.
    recordings: The files, at least one.
    Raises InputError if a file is not a trace, or a setting does not apply.
    """
    validation.refuse(FROM_TRACE, stack, "trace")
    step = stack.get("iteration_seconds")
    if step is not None:  # Before large files are read.
        validation.made(LiveExperiment, {"name": Setting("e", ""), "iteration_seconds": step})
    seconds = None if step is None else float(step.value)
    sources = traces.read(recordings, seconds, totals_allowed=True)
    if not all(source.trace.is_total for source in sources):
        validation.refuse(FOR_TOTALS, stack, "trace with a rate per partition")
    layers = [_layer(*played, stack) for played in _played(sources, base)]
    many = len(layers) > 1
    return [validation.made(LiveExperiment, layer, many) for layer in layers], sources


def _played(
    sources: Sequence[TraceSource], base: Mapping[str, Mapping[str, object]]
) -> Iterator[tuple[str, TraceSource, Mapping[str, object]]]:
    """Name, file and settings of each experiment."""
    files = list(zip(_names(sources), sources, strict=True))
    is_profile = base and all(settings.get("profile") for settings in base.values())
    if is_profile and all(source.trace.is_total for source in sources):
        for name, source in files:
            for own, settings in base.items():
                repeats = {"replicates": settings.get("replicates", 1)}
                yield own if len(files) == 1 else f"{name}-{own}", source, _kept(settings) | repeats
        return
    settings = _kept(next(iter(base.values()), {}))
    for name, source in files:
        yield name, source, settings | {"replicates": 1}


def _names(sources: Sequence[TraceSource]) -> Iterator[str]:
    return recorded_scaling.names(source.stream_id for source in sources)


def _kept(settings: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in settings.items() if key not in FROM_TRACE}


def _layer(
    name: str, source: TraceSource, settings: Mapping[str, object], stack: Layer
) -> dict[str, Setting]:
    parts = {"partitions": source.partitions, "split": EQUAL}
    values = {
        **settings,
        "name": name,
        "trace": source.stream_id,
        **({} if source.trace.is_total else parts),
        "iterations": source.iterations,
        "delta": None,
        **({} if source.step_seconds is None else {"iteration_seconds": source.step_seconds}),
    }
    origin = f"--trace {source.path}"
    layer = {key: Setting(value, origin) for key, value in values.items()} | dict(stack)
    asked = layer["iterations"].value
    if isinstance(asked, int) and asked > source.iterations:
        raise InputError(
            f"{layer['iterations'].origin}: `iterations` must be at most those of the trace, "
            f"{source.iterations:,} (got {asked:,}); remove it for all of them"
        )
    return layer
