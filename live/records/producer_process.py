"""Process of the producer: ``python -m … SETTINGS.json RATES.bin``.

It writes ``producer.json`` in the run's folder when it ends: at the end of the stream, or when
SIGTERM or SIGINT stops it (status 0), or after a fatal error (status 1).
"""

from __future__ import annotations

import gc
import json
import signal
import sys
from pathlib import Path
from types import FrameType

from live.live_settings import LiveSettings, load
from live.records import rates_file
from live.records.record_producer import RecordProducer
from live.records.send_schedule import SendSchedule
from pipeline.base.errors import GroupscaleError

REPORT = "producer.json"
"""File in the run's folder."""


def main(settings_file: Path, rates: Path) -> int:
    """Produce a stream; return the process's status. An error is printed on stderr."""
    settings = load(settings_file)
    try:
        return _produce(settings, rates)
    except (GroupscaleError, OSError, ValueError) as error:
        print(f"producer: {error}", file=sys.stderr)
        return 1


def _produce(settings: LiveSettings, rates: Path) -> int:
    table = rates_file.read(rates, settings.iterations, settings.partitions)
    schedule = SendSchedule(table, settings.iteration_s, settings.record_bytes)
    producer = RecordProducer(settings, schedule)

    def stop(number: int, frame: FrameType | None) -> None:
        producer.stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    gc.freeze()
    error: str | None = None
    try:
        producer.connect()
        producer.send_all()
    except GroupscaleError as failure:
        error = str(failure)
        print(error, file=sys.stderr)
    _report(settings, producer, error)
    return 0 if error is None else 1


def _report(settings: LiveSettings, producer: RecordProducer, error: str | None) -> None:
    """Write what was sent, in one step."""
    iterations = producer.tally.reports()
    file = Path(settings.folder) / REPORT
    partial = file.with_suffix(".partial")
    content = {
        "error": error,
        "stopped": producer.is_stopped,
        "began_ns": producer.began_ns,
        "record_bytes": settings.record_bytes,
        "sent": producer.tally.sent,
        "failed": producer.tally.failed,
        "sent_by_partition": producer.tally.sent_by_partition,
        "iterations": iterations,
    }
    partial.write_text(json.dumps(content), encoding="utf-8")
    partial.replace(file)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
