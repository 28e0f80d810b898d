"""Content of a JSON file, in which the series of Prometheus take little memory."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pipeline.errors import InputError
from pipeline.limits import MAX_JSON_BYTES
from pipeline.text.quoting import named, shown
from pipeline.traces import files
from pipeline.traces.model import RATE, Floats

SEE = "see docs/traces.md"
_SECOND = "Extra data"
"""Python's message for a text after the end of a document."""
_ONLY_ONE = "a second JSON document begins here, but a file must have one"


class Samples(NamedTuple):
    """A series of Prometheus: an object ``{"metric": {…}, "values": [[time, "value"], …]}``.

    Attributes
    ----------
    labels
        Labels, with the metric's name as ``__name__``.
    times, values
        ``float64[n]``: s since 1970, ascending, and the values, finite and at least 0. NaN, which
        marks the end of a series, is left out.
    is_single
        Whether the object has one ``value`` in place of ``values``.
    """

    labels: Mapping[str, str]
    times: Floats
    values: Floats
    is_single: bool


def parsed(path: Path, expected: str) -> object:
    """Content of a JSON file; each series of Prometheus is a `Samples`.

    Parameters
    ----------
    expected
        What the file must have, for messages.

    Raises
    ------
    InputError
        If the file is not JSON, or a series is not valid.
    """
    text = files.read_text(path, MAX_JSON_BYTES)
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        wrong = f"not valid JSON ({error.msg})" if error.msg != _SECOND else _ONLY_ONE
        raise InputError(
            f"{path}:{error.lineno}: {wrong}; must be {expected}, or an answer of Prometheus; {SEE}"
        ) from None
    except RecursionError as error:
        raise InputError(f"{path}: nested too deeply: must be {expected}; {SEE}") from error
    except ValueError as error:
        raise InputError(f"{path}: {error}") from error


def _no_constant(text: str) -> object:
    raise ValueError(f"{RATE} (got {text}, which is not a JSON number)")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | Samples:
    """An object of JSON, converted as soon as it is complete."""
    content = dict(pairs)
    if len(content) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"duplicate key in one object: {shown(repeated)}")
    if len(content) == 2 and isinstance(content.get("metric"), dict):
        if isinstance(content.get("values"), list):
            return _samples(content["metric"], content["values"], False)
        if isinstance(content.get("value"), list):
            return _samples(content["metric"], [content["value"]], True)
    return content


def _samples(metric: Mapping[str, Any], pairs: list[Any], is_single: bool) -> Samples:
    labels = {str(key): str(value) for key, value in metric.items()}
    where = f"series {named(labels.get('partition', labels.get('__name__', '')))}"
    times, values = np.empty(len(pairs)), np.empty(len(pairs))
    for place, pair in enumerate(pairs):
        times[place], values[place] = _sample(where, pair)
    if not (np.diff(times) > 0.0).all():
        raise ValueError(f"{where}: times must ascend")
    present = ~np.isnan(values)
    return Samples(labels, times[present], values[present], is_single)


def _sample(where: str, pair: Any) -> tuple[float, float]:
    """Time and value of ``[1714564800.5, "12.5"]``."""
    try:
        time, value = map(float, pair)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f'{where}: a sample must be [time, "value"] (got {shown(pair)})') from None
    if not math.isfinite(time) or math.isinf(value) or value < 0.0:
        raise ValueError(f"{where}: values must be finite and 0 or more (got {value:g})")
    return time, value
