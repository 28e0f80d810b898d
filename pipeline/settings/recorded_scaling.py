"""Experiments on autoscaling over recorded files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from algorithms.workloads import step_parts
from pipeline.base.errors import InputError
from pipeline.inputs.traces import published_workloads
from pipeline.settings import presets, validation
from pipeline.settings import traces as trace_sources
from pipeline.settings.presets import Preset
from pipeline.settings.recordings import Recordings
from pipeline.settings.scaling_experiment import RECORDED, ScalingExperiment
from pipeline.settings.settings import Layer, Setting
from pipeline.settings.strategy_names import ALL
from pipeline.settings.trace_source import TraceSource

FROM_TRACE = ("profile", "iterations", "replicates", "low", "high", "poisson", "step_s")
"""Keys that do not apply to a recorded file."""

FOR_TOTALS = ("partitions", "split", "rounding", "last_rate")
"""Keys that apply to files of one total rate alone."""

_LONGEST_NAME = 40


def experiments(
    preset: Preset, stack: Layer, recordings: Recordings
) -> tuple[list[ScalingExperiment], tuple[TraceSource, ...]]:
    """Experiments over recorded files, and the files.

    preset: Its experiments are those of the published workloads in preset `autoscaling-papers`,
        and those of each file in presets `group-claims…`; else there is one per file.
    recordings: The files; at least one, unless the preset names what is missing.
    Raises InputError if a file is not a trace or not the published one, or a setting does not
        apply.
    """
    validation.refuse(FROM_TRACE, stack, "workload")
    if preset.name == presets.BAD_HOUR:
        raise InputError(
            f"--preset {preset.name}: has a workload of its own; to compare strategies in events "
            f"on files, use --preset {presets.AUTOSCALING} with --set bad_hour_seeds=30 and --set "
            "strategies=…"
        )
    read = trace_sources.read(recordings, totals_allowed=True)
    sources = [trace_sources.complete(source) for source in read]
    _check_splits(sources, stack)
    listed = _listed(preset, sources)
    layers = [_layer(name, source, settings, stack) for name, source, settings in listed]
    made = [validation.made(ScalingExperiment, layer, len(layers) > 1) for layer in layers]
    return made, trace_sources.counted(sources, {str(one.trace): one.mu for one in made})


def _listed(
    preset: Preset, sources: Sequence[TraceSource]
) -> Iterator[tuple[str, TraceSource, Mapping[str, object]]]:
    """Name, file and settings of each experiment."""
    if preset.name == presets.PAPERS:
        return _published(preset, sources)
    return _claimed(preset, sources) if preset.name in presets.CLAIMED else _one_per_file(sources)


def _check_splits(sources: Sequence[TraceSource], stack: Layer) -> None:
    """Raise `InputError` if a split is set and a file has rates per partition."""
    whole = [source for source in sources if not source.trace.is_total]
    for key in FOR_TOTALS:
        if key in stack and whole:
            raise InputError(
                f"{stack[key].origin}: `{key}` does not apply to {whole[0].path.name}, which has a "
                f"rate per partition ({whole[0].partitions:,} partitions); remove it"
            )


def _layer(
    name: str, source: TraceSource, settings: Mapping[str, object], stack: Layer
) -> dict[str, Setting]:
    values = {
        **settings,
        "name": name,
        "profile": RECORDED,
        "trace": source.stream_id,
        "iterations": source.iterations,
        "replicates": 1,
        "poisson": False,
        "step_s": source.step_seconds or 1.0,
    }
    own = {key: Setting(value, validation.FROM_PRESET) for key, value in values.items()}
    layer = own | dict(stack)
    return layer | {"parts": Setting(_parts(layer), validation.FROM_PRESET)}


def _parts(layer: Mapping[str, Setting]) -> int:
    """Parts that steps are cut into; 1 if a setting is wrong, which is reported later."""
    arrivals, partitions = (
        layer[key].value if key in layer else ScalingExperiment.model_fields[key].default
        for key in ("arrivals", "partitions")
    )
    if arrivals == "burst" or not isinstance(partitions, int) or partitions < 1:
        return 1
    return step_parts.count(layer["iterations"].value, partitions, layer["step_s"].value)


def _one_per_file(
    sources: Sequence[TraceSource],
) -> Iterator[tuple[str, TraceSource, Mapping[str, object]]]:
    unique = names(source.stream_id for source in sources)
    for name, source in zip(unique, sources, strict=True):
        split = {} if source.trace.is_total else {"partitions": source.partitions}
        yield name, source, {"strategies": (f"{ALL}:sweep",), **split}


def _claimed(
    preset: Preset, sources: Sequence[TraceSource]
) -> Iterator[tuple[str, TraceSource, Mapping[str, object]]]:
    """Experiments of the preset on each file, which must have one total rate per second."""
    for source in sources:
        if not source.trace.is_total:
            raise InputError(
                f"--trace {source.path}: preset {preset.name} splits one total rate itself, and "
                f"this file has a rate per partition; use a file of one total rate"
            )
    unique = [*names(source.stream_id for source in sources)]
    for stem, source in zip(unique, sources, strict=True):
        for name, settings in preset.experiments.items():
            own = {key: value for key, value in settings.items() if key not in FROM_TRACE}
            yield name if len(sources) == 1 else f"{stem}-{name}", source, own


def names(stream_ids: Iterable[str]) -> Iterator[str]:
    """Names of experiments, different for each stream."""
    taken: set[str] = set()
    for stream_id in stream_ids:
        stem = re.sub(r"[^A-Za-z0-9_-]+", "-", stream_id)
        name, number = stem[:_LONGEST_NAME], 1
        while name in taken:
            number += 1
            name = f"{stem[: _LONGEST_NAME - 5]}-{number}"
        taken.add(name)
        yield name


def _published(
    preset: Preset, sources: Sequence[TraceSource]
) -> Iterator[tuple[str, TraceSource, Mapping[str, object]]]:
    """Experiments of the published workloads among the files."""
    by_name: dict[str, TraceSource] = {}
    for source in sources:
        workload = published_workloads.recognised(source.digest)
        if workload is None:
            raise InputError(
                f"--trace {source.path}: not a workload that figures are published for. "
                f"{published_workloads.missing_text()}"
            )
        by_name[workload.name] = source
    if not by_name:
        raise InputError(f"`traces`: {published_workloads.missing_text()}")
    for name, settings in preset.experiments.items():
        workload_name = name.partition("-")[0]
        if workload_name in by_name:
            yield name, by_name[workload_name], settings
