"""Makes a `RunConfig` from options and files.

More specific settings take precedence: ``--set``, then a configuration file (its settings for one
experiment before those for all), then a preset.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, Sequence
from pathlib import Path

from algorithms.core.group_declarations import MAX_SECONDS
from pipeline.base.errors import InputError
from pipeline.base.text.quoting import named
from pipeline.inputs.traces import reading as trace_reading
from pipeline.inputs.traces import trace_topics
from pipeline.inputs.traces.reading import RECOGNIZED, Reading
from pipeline.settings import (
    algorithm_names as algorithm_list,
)
from pipeline.settings import (
    group_recordings,
    own_algorithms,
    presets,
    recorded_live,
    recorded_scaling,
    settings,
    validation,
)
from pipeline.settings import (
    traces as trace_sources,
)
from pipeline.settings.assignment_experiment import TRACE, Experiment, StreamExperiment
from pipeline.settings.field_checks import algorithm_names
from pipeline.settings.recordings import Recordings
from pipeline.settings.run_config import RunConfig
from pipeline.settings.settings import (
    DEFAULT_FAMILY,
    IMPORT_KEY,
    KEYS,
    MODELS,
    NO_FILE,
    READING_KEYS,
    RUN_KEYS,
    FileSettings,
    Layer,
    Setting,
)
from pipeline.settings.trace_source import TraceSource

CUSTOM = "custom"
"""Replaces a preset's name if a file defines all experiments."""

FROM_TRACE = ("partitions", "iterations", "deltas", "replicates", "initial_rates", "clip")
"""Keys that do not apply to a recorded trace."""


def resolve(
    preset: str | None,
    config_file: Path | None,
    sets: Sequence[str],
    traces: Sequence[Path],
    modules: Sequence[str] | None = None,
    reading: Reading = RECOGNIZED,
) -> RunConfig:
    """Make the configuration of a run; checks everything and writes nothing.

    Without a preset, a file that names experiments defines the whole run, and otherwise the
    run is that of preset `paper`. A preset's Kafka assignments ``kd_n`` with n above the user's
    number of partitions are left out.

    preset: Name of a preset; only its family counts in a run over traces, except in preset
        `autoscaling-papers`, which needs them.
    sets: ``KEY=VALUE``, for every experiment; later ones win.
    traces: Files of recorded traces, which replace generated streams.
    modules: Modules and packages from which own algorithms may be imported; None for any.
    reading: How the traces are read, before what settings say.
    Raises InputError: Names the field, or file and line, what is allowed and the value.
    """
    file = settings.from_file(config_file, preset) if config_file is not None else NO_FILE
    preset = _preset(preset, file)
    family = _family(preset, file)
    chosen = settings.from_options(sets, family)
    run = _run_settings(file, chosen)
    recorded = Recordings(traces, _reading(file, chosen, traces, reading))
    own_algorithms.use_folders(ChainMap(dict(chosen), dict(file.shared)), modules)
    if family == "autoscaling" and (traces or preset == presets.PAPERS):
        return _recorded_scaling(preset, file, chosen, run, recorded)
    if traces and family == "live":
        return _recorded_live(preset, file, chosen, run, recorded)
    if traces and family == DEFAULT_FAMILY:
        own_algorithms.check(_stack(file, chosen, TRACE), modules)
        return _recorded(file, chosen, run, recorded)
    base = presets.get(preset).experiments if preset != CUSTOM else {}
    layers = [
        _layers(name, base.get(name, {}), f"{validation.FROM_PRESET}{preset}", file, chosen)
        for name in dict.fromkeys([*base, *file.experiments])
    ]
    for layer in layers:
        _check_keys(family, layer)
        own_algorithms.check(layer, modules)
    experiments = [validation.made(MODELS[family], layer, len(layers) > 1) for layer in layers]
    sources = group_recordings.sources(experiments, recorded)
    return validation.run(preset, family, experiments, _closest(layers) | run, sources)


def _reading(
    file: FileSettings, chosen: Layer, traces: Sequence[Path], of_options: Reading
) -> Reading:
    """How traces are read: as options say, else settings."""
    layer = ChainMap(dict(chosen), dict(file.shared))
    said = {key: layer[key] for key in READING_KEYS if key in layer}
    if said and not traces:
        key, setting = next(iter(said.items()))
        raise InputError(f"{setting.origin}: `{key}` only applies to recorded traces; add --trace")
    of_settings = trace_reading.given(
        {key: (one.value, f"{one.origin}: `{key}`") for key, one in said.items()}
    )
    return Reading(*(own or other for own, other in zip(of_options, of_settings, strict=True)))


def _family(preset: str, file: FileSettings) -> str:
    """Family of the run: that of the preset, or the one that the file names."""
    of_preset = None if preset == CUSTOM else presets.get(preset).family
    if file.family is None:
        return of_preset or DEFAULT_FAMILY
    name, origin = file.family
    allowed = list(MODELS) if of_preset is None else [of_preset]
    if name not in allowed:
        why = "" if of_preset is None else f", that of preset {preset}"
        raise InputError(f"{origin}: `family` must be {_either(allowed)}{why} (got {named(name)})")
    return str(name)


def _either(names: Sequence[str]) -> str:
    """Names as alternatives: ``a``, ``a or b``, ``a, b or c``."""
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _check_keys(family: str, layer: Layer) -> None:
    for key, setting in layer.items():
        if key not in (*KEYS[family], "name"):
            raise InputError(
                f"{setting.origin}: `{key}` does not apply to experiments on {family}; must be one "
                f"of {', '.join(KEYS[family])}"
            )


def _preset(name: str | None, file: FileSettings) -> str:
    """Name of the preset to start from, `CUSTOM` for none."""
    if name is not None:
        return presets.get(name).name
    if file.preset is not None:
        try:
            return presets.get(file.preset.value).name
        except InputError as error:
            raise InputError(f"{file.preset.origin}: {error}") from error
    return CUSTOM if file.experiments else presets.DEFAULT


def _recorded_scaling(
    preset: str, file: FileSettings, chosen: Layer, run: Layer, recorded: Recordings
) -> RunConfig:
    """The configuration of a run on autoscaling over recorded workloads."""
    _refuse_experiments(file)
    stack = _stack(file, chosen, TRACE)
    _check_keys("autoscaling", stack)
    experiments, sources = recorded_scaling.experiments(preset, stack, recorded)
    # As `simulate` and `recommend` have it: the only stream of a file has the seed of the group.
    seed = {} if preset == presets.PAPERS else {"seed": Setting(0, validation.FROM_PRESET)}
    return validation.run(preset, "autoscaling", experiments, {**seed, **stack, **run}, sources)


def _refuse_experiments(file: FileSettings) -> None:
    """Raise `InputError` if a file names experiments, where each recording is one."""
    if file.experiments:
        origin = next(
            (setting.origin for layer in file.experiments.values() for setting in layer.values()),
            "the configuration file",
        )
        raise InputError(
            f"{origin}: `experiments` cannot be used with recorded workloads, which have one each; "
            "remove it, or run without --trace"
        )


def _recorded_live(
    preset: str, file: FileSettings, chosen: Layer, run: Layer, recorded: Recordings
) -> RunConfig:
    """The configuration of a live run over recorded traces."""
    _refuse_experiments(file)
    stack = _stack(file, chosen, TRACE)
    _check_keys("live", stack)
    base = presets.get(preset).experiments if preset != CUSTOM else {}
    experiments, sources = recorded_live.experiments(base, stack, recorded)
    return validation.run(preset, "live", experiments, {**stack, **run}, sources)


def _recorded(file: FileSettings, chosen: Layer, run: Layer, recorded: Recordings) -> RunConfig:
    """The configuration of a run over recorded traces."""
    for name, layer in file.experiments.items():
        if name != TRACE:
            origin = next(iter(layer.values())).origin if layer else "the configuration file"
            raise InputError(
                f"{origin}: experiment {named(name)} cannot be used with --trace, only "
                f"{TRACE!r}; remove it, or run without --trace"
            )
    stack = _stack(file, chosen, TRACE)
    for key in FROM_TRACE:
        if key in stack:
            raise InputError(
                f"{stack[key].origin}: `{key}` does not apply to a recorded trace; "
                "remove it, or run without --trace"
            )
    # Check the settings before reading large files.
    workload = validation.made(
        StreamExperiment,
        {"name": Setting(TRACE, "")} | _without(stack, "algorithms", "bound_algorithms"),
    )
    asked = workload.iteration_seconds if "iteration_seconds" in stack else None
    sources = trace_sources.read(recorded, asked)
    origin = f"--trace {recorded.paths[0]}"
    defaults = _trace_defaults(sources, workload)
    layer = {"name": Setting(TRACE, origin)}
    layer |= {key: Setting(value, origin) for key, value in defaults.items()} | dict(stack)
    experiment = validation.made(Experiment, layer | _shape(sources))
    trace_sources.check_speeds(sources, experiment)
    trace_sources.check_topics(sources, experiment)
    capacities = {source.stream_id: experiment.consumer_capacity for source in sources}
    counted = trace_sources.counted(sources, capacities)
    return validation.run(TRACE, DEFAULT_FAMILY, [experiment], run, counted)


def _trace_defaults(
    sources: Sequence[TraceSource], workload: StreamExperiment
) -> dict[str, object]:
    """Algorithms for the load of the traces, and the step of the traces if they have one."""
    smallest = min(source.partitions for source in sources)
    speeds = [trace_sources.speeds_of(source.trace) for source in sources]
    mean, peak = (max(getattr(one, rate) for one in speeds) for rate in ("mean", "peak"))
    topics = [trace_topics.of(source.trace.partitions) for source in sources]
    names = algorithm_list.for_trace(smallest, workload.capacity, mean, peak, topics)
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


def _layers(
    name: str, base: Mapping[str, object], origin: str, file: FileSettings, chosen: Layer
) -> dict[str, Setting]:
    """Settings of one experiment, each from its most specific source."""
    start = {key: Setting(value, origin) for key, value in base.items()}
    merged = start | dict(_stack(file, chosen, name))
    _drop_unfitting(merged, origin)
    return {"name": Setting(name, _origin_of(file, name, origin)), **merged}


def _stack(file: FileSettings, chosen: Layer, experiment: str) -> Mapping[str, Setting]:
    """What the user has set for an experiment, ``--set`` first."""
    single = dict(file.experiments.get(experiment, {}))
    stack = ChainMap(dict(chosen), single, dict(file.shared))
    of_run = (*RUN_KEYS, *READING_KEYS, IMPORT_KEY)
    return {key: stack[key] for key in stack if key not in of_run}


def _origin_of(file: FileSettings, experiment: str, otherwise: str) -> str:
    layer = file.experiments.get(experiment)
    return next(iter(layer.values())).origin if layer else otherwise


def _drop_unfitting(merged: dict[str, Setting], preset: str) -> None:
    """Leave out a preset's ``kd_n`` above a number of partitions that the user has set."""
    algorithms, partitions = merged.get("algorithms"), merged.get("partitions")
    if algorithms is None or algorithms.origin != preset:
        return
    if partitions is None or not isinstance(partitions.value, int) or partitions.value < 1:
        return
    names = algorithm_names("algorithms", algorithms.value)
    if partitions.origin != preset:
        names = algorithm_list.fitting(names, partitions.value)
    merged["algorithms"] = Setting(names, preset)


def _run_settings(file: FileSettings, chosen: Layer) -> dict[str, Setting]:
    """Settings of the run as a whole, checked."""
    stack = ChainMap(dict(chosen), dict(file.shared))
    of_run = {key: stack[key] for key in RUN_KEYS if key in stack}
    if "seed" in of_run:
        validation.check_seed(of_run["seed"])
    return of_run


def _closest(layers: Sequence[Layer]) -> dict[str, Setting]:
    """Settings of all experiments as one, to look up the origin of a key."""
    return {key: setting for layer in reversed(layers) for key, setting in layer.items()}
