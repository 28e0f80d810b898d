"""Makes a `RunConfig` from options and files.

More specific settings take precedence: ``--set``, then a configuration file (its settings for one
experiment before those for all), then a preset.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, Sequence
from pathlib import Path

from pipeline.base.errors import InputError
from pipeline.base.text.quoting import named
from pipeline.inputs.traces import reading as trace_reading
from pipeline.inputs.traces.reading import RECOGNIZED, Reading
from pipeline.settings import (
    algorithm_names,
    field_checks,
    group_recordings,
    own_algorithms,
    presets,
    recorded_assignment,
    recorded_live,
    recorded_scaling,
    settings,
    validation,
)
from pipeline.settings.assignment_experiment import TRACE
from pipeline.settings.presets import Preset
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

CUSTOM = Preset("custom", "experiments of a configuration file", {})
"""Stands for the preset if a file defines all experiments."""


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
    start = _preset(preset, file)
    family = _family(start, file)
    chosen = settings.from_options(sets, family)
    run = _run_settings(file, chosen)
    recorded = Recordings(traces, _reading(file, chosen, traces, reading))
    own_algorithms.use_folders(ChainMap(dict(chosen), dict(file.shared)), modules)
    if start.name == presets.PAPERS or (traces and family in _RECORDED):
        stack = _stack(file, chosen, TRACE)
        own_algorithms.check(stack, modules)
        _refuse_experiments(family, file)
        return _RECORDED[family](start, stack, run, recorded)
    layers = [
        _layers(name, start, file, chosen)
        for name in dict.fromkeys([*start.experiments, *file.experiments])
    ]
    for layer in layers:
        _check_keys(family, layer)
        own_algorithms.check(layer, modules)
    experiments = [validation.made(MODELS[family], layer, len(layers) > 1) for layer in layers]
    sources = group_recordings.sources(experiments, recorded)
    return validation.run(start.name, family, experiments, _closest(layers) | run, sources)


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


def _family(preset: Preset, file: FileSettings) -> str:
    """Family of the run: that of the preset, or the one that the file names."""
    if file.family is None:
        return preset.family
    name, origin = file.family
    allowed, why = [preset.family], f", that of preset {preset.name}"
    if preset is CUSTOM:
        allowed, why = [*MODELS], ""
    if name not in allowed:
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


def _preset(name: str | None, file: FileSettings) -> Preset:
    """The preset to start from, `CUSTOM` for none."""
    if name is not None:
        return presets.get(name)
    if file.preset is not None:
        try:
            return presets.get(file.preset.value)
        except InputError as error:
            raise InputError(f"{file.preset.origin}: {error}") from error
    return CUSTOM if file.experiments else presets.get(presets.DEFAULT)


def _refuse_experiments(family: str, file: FileSettings) -> None:
    """Raise `InputError` if a file names experiments that recordings leave no room for."""
    for name, layer in file.experiments.items():
        origin = next((setting.origin for setting in layer.values()), "the configuration file")
        if family != DEFAULT_FAMILY:
            raise InputError(
                f"{origin}: `experiments` cannot be used with recorded workloads, which have one "
                "each; remove it, or run without --trace"
            )
        if name != TRACE:
            raise InputError(
                f"{origin}: experiment {named(name)} cannot be used with --trace, only "
                f"{TRACE!r}; remove it, or run without --trace"
            )


def _recorded_assignment(
    preset: Preset, stack: Layer, run: Layer, recorded: Recordings
) -> RunConfig:
    """The configuration of a run on assignment over traces."""
    experiments, sources = recorded_assignment.experiments(stack, recorded)
    return validation.run(TRACE, DEFAULT_FAMILY, experiments, run, sources)


def _recorded_scaling(preset: Preset, stack: Layer, run: Layer, recorded: Recordings) -> RunConfig:
    """The configuration of a run on autoscaling over recorded workloads."""
    _check_keys("autoscaling", stack)
    experiments, sources = recorded_scaling.experiments(preset, stack, recorded)
    # As `simulate` and `recommend` have it: the only stream of a file has the seed of the group.
    is_own = preset.name in (presets.PAPERS, *presets.CLAIMED)
    seed = {} if is_own else {"seed": Setting(0, validation.FROM_PRESET)}
    layer = {**seed, **stack, **run}
    return validation.run(preset.name, "autoscaling", experiments, layer, sources)


def _recorded_live(preset: Preset, stack: Layer, run: Layer, recorded: Recordings) -> RunConfig:
    """The configuration of a live run over traces."""
    _check_keys("live", stack)
    experiments, sources = recorded_live.experiments(preset.experiments, stack, recorded)
    return validation.run(preset.name, "live", experiments, {**stack, **run}, sources)


_RECORDED = {
    DEFAULT_FAMILY: _recorded_assignment,
    "autoscaling": _recorded_scaling,
    "live": _recorded_live,
}
"""Makes the configuration of a run over traces, for families whose experiments are the files."""


def _layers(name: str, preset: Preset, file: FileSettings, chosen: Layer) -> dict[str, Setting]:
    """Settings of one experiment, each from its most specific source."""
    origin = f"{validation.FROM_PRESET}{preset.name}"
    base = preset.experiments.get(name, {})
    merged = {key: Setting(value, origin) for key, value in base.items()}
    merged |= _stack(file, chosen, name)
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
    names = field_checks.algorithm_names("algorithms", algorithms.value)
    if partitions.origin != preset:
        names = algorithm_names.fitting(names, partitions.value)
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
