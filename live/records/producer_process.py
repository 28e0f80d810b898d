"""Process of the producer: ``python -m … SETTINGS.json RATES.bin``.

It writes ``producer.json`` in the run's folder when it ends: at the end of the stream, or when
SIGTERM or SIGINT stops it (status 0), or after a fatal error (status 1).
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from live.live_settings import LiveSettings, load
from live.records import rates_file, schedules
from live.records.burst_schedule import DriftSchedule
from live.records.record_producer import RecordProducer
from live.records.run_clock import RunClock
from pipeline.base.errors import GroupscaleError
from pipeline.base.process import replaced_file, signals

REPORT = "producer.json"
"""File in the run's folder."""


def main(settings_file: Path, rates: Path) -> int:
    """Produce a stream; return the process's status. An error is printed on stderr."""
    settings = _begun(load(settings_file))
    try:
        return _produce(settings, rates)
    except (GroupscaleError, OSError, ValueError) as error:
        print(f"producer: {error}", file=sys.stderr)
        return 1


def _begun(settings: LiveSettings) -> LiveSettings:
    """Settings of a run that begins now, if it has not begun."""
    began_ns = settings.began_ns or RunClock(settings.clock_offset_ns).now()
    return replace(settings, began_ns=began_ns)


def _produce(settings: LiveSettings, rates: Path) -> int:
    table = rates_file.read(rates, settings.iterations, settings.partitions)
    schedule = schedules.to_send(settings, table)
    producer = RecordProducer(settings, schedule)
    signals.call(producer.stop)
    gc.freeze()
    error: str | None = None
    try:
        producer.connect()
        producer.send_all()
    except GroupscaleError as failure:
        error = str(failure)
        print(error, file=sys.stderr)
    bursts = {schedules.BURSTS_NS: schedule.times} if isinstance(schedule, DriftSchedule) else {}
    _report(settings, producer, error, bursts)
    return 0 if error is None else 1


def _report(
    settings: LiveSettings,
    producer: RecordProducer,
    error: str | None,
    bursts: Mapping[str, Sequence[int]],
) -> None:
    """Write what was sent, in one step."""
    iterations = producer.tally.reports()
    file = Path(settings.folder) / REPORT
    content = {
        "error": error,
        "stopped": producer.is_stopped,
        "began_ns": producer.began_ns,
        "record_bytes": settings.record_bytes,
        "sent": producer.tally.sent,
        "failed": producer.tally.failed,
        "sent_by_partition": producer.tally.sent_by_partition,
        "iterations": iterations,
        **bursts,
    }
    replaced_file.write_json(file, content)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
