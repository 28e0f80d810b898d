"""Models made of settings; errors name the origin of the wrong setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from pipeline.base.errors import InputError
from pipeline.base.limits import MAX_SEED
from pipeline.base.text.quoting import named
from pipeline.settings.field_checks import FieldError, whole
from pipeline.settings.run_config import RunConfig
from pipeline.settings.settings import FIELDS, RUN_KEYS, Layer, Setting
from pipeline.settings.trace_source import TraceSource

Model = TypeVar("Model", bound=BaseModel)

FROM_PRESET = "preset "
"""Prefix of the origins of a preset's settings, which messages leave out."""


def check_seed(setting: Setting) -> None:
    """Raise `InputError` unless it is a root seed; before any slow import."""
    try:
        whole("seed", setting.value, 0, MAX_SEED)
    except FieldError as error:
        raise InputError(f"{setting.origin}: {error}") from error


def refuse(keys: Sequence[str], layer: Layer, recorded: str) -> None:
    """Raise `InputError` if the user has set a key that a recorded trace or workload decides."""
    for key in keys:
        if key in layer:
            raise InputError(
                f"{layer[key].origin}: `{key}` does not apply to a recorded {recorded}; remove it, "
                "or run without --trace"
            )


def run(
    preset: str,
    family: str,
    experiments: Sequence[BaseModel],
    layer: Layer,
    traces: tuple[TraceSource, ...] = (),
) -> RunConfig:
    """The configuration of a run; ``layer`` has the settings of the run and, for messages, others.

    Raises InputError if experiments and traces do not go together, or are too many or too large.
    """
    values = {key: layer[key].value for key in RUN_KEYS if key in layer}
    rest = {"preset": preset, FIELDS[family]: tuple(experiments), "traces": traces}
    return _validated(RunConfig, values | rest, layer)


def made(model: type[Model], layer: Layer, one_of_many: bool = False) -> Model:
    """An experiment from its settings. Raises InputError, with the setting and its origin."""
    values = {key: setting.value for key, setting in layer.items()}
    whose = f" (experiment {named(values['name'])})" if one_of_many else ""
    return _validated(model, values, layer, whose)


def _validated(
    model: type[Model], values: Mapping[str, object], layer: Layer, whose: str = ""
) -> Model:
    try:
        return model.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        cause = first.get("ctx", {}).get("error")
        keys = cause.fields if isinstance(cause, FieldError) else first["loc"]
        text = str(cause) if isinstance(cause, FieldError) else first["msg"]
        # A value that is wrong by itself is so in every experiment.
        place = whose if len(keys) > 1 else ""
        raise InputError(f"{_origin(layer, keys)}{text}{place}") from None


def _origin(layer: Layer, keys: Sequence[object]) -> str:
    """Where the user set the first of some keys, if anywhere."""
    settings = [layer[name] for name in (str(key).split("[")[0] for key in keys) if name in layer]
    chosen = [setting for setting in settings if not setting.origin.startswith(FROM_PRESET)]
    return f"{chosen[0].origin}: " if chosen and chosen[0].origin else ""
