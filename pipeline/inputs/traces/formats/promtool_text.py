"""Text that metric tools print: ``promtool query``, ``promtool tsdb dump``, and what is no trace.

``promtool query range`` prints a line ``name{label="value"} =>`` per series, then its samples
``value @[time]``; ``promtool query instant`` and ``promtool tsdb dump`` print one sample per line.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from pipeline.base.errors import InputError
from pipeline.base.text.quoting import shown
from pipeline.inputs.traces.files import SEE
from pipeline.inputs.traces.formats import csv_header, foreign_json
from pipeline.inputs.traces.model import Trace
from pipeline.inputs.traces.rates import metric_labels, series_trace
from pipeline.inputs.traces.rates.series_trace import Labelled, Source

QUERY, DUMP = "promtool query text", "promtool tsdb dump text"

_NUMBER = r"[-+]?(?:[0-9.]+(?:[eE][-+]?[0-9]+)?|NaN|Inf)"
_NAME = r'(?P<name>[A-Za-z_:][\w:]*)?(?P<labels>\{(?:[^"{}]|"(?:[^"\\]|\\.)*")*\})?'
_SERIES = re.compile(rf"{_NAME} ?=>(?P<rest>.*)", re.ASCII)
_SAMPLE = re.compile(rf" *(?P<value>{_NUMBER}) @\[(?P<time>[0-9.]+)\]", re.ASCII)
_STORED = re.compile(rf"{_NAME} (?P<value>{_NUMBER}) (?P<time>[0-9]{{12,14}})", re.ASCII)
_SCRAPED = re.compile(rf"# (?:HELP|TYPE|UNIT) .*|[A-Za-z_:][\w:]*\{{.*\}} {_NUMBER}", re.ASCII)
_LINE = re.compile(r"[^\s,=]+(?:,[^\s,=]+=[^\s,=]+)+ [^\s=]+=\S+(?: [0-9]{10,19})?", re.ASCII)
_ANNOTATED = re.compile(r"#(?:group|datatype|default),|,result,table,")

Key = tuple[str, str]
Samples = dict[Key, tuple["array[float]", "array[float]"]]


def refusal(head: str) -> str | None:
    """Why the text of a metric tool is no trace and what to do; None if it is none of those."""
    first = _first(head)
    if _ANNOTATED.match(first):
        return (
            "is annotated CSV of InfluxDB; write a CSV with columns timestamp, topic, partition, "
            "and rate or offset, in place of _time, the tags and _value, without lines that begin "
            "with #"
        )
    if _SCRAPED.fullmatch(first):
        return (
            "is one scrape of an exporter, which has no rates; ask Prometheus for a range of time"
        )
    if _LINE.fullmatch(first):
        return (
            "is InfluxDB's line protocol; write a CSV with columns timestamp, topic, partition, "
            "and rate or offset"
        )
    return foreign_json.page(head) or None


def looks_like(head: str) -> bool:
    """Whether the first lines of a file are series or samples that promtool prints."""
    first = _first(head)
    return bool(_SERIES.fullmatch(first) or _STORED.fullmatch(first))


def read(path: Path, values: str | None = None) -> Trace:
    """Read series that promtool printed.

    Raises
    ------
    InputError
        If a line is neither a series nor a sample, or the series do not make a trace.
    """
    series: Samples = {}
    form = QUERY
    with csv_header.opened(path) as file:
        own: Key | None = None
        for number, line in enumerate(file, start=1):
            text = line.strip()
            where = f"{path}:{number}"
            if stored := _STORED.fullmatch(text):
                form = DUMP
                _add(where, series, _key(stored), stored["value"], float(stored["time"]) / 1000.0)
                continue
            if opened := _SERIES.fullmatch(text):
                own, text = _key(opened), opened["rest"].strip()
                series.setdefault(own, (array("d"), array("d")))
            sample = _SAMPLE.fullmatch(text)
            if own is not None and sample is not None:
                _add(where, series, own, sample["value"], float(sample["time"]))
            elif text:
                raise InputError(
                    f'{where}: must be a series such as name{{partition="0"}} =>, or a sample '
                    f"such as 5 @[1714564800] (got {shown(text)}); {SEE}"
                )
    return series_trace.of_labelled(Source(path, form, values), list(_labelled(path, series)))


def _first(head: str) -> str:
    """The first line that is not empty."""
    return next((line.strip() for line in head.splitlines() if line.strip()), "")


def _key(match: re.Match[str]) -> Key:
    return match["name"] or "", match["labels"] or "{}"


def _add(where: str, series: Samples, key: Key, text: str, time: float) -> None:
    value = float(text)
    if math.isinf(value) or value < 0.0:
        raise InputError(f"{where}: values must be finite and 0 or more (got {shown(text)}); {SEE}")
    times, values = series.setdefault(key, (array("d"), array("d")))
    if times and time <= times[-1]:
        raise InputError(f"{where}: times of a series must ascend; {SEE}")
    if not math.isnan(value):
        times.append(time)
        values.append(value)


def _labelled(path: Path, series: Samples) -> Iterator[Labelled]:
    for (name, text), (times, values) in series.items():
        parsed = metric_labels.parsed(name + text)
        if parsed is None:
            raise InputError(f"{path}: the labels of a series are not valid; {SEE}")
        metric, labels = parsed
        metric = labels.pop("__name__", metric)
        yield Labelled(metric, labels, np.array(times), np.array(values))
