"""The recording of the demo as files that people have: CSV, Prometheus, Kafka's tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import TextIO

from pipeline.base.errors import InputError
from pipeline.inputs.demo.demo_load import STARTED_AT, STEP_S, DemoLoad

GROUP = "billing"
_METRIC = "kafka_topic_partition_current_offset"
_HEAD = ("GROUP", "TOPIC", "PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG", "CONSUMER-ID")
_WIDTHS = (8, 9, 10, 15, 15, 7, 0)


def _csv(load: DemoLoad) -> Iterator[str]:
    """Rates of each partition, as `groupscale import` reads them from a CSV."""
    yield "timestamp,topic,partition,rate\n"
    names = [f"{topic},{number}" for topic, number in load.partitions]
    for step, rates in enumerate(load.rates.tolist()):
        time = _clock(step)
        yield "".join(f"{time},{name},{rate!r}\n" for name, rate in zip(names, rates, strict=True))


def _prometheus(load: DemoLoad) -> Iterator[str]:
    """What Prometheus answers to `query_range` for the end offsets that kafka_exporter exports."""
    first = STARTED_AT.timestamp()
    offsets = load.offsets()
    times = [first + STEP_S * step for step in range(len(offsets))]
    series = [
        {
            "metric": {"__name__": _METRIC, "topic": topic, "partition": str(number)},
            "values": [[time, f"{value:.0f}"] for time, value in zip(times, column, strict=True)],
        }
        for (topic, number), column in zip(load.partitions, offsets.T.tolist(), strict=True)
    ]
    yield json.dumps({"status": "success", "data": {"resultType": "matrix", "result": series}})


def _describe(load: DemoLoad) -> Iterator[str]:
    """Snapshots of `kafka-consumer-groups.sh --describe`, each after its time."""
    ends, committed = load.offsets().astype(int), load.committed().astype(int)
    owners = [f"consumer-{owner:02d}" for owner in load.owners()]
    for step, (at_end, at_commit) in enumerate(zip(ends.tolist(), committed.tolist(), strict=True)):
        yield f"{_clock(step)}\n\n{_line(_HEAD)}"
        for (topic, number), read, end, owner in zip(
            load.partitions, at_commit, at_end, owners, strict=True
        ):
            yield _line((GROUP, topic, str(number), str(read), str(end), str(end - read), owner))


def _line(cells: tuple[str, ...]) -> str:
    padded = (f"{cell:<{width}}" for cell, width in zip(cells, _WIDTHS, strict=True))
    return f"{' '.join(padded)}\n"


def _clock(step: int) -> str:
    return f"{STARTED_AT + timedelta(seconds=STEP_S * step):%Y-%m-%dT%H:%M:%SZ}"


FORMS: Mapping[str, tuple[str, Callable[[DemoLoad], Iterator[str]]]] = {
    ".csv": ("rates", _csv),
    ".json": ("an answer of Prometheus", _prometheus),
    ".txt": ("snapshots of kafka-consumer-groups.sh --describe", _describe),
}
"""By ending of the file: what it holds, and its text in parts."""


def check(file: Path) -> None:
    """Check that a file's ending names a form. Raises InputError if it does not."""
    if file.suffix not in FORMS:
        listed = ", ".join(f"{ending} ({what})" for ending, (what, _) in FORMS.items())
        raise InputError(f"`--output {file}`: the name must end in one of {listed}")


def write(load: DemoLoad, ending: str, out: TextIO) -> None:
    """Write the recording in the form that belongs to an ending."""
    out.writelines(FORMS[ending][1](load))
