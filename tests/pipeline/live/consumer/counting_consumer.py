"""A consumer with a function of its user's: ``SETTINGS.json SLOT INCARNATION``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from pipeline.live.consumer import ConsumedRecord, Consumer
from pipeline.live.live_settings import load

if __name__ == "__main__":
    settings = load(Path(sys.argv[1]))
    with (Path(settings.folder) / "counted.txt").open("a") as file:

        def write_offsets(records: Sequence[ConsumedRecord]) -> None:
            for record in records:
                print(record.offset, file=file, flush=True)

        Consumer(settings, int(sys.argv[2]), int(sys.argv[3]), write_offsets).run()
