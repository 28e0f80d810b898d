"""A consumer that never comes back from its first batch: ``SETTINGS.json SLOT INCARNATION``."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

from pipeline.live.consumer import ConsumedRecord, Consumer
from pipeline.live.live_settings import load


def hang(records: Sequence[ConsumedRecord]) -> None:
    time.sleep(3600)


if __name__ == "__main__":
    Consumer(load(Path(sys.argv[1])), int(sys.argv[2]), int(sys.argv[3]), hang).run()
