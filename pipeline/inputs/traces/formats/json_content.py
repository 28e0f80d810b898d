"""Content of a JSON file, in which the series of Prometheus take little memory."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pipeline.base.errors import InputError
from pipeline.base.limits import MAX_ITERATIONS, MAX_JSON_BYTES
from pipeline.base.text.quoting import named, shown
from pipeline.inputs.traces import files
from pipeline.inputs.traces.files import SEE
from pipeline.inputs.traces.formats import foreign_json
from pipeline.inputs.traces.model import RATE, Floats

_BLANKS = re.compile(r"[ \t\r\n\ufeff\x1e]*")
_ONLY_ONE = "a second JSON document begins here, but a file must have one"
_SHORT, _HEAD = 100, 10_000
"""Characters of a text that is no JSON, and those in which one is looked for."""
_OBJECT = re.compile(r'^\s*[{\[]+"', re.MULTILINE)
_NOTHING: dict[str, Any] = {}
"""Every empty object of a file, so that millions of them take no memory."""


QUERY, RANGE = "Prometheus query JSON", "Prometheus query_range JSON"
EXPORT = "VictoriaMetrics export JSON"
"""Forms of a series: one sample, samples at times of a query, and samples as stored."""


class Samples(NamedTuple):
    """A series of Prometheus: an object ``{"metric": {…}, "values": [[time, "value"], …]}``.

    VictoriaMetrics exports series with ``"values": […], "timestamps": […]``, in milliseconds.
    """

    labels: Mapping[str, str]
    """Labels, with the metric's name as ``__name__``."""
    times: Floats
    values: Floats
    """`times`, `values`: ``float64[n]``: s since 1970, ascending, and the values, finite and at
    least 0. NaN, which marks the end of a series, is left out."""
    form: str
    """`QUERY`, `RANGE` or `EXPORT`."""


def parsed(path: Path, expected: str, can_repeat: Callable[[object], bool]) -> list[Any]:
    """Documents of a JSON file, mostly one; each series of Prometheus is a `Samples`.

    expected: What the file must have, for messages.
    can_repeat: Whether another document can follow one.
    Raises InputError if the file is not JSON, a series is not valid, or a document follows another
        one that must be alone.
    """
    text = files.read_text(path, MAX_JSON_BYTES)
    try:
        return _documents(path, text, expected, can_repeat)
    except json.JSONDecodeError as error:
        words = _cause(text, error.pos) or (
            f"not valid JSON ({error.msg}); must be {expected}, or an answer of Prometheus"
        )
        raise InputError(f"{path}:{error.lineno}: {words}; {SEE}") from None
    except RecursionError as error:
        raise InputError(f"{path}: nested too deeply: must be {expected}; {SEE}") from error
    except ValueError as error:
        raise InputError(f"{path}: {error}") from error


def _documents(
    path: Path, text: str, expected: str, can_repeat: Callable[[object], bool]
) -> list[Any]:
    decoder = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=_Objects().taken)
    documents: list[Any] = []
    place = _after_blanks(text, 0)
    while place < len(text) or not documents:
        if documents and not can_repeat(documents[-1]):
            line = text.count("\n", 0, place) + 1
            raise InputError(
                f"{path}:{line}: {_ONLY_ONE}; must be {expected}, or an answer of Prometheus; {SEE}"
            )
        content, place = decoder.raw_decode(text, place)
        documents.append(content)
        place = _after_blanks(text, place)
    return documents


def _cause(text: str, place: int) -> str:
    """Why a text is no JSON from a place on, and what to do; empty if it is not known."""
    if place >= len(text.rstrip()) and len(text) > _SHORT:
        return "the JSON ends too early, so the file is cut short; repeat the query"
    if page := foreign_json.page(text[:_SHORT]):
        return page
    if text.lstrip()[:1] not in ("{", "[") and _OBJECT.search(text[:_HEAD]):
        return "lines before the JSON are not read; remove them (query without curl's -i and -v)"
    return ""


def _after_blanks(text: str, place: int) -> int:
    match = _BLANKS.match(text, place)
    return match.end() if match else place


def _no_constant(text: str) -> object:
    raise ValueError(f"{RATE} (got {text}, which is not a JSON number)")


class _Objects:
    """Takes the objects of a file, and counts those that stay as they are."""

    def __init__(self) -> None:
        self._nested, self._empty = 0, 0

    def taken(self, pairs: list[tuple[str, Any]]) -> dict[str, Any] | Samples:
        """An object of JSON, converted as soon as it is complete."""
        if not pairs:
            self._empty += 1
            if self._empty > MAX_ITERATIONS:
                raise ValueError(f"can have at most {MAX_ITERATIONS:,} empty objects")
            return _NOTHING
        content = dict(pairs)
        if len(content) < len(pairs):
            raise ValueError(f"duplicate key in one object: {shown(_repeated(pairs))}")
        samples = _series(content)
        if samples is not None:
            return samples
        if isinstance(pairs[0][1], dict):
            self._nested += 1
            if self._nested > MAX_ITERATIONS:
                raise ValueError(f"can have at most {MAX_ITERATIONS:,} measurements or series")
        return content


def _repeated(pairs: list[tuple[str, Any]]) -> str:
    """The first key that occurs twice."""
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            return key
        seen.add(key)
    return ""


def _series(content: dict[str, Any]) -> Samples | None:
    """The series that an object is; None if it is none."""
    metric, values = content.get("metric"), content.get("values")
    if not isinstance(metric, dict) or len(content) > 3:
        return None
    if len(content) == 2 and isinstance(values, list):
        return _samples(metric, values, RANGE)
    if len(content) == 2 and isinstance(content.get("value"), list):
        return _samples(metric, [content["value"]], QUERY)
    stamps = content.get("timestamps")
    if isinstance(values, list) and isinstance(stamps, list):
        return _exported(metric, values, stamps)
    return None


def _exported(metric: Mapping[str, Any], values: list[Any], stamps: list[Any]) -> Samples:
    """A series of VictoriaMetrics' export, whose times are milliseconds."""
    if len(values) != len(stamps):
        raise ValueError(
            f"{_where(metric)}: must have one timestamp per value (got {len(stamps):,} and "
            f"{len(values):,})"
        )
    pairs = [
        [stamp, math.nan if value is None else value]
        for stamp, value in zip(stamps, values, strict=True)
    ]
    samples = _samples(metric, pairs, EXPORT)
    return samples._replace(times=samples.times / 1000.0)


def _where(metric: Mapping[str, Any]) -> str:
    return f"series {named(str(metric.get('partition', metric.get('__name__', ''))))}"


def _samples(metric: Mapping[str, Any], pairs: list[Any], form: str) -> Samples:
    labels = {str(key): str(value) for key, value in metric.items()}
    where = _where(labels)
    times, values = np.empty(len(pairs)), np.empty(len(pairs))
    for place, pair in enumerate(pairs):
        times[place], values[place] = _sample(where, pair)
    if not (np.diff(times) > 0.0).all():
        raise ValueError(f"{where}: times must ascend")
    present = ~np.isnan(values)
    return Samples(labels, times[present], values[present], form)


def _sample(where: str, pair: Any) -> tuple[float, float]:
    """Time and value of ``[1714564800.5, "12.5"]``."""
    try:
        time, value = map(float, pair)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f'{where}: a sample must be [time, "value"] (got {shown(pair)})') from None
    if not math.isfinite(time) or math.isinf(value) or value < 0.0:
        raise ValueError(f"{where}: values must be finite and 0 or more (got {value:g})")
    return time, value
