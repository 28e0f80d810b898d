"""State and outcome of a recording."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from live.user_cluster.rate_recorder import RateRecorder
from pipeline.base.text.printable import printable
from pipeline.cli.live.rate_units import byte_rate
from pipeline.reporting.sections import numbers


def state(topic: str, recorder: RateRecorder) -> str:
    """The state of a recording, in one line."""
    rate = f", {byte_rate(recorder.rate)}" if recorder.rows else ""
    silent = f"; no answer for {recorder.silent:,} periods" if recorder.silent else ""
    return (
        f"{topic}: {_counted(recorder.partitions, 'partition')}, {_counted(recorder.rows, 'row')}"
        f"{rate}, {numbers.duration(recorder.passed_s)}{silent}"
    )


def outcome(recorder: RateRecorder, file: Path) -> Iterator[str]:
    """What was recorded, and what one should know about it, in lines."""
    mean = recorder.total / recorder.covered_s
    yield (
        f"Recorded {_counted(recorder.rows, 'row')} of {_counted(recorder.partitions, 'partition')}"
        f" ({numbers.duration(recorder.covered_s)}, {byte_rate(mean)} in all) in {file}"
    )
    if not recorder.total:
        yield "Note: nothing was written to the topic meanwhile."
    if recorder.missed:
        yield f"Note: no broker answered in {_counted(recorder.missed, 'period')}."
    if recorder.grown:
        yield (
            f"Note: the topic has {_counted(recorder.grown, 'new partition')}, which the trace "
            "lacks; record again."
        )
    yield f"Next: groupscale import {printable(str(file))}"


def nothing(topic: str, recorder: RateRecorder) -> str:
    """Why there is no trace."""
    return f"nothing was recorded of topic {topic!r} in {numbers.duration(recorder.passed_s)}: " + (
        "no broker has answered"
        if recorder.missed
        else "it takes two measurements for a row, and three more if a partition has no leader"
    )


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
