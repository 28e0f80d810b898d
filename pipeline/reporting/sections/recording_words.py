"""Clock, unit and notes of the recorded traces of a run, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pipeline.inputs.traces import BYTES
from pipeline.warehouse.runs.run_results import Results


def sentences(results: Results) -> list[str]:
    """A sentence per recording with a clock, and one per note on how its rates were made."""
    return [words for trace in results.config.get("traces", []) for words in _of(trace)]


def _of(trace: Mapping[str, Any]) -> Iterator[str]:
    if trace.get("started_at"):
        unit = f", in {trace['unit']}" if trace.get("unit") else ""
        yield f"{trace['path']}: recorded from {trace['started_at']} (UTC){unit}."
    for note in trace.get("notes", ()):
        yield f"{trace['path']}: {note}"


def unit(results: Results) -> str:
    """Unit of the rates of a run: that of its recordings where all have the same, else bytes/s."""
    units = {str(trace.get("unit") or BYTES) for trace in results.config.get("traces", [])}
    return units.pop() if len(units) == 1 else BYTES
