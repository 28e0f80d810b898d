"""Text that ``promtool query`` and ``promtool tsdb dump`` print.

``promtool query range`` prints a line ``name{label="value"} =>`` per series, then its samples
``value @[time]``; ``promtool query instant`` and ``promtool tsdb dump`` print one sample per line.
"""

from __future__ import annotations

import math
import re
from array import array
from pathlib import Path

import numpy as np

from pipeline.base.errors import InputError
from pipeline.base.text.quoting import shown
from pipeline.inputs.traces.file_head import Head
from pipeline.inputs.traces.files import SEE
from pipeline.inputs.traces.formats import csv_header
from pipeline.inputs.traces.rates import long_table, metric_labels
from pipeline.inputs.traces.rates.long_table import Labels, LongTable
from pipeline.inputs.traces.reading import Reading

QUERY, DUMP = "promtool query text", "promtool tsdb dump text"

NUMBER = r"[-+]?(?:[0-9.]+(?:[eE][-+]?[0-9]+)?|NaN|Inf)"
_NAME = r'(?P<name>[A-Za-z_:][\w:]*)?(?P<labels>\{(?:[^"{}]|"(?:[^"\\]|\\.)*")*\})?'
_SERIES = re.compile(rf"{_NAME} ?=>(?P<rest>.*)", re.ASCII)
_SAMPLE = re.compile(rf" *(?P<value>{NUMBER}) @\[(?P<time>[0-9.]+)\]", re.ASCII)
_STORED = re.compile(rf"{_NAME} (?P<value>{NUMBER}) (?P<time>[0-9]{{12,14}})", re.ASCII)

Key = tuple[str, str]
Samples = dict[Key, tuple["array[float]", "array[float]"]]


def looks_like(head: Head) -> bool:
    """Whether the first lines of a file are series or samples that promtool prints."""
    first = first_line(head.text)
    return bool(_SERIES.fullmatch(first) or _STORED.fullmatch(first))


def read(path: Path, reading: Reading) -> LongTable:
    """Read promtool's series. Raises InputError if a line is none, or they make no trace."""
    reading.refuse(path, "timestamps", "text of promtool")
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
    columns = [(np.array(times), np.array(values)) for times, values in series.values()]
    labels = [_labels(path, *key) for key in series]
    return LongTable(path, form, *long_table.stacked(columns), labels=labels, kind=reading.values)


def first_line(text: str) -> str:
    """The first line that is not empty."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


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


def _labels(path: Path, name: str, text: str) -> Labels:
    parsed = metric_labels.parsed(name + text)
    if parsed is None:
        raise InputError(f"{path}: the labels of a series are not valid; {SEE}")
    metric, labels = parsed
    metric = labels.pop("__name__", metric)
    return Labels(metric, labels)
