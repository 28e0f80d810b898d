"""Settings of ``--set`` options and files, each with its origin."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from algorithms.core.input_errors import near
from pipeline.base.errors import InputError
from pipeline.base.limits import MAX_CONFIG_BYTES, MAX_EXPERIMENTS
from pipeline.base.text import quoting, yaml_values
from pipeline.base.text.quoting import named, shown
from pipeline.inputs.traces import files, reading
from pipeline.settings import presets
from pipeline.settings.application_experiment import ApplicationExperiment
from pipeline.settings.assignment_experiment import Experiment
from pipeline.settings.broker_experiment import BrokerExperiment
from pipeline.settings.experiment_base import FamilyExperiment
from pipeline.settings.learning_experiment import LearningExperiment
from pipeline.settings.live_experiment import LiveExperiment
from pipeline.settings.option_setting import OptionSetting
from pipeline.settings.pulsar_experiment import PulsarExperiment
from pipeline.settings.scaling_experiment import ScalingExperiment

RUN_KEYS = ("seed",)
"""Keys of the run as a whole."""

READING_KEYS = tuple(reading.KINDS)
"""Keys that say how recorded traces are read."""

IMPORT_KEY = "import_path"
"""Key of the folders that own algorithms are imported from."""

MODELS: Mapping[str, type[FamilyExperiment]] = {
    "assignment": Experiment,
    "autoscaling": ScalingExperiment,
    "live": LiveExperiment,
    "learning": LearningExperiment,
    "applications": ApplicationExperiment,
    "pulsar": PulsarExperiment,
    "brokers": BrokerExperiment,
}
"""Model of an experiment of each family."""

DEFAULT_FAMILY = "assignment"
"""Family of a file's experiments if it names none."""

FIELDS = {family: "experiments" if family == DEFAULT_FAMILY else family for family in MODELS}
"""Field of a run's configuration that has a family's experiments."""

KEYS = {
    family: tuple(key for key in model.model_fields if key not in ("name", "trace", "parts"))
    for family, model in MODELS.items()
}
"""Keys of an experiment of each family."""

EXPERIMENT_KEYS = tuple(dict.fromkeys(key for keys in KEYS.values() for key in keys))
"""Keys of an experiment of any family."""

_MOST_OF_OPTION = 80
_SHARED_KEYS = (*RUN_KEYS, *READING_KEYS, IMPORT_KEY, *EXPERIMENT_KEYS)
_FILE_KEYS = ("preset", "family", "experiments", *_SHARED_KEYS)


class Setting(NamedTuple):
    """A raw value and its origin: an option, or file and line."""

    value: Any
    origin: str


Layer = Mapping[str, Setting]


class FileSettings(NamedTuple):
    """Content of a configuration file."""

    preset: Setting | None
    """The preset to start from, None where the file names none."""
    family: Setting | None
    """The family of the experiments, None where the file names none."""
    shared: Layer
    """Settings for the run and every experiment."""
    experiments: Mapping[str, Layer]
    """Settings for single experiments, by name."""


NO_FILE = FileSettings(None, None, {}, {})
"""No settings."""


def from_options(options: Sequence[str], family: str) -> dict[str, Setting]:
    """Settings of ``--set KEY=VALUE``; the last value of a key counts.

    A value is JSON (``5``, ``[0,5]``, ``false``), else a list separated by commas, else a
    text.

    options: The values of ``--set``, or an `OptionSetting` each.
    family: Family of the run: the message about an unknown key lists its keys.
    Raises InputError if an option has another form or an unknown key.
    """
    settings: dict[str, Setting] = {}
    for option in options:
        key, sign, text = option.partition("=")
        key = key.strip()
        if not sign or not key:
            raise InputError(
                f"--set {_typed(option)}: must have the form KEY=VALUE, such as --set deltas=5,10"
            )
        origin = _written(option)
        _check_key(key, _SHARED_KEYS, family, origin)
        settings[key] = Setting(_parsed(text.strip()), origin)
    return settings


def _written(option: str) -> str:
    """The option as the user wrote it, with its name."""
    if isinstance(option, OptionSetting):
        return _typed(option.origin)
    return f"--set {_typed(option)}"


def _typed(option: str) -> str:
    """An option as the user typed it, shortened if long."""
    if option.isprintable() and 0 < len(option) <= _MOST_OF_OPTION:
        return option
    return ascii(option[:_MOST_OF_OPTION]) + "…" * (len(option) > _MOST_OF_OPTION)


def _parsed(text: str) -> object:
    try:
        return _json(text)
    except (ValueError, RecursionError):
        parts = [part.strip() for part in text.split(",")]
        return text if len(parts) == 1 else [_scalar(part) for part in parts]


def _scalar(text: str) -> object:
    try:
        return _json(text)
    except (ValueError, RecursionError):
        return text


def _json(text: str) -> object:
    """Parse strict JSON: NaN, Infinity and duplicate keys are errors."""
    return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_distinct)


def _no_constant(text: str) -> object:
    raise ValueError(f"{text} is not a JSON number")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        repeated = next(key for key, count in counts.items() if count > 1)
        raise ValueError(f"{quoting.key(repeated, _FILE_KEYS)} occurs twice in one object")
    return mapping


def from_file(path: Path, preset: str | None = None) -> FileSettings:
    """Settings of a file: JSON if its name ends in ``.json``, else YAML.

    Its top level has settings for the run and all experiments, ``preset`` or ``family``, and
    ``experiments: {name: {key: value}}`` with settings for single ones.

    preset: The preset that takes the place of the file's, if any.
    Raises InputError if the file cannot be read, is malformed or has an unknown key; names file and
        line.
    """
    text = files.read_text(path, MAX_CONFIG_BYTES)
    content = _load(path, text)
    if not isinstance(content, dict):
        raise InputError(
            f"{path}: must be a mapping of keys to values (got {shown(content)}), with lines such "
            "as deltas: [5, 10]"
        )
    family = _likely_family(preset or content.get("preset"), content.get("family"))
    top = _layer(path, content, _FILE_KEYS, family)
    nested = top.pop("experiments", None)
    return FileSettings(
        preset=top.pop("preset", None),
        family=top.pop("family", None),
        shared=top,
        experiments={} if nested is None else _experiments(path, nested, family),
    )


def _likely_family(preset: object, family: object) -> str:
    """The family of a preset, or the named one, where both may be wrong."""
    if isinstance(preset, str) and preset in presets.PRESETS:
        return presets.PRESETS[preset].family
    return family if isinstance(family, str) and family in MODELS else DEFAULT_FAMILY


def _experiments(path: Path, nested: Setting, family: str) -> dict[str, Layer]:
    by_name = nested.value
    if not isinstance(by_name, dict) or not by_name:
        raise InputError(
            f"{nested.origin}: `experiments` must map names to settings (got {shown(by_name)}), "
            "such as experiments: {mine: {partitions: 32}}"
        )
    if len(by_name) > MAX_EXPERIMENTS:
        raise InputError(
            f"{nested.origin}: `experiments` can have at most {MAX_EXPERIMENTS} names "
            f"(got {len(by_name):,})"
        )
    layers: dict[str, Layer] = {}
    for name, settings in by_name.items():
        origin = _origin(path, by_name, name)
        if settings is not None and not isinstance(settings, dict):
            raise InputError(
                f"{origin}: experiment {named(name)} must map keys to values "
                f"(got {shown(settings)}), such as mine: {{partitions: 32}}"
            )
        layers[name] = _layer(path, settings or {}, EXPERIMENT_KEYS, family)
    return layers


def _layer(
    path: Path, content: dict[str, Any], known: Sequence[str], family: str
) -> dict[str, Setting]:
    layer = {}
    for key, value in content.items():
        origin = _origin(path, content, key)
        _check_key(key, known, family, origin)
        layer[key] = Setting(value, origin)
    return layer


def _origin(path: Path, content: dict[str, Any], key: str) -> str:
    """File and line of a key; the JSON parser gives no lines."""
    line = content.lines.get(key) if isinstance(content, yaml_values.Lines) else None
    return str(path) if line is None else f"{path}:{line}"


def _check_key(key: str, known: Sequence[str], family: str, origin: str) -> None:
    """Raise `InputError` if a key is not known; the message has a similar one or the family's."""
    if key in known:
        return
    words = quoting.key(key, _FILE_KEYS)
    allowed = [*(name for name in known if name not in EXPERIMENT_KEYS), *KEYS[family]]
    is_misspelled = words != "key" and key not in _FILE_KEYS
    guess = near(key, allowed) if is_misspelled else ""
    remedy = guess or f"; must be one of {', '.join(allowed)}"
    raise InputError(f"{origin}: unknown {words}{remedy}")


def _load(path: Path, text: str) -> object:
    try:
        return _json(text) if path.suffix.lower() == ".json" else yaml_values.load(text)
    except json.JSONDecodeError as error:
        where, problem = f"{path}:{error.lineno}", f"not valid JSON ({quoting.kind(error.msg)})"
    except yaml_values.NotYaml as error:
        where = str(path) if error.line is None else f"{path}:{error.line}"
        problem = str(error)
    except RecursionError:
        where, problem = str(path), "nested too deeply"
    except ValueError as error:
        # Python's own message gives the length of a number of thousands of digits.
        where, problem = str(path), " ".join(str(error).split())
    # A parser's message can quote the file, and as the cause it would be in a task's log.
    raise InputError(f"{where}: {problem}")
