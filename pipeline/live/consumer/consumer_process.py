"""Process of a consumer: ``python -m … SETTINGS.json SLOT INCARNATION``.

Statuses: 0 after `end` or SIGTERM, 1 after an error, 3 if it was fenced or a client has failed for
good, 4 if its loop stood still.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import traceback
from pathlib import Path
from types import FrameType

from pipeline.live.consumer.client_errors import Fenced, Refused, Unusable
from pipeline.live.consumer.consumer import Consumer
from pipeline.live.live_settings import load

REPLACED = 3
"""Exit status of a process that cannot write any more."""


def main(settings_file: Path, slot: int, incarnation: int) -> int:
    """Run a consumer to its end.

    Returns
    -------
    int
        Status of the process; an error is printed on stderr.
    """
    try:
        consumer = Consumer(load(settings_file), slot, incarnation)
        _stop_by_signal(consumer)
        gc.freeze()
        consumer.run()
    except (Fenced, Unusable) as error:
        return _fail(f"{type(error).__name__.lower()}: {error}", REPLACED)
    except (Refused, OSError) as error:
        return _fail(str(error), 1)
    except Exception:
        return _fail(traceback.format_exc(), 1)
    return 0


def _stop_by_signal(consumer: Consumer) -> None:
    def stop(number: int, frame: FrameType | None) -> None:
        consumer.stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)


def _fail(text: str, status: int) -> int:
    print(f"consumer: {text}", file=sys.stderr)
    return status


if __name__ == "__main__":
    _status = main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
    sys.stdout.flush()
    sys.stderr.flush()
    # Clients whose broker is away may take long to shut down.
    os._exit(_status)
