"""Process of a consumer: ``python -m … SETTINGS.json SLOT INCARNATION``.

Statuses: 0 after `end` or SIGTERM, 1 after an error, 3 if it was fenced or a client has failed for
good, 4 if its loop stood still.
"""

from __future__ import annotations

import gc
import os
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from live.consumer.client_errors import Fenced, Refused, Unusable
from live.consumer.consumer import Consumer, Process
from live.live_settings import load
from pipeline.base.process import signals

REPLACED = 3
"""Exit status of a process that cannot write any more."""


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
    sys.stdout.flush()
    sys.stderr.flush()
    # Clients whose broker is away may take long to shut down.
    os._exit(status)


def main(
    settings_file: Path,
    slot: int,
    incarnation: int,
    process: Process | None = None,
    properties: Mapping[str, str] | None = None,
) -> int:
    """Run a consumer to its end; return the process's status. Errors go to stderr."""
    try:
        settings = load(settings_file)
        consumer = Consumer(settings, slot, incarnation, process, properties=properties)
        signals.call(consumer.stop)
        gc.freeze()
        consumer.run()
    except (Fenced, Unusable) as error:
        return _fail(f"{type(error).__name__.lower()}: {error}", REPLACED)
    except (Refused, OSError) as error:
        return _fail(str(error), 1)
    except Exception:
        return _fail(traceback.format_exc(), 1)
    return 0


def _fail(text: str, status: int) -> int:
    print(f"consumer: {text}", file=sys.stderr)
    return status


if __name__ == "__main__":
    serve()
