"""Process of a consumer: ``python -m … SETTINGS.json SLOT INCARNATION``.

Statuses: 0 after `end` or SIGTERM, 1 after an error, 3 if it was fenced or a client has failed for
good, 4 if its loop stood still.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from live.consumer import process_end
from live.consumer.consumer import Consumer, Process
from live.live_settings import load


def serve(process: Process | None = None, properties: Mapping[str, str] | None = None) -> NoReturn:
    """Run the consumer that the command line names, then end this process.

    A program of your own that the controller can start instead of this module::

        def store(records: Sequence[ConsumedRecord]) -> None:
            for record in records:
                database.insert(record.value)

        if __name__ == "__main__":
            serve(store)
    """
    status = main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), process, properties)
    process_end.leave(status)


def main(
    settings_file: Path,
    slot: int,
    incarnation: int,
    process: Process | None = None,
    properties: Mapping[str, str] | None = None,
) -> int:
    """Run a consumer to its end; return the process's status. Errors go to stderr."""

    def new() -> Consumer:
        settings = load(settings_file)
        return Consumer(settings, slot, incarnation, process, properties=properties)

    return process_end.run(new, "consumer")


if __name__ == "__main__":
    serve()
