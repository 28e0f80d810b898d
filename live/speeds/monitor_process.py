"""Process of the monitor: ``python -m … SETTINGS.json``.

It measures until SIGTERM or SIGINT stops it (status 0), and writes what it has measured into
``monitor.jsonl`` in the run's folder.
"""

from __future__ import annotations

import gc
import logging
import sys
import threading
from pathlib import Path

from live.live_settings import LiveSettings, load
from live.records.journal import Journal
from live.records.run_clock import RunClock
from live.speeds.log_sizes import LogSizes
from live.speeds.measurement_sender import MeasurementSender
from live.speeds.record_count import RecordCount
from live.speeds.speed_monitor import SpeedMonitor
from live.speeds.speed_windows import SpeedWindows
from pipeline.base.process import signals

JOURNAL = "monitor.jsonl"
"""File in the run's folder."""


def main(settings_file: Path) -> int:
    """Measure until a signal comes; return the status of the process."""
    settings = load(settings_file)
    stop = threading.Event()
    signals.call(stop.set)
    # A broker that is away is in the journal; kafka-python would write lines about each attempt.
    logging.getLogger("kafka").setLevel(logging.CRITICAL)
    gc.freeze()
    _measure(settings, stop)
    return 0


def _measure(settings: LiveSettings, stop: threading.Event) -> None:
    clock = RunClock(settings.clock_offset_ns)
    topic = settings.topic("data")
    security = settings.security
    sizes = LogSizes(settings.bootstrap, topic, security.kafka_python)
    with Journal(Path(settings.folder) / JOURNAL, clock.now) as journal:
        monitor = SpeedMonitor(
            sizes,
            RecordCount(settings.bootstrap, topic, settings.partitions, security.confluent),
            SpeedWindows(settings.window_s),
            settings.partitions,
            settings.record_bytes,
            journal,
        )
        sender = MeasurementSender(settings, clock, journal)
        monitor.run(settings.period_s, stop, sender.send)
        sender.close()
        sizes.close()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
