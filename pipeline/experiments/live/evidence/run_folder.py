"""The folder that a run of one strategy on one stream leaves behind."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from algorithms.core.arrays import Bools, Floats, Longs
from live import live_settings
from live.live_settings import LiveSettings
from live.records import journal, rates_file
from pipeline.base.errors import StageError
from pipeline.experiments.live.evidence.processed_records import ProcessedRecords, read_folder

SETTINGS, RATES, PRODUCER = "settings.json", "rates.bin", "producer.json"
JOURNAL, RUN, EVIDENCE = "controller.jsonl", "run.json", "evidence"
MONITOR = "monitor.jsonl"
"""Names in the folder."""

MOST_LATE_MS = 100.0
"""An iteration whose 99th percentile of lateness is above this is unsound."""

Entry = Mapping[str, Any]
"""A line of the controller's journal, or an iteration of the producer's report."""


class RunFolder(NamedTuple):
    """What a run has left behind."""

    settings: LiveSettings
    """Settings of the run; `began_ns` is the start of the first iteration."""
    rates: Floats
    """``float64[N, P]``, bytes/s."""
    producer: Mapping[str, Any]
    """Report of the producer."""
    entries: Sequence[Entry]
    """Journal of the controller."""
    run: Mapping[str, Any]
    """What the launcher of the run says: versions, nodes, cores, load, whether it was drained."""
    records: ProcessedRecords
    """Evidence of all consumers."""
    measurements: Sequence[Entry] = ()
    """Measurements in the monitor's journal; none if speeds were given."""

    def said(self, what: str) -> list[Entry]:
        """Entries of one kind in the controller's journal, in their order."""
        return [entry for entry in self.entries if entry["what"] == what]

    def iterations_of(self, times_ns: Longs) -> Longs:
        """Iteration of each due time, from 0; an iteration includes its end."""
        span_ns = round(self.settings.iteration_s * 1e9)
        return -(-(times_ns - self.settings.began_ns) // span_ns) - 1

    @property
    def overhead(self) -> float | None:
        """Bytes in logs per byte of a record's value, as last measured; None if it was not."""
        return float(self.measurements[-1]["factor"]) if self.measurements else None

    @property
    def is_sound(self) -> Bools:
        """Whether the producer was in time, ``bool[N]``."""
        sound = np.zeros(self.settings.iterations, np.bool_)
        for report in self.producer["iterations"]:
            sound[report["iteration"]] = report["late_p99_ms"] <= MOST_LATE_MS
        return sound

    @property
    def is_compared(self) -> Bools:
        """Whether an iteration counts in comparisons: all sound ones but the first."""
        compared = self.is_sound
        compared[0] = False
        return compared


def read(folder: Path) -> RunFolder:
    """Read the folder of a run that has ended. Raises StageError, which names the file."""
    return _read(folder, lambda settings: (_json(folder / PRODUCER), _json(folder / RUN)))


def read_unfinished(folder: Path) -> RunFolder:
    """As `read`, of a run that has failed: as if it had sent nothing, and not been drained."""

    def reports(settings: LiveSettings) -> _Reports:
        sent = [0] * settings.partitions
        return {"sent_by_partition": sent, "iterations": []}, {"drained": False}

    return _read(folder, reports)


_Reports = tuple[Mapping[str, Any], Mapping[str, Any]]
"""Those of the producer and of the run."""


def _read(folder: Path, reports: Callable[[LiveSettings], _Reports]) -> RunFolder:
    try:
        settings = live_settings.load(folder / SETTINGS)
        table = rates_file.read(folder / RATES, settings.iterations, settings.partitions)
        producer, run = reports(settings)
        return RunFolder(
            settings,
            np.array(table, np.float64),
            producer,
            list(journal.entries(folder / JOURNAL)),
            run,
            read_folder(folder / EVIDENCE),
            _measurements(folder / MONITOR),
        )
    except (OSError, ValueError, TypeError) as error:
        raise StageError(f"{folder}: cannot read what the run has left: {error}") from error


def _measurements(file: Path) -> list[Entry]:
    if not file.is_file():
        return []
    return [entry for entry in journal.entries(file) if entry["what"] == "measured"]


def _json(file: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return content
